"""The queue of a machine with partitions: a queue for each, so that no job waits behind another one
whose nodes it cannot have. Jobs whose QOS preempts others have queues of their own before these."""

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
_Key = tuple[Name, int]
"""The partition and the level of the QOS, of jobs that have a queue together."""


class PartitionedQueue:
    """The waiting jobs, each in the queue of the partition that it names first, and of the level of
    its QOS (`accounts.levels`).

    In all, the jobs of a higher level come first, of one level those of a higher tier, and of these
    the first in the recipe's order. The first job of a partition is its head.
    """

    def __init__(
        self,
        make: Callable[[], Queue],
        tiers: Mapping[str, int],
        levels: Mapping[str, int],
        free_in: Callable[[Name], int],
        undivided: Queue | None = None,
    ) -> None:
        """Begin with the jobs of `undivided`, if it is given: a queue of jobs that name no
        partition and whose QOS preempt none, which becomes the queue of all such jobs.

        make: makes a queue. free_in: returns how much is free in a partition. levels: they do not
            change while jobs wait.
        """
        self._make = make
        self._tiers = tiers
        self._levels = levels
        self._heights = sorted({0, *levels.values()}, reverse=True)
        self._free_in = free_in
        self._queues: dict[_Key, Queue] = {}
        self._elsewhere: dict[_Key, int] = {}  # jobs that name further partitions
        if undivided is not None and len(undivided):
            self._queues[None, 0], self._elsewhere[None, 0] = undivided, 0

    @property
    def count(self) -> int:
        """Return the number of partitions in which jobs wait."""
        return len({name for name, _ in self._queues})

    def __len__(self) -> int:
        return sum([len(queue) for queue in self._queues.values()])

    def _key(self, job: Job) -> _Key:
        return job.request.partition, self._levels.get(job.qos, 0)

    def _before(self, key: _Key) -> tuple[int, int]:
        """Return what the queues of several jobs are ordered by: the smallest comes first."""
        name, level = key
        return -level, -self._tiers.get(name or "", 0)

    def add(self, job: Job) -> None:
        key = self._key(job)
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = self._make()
            self._elsewhere[key] = 0
        queue.add(job)
        self._elsewhere[key] += len(job.request.components) > 1

    def remove(self, job: Job) -> None:
        key = self._key(job)
        self._queues[key].remove(job)
        self._elsewhere[key] -= len(job.request.components) > 1
        if not len(self._queues[key]):
            del self._queues[key], self._elsewhere[key]

    def rank(self, job: Job, now_us: int) -> Any:
        key = self._key(job)
        queue = self._queues.get(key) or self._make()
        return self._before(key), queue.rank(job, now_us)

    def first(self, now_us: int) -> Job | None:
        return next(iter(self.heads(now_us)), None)

    def rank_new(self, now_us: int) -> None:
        for queue in self._queues.values():
            queue.rank_new(now_us)

    def first_in(self, name: Name, now_us: int) -> Job | None:
        """Return the head of a partition."""
        queues = (self._queues.get((name, height)) for height in self._heights)
        first = next((queue for queue in queues if queue is not None), None)
        return None if first is None else first.first(now_us)

    def heads(self, now_us: int) -> list[Job]:
        """Return the first job of each partition, in order."""
        highest: dict[Name, int] = {}
        for name, level in self._queues:
            highest[name] = max(level, highest.get(name, 0))
        firsts = [self._queues[key].first(now_us) for key in highest.items()]
        heads = [job for job in firsts if job is not None]
        return sorted(heads, key=lambda job: self.rank(job, now_us))

    def jobs(self, now_us: int) -> Iterator[Job]:
        """Yield all jobs, in order. To sort them takes less than to merge the queues, each of which
        is sorted."""
        alike: defaultdict[tuple[int, int], list[Queue]] = defaultdict(list)
        for key, queue in self._queues.items():
            alike[self._before(key)].append(queue)
        for _, queues in sorted(alike.items()):
            rank = queues[0].rank  # all are in the order of the recipe
            jobs = [job for queue in queues for job in queue.jobs(now_us)]
            jobs.sort(key=lambda job: rank(job, now_us))
            yield from jobs

    def lend(self) -> list[list[Job]]:
        """Return all jobs, in any order."""
        return list(chain.from_iterable([queue.lend() for queue in self._queues.values()]))

    def jobs_but(self, now_us: int, full: Container[Name]) -> Iterator[Job]:
        """Yield all jobs, in order, and no more of a partition once it is in `full`."""
        sources = [
            takewhile(lambda job: job.request.partition not in full, queue.jobs(now_us))
            for queue in self._queues.values()
        ]
        return self._merged(sources, now_us)

    def any_within(self, free: int) -> bool:
        return any(
            queue.any_within(min(free, self._free_for(key))) for key, queue in self._queues.items()
        )

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        sources = [
            queue.candidates(_PartitionBounds(bounds, self._within(key), self._free_in), now_us)
            for key, queue in self._queues.items()
            if queue.any_within(min(bounds.free, self._free_for(key)))
        ]
        if bounds.urgent_first:
            return self._merged(sources, now_us)
        return merge(*sources, key=lambda job: self._plain_rank(job, now_us))

    def _plain_rank(self, job: Job, now_us: int) -> Any:
        key = self._key(job)
        return self._before(key), plain_rank(self._queues[key], job, now_us)

    def _free_for(self, key: _Key) -> int:
        """Return an upper bound of the size of a job of that queue that fits now."""
        return self._free_in(self._within(key))

    def _within(self, key: _Key) -> Name:
        """Return the partition in which all jobs of that queue run; None: there is no such one."""
        return None if self._elsewhere.get(key) else key[0]

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
        self.may_place, self.refused = bounds.may_place, bounds.refused
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
