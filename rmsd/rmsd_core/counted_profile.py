"""Free processors over time, as far as the predictions in force tell: what plans are laid into.

Simulation rules, "Plans over a profile". See `capacity.Profile`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from rmsd_core.capacity import NEVER_US, Capacity, Release
from rmsd_core.job import SECOND_US, Allocation, Request


class CountedProfile:
    """See `Profile`. `_free[i]` processors are free from `_times[i]` to `_times[i + 1]`."""

    __slots__ = ("_capacity", "_free", "_times")

    lasts = True

    def __init__(self, capacity: Capacity, releases: Iterable[Release], now_us: int) -> None:
        self._capacity = capacity
        times, free = [now_us], [capacity.free]
        soonest_us, available = now_us + SECOND_US, capacity.free
        for end_us, _, job in releases:
            available += job.size
            if end_us < soonest_us:
                end_us = soonest_us
            if end_us == times[-1]:
                free[-1] = available
            else:
                times.append(end_us)
                free.append(available)
        self._times, self._free = times, free

    def space_at(self, request: Request, start_us: int, length_us: int) -> int | None:
        size = request.size
        return size if self.holds(size, start_us, length_us) else None

    def holds(self, space: int, start_us: int, length_us: int) -> bool:
        times, free = self._times, self._free
        end_us = start_us + length_us
        for at in range(bisect_right(times, start_us) - 1, len(times)):
            if times[at] >= end_us:
                break
            if free[at] < space:
                return False
        return True

    def earliest(
        self, request: Request, length_us: int, not_before_us: int
    ) -> tuple[int, int] | None:
        times, free = self._times, self._free
        size, last = request.size, len(times)
        at = bisect_right(times, not_before_us) - 1 if not_before_us > times[0] else 0
        while at < last:
            if free[at] < size:
                at += 1
                continue
            start_us = times[at] if times[at] > not_before_us else not_before_us
            end_us = start_us + length_us
            at += 1
            while at < last and times[at] < end_us:
                if free[at] < size:
                    break
                at += 1
            else:
                return start_us, size
        return None

    def sooner(
        self,
        request: Request,  # noqa: ARG002 - the space is the size
        space: int,
        start_us: int,
        length_us: int,
        within_us: tuple[int, int],
    ) -> tuple[int, int] | None:
        times, free = self._times, self._free
        not_before_us, before_us = within_us
        at = bisect_right(times, not_before_us) - 1 if not_before_us > times[0] else 0
        since_us = -1
        while (begin_us := times[at]) < start_us:
            if free[at] < space:
                if begin_us >= before_us:
                    return None
                since_us = -1
            elif since_us < 0:
                if begin_us >= before_us:
                    return None
                since_us = begin_us if begin_us > not_before_us else not_before_us
            at += 1
            if since_us >= 0 and times[at] - since_us >= length_us:
                return since_us, space
        # Free up to where it stands: there it has its own space to move into.
        return (since_us, space) if since_us >= 0 else None

    def most_free(self, first_us: int, last_us: int) -> int:
        if last_us < first_us:
            return -1
        first = max(0, bisect_right(self._times, first_us) - 1)
        return max(self._free[first : bisect_left(self._times, last_us, first)], default=-1)

    def advance(self, now_us: int) -> None:
        gone = bisect_right(self._times, now_us) - 1
        if gone > 0:
            del self._times[:gone], self._free[:gone]
        self._times[0] = now_us

    def overdrawn(self) -> tuple[int, int] | None:
        free = self._free
        if min(free) >= 0:
            return None
        short = [at for at, left in enumerate(free) if left < 0]
        return self._times[short[0]], self._times[short[-1] + 1]

    def space_of(self, allocation: Allocation) -> int:
        return sum(piece.cores for piece in allocation)

    def take(self, space: int, start_us: int, length_us: int) -> None:
        times, free = self._times, self._free
        end_us = start_us + length_us
        first = bisect_left(times, start_us)
        if first == len(times) or times[first] != start_us:
            times.insert(first, start_us)
            free.insert(first, free[first - 1])
        last = bisect_left(times, end_us, first)
        if last == len(times) or times[last] != end_us:
            times.insert(last, end_us)
            free.insert(last, free[last - 1])
        free[first:last] = [left - space for left in free[first:last]]
        if free[last] == free[last - 1]:
            del times[last], free[last]
        if first and free[first] == free[first - 1]:
            del times[first], free[first]

    def give(self, space: int, start_us: int, length_us: int) -> None:
        self.take(-space, start_us, length_us)

    def allocation(self, request: Request, space: int) -> Allocation | None:  # noqa: ARG002
        return self._capacity.place(request)

    def step(self) -> tuple[int, int]:
        now_free = self._free[0]
        for time_us, free in zip(self._times, self._free, strict=True):
            if free < now_free:
                return time_us, free
        return NEVER_US, now_free
