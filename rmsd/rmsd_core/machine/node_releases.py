"""The releases of running jobs on nodes, gathered for the shadows of several heads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from typing import TypeVar

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Piece
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.free_space import FreeSpace

STEP = 64
"""The releases after which a copy of the free space is kept."""
_Answer = TypeVar("_Answer")


class NodeReleases:
    """The releases of running jobs, in the order of their ends.

    A head of a partition looks at the releases on its own nodes alone, and what is free on all
    nodes at its shadow time is found from a copy near that. So a pass with a head in each of many
    partitions looks at each running job a few times, and not once for each head.
    """

    __slots__ = ("_asked", "_ends_us", "_held", "_marks", "_number", "_on", "_releases")

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
        self._marks = [free_space]
        self._on: dict[int, list[int]] = {}
        self._asked = 0

    def __iter__(self) -> Iterator[Release]:
        return iter(self._releases)

    def on(self, nodes: Collection[int] | None) -> Iterable[int]:
        """Return the numbers of the releases that may give back something on these nodes, the
        earliest first; None: on any."""
        self._asked += 1
        if nodes is None or self._asked == 1:  # to sort them by node is for several heads
            return range(len(self._releases))
        if not self._on:
            for at in range(len(self._releases)):
                for node, _ in self.pieces(at):
                    self._on.setdefault(node, []).append(at)
        return sorted({at for node in nodes for at in self._on.get(node, ())})

    def end_us(self, at: int) -> int:
        """Return when the release is expected."""
        return self._ends_us[at]

    def pieces(self, at: int) -> list[tuple[int, Piece]]:
        """Return what a release gives back, with the numbers of the nodes."""
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
        marks = self._marks
        while len(marks) <= count // STEP:
            marks.append(self._given(marks[-1].copy(), (len(marks) - 1) * STEP, STEP))
            yield
        mark = count // STEP
        return self._given(marks[mark].copy(), mark * STEP, count - mark * STEP)

    def _given(self, free_space: FreeSpace, first: int, count: int) -> FreeSpace:
        for at in range(first, first + count):
            for node, one in self.pieces(at):
                free_space.add(node, one, 1)
        return free_space


def at_once(steps: Generator[None, None, _Answer]) -> _Answer:
    """Do all steps, and return the answer."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: _Answer = end.value
            return answer
