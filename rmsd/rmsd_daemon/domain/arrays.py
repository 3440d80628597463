"""Arrays beside the core: what a submit says of one, and what its tasks are told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from rmsd_core.jobs.array import Array, Counterpart, Indices
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_daemon.domain.errors import Conflict, Malformed
from rmsd_wire.api.submission import ConditionsSpec
from rmsd_wire.arrays import ArrayError, indices_text, parse_array, parse_indices

MOST_PIECES = 1000
"""The most intervals in which the waiting and the cancelled tasks of an array may be."""


MOST_SINGLE = 10_000
"""The most tasks that one name may have beside ranges of tasks; each is looked up by itself."""


class Corresponding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Another array whose tasks the tasks of this one await one by one: see `Counterpart`. `seen`:
    how many of its tasks were over at the submit."""

    array_id: int
    tasks: str = ""
    met: tuple[Interval, ...] = ()
    never: tuple[Interval, ...] = ()
    ends_if_never: bool = False
    seen: int = 0


class ArrayDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tasks of an array, as the submit tells them. tasks: the indices, as text."""

    tasks: str
    limit: int | None = None
    corresponding: Corresponding | None = None

    @property
    def indices(self) -> Indices:
        return indices_of(self.tasks)

    @property
    def count(self) -> int:
        return len(self.indices)

    @property
    def span(self) -> Span:
        """Return what tasks are told of their array."""
        runs = self.indices.runs
        step = runs[0].step if len(runs) == 1 else 1
        return Span(self.count, runs[0][0], runs[-1][-1], step)

    def made(self) -> Array[Job]:
        """Return the array for the core, as it was at its submit."""
        other = self.corresponding
        if other is None:
            return Array(self.indices, self.limit)
        there = indices_of(other.tasks)
        counterpart = Counterpart(
            other.array_id, there, other.met, other.never, other.ends_if_never
        )
        return Array(self.indices, self.limit, counterpart)


class Span(msgspec.Struct, frozen=True):
    """The number of an array's tasks, their lowest and highest index, and the step between them."""

    count: int
    low: int
    high: int
    step: int


@lru_cache(maxsize=256)
def indices_of(text: str) -> Indices:
    """Return the indices of an array that was accepted; "" has none."""
    return Indices(parse_indices(text) if text else ())


def array_details(text: str, conditions: ConditionsSpec | None) -> ArrayDetails | None:
    """Return the array that a submit describes; None for a job that is none.

    Raises:
        Malformed: the text describes none, or the conditions are not those of an array.
    """
    other = None
    if conditions is not None and conditions.after_corr is not None:
        if not text:
            raise Malformed("'conditions.after_corr' is for arrays; use 'afterok' for a job")
        if conditions.any_of:
            raise Malformed("'conditions' has both 'after_corr' and 'any_of'; give one of them")
        other = Corresponding(conditions.after_corr, ends_if_never=conditions.end_if_never)
    if not text:
        return None
    try:
        told = parse_array(text)
    except ArrayError as error:
        raise Malformed(f"'array': {error}") from error
    return ArrayDetails(indices_text(told.runs), told.limit, other)


def check_pieces(array: Array[Job], ranks: Sequence[Interval]) -> None:
    """Raise Conflict if the tasks that wait would be in too many pieces without those at `ranks`:
    the record of the array has them all."""
    pieces = array.rest.pieces + array.cancelled.pieces + len(ranks)
    if len(ranks) > 1 and pieces > MOST_PIECES:
        raise Conflict(
            f"the waiting tasks of the array would be in {pieces} pieces, more than {MOST_PIECES}; "
            "name ranges of tasks"
        )


def text_of(indices: Indices, ranks: Ranks) -> str:
    """Return the indices of the tasks at these ranks as text."""
    return indices_text(runs_of(indices, ranks))


def runs_of(indices: Indices, ranks: Ranks) -> list[tuple[int, int, int]]:
    """Return the indices of the tasks at these ranks as progressions."""
    if ranks.intervals() == [(0, len(indices))]:
        return [(run[0], run[-1], run.step) for run in indices.runs]
    found = []
    for first, last in ranks.intervals():
        found += _between(indices, first, last)
    return found


def _between(indices: Indices, first: int, last: int) -> list[tuple[int, int, int]]:
    """Return the progressions of the indices from one rank to before another."""
    found, before = [], 0
    for run in indices.runs:
        low, high = max(first - before, 0), min(last - before, len(run))
        if low < high:
            part = run[low:high]
            found.append((part[0], part[-1], part.step if len(part) > 1 else 1))
        before += len(run)
        if before >= last:
            break
    return found


def ranks_of(indices: Indices, runs: tuple[tuple[int, int, int], ...]) -> tuple[Interval, ...]:
    """Return the ranks of the tasks with these indices; indices without a task have none.

    Raises:
        Malformed: the indices have steps, so that more than `MOST_SINGLE` are looked at one by one.
    """
    ranks = Ranks()
    looks = 0
    for first, last, step in runs:
        if step == 1:
            ranks.add(indices.rank_from(first), indices.rank_from(last + 1))
            continue
        whole = _as_one(indices, first, last, step)
        if whole is not None:
            ranks.add(*whole)
            continue
        looks += len(range(first, last + 1, step))
        if looks > MOST_SINGLE:
            raise Malformed(
                f"tasks that are not in a row are more than {MOST_SINGLE}; name ranges of tasks"
            )
        for index in range(first, last + 1, step):
            if (rank := indices.rank(index)) is not None:
                ranks.add(rank, rank + 1)
    return tuple(ranks.intervals())


def _as_one(indices: Indices, first: int, last: int, step: int) -> Interval | None:
    """Return the ranks of the tasks in a progression if they are in a row of an array with the same
    step; None otherwise."""
    low, high = indices.rank(first), indices.rank(last)
    in_a_row = low is not None and high is not None and high - low == (last - first) // step
    if not in_a_row or len(indices.runs) > 1:
        return None
    assert low is not None
    assert high is not None
    return low, high + 1
