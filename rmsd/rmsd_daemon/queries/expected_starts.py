"""The core's expected starts for callers: computed on demand, in a bounded share of the time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import AsyncIterator, Sequence
from heapq import merge
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.planning.expected import Expected, ExpectedStarts
from rmsd_core.planning.expected_starts import Projection
from rmsd_core.planning.portions import Portions
from rmsd_core.vocabulary import JobState
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.kept import KeptInSlices
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.far_starts import FarStarts
from rmsd_daemon.queries.views import rfc3339
from rmsd_wire.api.plan import PlanReply, StartView

_AT_ONCE = 500
"""The number of jobs of a long plan that are sorted at a stretch (some 1 ms)."""
_START_BYTES = 256
"""The bytes that one expected start takes in memory."""

_Start = tuple[int, Expected]


class Plan(NamedTuple):
    """A plan without its `starts`; the starts, the earliest first; and the bytes that they take in
    memory."""

    reply: PlanReply
    starts: AsyncIterator[StartView]
    kept_bytes: int


class _Ordered(NamedTuple):
    """The expected starts of a plan, the earliest first: of all jobs, and by user."""

    now_us: int
    far_now_us: int | None
    left_out: int
    of_all: list[_Start]
    of_user: dict[str, list[_Start]]

    def seen_by(self, caller: Caller) -> Sequence[_Start]:
        """Return the starts of the jobs that the caller may see."""
        if caller.job_id is not None:
            return [one for one in self.of_user.get(caller.user, ()) if one[0] == caller.job_id]
        if caller.role.covers(Role.OPERATOR):
            return self.of_all
        return self.of_user.get(caller.user, ())


class StartQuery:
    """The expected starts of the scheduler's waiting jobs."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._kept = KeptInSlices(lambda: scheduler.core.projection(scheduler.clock.now_us()))
        self._far = FarStarts()
        self._latest: Projection | None = None
        self._ordered = KeptInSlices(self._in_order)

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

    async def plan(self, caller: Caller, until_us: int, limit: int) -> Plan:
        """Return the expected starts before `until_us` of the jobs that wait now and that the
        caller may see, `limit` of them at most."""
        self._latest = await self._kept.get()
        self._far.follow(self._latest)
        found = await self._ordered.get()
        seen = found.seen_by(caller)
        end = bisect_left(seen, until_us, key=_start_us)
        reply = PlanReply(
            made_us=found.now_us,
            made_time=rfc3339(found.now_us),
            far_made_us=found.far_now_us,
            recipe=self._scheduler.recipe.name,
            left_out=found.left_out,
            starts=[],
            more=max(0, end - limit),
            later=len(seen) - end,
        )
        shown = min(end, limit)
        return Plan(reply, self._views(seen, shown), _START_BYTES * shown)

    def _in_order(self) -> Portions[_Ordered]:
        """Return the starts of the latest projection, and of the plan far behind, in order."""
        assert self._latest is not None
        starts = self._latest.starts
        far = self._far.starts or starts
        near, behind = list(starts.expected.items()), list(starts.left_out)
        left_out, runs = 0, []
        for at in range(0, max(len(near), len(behind)), _AT_ONCE):
            ids = behind[at : at + _AT_ONCE]
            found = [(job_id, one) for job_id in ids if (one := far.expected.get(job_id))]
            left_out += len(ids) - len(found) - len(far.nowhere.intersection(ids))
            late = [(job_id, _not_before(one, starts.now_us)) for job_id, one in found]
            runs.append(sorted(near[at : at + _AT_ONCE] + late, key=_when))
            yield
        far_now_us = None if far is starts else far.now_us
        ordered = _Ordered(starts.now_us, far_now_us, left_out, [], {})
        jobs = self._scheduler.core.jobs
        for at, start in enumerate(merge(*runs, key=_when)):
            if (job := jobs.get(start[0])) is not None:
                ordered.of_all.append(start)
                ordered.of_user.setdefault(job.user, []).append(start)
            if at % _AT_ONCE == 0:
                yield
        return ordered

    async def _views(self, starts: Sequence[_Start], end: int) -> AsyncIterator[StartView]:
        """Yield views of the first `end` starts, without jobs that do not wait by the last
        commit."""
        for at in range(end):
            job_id, expected = starts[at]
            job = self._scheduler.core.jobs.get(job_id)
            is_known = job is not None and job_id in self._scheduler.details
            if is_known and job is not None and job.state is JobState.PENDING:
                yield start_view(job_id, expected)


def _not_before(expected: Expected, now_us: int) -> Expected:
    """Return what was expected in an earlier plan: a job that still waits starts now or later."""
    return expected._replace(start_us=max(expected.start_us, now_us))


def _when(start: _Start) -> tuple[int, int]:
    return start[1].start_us, start[0]


def _start_us(start: _Start) -> int:
    return start[1].start_us


def start_view(job_id: int, expected: Expected) -> StartView:
    """Return the expected start of a job as the API shows it."""
    return StartView(
        job_id=job_id,
        start_us=expected.start_us,
        start_time=rfc3339(expected.start_us),
        end_us=expected.end_us,
        basis=expected.basis,
    )
