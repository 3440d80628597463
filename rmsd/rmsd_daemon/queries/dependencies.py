"""The dependencies of jobs that are being submitted: on jobs that are live, and on jobs that are
over."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Ranks
from rmsd_core.lifecycle.eligibility import fate
from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.domain.arrays import ArrayDetails, text_of
from rmsd_daemon.domain.conditions import MOST_DEPENDENCIES
from rmsd_daemon.domain.errors import Malformed, NotFound
from rmsd_daemon.domain.submission import NewJob, awaited_ids, awaited_in
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.records import as_submitted
from rmsd_wire.api.submission import DependencySpec, SubmitSpec

_ARRAYS_KEPT = 4
"""The arrays whose ended tasks are kept during a submit: other new arrays may await them, too."""


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
        over_in: dict[int, dict[int, bool]] = {}
        for one in new:
            if one.details.array is not None and one.details.array.corresponding is not None:
                await self._correspond(one, one.details.array, caller, over_in)
        dependent = [one for one in new if one.details.conditions is not None]
        over = await self._over(awaited_ids(dependent), caller)
        for one in dependent:
            _settle(one, over, now_us)

    async def settled(self, given: Conditions, caller: Caller, now_us: int) -> Conditions:
        """Return the conditions of a live job after those of its dependencies that are on jobs that
        are over.

        Raises:
            Malformed: a job does not exist, or the caller does not see it.
        """
        over = await self._over(awaited_in(given), caller)
        return after_ends(given, over, now_us)

    async def _over(self, awaited: Sequence[int], caller: Caller) -> dict[int, Job]:
        """Return those of the jobs whose end is stored, by id."""
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
        return over

    async def resolve(self, spec: SubmitSpec, caller: Caller) -> SubmitSpec:
        """Return the spec with the numbers of the tasks on which the job depends.

        Raises:
            Malformed: a task does not exist, or the caller does not see it.
        """
        conditions = spec.conditions
        if conditions is None:
            return spec
        resolved = [await self._resolved(one, caller) for one in conditions.dependencies]
        conditions = msgspec.structs.replace(conditions, dependencies=resolved)
        return msgspec.structs.replace(spec, conditions=conditions)

    async def _resolved(self, one: DependencySpec, caller: Caller) -> DependencySpec:
        if one.array_task_id is None:
            return one
        await self._find(one.job_id, caller)
        try:
            job_id = await self._history.number(f"{one.job_id}_{one.array_task_id}")
        except NotFound as error:
            raise Malformed(f"'conditions.dependencies': {error.detail}") from error
        return msgspec.structs.replace(one, job_id=job_id, array_task_id=None)

    async def _correspond(
        self,
        new: NewJob,
        array: ArrayDetails,
        caller: Caller,
        over_in: dict[int, dict[int, bool]],
    ) -> None:
        """Settle which tasks of a new array have a corresponding task that is over. `over_in`: the
        tasks that are over, of the latest arrays of the same submit."""
        other = array.corresponding
        assert other is not None
        job = await self._find(other.array_id, caller)
        if job.array is None:
            raise Malformed(f"'conditions.after_corr': job {job.id} is no array")
        theirs = job.array.indices
        missing = next((index for index in array.indices if theirs.rank(index) is None), None)
        if missing is not None:
            raise Malformed(
                f"'conditions.after_corr': array {job.id} has no task {missing}; the tasks of the "
                "new array must be among its tasks"
            )
        if job.id not in over_in:
            if len(over_in) >= _ARRAYS_KEPT:
                over_in.clear()
            over_in[job.id] = await self._history.tasks_over(job.id, job.array)
        over = over_in[job.id]
        met, never = Ranks(), Ranks()
        for rank, index in enumerate(array.indices):
            if (succeeded := over.get(index)) is not None:
                (met if succeeded else never).add(rank, rank + 1)
        settled = msgspec.structs.replace(
            other,
            tasks=text_of(theirs, Ranks([(0, len(theirs))])),
            met=tuple(met.intervals()),
            never=tuple(never.intervals()),
            seen=len(theirs) if job.state.terminal else len(over),
        )
        array = msgspec.structs.replace(array, corresponding=settled)
        new.details = msgspec.structs.replace(new.details, array=array)
        new.job = as_submitted(new.job, new.details)

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
    conditions = after_ends(given, over, now_us)
    if conditions != given:
        left = conditions if conditions.stand else None
        new.details = msgspec.structs.replace(new.details, conditions=left)
        new.job = as_submitted(new.job, new.details)


def after_ends(given: Conditions, over: dict[int, Job], now_us: int) -> Conditions:
    """Return the conditions that are left after the ends of the jobs `over`."""
    return given.after(
        fate(one, over[one.job_id], now_us) if one.job_id in over else one
        for one in given.dependencies
    )
