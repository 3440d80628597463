"""The core's outlook for those who ask: computed on demand, in a bounded share of the time."""

from __future__ import annotations

import time

from rmsd_core.outlook import Expected, Outlook
from rmsd_core.vocabulary import JobState
from rmsd_daemon.auth import Caller
from rmsd_daemon.scheduler import Scheduler
from rmsd_daemon.views import rfc3339
from rmsd_wire.api import PlanReply, StartView

_KEPT_TIMES = 10
"""An outlook is kept this many times as long as it took, so that who asks without pause takes a
tenth of the daemon's time at most, ..."""
_QUICK_S = 0.01
"""... not counting this much, so that a short queue is always seen as it is."""


class Forecast:
    """Expected starts of the scheduler's waiting jobs."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._outlook = Outlook(0)
        self._keep_until_s = 0.0

    def outlook(self) -> Outlook:
        """The present one, or one a little older; jobs may have started since."""
        began_s = time.monotonic()
        if began_s >= self._keep_until_s:
            self._outlook = self._scheduler.core.outlook(self._scheduler.clock.now_us())
            ended_s = time.monotonic()
            self._keep_until_s = ended_s + _KEPT_TIMES * max(0, ended_s - began_s - _QUICK_S)
        return self._outlook

    def plan(self, caller: Caller) -> PlanReply:
        """The expected starts of the jobs that the caller sees, the earliest first."""
        outlook, jobs = self.outlook(), self._scheduler.core.jobs
        waits = [
            (job_id, expected)
            for job_id, expected in outlook.expected.items()
            if job_id in jobs
            and jobs[job_id].state is JobState.PENDING
            and job_id in self._scheduler.details
            and caller.sees(jobs[job_id].user)
        ]
        waits.sort(key=lambda one: (one[1].start_us, one[0]))
        return PlanReply(
            made_us=outlook.now_us,
            made_time=rfc3339(outlook.now_us),
            recipe=self._scheduler.recipe.name,
            left_out=outlook.left_out,
            starts=[start_view(job_id, expected) for job_id, expected in waits],
        )


def start_view(job_id: int, expected: Expected) -> StartView:
    return StartView(
        job_id=job_id,
        start_us=expected.start_us,
        start_time=rfc3339(expected.start_us),
        end_us=expected.end_us,
        basis=expected.basis,
    )
