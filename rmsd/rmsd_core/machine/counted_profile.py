"""Free processors over time, by the predictions in force: plans take from this profile what they
reserve.

Simulation rules, "Plans over a profile". See `capacity.Profile`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.machine.capacity import Capacity, Release
from rmsd_core.model_time import NEVER_US, SECOND_US

_STEPS = 128
"""The steps over which a search walks in the time of a look."""


class Steps:
    """A number of free processors over time: `_free[i]` of them from `_times[i]` to
    `_times[i + 1]`. Sizes, times and lengths are as in `capacity.Profile`."""

    __slots__ = ("_free", "_times")

    def __init__(self, now_us: int, free: int) -> None:
        self._times, self._free = [now_us], [free]

    @classmethod
    def of(cls, steps: Iterable[tuple[int, int]]) -> Steps:
        """Return these steps: begins, in order, and how many are free from then on. Of several that
        begin at one time the last one counts."""
        begins = dict(steps)
        first_us, first = next(iter(begins.items()))
        found = cls(first_us, first)
        for at_us, free in begins.items():
            if free != found._free[-1]:
                found._times.append(at_us)
                found._free.append(free)
        return found

    @property
    def times(self) -> Sequence[int]:
        """Return the begins of the steps, not to be changed."""
        return self._times

    def release(self, size: int, time_us: int) -> None:
        """Let `size` more be free from `time_us` on, which is at or after the last step."""
        if time_us == self._times[-1]:
            self._free[-1] += size
        else:
            self._times.append(time_us)
            self._free.append(self._free[-1] + size)

    def least(self) -> list[int]:
        """Return the least number that is free from the first step to the end of each."""
        return list(accumulate(self._free, min))

    def overdrafts(self) -> Iterator[tuple[int, int, int]]:
        """Yield the begins and ends of the steps in which more is taken than there is, and how
        much more."""
        for (since_us, until_us), free in zip(
            pairwise([*self._times, NEVER_US]), self._free, strict=True
        ):
            if free < 0:
                yield since_us, until_us, -free

    def short_of(self, size: int, since_us: int) -> Iterator[tuple[int, int]]:
        """Yield the begins and ends of the steps with less than `size` that are not over at a
        time, in order."""
        times, free = self._times, self._free
        for at in range(max(0, bisect_right(times, since_us) - 1), len(times)):
            if free[at] < size:
                yield times[at], times[at + 1] if at + 1 < len(times) else NEVER_US

    def holds(self, size: int, start_us: int, length_us: int) -> bool:
        times, free = self._times, self._free
        first = bisect_right(times, start_us) - 1
        if free[first] < size:
            return False
        return min(free[first : bisect_left(times, start_us + length_us, first + 1)]) >= size

    def candidates(self, size: int, length_us: int, not_before_us: int) -> Iterator[int]:
        """Yield the starts that hold `size` for `length_us`, in order; each is the begin of a
        step."""
        times, free = self._times, self._free
        last = len(times)
        at = bisect_right(times, not_before_us) - 1 if not_before_us > times[0] else 0
        beyond = at  # the first step after `at` that has not been found to hold `size`
        while at < last:
            if free[at] < size:
                at += 1
                continue
            start_us = times[at] if times[at] > not_before_us else not_before_us
            end_us = start_us + length_us
            if beyond <= at:
                beyond = at + 1
            while beyond < last and times[beyond] < end_us:
                if free[beyond] < size:
                    at = beyond + 1
                    break
                beyond += 1
            else:
                yield start_us
                at += 1

    def earlier(
        self, size: int, start_us: int, length_us: int, not_before_us: int, before_us: int
    ) -> int | None:
        """Return the earliest start between, and before `start_us`, for a request that has taken
        `size` there and would give it up."""
        times, free = self._times, self._free
        at = bisect_right(times, not_before_us) - 1 if not_before_us > times[0] else 0
        last = bisect_left(times, start_us, at)
        stop = last if before_us >= start_us else bisect_left(times, before_us, at)
        while at < stop:
            if free[at] < size:
                at += 1
                continue
            since_us = times[at] if times[at] > not_before_us else not_before_us
            end_us = since_us + length_us
            at += 1
            while at < last and times[at] < end_us:
                if free[at] < size:
                    break
                at += 1
            else:
                # At its present place, the request can use its own space.
                return since_us
            at += 1
        return None

    def most_free(self, first_us: int, last_us: int) -> int:
        if last_us < first_us:
            return -1
        first = max(0, bisect_right(self._times, first_us) - 1)
        return max(self._free[first : bisect_left(self._times, last_us, first)], default=-1)

    def step(self) -> tuple[int, int]:
        now_free = self._free[0]
        for time_us, free in zip(self._times, self._free, strict=True):
            if free < now_free:
                return time_us, free
        return NEVER_US, now_free

    def take(self, size: int, start_us: int, length_us: int) -> None:
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
        for at in range(first, last):
            free[at] -= size
        if free[last] == free[last - 1]:
            del times[last], free[last]
        if first and free[first] == free[first - 1]:
            del times[first], free[first]

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


class CountedProfile(Steps):
    """See `capacity.Profile`. A space is a number of processors."""

    __slots__ = ("_capacity", "_soonest_us", "gives", "looks")

    def __init__(self, capacity: Capacity, releases: Iterable[Release], now_us: int) -> None:
        super().__init__(now_us, capacity.free)
        self._capacity = capacity
        self._soonest_us = now_us + SECOND_US
        self.looks = self.gives = 0
        for end_us, _, job in releases:
            self.end(job, job.releasing(), end_us)

    def end(self, job: Job, pieces: Allocation, end_us: int) -> int:
        self.release(job.size, max(end_us, self._soonest_us))
        return self.space_of(pieces)

    def may_renew(self) -> bool:
        return False  # to make it anew takes a microsecond for each job

    def renew(self, ends: dict[Job, tuple[int, int]]) -> None:
        raise NotImplementedError

    def _look(self) -> None:
        """Count a walk over the steps."""
        self.looks += 1 + len(self._times) // _STEPS

    def give(self, size: int, start_us: int, length_us: int) -> None:
        self.gives += 1
        self.take(-size, start_us, length_us)

    def copy(self) -> CountedProfile:
        twin = CountedProfile(self._capacity, (), 0)
        twin._times, twin._free = self._times[:], self._free[:]
        return twin

    def space_at(self, request: Request, start_us: int, length_us: int) -> int | None:
        size = request.size
        self._look()
        return size if self.holds(size, start_us, length_us) else None

    def may_hold(self, request: Request, length_us: int) -> bool:
        return self.holds(request.size, self._times[0], length_us)

    def earliest(
        self, request: Request, length_us: int, not_before_us: int, before_us: int = NEVER_US
    ) -> tuple[int, int] | None:
        size = request.size
        self._look()
        start_us = next(self.candidates(size, length_us, not_before_us), None)
        # A start at NEVER_US lies behind several jobs without a limit.
        if start_us is None or start_us >= before_us:
            return None
        return start_us, size

    def earliest_in_steps(
        self, request: Request, length_us: int, not_before_us: int, before_us: int = NEVER_US
    ) -> Generator[None, None, tuple[int, int] | None]:
        yield
        return self.earliest(request, length_us, not_before_us, before_us)

    def sooner(
        self,
        request: Request,  # noqa: ARG002 - the space is the size
        space: int,
        start_us: int,
        length_us: int,
        not_before_us: int,
        before_us: int,
        given_at: int | None,  # noqa: ARG002
    ) -> tuple[int, int] | None:
        self._look()
        earlier_us = self.earlier(space, start_us, length_us, not_before_us, before_us)
        return None if earlier_us is None else (earlier_us, space)

    def nodes_of(self, space: int) -> int:  # noqa: ARG002
        return 0

    def numbers_of(self, space: int) -> int:  # noqa: ARG002
        return 0

    def space_of(self, allocation: Allocation) -> int:
        return sum(piece.cores for piece in allocation)

    def allocation(self, request: Request, space: int) -> Allocation | None:  # noqa: ARG002
        return self._capacity.place(request)
