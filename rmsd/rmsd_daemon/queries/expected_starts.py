"""The core's expected starts for callers: computed on demand, in a bounded share of the time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from heapq import merge
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.planning.expected import Expected, ExpectedStarts
from rmsd_core.vocabulary import JobState
from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.domain.kept import KeptInSlices
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.far_starts import FarStarts
from rmsd_daemon.queries.views import rfc3339
from rmsd_wire.api.plan import PlanReply, StartView

_AT_ONCE = 1000
"""The number of jobs of a long plan that are shown before other callers have their turn."""
_START_BYTES = 256
"""The bytes that one expected start takes in memory."""

_Start = tuple[int, Expected]


class Plan(NamedTuple):
    """A plan without its `starts`; the starts, the earliest first; and the bytes that they take in
    memory."""

    reply: PlanReply
    starts: AsyncIterator[StartView]
    kept_bytes: int


class StartQuery:
    """The expected starts of the scheduler's waiting jobs."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._kept = KeptInSlices(lambda: scheduler.core.projection(scheduler.clock.now_us()))
        self._far = FarStarts()

    async def of(self, job_id: int) -> ExpectedStarts:
        """Return the present expected starts, or earlier ones if the job is in these alone, since
        it is far behind in the queue. Jobs may have started since."""
        projection = await self._kept.get()
        if job_id not in projection.starts.left_out:
            return projection.starts
        self._far.follow(projection)
        far = self._far.starts
        return far if far is not None and job_id in far.expected else projection.starts

    def why_none(self, job: Job, starts: ExpectedStarts) -> str:
        """Return why a waiting job has no expected start in `starts`, which are from `of`: in the
        words of `WaitView.no_start`."""
        if job.id in starts.expected:
            return ""
        if job.task is not None and job.id not in self._scheduler.core.jobs:
            return "task"
        if job.id not in starts.left_out:
            if job.reservation:
                return "reservation"
            return "limit" if self._scheduler.core.is_held_back(job) else ""
        return "laying" if self._far.is_planning else "far"

    async def plan(self, caller: Caller) -> Plan:
        """Return the expected starts of the jobs that wait now and that the caller may see."""
        projection = await self._kept.get()
        self._far.follow(projection)
        starts, far = projection.starts, self._far.starts or projection.starts
        near, behind = list(starts.expected.items()), list(starts.left_out)
        left_out, runs = 0, []
        for at in range(0, max(len(near), len(behind)), _AT_ONCE):
            ids = behind[at : at + _AT_ONCE]
            found = [(job_id, one) for job_id in ids if (one := far.expected.get(job_id))]
            left_out += len(ids) - len(found) - len(far.nowhere.intersection(ids))
            late = [(job_id, _not_before(one, starts.now_us)) for job_id, one in found]
            seen = [one for one in near[at : at + _AT_ONCE] + late if self._waits(one[0], caller)]
            runs.append(sorted(seen, key=_when))
            await asyncio.sleep(0)
        reply = PlanReply(
            made_us=starts.now_us,
            made_time=rfc3339(starts.now_us),
            far_made_us=None if far is starts else far.now_us,
            recipe=self._scheduler.recipe.name,
            left_out=left_out,
            starts=[],
        )
        return Plan(reply, _in_order(runs), _START_BYTES * sum(map(len, runs)))

    def _waits(self, job_id: int, caller: Caller) -> bool:
        """Return whether the job waits, by the last commit, and the caller may see it."""
        job = self._scheduler.core.jobs.get(job_id)
        return (
            job is not None
            and job.state is JobState.PENDING
            and job_id in self._scheduler.details
            and caller.sees(job_id, job.user)
        )


def _not_before(expected: Expected, now_us: int) -> Expected:
    """Return what was expected in an earlier plan: a job that still waits starts now or later."""
    return expected._replace(start_us=max(expected.start_us, now_us))


def _when(start: _Start) -> tuple[int, int]:
    return start[1].start_us, start[0]


async def _in_order(runs: list[list[_Start]]) -> AsyncIterator[StartView]:
    """Yield views of the starts in `runs`, each of which is in order."""
    for job_id, expected in merge(*runs, key=_when):
        yield start_view(job_id, expected)


def start_view(job_id: int, expected: Expected) -> StartView:
    """Return the expected start of a job as the API shows it."""
    return StartView(
        job_id=job_id,
        start_us=expected.start_us,
        start_time=rfc3339(expected.start_us),
        end_us=expected.end_us,
        basis=expected.basis,
    )
