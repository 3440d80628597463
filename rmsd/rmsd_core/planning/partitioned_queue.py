"""The queue of a machine with partitions: a queue for each, so that no job waits behind another one
whose nodes it cannot have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from heapq import merge
from itertools import chain, takewhile
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.queue import Queue
from rmsd_core.planning.urgent_first import plain_rank

Name = str | None
"""The partition that a job names first; None: none."""


class PartitionedQueue:
    """The waiting jobs, each in the queue of the partition that it names first.

    In all, the jobs of a higher tier come first, and those of one tier in the recipe's order. The
    first job of a partition is its head.
    """

    def __init__(
        self,
        make: Callable[[], Queue],
        tiers: Mapping[str, int],
        free_in: Callable[[Name], int],
        undivided: Queue | None = None,
    ) -> None:
        """`make` makes the queue of a partition, and `free_in` returns how much is free in one.
        `undivided`: a queue of jobs that name no partition, which becomes that of all such jobs."""
        self._make = make
        self._tiers = tiers
        self._free_in = free_in
        self._queues: dict[Name, Queue] = {}
        self._elsewhere: dict[Name, int] = {}  # jobs that name further partitions
        if undivided is not None and len(undivided):
            self._queues[None], self._elsewhere[None] = undivided, 0

    @property
    def count(self) -> int:
        """Return the number of partitions in which jobs wait."""
        return len(self._queues)

    def __len__(self) -> int:
        return sum([len(queue) for queue in self._queues.values()])

    def add(self, job: Job) -> None:
        name = job.request.partition
        queue = self._queues.get(name)
        if queue is None:
            queue = self._queues[name] = self._make()
            self._elsewhere[name] = 0
        queue.add(job)
        self._elsewhere[name] += len(job.request.components) > 1

    def remove(self, job: Job) -> None:
        name = job.request.partition
        self._queues[name].remove(job)
        self._elsewhere[name] -= len(job.request.components) > 1
        if not len(self._queues[name]):
            del self._queues[name], self._elsewhere[name]

    def rank(self, job: Job, now_us: int) -> Any:
        name = job.request.partition
        queue = self._queues.get(name) or self._make()
        return -self._tiers.get(name or "", 0), queue.rank(job, now_us)

    def first(self, now_us: int) -> Job | None:
        return next(iter(self.heads(now_us)), None)

    def first_in(self, name: Name, now_us: int) -> Job | None:
        """Return the head of a partition."""
        queue = self._queues.get(name)
        return None if queue is None else queue.first(now_us)

    def heads(self, now_us: int) -> list[Job]:
        """Return the first job of each partition, in order."""
        firsts = [queue.first(now_us) for queue in self._queues.values()]
        heads = [job for job in firsts if job is not None]
        return sorted(heads, key=lambda job: self.rank(job, now_us))

    def jobs(self, now_us: int) -> Iterator[Job]:
        """Yield all jobs, in order. To sort them takes less than to merge the queues, each of which
        is sorted."""
        tiers: defaultdict[int, list[Queue]] = defaultdict(list)
        for name, queue in self._queues.items():
            tiers[self._tiers.get(name or "", 0)].append(queue)
        for _, queues in sorted(tiers.items(), reverse=True):
            rank = queues[0].rank  # all are in the order of the recipe
            jobs = [job for queue in queues for job in queue.jobs(now_us)]
            jobs.sort(key=lambda job: rank(job, now_us))
            yield from jobs

    def copied(self) -> list[Job]:
        """Return all jobs, in any order."""
        return list(chain.from_iterable([queue.copied() for queue in self._queues.values()]))

    def jobs_but(self, now_us: int, full: Container[Name]) -> Iterator[Job]:
        """Yield all jobs, in order, and no more of a partition once it is in `full`."""
        sources = [
            takewhile(lambda job: job.request.partition not in full, queue.jobs(now_us))
            for queue in self._queues.values()
        ]
        return self._merged(sources, now_us)

    def any_within(self, free: int) -> bool:
        return any(
            queue.any_within(min(free, self._free_for(name)))
            for name, queue in self._queues.items()
        )

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        sources = [
            queue.candidates(_PartitionBounds(bounds, self._within(name), self._free_in), now_us)
            for name, queue in self._queues.items()
            if queue.any_within(min(bounds.free, self._free_for(name)))
        ]
        if bounds.urgent_first:
            return self._merged(sources, now_us)
        return merge(*sources, key=lambda job: self._plain_rank(job, now_us))

    def _plain_rank(self, job: Job, now_us: int) -> Any:
        name = job.request.partition
        rank = plain_rank(self._queues[name], job, now_us)
        return -self._tiers.get(name or "", 0), rank

    def _free_for(self, name: Name) -> int:
        """Return an upper bound of the size of a job of that queue that fits now."""
        return self._free_in(self._within(name))

    def _within(self, name: Name) -> Name:
        """Return the partition in which all jobs of that queue run; None: there is no such one."""
        return None if self._elsewhere.get(name) else name

    def _merged(self, sources: Iterable[Iterator[Job]], now_us: int) -> Iterator[Job]:
        return merge(*sources, key=lambda job: self.rank(job, now_us))


class _PartitionBounds(Bounds):
    """The bounds of the candidates of a partition: no more is free than there."""

    __slots__ = ("_bounds", "_free_in", "_name")

    def __init__(self, bounds: Bounds, name: Name, free_in: Callable[[Name], int]) -> None:
        self._bounds = bounds
        self._name = name
        self._free_in = free_in
        self.may_start = bounds.may_start
        self.may_place = bounds.may_place
        self.urgent_first = bounds.urgent_first
        longest_in = bounds.longest_in
        self.longest_in = None if longest_in is None else lambda _: longest_in(name)

    @property
    def free(self) -> int:  # type: ignore[override]
        return min(self._bounds.free, self._free_in(self._name))

    @property
    def window_us(self) -> int:  # type: ignore[override]
        return self._bounds.window_us

    @property
    def extra(self) -> int:  # type: ignore[override]
        return self._bounds.extra
