"""A queue in which runs that may be killed for others stand by the time that they still need.

Rule (`remaining=yes`): in orders and in the tests of backfilling, an expired trial or a speculation
counts with its prediction less the time that it has run, at least a second.

Reason: a run that is nearly over is worth more to go on with than the same job before its start.

Source: rmsd's own.

The priority of such a run may grow faster than any bound, so these runs are beside the index of the
others. There are never more of them than processors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.queue import LengthOf, Queue


def remaining_us(job: Job, now_us: int) -> int:
    """Return how long the job has still to run by its prediction, if its run may be killed for
    others; otherwise its prediction."""
    if type(job.phase) is not Expired:
        return job.prediction_us
    return _left_us(job, now_us)


def _left_us(job: Job, now_us: int) -> int:
    """Return how long the run of the job has still to last by its prediction."""
    began_us = job.start_us
    assert began_us is not None
    return max(SECOND_US, job.prediction_us - (now_us - began_us))


class RemainingBeside:
    """The runs that may be killed, beside `others`, in their order. A job must leave the queue
    before such a run of it begins or ends, or join it again afterwards."""

    def __init__(self, others: Queue, length: LengthOf) -> None:
        self._others = others
        self._length = length
        # The runs, and copies of the jobs as they were when these runs began to count as waiting.
        # The prediction of a copy is what was left at the latest look.
        self._running: dict[Job, Job] = {}
        self._ranked: list[tuple[Any, Job]] = []
        self._ranked_us: int | None = None

    def __len__(self) -> int:
        return len(self._running) + len(self._others)

    def add(self, job: Job) -> None:
        if type(job.phase) is Expired:
            self._running[job] = replace(job)
            self._ranked_us = None
        else:
            self._others.add(job)

    def remove(self, job: Job) -> None:
        if self._running.pop(job, None) is None:
            self._others.remove(job)
        else:  # the others keep their ranks in this pass, even if it has killed them
            self._ranked = [one for one in self._ranked if one[1] is not job]

    def first(self, now_us: int) -> Job | None:
        first = self._others.first(now_us)
        if not self._running:
            return first
        rank, run = self._in_order(now_us)[0]
        return run if first is None or rank < self._others.rank(first, now_us) else first

    def rank_new(self, now_us: int) -> None:
        self._others.rank_new(now_us)

    def jobs(self, now_us: int) -> Iterator[Job]:
        return self._merged(self._in_order(now_us), self._others.jobs(now_us), now_us)

    def lend(self) -> list[list[Job]]:
        return [[*self._running], *self._others.lend()]

    def rank(self, job: Job, now_us: int) -> Any:
        seen = self._running.get(job)
        if seen is None:
            return self._others.rank(job, now_us)
        # A run that this pass has killed keeps its rank until the pass is over.
        seen.prediction_us = _left_us(job, now_us)
        return self._others.rank(seen, now_us)

    def any_within(self, free: int) -> bool:
        return self._others.any_within(free) or any(job.size <= free for job in self._running)

    def candidates(self, bounds: Bounds, now_us: int) -> Iterator[Job]:
        others = self._others.candidates(bounds, now_us)
        if not self._running:
            return others
        return self._within(self._merged(self._in_order(now_us), others, now_us), bounds)

    def _within(self, jobs: Iterator[Job], bounds: Bounds) -> Iterator[Job]:
        for job in jobs:
            if job.size <= bounds.free and (
                job.size <= bounds.extra or self._length(job) <= bounds.window_us
            ):
                yield job

    def _in_order(self, now_us: int) -> list[tuple[Any, Job]]:
        """Return the runs with their ranks, in order."""
        if self._ranked_us != now_us:
            ranked = [(self.rank(job, now_us), job) for job in self._running]
            ranked.sort(key=lambda one: one[0])
            self._ranked, self._ranked_us = ranked, now_us
        return self._ranked

    def _merged(
        self, runs: list[tuple[Any, Job]], others: Iterator[Job], now_us: int
    ) -> Iterator[Job]:
        at = 0
        for job in others:
            if at < len(runs):
                rank = self._others.rank(job, now_us)
                while at < len(runs) and runs[at][0] < rank:
                    yield runs[at][1]
                    at += 1
            yield job
        for _, run in runs[at:]:
            yield run
