"""A queue in which urgent jobs precede all others, in arrival order."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import chain
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.queue import Queue


def is_urgent(job: Job) -> bool:
    """Return whether the job is past its starvation threshold."""
    return job.remembered.promoted_us is not None


class UrgentFirst:
    """The jobs of the queue `urgent`, which is in arrival order, before the others. A job must
    leave the queue before it becomes urgent, and join it again afterwards."""

    def __init__(self, urgent: Queue, others: Queue) -> None:
        self._urgent = urgent
        self._others = others

    def __len__(self) -> int:
        return len(self._urgent) + len(self._others)

    def add(self, job: Job) -> None:
        (self._urgent if is_urgent(job) else self._others).add(job)

    def remove(self, job: Job) -> None:
        (self._urgent if is_urgent(job) else self._others).remove(job)

    def first(self, now_us: int) -> Job | None:
        return self._urgent.first(now_us) or self._others.first(now_us)

    def rank_new(self, now_us: int) -> None:
        self._others.rank_new(now_us)

    def jobs(self, now_us: int) -> Iterator[Job]:
        return chain(self._urgent.jobs(now_us), self._others.jobs(now_us))

    def lend(self) -> list[list[Job]]:
        return self._urgent.lend() + self._others.lend()

    def rank(self, job: Job, now_us: int) -> Any:
        return (0, job.seq) if is_urgent(job) else (1, self._others.rank(job, now_us))

    def any_within(self, free: int) -> bool:
        return self._urgent.any_within(free) or self._others.any_within(free)

    def plain_rank(self, job: Job, now_us: int) -> Any:
        """Return the rank that the job has among the others, urgent or not."""
        return self._others.rank(job, now_us)

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        if bounds.urgent_first:
            yield from self._urgent.candidates(bounds, now_us)
            yield from self._others.candidates(bounds, now_us)
            return

        def rank(job: Job) -> Any:
            return self.plain_rank(job, now_us)

        urgent = sorted(self._urgent.candidates(bounds, now_us), key=rank)
        others = self._others.candidates(bounds, now_us)
        yield from merge(urgent, others, key=rank) if urgent else others


def plain_rank(queue: Queue, job: Job, now_us: int) -> Any:
    """Return the rank of the job by the order of the recipe, urgent or not."""
    if isinstance(queue, UrgentFirst):
        return queue.plain_rank(job, now_us)
    return queue.rank(job, now_us)
