"""The waiting jobs in some order, with an index that prunes: a pass must not walk the queue.

A sorted list in blocks; each block knows its smallest size and smallest length, necessary
conditions for any of its jobs to start. Finding the next candidate among 100,000 jobs looks at the
blocks (hundreds) and inside those that may hold one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from heapq import heapify, heappop, heapreplace
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import Bounds, LongestLimit
from rmsd_core.planning.least_requests import LeastRequests, MayPlace, RefusedKinds, may_start

BLOCK = 256

Key = Any
"""The sort key of a job: unique per job, not changing while the job waits; a number or a tuple."""

KeyOf = Callable[[Job], Key]
LengthOf = Callable[[Job], int]


def by_arrival(job: Job) -> Key:
    return job.seq


def by_prediction(job: Job) -> Key:
    return (job.prediction_us, job.seq)


def prediction(job: Job) -> int:
    return job.prediction_us


def estimate(job: Job) -> int:
    return job.estimate_us


def longer(job: Job) -> int:
    """Return the longer of the job's prediction and its estimate."""
    return max(job.prediction_us, job.estimate_us)


class Queue(Protocol):
    """Waiting jobs in an order that may depend on the time."""

    def __len__(self) -> int: ...

    def add(self, job: Job) -> None: ...

    def remove(self, job: Job) -> None:
        """Remove a job. Raises KeyError if the job is not here."""

    def first(self, now_us: int) -> Job | None:
        """Return the head of the queue."""

    def rank_new(self, now_us: int) -> None:
        """Rank the jobs that have joined since the latest look, so that the next has less to do."""

    def jobs(self, now_us: int) -> Iterator[Job]:
        """Yield all jobs, in order."""

    def lend(self) -> list[list[Job]]:
        """Return all jobs in lists, in any order. The lists stay as they are when jobs come and go.
        Nothing is done for each job."""

    def rank(self, job: Job, now_us: int) -> Any:
        """Return what the order at that time is by: the smallest comes first."""

    def any_within(self, free: int) -> bool:
        """Return whether a job of size <= `free` waits."""

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        """Yield the jobs that meet `bounds`, in order, each looked at once.

        `bounds` may be tightened between one job and the next. The queue must not change meanwhile.
        """


class Block:
    """Some waiting jobs in order, with bounds that prune."""

    __slots__ = (
        "_goes_on",
        "_is_lent",
        "_least",
        "_limits",
        "_min_limit",
        "jobs",
        "keys",
        "lengths",
        "min_length",
        "min_size",
        "sizes",
    )

    def __init__(self, jobs: list[Job], key: KeyOf, length: LengthOf) -> None:
        self._limits: list[int] | None = None  # made while there are reservations
        self._least: LeastRequests | None = None  # made when a pass asks for them
        self._min_limit = -1
        self._is_lent = False
        self.jobs = jobs
        self.keys = [key(job) for job in jobs]
        self.sizes = [job.size for job in jobs]
        self.lengths = [length(job) for job in jobs]
        self.summarize()

    def summarize(self) -> None:
        self.min_size = min(self.sizes, default=NEVER_US)
        self.min_length = min(self.lengths, default=NEVER_US)

    def may_meet(self, bounds: Bounds, longest: LongestLimit | None) -> bool:
        """Return whether a job may meet `bounds` with its longest limits; a necessary condition."""
        if self.min_size > bounds.free:
            return False
        if self.min_length > bounds.window_us and self.min_size > bounds.extra:
            return False
        if longest is not None:
            self.limits()
            if self._min_limit > longest(self.min_size):
                return False
        return bounds.may_place is None or self.has_place(bounds.may_place, bounds.refused)

    def has_place(self, may_place: MayPlace, refused: RefusedKinds) -> bool:
        """Return whether a job may find a place, or has one where its expired trial runs."""
        least = self._least
        if least is None or least.is_stale:
            requests = [job.request for job in self.jobs]
            least = self._least = LeastRequests(zip(requests, self.lengths, strict=True))
            self._goes_on = any(type(job.phase) is Expired for job in self.jobs)
        return self._goes_on or least.may_start(may_place, refused)

    def may_go(self, at: int, bounds: Bounds) -> bool:
        """Return whether the job may find a place, after `may_meet`; a necessary condition."""
        if self._least is None or not self._least.differ or bounds.may_place is None:
            return True
        job = self.jobs[at]
        own = job.request, self.lengths[at]
        return type(job.phase) is Expired or may_start(*own, bounds.may_place, bounds.refused)

    def limits(self) -> list[int]:
        """Return the limits of the jobs; -1 for those that are not bound by `LongestLimit`: jobs of
        a reservation, and those that may go on where their expired trials run."""
        limits = self._limits
        if limits is None:
            limits = self._limits = [
                -1 if job.reservation or type(job.phase) is Expired else job.estimate_us
                for job in self.jobs
            ]
            self._min_limit = min(limits, default=NEVER_US)
        return limits

    def lend(self) -> list[Job]:
        """Return the jobs, in a list that no longer changes."""
        self._is_lent = True
        return self.jobs

    def _stop_lending(self) -> None:
        """Have a list of its own from now on."""
        if self._is_lent:
            self.jobs = self.jobs[:]
            self._is_lent = False

    def insert(self, at: int, key: Key, job: Job, length: int) -> None:
        self._stop_lending()
        self._limits = None
        if self._least is not None:
            self._least.add(job.request, length)
            self._goes_on = self._goes_on or type(job.phase) is Expired
        self.keys.insert(at, key)
        self.jobs.insert(at, job)
        self.sizes.insert(at, job.size)
        self.lengths.insert(at, length)
        if job.size < self.min_size:
            self.min_size = job.size
        if length < self.min_length:
            self.min_length = length

    def delete(self, at: int) -> None:
        self._stop_lending()
        self._limits = None
        if self._least is not None:
            self._least.leave(self.jobs[at].request, self.lengths[at])
        size, length = self.sizes[at], self.lengths[at]
        del self.keys[at], self.jobs[at], self.sizes[at], self.lengths[at]
        # Mostly another job is as small: to find it takes less than to look at all.
        if size == self.min_size and size not in self.sizes:
            self.min_size = min(self.sizes, default=NEVER_US)
        if length == self.min_length and length not in self.lengths:
            self.min_length = min(self.lengths, default=NEVER_US)


