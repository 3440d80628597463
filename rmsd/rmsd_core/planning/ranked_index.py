"""The waiting jobs in the order of a priority that grows as they wait, without a look at each.

The jobs lie in blocks of like growth. A block knows how large the priorities of its jobs can be: as
large as the largest at the latest look, and the most that any of them has grown since. So a pass
looks into the few blocks that may hold the next job, however many different jobs wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush, heapreplace

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.queue import Block, BlockList, KeyOf, LengthOf, prediction
from rmsd_core.recipes.extensions import Priority

_EVERYTHING = Bounds(NEVER_US - 1, NEVER_US, NEVER_US - 1)
_ROUNDING = 1e-12
"""The share of itself by which a bound may be too small, since numbers are rounded."""


class _RankedBlock(Block):
    """A block of jobs whose keys are (growth, arrival number).

    Its ranks are the negative priorities of its jobs at one time, in the order of its jobs. They
    are made when a pass looks, and are gone when a job is added.
    """

    __slots__ = ("_looked_us", "_most", "_priority", "_ranks", "_unseen")

    def __init__(self, jobs: list[Job], key: KeyOf, length: LengthOf, priority: Priority) -> None:
        super().__init__(jobs, key, length)
        self._priority = priority
        # No priority was above `_most` at `_looked_us`, except those of the jobs in `_unseen`.
        self._most = -math.inf
        self._looked_us: int | None = None
        self._unseen = jobs[:]
        self._ranks: list[float] = []

    def insert(self, at: int, key: tuple[float, int], job: Job, length: int) -> None:
        super().insert(at, key, job, length)
        self._unseen.append(job)
        self._ranks = []

    def delete(self, at: int) -> None:
        super().delete(at)
        if self._ranks:
            del self._ranks[at]

    @property
    def has_new(self) -> bool:
        """Return whether jobs have joined since the latest look, and some are here."""
        return bool(self._unseen and self.jobs)

    def most(self, now_us: int) -> float:
        """Return a bound that no priority of a job in here is above at `now_us`."""
        passed_us = 0 if self._looked_us is None else now_us - self._looked_us
        if passed_us < 0:
            return math.inf  # priorities may have been larger before
        most = self._most
        if passed_us and most > -math.inf:
            most += self.keys[-1][0] * passed_us
            most += abs(most) * _ROUNDING
        if self._unseen:
            # A job that has left meanwhile makes the bound larger, and not wrong.
            most = max(most, max([self._priority(job, now_us) for job in self._unseen]))
            self._most, self._looked_us, self._unseen, self._ranks = most, now_us, [], []
        return most

    def ranks(self, now_us: int) -> list[float]:
        """Look at the jobs; return their ranks at `now_us`, in the order of the jobs."""
        if not self._ranks or self._looked_us != now_us:
            priority = self._priority
            self._ranks = [-priority(job, now_us) for job in self.jobs]
            self._most, self._looked_us, self._unseen = -min(self._ranks), now_us, []
        return self._ranks

    def first(self, now_us: int) -> tuple[float, int, Job]:
        """Return the job that comes first at `now_us`, with its rank and its arrival number."""
        ranks = self.ranks(now_us)
        rank = min(ranks)
        if ranks.count(rank) == 1:
            job = self.jobs[ranks.index(rank)]
        else:
            tied = [job for job, other in zip(self.jobs, ranks, strict=True) if other == rank]
            job = min(tied, key=lambda job: job.seq)
        return rank, job.seq, job

    def meeting(self, bounds: Bounds, now_us: int) -> Iterator[tuple[float, int, Job]]:
        """Yield the jobs that meet `bounds`, with their ranks and arrival numbers."""
        free, window_us, extra = bounds.free, bounds.window_us, bounds.extra
        may_start, priority, longest = bounds.may_start, self._priority, bounds.longest()
        limits = self.lengths if longest is None else self.limits()
        for job, size, length, limit in zip(
            self.jobs, self.sizes, self.lengths, limits, strict=True
        ):
            if (
                size <= free
                and (size <= extra or length <= window_us)
                and (longest is None or limit <= longest(size))
                and (may_start is None or may_start(job))
            ):
                yield -priority(job, now_us), job.seq, job


class RankedIndex(BlockList[_RankedBlock]):
    """Jobs in the order of `priority`, largest first; ties in arrival order.

    growth: how much the priority of a job grows in a microsecond, at most.
    """

    def __init__(
        self, priority: Priority, growth: Callable[[Job], float], length: LengthOf = prediction
    ) -> None:
        def block(jobs: list[Job], key: KeyOf, length: LengthOf) -> _RankedBlock:
            return _RankedBlock(jobs, key, length, priority)

        self._priority = priority
        super().__init__(lambda job: (growth(job), job.seq), length, block)
        # The blocks by the rank of their first job, or by a rank that is no later. The numbers
        # after the ranks make entries differ; those of jobs are their arrival numbers.
        self._heads: list[tuple[float, int, _RankedBlock]] = []
        self._heads_us: int | None = None

    def add(self, job: Job) -> None:
        super().add(job)
        self._heads_us = None

    def first(self, now_us: int = 0) -> Job | None:
        if self._heads_us != now_us:
            self._heads = [
                (-block.most(now_us), -1 - at, block)
                for at, block in enumerate(self._blocks)
                if block.jobs
            ]
            heapify(self._heads)
            self._heads_us = now_us
        heads = self._heads
        while heads:
            rank, number, block = heads[0]
            if not block.jobs:
                heappop(heads)
                continue
            first = block.first(now_us)
            if first[:2] == (rank, number):
                return first[2]
            heapreplace(heads, (first[0], first[1], block))
        return None

    def rank_new(self, now_us: int) -> None:
        for block in self._blocks:
            if block.has_new:
                block.most(now_us)

    def rank(self, job: Job, now_us: int) -> tuple[float, int]:
        return -self._priority(job, now_us), job.seq

    def jobs(self, now_us: int = 0) -> Iterator[Job]:
        return self.candidates(_EVERYTHING, now_us)

    def candidates(self, bounds: Bounds, now_us: int = 0) -> Iterator[Job]:
        longest, has_opened = bounds.longest(), False
        heap: list[tuple[float, int, Job | _RankedBlock]] = [
            (-block.most(now_us), -1 - at, block)
            for at, block in enumerate(self._blocks)
            if block.may_meet(bounds, longest)
        ]
        heapify(heap)
        while heap:
            _, _, first = heappop(heap)
            if isinstance(first, _RankedBlock):
                # Since the first look jobs may have started, or be known to fit nowhere.
                if has_opened and not first.may_meet(bounds, longest):
                    continue
                has_opened = True
                for entry in first.meeting(bounds, now_us):
                    heappush(heap, entry)
            elif first.size <= bounds.free and (
                first.size <= bounds.extra or self._length(first) <= bounds.window_us
            ):
                yield first
