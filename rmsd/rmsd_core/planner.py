"""The one planner: which waiting jobs start now. Simulation rules: EASY; thesis 1.1.2, 4.5.

The planner decides; the core changes jobs and capacity through the `start` it hands in.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable

from rmsd_core.capacity import Capacity, Release
from rmsd_core.job import Allocation, Job
from rmsd_core.recipe import Recipe
from rmsd_core.waiting import Bounds, WaitingIndex, by_arrival, by_prediction

StartJob = Callable[[Job, Allocation], None]


class Planner:
    """Queue, release list and pass of one recipe over one capacity."""

    def __init__(self, recipe: Recipe, capacity: Capacity) -> None:
        self._recipe = recipe
        self._capacity = capacity
        self._releases: list[Release] = []
        self._queue = WaitingIndex(by_arrival)
        self._backfill = (
            WaitingIndex(by_prediction) if recipe.backfill == "shortest" else self._queue
        )

    @property
    def head(self) -> Job | None:
        return self._queue.first()

    def waiting(self) -> list[Job]:
        """The jobs that wait, in queue order."""
        return list(self._queue)

    def enqueue(self, job: Job) -> None:
        self._queue.add(job)
        if self._backfill is not self._queue:
            self._backfill.add(job)

    def dequeue(self, job: Job) -> None:
        self._queue.remove(job)
        if self._backfill is not self._queue:
            self._backfill.remove(job)

    def expect(self, job: Job) -> None:
        """`job` holds its allocation until `job.expected_end_us`."""
        insort(self._releases, (job.expected_end_us, job.seq, job))

    def forget(self, job: Job) -> None:
        """Undo `expect`, before `job.expected_end_us` changes."""
        del self._releases[bisect_left(self._releases, (job.expected_end_us, job.seq))]

    def next_release(self) -> Release | None:
        return self._releases[0] if self._releases else None

    def releases(self) -> list[Release]:
        """What is held, by expected end; not to be changed."""
        return self._releases

    def run(self, now_us: int, start: StartJob) -> None:
        """One scheduling pass."""
        head = self._start_from_head(start)
        if head is None or self._recipe.reserve == "nobody" or len(self._queue) == 1:
            return
        if self._queue.any_within(self._capacity.free):
            self._start_behind(head, now_us, start)

    def _start_from_head(self, start: StartJob) -> Job | None:
        """Start jobs in queue order while they fit; the first that does not is the head."""
        while (head := self._queue.first()) is not None:
            allocation = self._capacity.place(head.request)
            if allocation is None:
                return head
            self.dequeue(head)
            start(head, allocation)
        return None

    def _start_behind(self, head: Job, now_us: int, start: StartJob) -> None:
        """Backfill: start what does not delay the head beyond its shadow time."""
        capacity = self._capacity
        shadow = capacity.shadow(head.request, self._releases, now_us)
        bounds = Bounds(capacity.free, shadow.time_us - now_us, shadow.extra)
        started: list[Job] = []
        for job in self._backfill.candidates(bounds):
            ends_before = job.prediction_us <= bounds.window_us
            room = capacity if ends_before else shadow
            allocation = room.place(job.request)
            if allocation is None:
                continue
            if not ends_before:
                shadow.take(allocation)
            job.backfilled = True
            started.append(job)
            start(job, allocation)
            bounds.free = capacity.free
            bounds.extra = shadow.extra
        for job in started:
            self.dequeue(job)