_B = TypeVar("_B", bound=Block)


class BlockList(Generic[_B]):
    """Waiting jobs in blocks, in the order of `key`, smallest first.

    length: the length that must fit into a window. block: what makes a block.
    """

    def __init__(
        self, key: KeyOf, length: LengthOf, block: Callable[[list[Job], KeyOf, LengthOf], _B]
    ) -> None:
        self._key = key
        self._length = length
        self._block = block
        self._blocks: list[_B] = []
        self._lasts: list[Key] = []  # the last key of each block
        self._len = 0

    def __len__(self) -> int:
        return self._len

    def __iter__(self) -> Iterator[Job]:
        for block in self._blocks:
            yield from block.jobs

    def lend(self) -> list[list[Job]]:
        """Return all jobs, block by block."""
        return [block.lend() for block in self._blocks]

    def add(self, job: Job) -> None:
        key = self._key(job)
        self._len += 1
        blocks = self._blocks
        # A block that is full stays so if jobs come in order, as they do after a restart.
        if not blocks or (len(blocks[-1].jobs) >= BLOCK and key > self._lasts[-1]):
            blocks.append(self._block([job], self._key, self._length))
            self._lasts.append(key)
            return
        at = bisect_left(self._lasts, key)
        if at == len(self._blocks):
            at -= 1
        block = self._blocks[at]
        block.insert(bisect_left(block.keys, key), key, job, self._length(job))
        if len(block.jobs) > BLOCK:
            half = BLOCK // 2
            self._blocks[at : at + 1] = [
                self._block(block.jobs[:half], self._key, self._length),
                self._block(block.jobs[half:], self._key, self._length),
            ]
            self._lasts[at : at + 1] = [block.keys[half - 1], block.keys[-1]]
        else:
            self._lasts[at] = block.keys[-1]

    def remove(self, job: Job) -> None:
        """Remove a job. Raises KeyError if the job is not here."""
        key = self._key(job)
        at = bisect_left(self._lasts, key)
        block = self._blocks[at] if at < len(self._blocks) else None
        inside = bisect_left(block.keys, key) if block else 0
        if block is None or block.keys[inside : inside + 1] != [key]:
            raise KeyError(job.id)
        block.delete(inside)
        self._len -= 1
        if block.jobs:
            self._lasts[at] = block.keys[-1]
        elif len(self._blocks) > 1:  # keep the last block, since a queue is often empty
            del self._blocks[at], self._lasts[at]

    def rank_new(self, now_us: int) -> None:
        """Do nothing: the order does not change."""

    def any_within(self, free: int) -> bool:
        for block in self._blocks:  # noqa: SIM110 - any() takes four times as long
            if block.min_size <= free:
                return True
        return False


