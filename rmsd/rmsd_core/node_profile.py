"""Free cores and memory of every node over time: what plans are laid into on real clusters.

See `capacity.Profile`. A space is an allocation: plans name their nodes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rmsd_core.capacity import NEVER_US, Release
from rmsd_core.job import SECOND_US, Allocation, Request
from rmsd_core.room import Room

if TYPE_CHECKING:
    from rmsd_core.node_capacity import NodeCapacity


class NodeProfile:
    """`_rooms[i]` is what is free from `_times[i]` to `_times[i + 1]`."""

    lasts = False

    def __init__(
        self, capacity: NodeCapacity, room: Room, releases: Iterable[Release], now_us: int
    ) -> None:
        self._capacity = capacity
        self._times = [now_us]
        self._rooms = [room.copy()]
        for end_us, _, job in releases:
            end_us = max(end_us, now_us + SECOND_US)
            if end_us != self._times[-1]:
                self._times.append(end_us)
                self._rooms.append(self._rooms[-1].copy())
            for at, piece in capacity.numbered(job.releasing()):
                self._rooms[-1].change(at, piece.cores, piece.mem_mib)

    def space_at(self, request: Request, start_us: int, length_us: int) -> Allocation | None:
        first = self._segment(start_us)
        return self._place(request, first, start_us + length_us)

    def earliest(
        self, request: Request, length_us: int, not_before_us: int
    ) -> tuple[int, Allocation] | None:
        for first in range(self._segment(not_before_us), len(self._times)):
            start_us = max(self._times[first], not_before_us)
            space = self._place(request, first, start_us + length_us)
            if space is not None:
                return start_us, space
        return None

    def sooner(
        self,
        request: Request,
        space: Allocation,
        start_us: int,
        length_us: int,
        within_us: tuple[int, int],
    ) -> tuple[int, Allocation] | None:
        not_before_us, before_us = within_us
        self.give(space, start_us, length_us)
        found = self.earliest(request, length_us, not_before_us)
        self.take(space, start_us, length_us)
        return found if found is not None and found[0] < min(start_us, before_us) else None

    def most_free(self, first_us: int, last_us: int) -> int:
        rooms = self._rooms[self._segment(first_us) : self._after(last_us)]
        return max((room.free() for room in rooms), default=-1)

    def advance(self, now_us: int) -> None:  # noqa: ARG002
        raise AssertionError("it is made anew in every pass")

    def overdrawn(self) -> tuple[int, int] | None:
        raise AssertionError("it is made anew in every pass")

    def space_of(self, allocation: Allocation) -> Allocation:
        return allocation

    def holds(self, space: Allocation, start_us: int, length_us: int) -> bool:
        pieces = self._capacity.numbered(space)
        rooms = self._rooms[self._segment(start_us) : self._after(start_us + length_us)]
        return all(room.has(pieces) for room in rooms)

    def take(self, space: Allocation, start_us: int, length_us: int) -> None:
        self._change(space, start_us, length_us, -1)

    def give(self, space: Allocation, start_us: int, length_us: int) -> None:
        self._change(space, start_us, length_us, 1)

    def allocation(self, request: Request, space: Allocation) -> Allocation:  # noqa: ARG002
        return space

    def step(self) -> tuple[int, int]:
        now_free = self._rooms[0].free()
        for time_us, room in zip(self._times, self._rooms, strict=True):
            if (free := room.free()) < now_free:
                return time_us, free
        return NEVER_US, now_free

    def _segment(self, time_us: int) -> int:
        return max(0, bisect_right(self._times, time_us) - 1)

    def _after(self, end_us: int) -> int:
        """The first segment that begins at or after `end_us`."""
        return bisect_left(self._times, end_us)

    def _place(self, request: Request, first: int, end_us: int) -> Allocation | None:
        """Where the request has room in all segments from `first` to `end_us`."""
        if self._capacity.place_in(self._rooms[first], request) is None:
            return None
        rooms = self._rooms[first : self._after(end_us)]
        if len(rooms) == 1:
            return self._capacity.place_in(rooms[0], request)
        cores = list(map(min, *(room.cores for room in rooms)))
        mem_mib = list(map(min, *(room.mem_mib for room in rooms)))
        return self._capacity.place_in(Room(cores, mem_mib, rooms[0].usable), request)

    def _change(self, space: Allocation, start_us: int, length_us: int, sign: int) -> None:
        first, last = self._break(start_us), self._break(start_us + length_us)
        for at, piece in self._capacity.numbered(space):
            for room in self._rooms[first:last]:
                room.change(at, sign * piece.cores, sign * piece.mem_mib)

    def _break(self, time_us: int) -> int:
        """The segment that begins at `time_us`, made if need be."""
        at = bisect_left(self._times, time_us)
        if at == len(self._times) or self._times[at] != time_us:
            self._times.insert(at, time_us)
            self._rooms.insert(at, self._rooms[at - 1].copy())
        return at
