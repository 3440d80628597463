"""The releases of running jobs on nodes, gathered for the shadows of several heads."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import TypeVar

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Piece
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.free_space import FreeSpace

STEP = 64
"""The fewest releases after which a copy of the free space is kept."""
_MOST_MARKS = 128
"""The most copies that are kept; each takes 16 bytes for each node."""
_Answer = TypeVar("_Answer")


class NodeReleases:
    """The releases of running jobs, in the order of their ends.

    A pass with a head in each of many partitions looks at each running job a few times, and not
    once for each head. Copies of the free space after every so many releases, the marks, tell
    between which two of them a head fits for the first time; and what is free on all nodes at its
    shadow time is found from the mark before that.
    """

    __slots__ = ("_ends_us", "_held", "_marks", "_number", "_pieces", "_releases", "_step")

    def __init__(
        self,
        free_space: FreeSpace,
        releases: Iterable[Release],
        number: Mapping[str, int],
        held: Mapping[Job, Allocation] | None = None,
    ) -> None:
        """free_space: what is free now; it must not change as long as these releases are used.
        number: those of the nodes, by name. held: what each job gives back; None: what it does
        now."""
        self._held = held
        self._releases = list(releases)
        self._ends_us = [end_us for end_us, _, _ in self._releases]
        self._number = number
        self._step = max(STEP, len(self._releases) // _MOST_MARKS)
        self._marks = [free_space]
        # The pieces are known of the releases before the last mark.
        self._pieces: list[list[tuple[int, Piece]]] = []

    def __iter__(self) -> Iterator[Release]:
        return iter(self._releases)

    def end_us(self, at: int) -> int:
        """Return when the release is expected."""
        return self._ends_us[at]

    def pieces(self, at: int) -> list[tuple[int, Piece]]:
        """Return what a release gives back, with the numbers of the nodes."""
        if at < len(self._pieces):
            return self._pieces[at]
        job = self._releases[at][2]
        held = job.releasing() if self._held is None else self._held[job]
        return [(self._number[one.node], one) for one in held]

    def until(self, time_us: int) -> int:
        """Return how many releases are expected no later."""
        return bisect_right(self._ends_us, time_us)

    def after(self, count: int) -> FreeSpace:
        """Return a copy of what is free after the first `count` releases."""
        return at_once(self.after_in_steps(count))

    def after_in_steps(self, count: int) -> Generator[None, None, FreeSpace]:
        """Do what `after` does, in steps."""
        mark = count // self._step
        while len(self._marks) <= mark:
            self._make_mark()
            yield
        free_space = self._marks[mark].copy()
        for at in range(mark * self._step, count):
            free_space.give_all(self.pieces(at))
        return free_space

    def mark_before(
        self, last: int, fits: Callable[[FreeSpace], bool]
    ) -> Generator[None, None, int | None]:
        """Return a number of releases after which a copy is kept, the last one before that for
        which `fits` holds, or 0; None if it does not hold after the first `last` releases. If it
        holds once, it does so after all further releases, too."""
        marks, step = self._marks, self._step
        if fits(marks[0]):
            return 0
        high = -(-last // step)
        found = min(high, len(marks) - 1)
        yield
        if found and fits(marks[found]):
            return bisect_left(range(1, found), True, key=lambda at: fits(marks[at])) * step
        while found < high:
            found += 1
            self._make_mark()
            yield
            if fits(marks[found]):
                return (found - 1) * step
        return None

    def _make_mark(self) -> None:
        """Keep a copy of what is free after some releases more."""
        free_space = self._marks[-1].copy()
        first = len(self._pieces)
        for at in range(first, min(first + self._step, len(self._releases))):
            pieces = self.pieces(at)
            self._pieces.append(pieces)
            free_space.give_all(pieces)
        self._marks.append(free_space)


def at_once(steps: Generator[None, None, _Answer]) -> _Answer:
    """Do all steps, and return the answer."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: _Answer = end.value
            return answer