class WaitingIndex(BlockList[Block]):
    """Jobs in the order of `key`, smallest first. `length` is the length that must fit into a
    window."""

    def __init__(self, key: KeyOf, length: LengthOf = prediction) -> None:
        super().__init__(key, length, Block)

    def first(self, now_us: int = 0) -> Job | None:  # noqa: ARG002 - the order does not change
        return self._blocks[0].jobs[0] if self._len else None

    def jobs(self, now_us: int = 0) -> Iterator[Job]:  # noqa: ARG002
        return iter(self)

    def rank(self, job: Job, now_us: int) -> Key:  # noqa: ARG002 - the order does not change
        return self._key(job)

    def may_meet(self, bounds: Bounds) -> bool:
        """Return whether a job may meet `bounds`; a necessary condition."""
        longest = bounds.longest()
        return any(block.may_meet(bounds, longest) for block in self._blocks)

    def candidates(self, bounds: Bounds, now_us: int = 0) -> Iterator[Job]:  # noqa: ARG002
        if (longest := bounds.longest()) is not None:
            yield from self._short_enough(bounds, longest)
            return
        free, window_us, extra = bounds.free, bounds.window_us, bounds.extra
        for block in self._blocks:
            if not block.may_meet(bounds, None):
                continue
            lengths = block.lengths
            for at, size in enumerate(block.sizes):
                meets = size <= free and (size <= extra or lengths[at] <= window_us)
                if meets and block.may_go(at, bounds):
                    yield block.jobs[at]
                    free, window_us, extra = bounds.free, bounds.window_us, bounds.extra

    def _short_enough(self, bounds: Bounds, longest: LongestLimit) -> Iterator[Job]:
        """Yield the candidates that may start by their limits."""
        for block in self._blocks:
            if not block.may_meet(bounds, longest):
                continue
            lengths, limits = block.lengths, block.limits()
            for at, size in enumerate(block.sizes):
                if (
                    size <= bounds.free
                    and (size <= bounds.extra or lengths[at] <= bounds.window_us)
                    and limits[at] <= longest(size)
                    and block.may_go(at, bounds)
                ):
                    yield block.jobs[at]


class PriorityQueue:
    """Jobs in the order of a priority that changes as they wait; ties in arrival order.

    Jobs that are alike keep their order among each other, which is by `within` and mostly that of
    their arrival. So each kind has a queue of its own, and a pass merges them. The cost of a pass
    grows with the number of kinds, not of jobs. `changes` counts the changes of priorities that
    come within an instant. `priority`: a number of any type, since a float rounds sums.
    """

    def __init__(
        self,
        priority: Callable[[Job, int], Any],
        alike: Callable[[Job], Hashable],
        length: LengthOf = prediction,
        within: KeyOf = by_arrival,
        changes: Callable[[], int] = lambda: 0,
    ) -> None:
        self._priority = priority
        self._changes = changes
        self._alike = alike
        self._length = length
        self._within = within
        self._queues: dict[Hashable, WaitingIndex] = {}
        self._len = 0
        # The heads of the queues by rank, with their kinds, at the latest look. Some may have left.
        self._heads: list[tuple[tuple[Any, int], Job, Hashable]] = []
        self._looked: tuple[int, int] | None = None

    def __len__(self) -> int:
        return self._len

    def add(self, job: Job) -> None:
        kind = self._alike(job)
        queue = self._queues.get(kind)
        if queue is None:
            queue = self._queues[kind] = WaitingIndex(self._within, self._length)
        queue.add(job)
        self._len += 1
        self._looked = None

    def remove(self, job: Job) -> None:
        kind = self._alike(job)
        queue = self._queues[kind]
        queue.remove(job)
        self._len -= 1
        if not len(queue):
            del self._queues[kind]

    def first(self, now_us: int) -> Job | None:
        look = now_us, self._changes()
        if self._looked != look:
            self._heads = [
                (self.rank(job, now_us), job, kind)
                for kind, queue in self._queues.items()
                if (job := queue.first()) is not None
            ]
            self._looked = look
            heapify(self._heads)
        heads = self._heads
        while heads:
            _, job, kind = heads[0]
            queue = self._queues.get(kind)
            first = queue.first() if queue is not None else None
            if first is job:
                return job
            if first is None:
                heappop(heads)
            else:
                heapreplace(heads, (self.rank(first, now_us), first, kind))
        return None

    def rank_new(self, now_us: int) -> None:
        """Do nothing: no rank is kept for the next look."""

    def jobs(self, now_us: int) -> Iterator[Job]:
        return self._merged([iter(queue) for queue in self._queues.values()], now_us)

    def lend(self) -> list[list[Job]]:
        return list(chain.from_iterable([queue.lend() for queue in self._queues.values()]))

    def any_within(self, free: int) -> bool:
        return any(queue.any_within(free) for queue in self._queues.values())

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        may_start = bounds.may_start
        sources: list[Iterator[Job]] = []
        for queue in self._queues.values():
            # Most queues hold one job that cannot start: make nothing for these.
            if not queue.may_meet(bounds):
                continue
            if len(queue) > 1:
                sources.append(filter(may_start, queue.candidates(bounds)))
            elif (job := queue.first()) is not None and (may_start is None or may_start(job)):
                sources.append(iter(queue))
        for job in self._merged(sources, now_us):
            if job.size <= bounds.free and (
                job.size <= bounds.extra or self._length(job) <= bounds.window_us
            ):
                yield job

    def rank(self, job: Job, now_us: int) -> tuple[Any, int]:
        return -self._priority(job, now_us), job.seq

    def _merged(self, sources: list[Iterator[Job]], now_us: int) -> Iterator[Job]:
        heap = [
            (self.rank(job, now_us), job, source)
            for source in sources
            if (job := next(source, None)) is not None
        ]
        heapify(heap)
        while heap:
            _, job, source = heap[0]
            yield job
            following = next(source, None)
            if following is None:
                heappop(heap)
            else:
                heapreplace(heap, (self.rank(following, now_us), following, source))
