"""The dependencies of jobs that are being submitted: on jobs that are live, and on jobs that are
over."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.eligibility import fate
from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.domain.conditions import MOST_DEPENDENCIES
from rmsd_daemon.domain.errors import Malformed, NotFound
from rmsd_daemon.domain.submission import NewJob, awaited_ids
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.records import as_submitted


class Dependencies:
    """The look-up of the jobs that new jobs depend on.

    The core knows the live jobs alone. So a dependency on a job whose end is stored is settled
    here, before the submit. All others are the core's.
    """

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self._scheduler = scheduler
        self._history = history

    async def settle(self, new: Sequence[NewJob], caller: Caller, now_us: int) -> None:
        """Settle the dependencies of `new` on jobs that are over.

        Raises:
            Malformed: a job does not exist, or the caller does not see it; or there are too many.
        """
        dependent = [one for one in new if one.details.conditions is not None]
        awaited = awaited_ids(dependent)
        if len(awaited) > MOST_DEPENDENCIES:
            raise Malformed(
                f"the jobs depend on {len(awaited)} others; one request may name "
                f"{MOST_DEPENDENCIES}"
            )
        over: dict[int, Job] = {}
        for job_id in awaited:
            found = await self._find(job_id, caller)
            if job_id not in self._scheduler.details and found.state.terminal:
                over[job_id] = found
        for one in dependent:
            _settle(one, over, now_us)

    async def _find(self, job_id: int, caller: Caller) -> Job:
        try:
            job, _ = await self._history.find(job_id)
        except NotFound:
            job = None
        if job is None or not caller.sees(job_id, job.user):
            raise Malformed(f"'conditions.dependencies': there is no job {job_id}")
        return job


def _settle(new: NewJob, over: dict[int, Job], now_us: int) -> None:
    given = new.details.conditions
    assert given is not None
    conditions = given.after(
        fate(one, over[one.job_id], now_us) if one.job_id in over else one
        for one in given.dependencies
    )
    if conditions != given:
        left = conditions if conditions.stand else None
        new.details = msgspec.structs.replace(new.details, conditions=left)
        new.job = as_submitted(new.job, new.details)
