"""Free cores and memory of every node over time: on real clusters, plans are laid into this
profile.

See `capacity.Profile`. A space is an allocation: plans name their nodes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Protocol

from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.counted_profile import Steps
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.model_time import NEVER_US, SECOND_US


class Placing(Protocol):
    """The nodes of a capacity by number, and the rule for where a request goes on them."""

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""

    def place_in(self, free_space: FreeSpace, request: Request) -> Allocation | None:
        """Return where in `free_space` the request goes; None if it does not fit."""


class _NodeSteps:
    """The steps of one node: `cores[i]` and `mem_mib[i]` are free from `times[i]` to `times[i +
    1]`.

    changes: how many nodes have a step that begins at a time after the first.
    """

    __slots__ = ("changes", "cores", "mem_mib", "times")

    def __init__(self, now_us: int, cores: int, mem_mib: int, changes: dict[int, int]) -> None:
        self.changes = changes
        self.times = [now_us]
        self.cores = [cores]
        self.mem_mib = [mem_mib]

    def release(self, piece: Piece, time_us: int) -> None:
        """Let the piece be free from `time_us` on, which is at or after the last step."""
        if time_us != self.times[-1]:
            self.changes[time_us] = self.changes.get(time_us, 0) + 1
            self.times.append(time_us)
            self.cores.append(self.cores[-1])
            self.mem_mib.append(self.mem_mib[-1])
        self.cores[-1] += piece.cores
        self.mem_mib[-1] += piece.mem_mib

    def least(self, start_us: int, end_us: int, unit: int = 0) -> tuple[int, int]:
        """Return what is free throughout; nothing if not even a `unit` is free at first."""
        times = self.times
        first = bisect_right(times, start_us) - 1
        if first < 0:
            first = 0
        if self.cores[first] < unit:
            return 0, 0
        last = bisect_left(times, end_us, first + 1)
        if last == first + 1:
            return self.cores[first], self.mem_mib[first]
        return min(self.cores[first:last]), min(self.mem_mib[first:last])

    def beginnings(self, cores: int, length_us: int) -> Iterator[tuple[int, int]]:
        """Yield from when to when `cores` can begin to be held for `length_us`."""
        since_us = -1
        for time_us, free in zip(self.times, self.cores, strict=True):
            if free >= cores:
                if since_us < 0:
                    since_us = time_us
            elif since_us >= 0:
                if time_us - since_us >= length_us:
                    yield since_us, time_us - length_us
                since_us = -1
        if since_us >= 0:
            yield since_us, NEVER_US

    def change(self, start_us: int, end_us: int, cores: int, mem_mib: int) -> None:
        first, last = self._break(start_us), self._break(end_us)
        for at in range(first, last):
            self.cores[at] += cores
            self.mem_mib[at] += mem_mib
        self._join(last)
        self._join(first)

    def _break(self, time_us: int) -> int:
        """Return the step that begins at `time_us`, made if need be."""
        at = bisect_left(self.times, time_us)
        if at == len(self.times) or self.times[at] != time_us:
            self.changes[time_us] = self.changes.get(time_us, 0) + 1
            self.times.insert(at, time_us)
            self.cores.insert(at, self.cores[at - 1])
            self.mem_mib.insert(at, self.mem_mib[at - 1])
        return at

    def _join(self, at: int) -> None:
        """Drop the begin of this step if nothing changes there."""
        if at and self.cores[at] == self.cores[at - 1] and self.mem_mib[at] == self.mem_mib[at - 1]:
            time_us = self.times[at]
            self.changes[time_us] -= 1
            if not self.changes[time_us]:
                del self.changes[time_us]
            del self.times[at], self.cores[at], self.mem_mib[at]

    def advance(self, now_us: int) -> None:
        gone = bisect_right(self.times, now_us) - 1
        if gone > 0:
            del self.times[:gone], self.cores[:gone], self.mem_mib[:gone]
        self.times[0] = now_us

    def overdrawn(self) -> tuple[int, int] | None:
        """Return from when to when more is given out than there is; None if that is never so."""
        if min(self.cores) >= 0 and min(self.mem_mib) >= 0:
            return None
        short = [at for at, cores in enumerate(self.cores) if cores < 0 or self.mem_mib[at] < 0]
        return self.times[short[0]], self.times[short[-1] + 1]


class _SumSteps(Steps):
    """The free cores of all available nodes together. A step begins here wherever a step of one
    node begins, even if the sum stays the same. Cores are then given back on one node and taken on
    another, so a request that did not fit before may fit now."""

    __slots__ = ("_changes",)

    def __init__(self, now_us: int, free: int, changes: dict[int, int]) -> None:
        super().__init__(now_us, free)
        self._changes = changes

    def _join(self, at: int) -> None:
        if self._times[at] not in self._changes:
            super()._join(at)


class NodeProfile:
    """The steps of every node, and of the cores of all available ones together. The sum is asked
    first: a request that does not fit into it fits on no nodes."""

    def __init__(
        self, capacity: Placing, free_space: FreeSpace, releases: Iterable[Release], now_us: int
    ) -> None:
        self._capacity = capacity
        self._usable = free_space.usable
        self._available = set(free_space.usable)
        self._changes: dict[int, int] = {}
        self._nodes = [
            _NodeSteps(now_us, cores, mem_mib, self._changes)
            for cores, mem_mib in zip(free_space.cores, free_space.mem_mib, strict=True)
        ]
        self._sum = _SumSteps(now_us, free_space.free(), self._changes)
        soonest_us = now_us + SECOND_US
        for end_us, _, job in releases:
            for at, piece in capacity.numbered(job.releasing()):
                self._nodes[at].release(piece, max(end_us, soonest_us))
                if at in self._available:
                    self._sum.release(piece.cores, max(end_us, soonest_us))

    # ------------------------------------------------------------ where there is free space

    def space_at(self, request: Request, start_us: int, length_us: int) -> Allocation | None:
        if not self._sum.holds(request.size, start_us, length_us):
            return None
        return self._place(request, start_us, start_us + length_us)

    def earliest(
        self, request: Request, length_us: int, not_before_us: int
    ) -> tuple[int, Allocation] | None:
        return self._first(request, length_us, (not_before_us, NEVER_US), None)

    def sooner(
        self,
        request: Request,
        space: Allocation,
        start_us: int,
        length_us: int,
        not_before_us: int,
        before_us: int,
        given_at: set[int] | None,
    ) -> tuple[int, Allocation] | None:
        earlier_us = self._sum.earlier(request.size, start_us, length_us, not_before_us, before_us)
        if earlier_us is None:
            return None
        self.give(space, start_us, length_us)
        within_us = earlier_us, min(start_us, before_us)
        found = self._first(request, length_us, within_us, given_at)
        self.take(space, start_us, length_us)
        return found

    def _first(
        self,
        request: Request,
        length_us: int,
        within_us: tuple[int, int],
        given_at: set[int] | None,
    ) -> tuple[int, Allocation] | None:
        """Return the first start in `within_us`, and its space. If `given_at` is not None, only
        starts count at which the request can use one of these nodes."""
        not_before_us, before_us = within_us
        spans = None if given_at is None else self._beginnings(request, length_us, given_at)
        for start_us in self._sum.candidates(request.size, length_us, not_before_us):
            if start_us >= before_us:
                return None
            if spans is not None and not _within(spans, start_us):
                continue
            space = self._place(request, start_us, start_us + length_us)
            if space is not None:
                return start_us, space
        return None

    def _beginnings(
        self, request: Request, length_us: int, nodes: set[int]
    ) -> list[tuple[int, int]]:
        """Return from when to when a unit can begin to be held on one of the nodes, in order,
        disjoint."""
        unit = _unit(request)
        spans = sorted(span for at in nodes for span in self._nodes[at].beginnings(unit, length_us))
        apart: list[tuple[int, int]] = []
        for first_us, last_us in spans:
            if apart and first_us <= apart[-1][1]:
                apart[-1] = apart[-1][0], max(apart[-1][1], last_us)
            else:
                apart.append((first_us, last_us))
        return apart

    def nodes_of(self, space: Allocation) -> set[int]:
        return {at for at, _ in self._capacity.numbered(space)}

    def _place(self, request: Request, start_us: int, end_us: int) -> Allocation | None:
        """Return where the request fits throughout."""
        cores, mem_mib = [0] * len(self._nodes), [0] * len(self._nodes)
        unit = _unit(request)
        for at in self._usable:
            cores[at], mem_mib[at] = self._nodes[at].least(start_us, end_us, unit)
        return self._capacity.place_in(FreeSpace(cores, mem_mib, self._usable), request)

    def most_free(self, first_us: int, last_us: int) -> int:
        return self._sum.most_free(first_us, last_us)

    def step(self) -> tuple[int, int]:
        return self._sum.step()

    # ------------------------------------------------------------ what is taken

    def space_of(self, allocation: Allocation) -> Allocation:
        return allocation

    def allocation(self, request: Request, space: Allocation) -> Allocation:  # noqa: ARG002
        return space

    def holds(self, space: Allocation, start_us: int, length_us: int) -> bool:
        return all(
            piece.cores <= cores and piece.mem_mib <= mem_mib
            for at, piece in self._capacity.numbered(space)
            for cores, mem_mib in (self._nodes[at].least(start_us, start_us + length_us),)
        )

    def take(self, space: Iterable[Piece], start_us: int, length_us: int) -> None:
        self._change(space, start_us, length_us, -1)

    def give(self, space: Iterable[Piece], start_us: int, length_us: int) -> None:
        self._change(space, start_us, length_us, 1)

    def _change(self, space: Iterable[Piece], start_us: int, length_us: int, sign: int) -> None:
        end_us = start_us + length_us
        available = 0
        for at, piece in self._capacity.numbered(space):
            self._nodes[at].change(start_us, end_us, sign * piece.cores, sign * piece.mem_mib)
            if at in self._available:
                available += piece.cores
        if available:
            self._sum.take(-sign * available, start_us, length_us)

    # ------------------------------------------------------------ from pass to pass

    def advance(self, now_us: int) -> None:
        self._sum.advance(now_us)
        for time_us in [time_us for time_us in self._changes if time_us <= now_us]:
            del self._changes[time_us]
        for node in self._nodes:
            node.advance(now_us)

    def overdrawn(self) -> tuple[int, int] | None:
        spans = [span for node in self._nodes if (span := node.overdrawn()) is not None]
        if not spans:
            return None
        return min(first_us for first_us, _ in spans), max(last_us for _, last_us in spans)


def _within(spans: list[tuple[int, int]], time_us: int) -> bool:
    """Return whether the time lies in one of the spans, which are in order and disjoint."""
    at = bisect_right(spans, (time_us, NEVER_US))
    return at > 0 and time_us <= spans[at - 1][1]


def _unit(request: Request) -> int:
    """Return the cores of the smallest unit: a node with fewer free cores holds none."""
    return min([component.cores for component in request.components])
