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
MOST_MARKS = 64
"""The most copies that are made; each takes 16 bytes for each node."""
_Answer = TypeVar("_Answer")
_Numbered = list[tuple[int, Piece]]


class NodeReleases:
    """The releases of running jobs, in the order of their ends.

    A pass with a head in each of many partitions looks at each running job a few times, and not
    once for each head. Copies of the free space after every so many releases, the marks, tell
    between which two of them a head fits for the first time; and what is free on all nodes at its
    shadow time is found from the mark before that.

    They may be kept while jobs begin and end: the free space is what it is now, and a mark changes
    only if it is before the release of the job.
    """

    __slots__ = ("_counts", "_ends_us", "_held", "_marks", "_number", "_pieces", "_releases")

    def __init__(
        self,
        free_space: FreeSpace,
        releases: Iterable[Release],
        number: Mapping[str, int],
        held: Mapping[Job, Allocation] | None = None,
    ) -> None:
        """Take the releases, the earliest first.

        free_space: what is free now; it changes with the jobs of `begin` and `end` alone.
        number: the numbers of the nodes, by name. held: what each job gives back; None: what it
            holds now.
        """
        self._held = held
        self._releases = list(releases)
        self._ends_us = [end_us for end_us, _, _ in self._releases]
        self._number = number
        self._pieces: list[_Numbered | None] = [None] * len(
            self._releases
        )  # a piece is read when it is needed
        self._marks = [free_space]
        self._counts = [0]  # the number of releases that each mark is after

    def __iter__(self) -> Iterator[Release]:
        return iter(self._releases)

    def read_all(self) -> None:
        """Read what all jobs give back, so that it is known once they have."""
        for at in range(len(self._releases)):
            self.pieces(at)

    def end_us(self, at: int) -> int:
        """Return when the release is expected."""
        return self._ends_us[at]

    def pieces(self, at: int) -> _Numbered:
        """Return what a release gives back, with the numbers of the nodes."""
        found = self._pieces[at]
        if found is None:
            job = self._releases[at][2]
            held = job.releasing() if self._held is None else self._held[job]
            found = self._pieces[at] = [(self._number[one.node], one) for one in held]
        return found

    def until(self, time_us: int) -> int:
        """Return how many releases are expected no later."""
        return bisect_right(self._ends_us, time_us)

    # ------------------------------------------------------------ what changes

    def expect(self, changes: int) -> None:
        """Prepare for so many calls of `begin` and `end`. If they are many, to make the marks anew
        takes less time than to change them."""
        if changes * len(self._marks) > len(self._releases):
            del self._marks[1:], self._counts[1:]

    def begin(self, release: Release) -> None:
        """Note that a job has begun to hold what it gives back with this release."""
        at = bisect_left(self._releases, release[:2])
        self._releases.insert(at, release)
        self._ends_us.insert(at, release[0])
        self._pieces.insert(at, None)
        later = self._shift(at, 1)
        if later < len(self._marks) and self._span(later) >= 2 * self._step:
            self._insert_mark(later)

    def end(self, release: Release) -> None:
        """Note that a job has given back what it held, which `read_all` has read."""
        at = bisect_left(self._releases, release[:2])
        later = self._shift(at, -1)
        del self._releases[at], self._ends_us[at], self._pieces[at]
        if later < len(self._marks) and not self._span(later):
            del self._marks[later], self._counts[later]

    def _shift(self, at: int, sign: int) -> int:
        """Change the marks as the job of a release begins (1) or ends (-1) to hold something. The
        first one, which is what is free now, has changed already. Return the number of the first
        mark after the release."""
        later = bisect_right(self._counts, at)
        pieces = self.pieces(at)
        for mark in self._marks[1:later]:
            if sign > 0:
                mark.take_all(pieces)
            else:
                mark.give_all(pieces)
        self._counts[later:] = [count + sign for count in self._counts[later:]]
        return later

    # ------------------------------------------------------------ the marks

    @property
    def _step(self) -> int:
        return max(STEP, len(self._releases) // MOST_MARKS)

    def _span(self, mark: int) -> int:
        """Return how many releases are between a mark and the one before."""
        return self._counts[mark] - self._counts[mark - 1]

    def after(self, count: int) -> FreeSpace:
        """Return a copy of what is free after the first `count` releases."""
        return at_once(self.after_in_steps(count))

    def after_in_steps(self, count: int) -> Generator[None, None, FreeSpace]:
        """Do what `after` does, in steps."""
        while self._counts[-1] + self._step <= count:
            self._make_mark()
            yield
        mark = bisect_right(self._counts, count) - 1
        return self._after(mark, count)

    def _after(self, mark: int, count: int) -> FreeSpace:
        free_space = self._marks[mark].copy()
        for at in range(self._counts[mark], count):
            free_space.give_all(self.pieces(at))
        return free_space

    def mark_before(
        self, last: int, fits: Callable[[FreeSpace], bool]
    ) -> Generator[None, None, int | None]:
        """Return a number of releases after which a copy is kept, the last one before that for
        which `fits` holds, or 0; None if it does not hold after the first `last` releases. If it
        holds once, it does so after all further releases, too."""
        marks, counts = self._marks, self._counts
        if fits(marks[0]):
            return 0
        found = min(bisect_left(counts, last), len(marks) - 1)
        yield
        if found and fits(marks[found]):
            return counts[bisect_left(range(1, found), True, key=lambda at: fits(marks[at]))]
        while counts[-1] < last:
            self._make_mark()
            yield
            if fits(marks[-1]):
                return counts[-2]
        return None

    def _make_mark(self) -> None:
        """Keep a copy of what is free after some releases more."""
        self._add_mark(len(self._marks), min(self._counts[-1] + self._step, len(self._releases)))

    def _insert_mark(self, later: int) -> None:
        """Keep a copy of what is free in the middle between a mark and the one before."""
        self._add_mark(later, (self._counts[later - 1] + self._counts[later]) // 2)
        if len(self._marks) > 2 * MOST_MARKS:
            del self._marks[1::2], self._counts[1::2]

    def _add_mark(self, at: int, count: int) -> None:
        self._marks.insert(at, self._after(at - 1, count))
        self._counts.insert(at, count)


def at_once(steps: Generator[None, None, _Answer]) -> _Answer:
    """Do all steps, and return the answer."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: _Answer = end.value
            return answer
