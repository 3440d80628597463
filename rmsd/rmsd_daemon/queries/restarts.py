"""The restarts of jobs that are over: their conditions, and those of the jobs that await them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rmsd_core.jobs.conditions import NO_CONDITIONS, Conditions, EndedJob
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.dependents import ended_as
from rmsd_core.lifecycle.eligibility import fate_after, fate_of_lost
from rmsd_core.lifecycle.inputs import AwaitAgain, Restart
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.vocabulary import HeldBy
from rmsd_daemon.domain.errors import Conflict, NotFound
from rmsd_daemon.domain.slices import in_slices
from rmsd_daemon.domain.submission import Details, awaited_in
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory

_MOST_JOBS = 200
_MOST_DEPENDENCIES = 2000
"""The jobs of a part, and their dependencies: the core is told of a part in one call. A job may
have a thousand dependencies."""

_Over = Mapping[int, EndedJob | None]
"""The ends of awaited jobs, by number; None for a job whose record is deleted."""


class Restarts:
    """The look-up of what a job that is over asked for at its submit, and of who still asks for
    that job."""

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self._scheduler = scheduler
        self._history = history

    async def restart(
        self, job: Job, details: Details, now_us: int, held_by: HeldBy | None
    ) -> Restart:
        """Return the input that has a job run again which is over. The job is held if an account
        wants that.

        Raises:
            Conflict: jobs that the job depends on have ended so that it can never run.
        """
        given = details.conditions or NO_CONDITIONS
        over = await self._over(one for one in awaited_in(given) if one != job.id)
        conditions = _left(given, over, now_us)
        if conditions.never:
            raise Conflict(
                f"job {job.id} depends on jobs that have ended otherwise: restart those first, or "
                "submit it again"
            )
        return Restart(job, conditions._replace(held_by=held_by))

    async def stranded(self, job_id: int, turn: Turn) -> list[list[int]]:
        """Return the live jobs that depend on the job and wait though they can never run, in parts.
        The caller, whose `turn` it is, rests for the look at all live jobs."""
        found, worked_s = await in_slices(self._stranded(job_id))
        turn.worked(worked_s)
        return found

    def _stranded(self, job_id: int) -> Portions[list[list[int]]]:
        parts: list[list[int]] = []
        left = 0  # dependencies that the latest part may still have
        for at, other in enumerate(list(self._scheduler.core.jobs.values()), 1):
            if (given := self._asked_in_vain(other)) is not None:
                if job_id in (awaited := awaited_in(given)):
                    if len(awaited) > left or len(parts[-1]) >= _MOST_JOBS:
                        parts.append([])
                        left = max(_MOST_DEPENDENCIES, len(awaited))
                    parts[-1].append(other.id)
                    left -= len(awaited)
                yield
            elif not at % PORTION:
                yield
        return parts

    def _asked_in_vain(self, job: Job) -> Conditions | None:
        """Return the conditions that a job was submitted with which can never run; None if it
        can."""
        details = self._scheduler.details.get(job.id) if job.conditions.never else None
        return None if details is None else details.conditions

    async def await_again(
        self, part: Sequence[int], now_us: int, restarted: int | None = None
    ) -> list[AwaitAgain]:
        """Return the inputs that have these jobs wait again, those of them that may start one day.
        `restarted`: a job that is over, and will not be soon."""
        asked = {}
        for job_id in part:
            job = self._scheduler.core.jobs.get(job_id)
            given = None if job is None else self._asked_in_vain(job)
            if given is not None:
                asked[job_id] = given
        awaited = (one for given in asked.values() for one in awaited_in(given))
        over = await self._over(one for one in awaited if one != restarted)
        left = {job_id: _left(given, over, now_us) for job_id, given in asked.items()}
        return [AwaitAgain(job_id, one.awaits) for job_id, one in left.items() if not one.never]

    async def _over(self, awaited: Iterable[int]) -> _Over:
        """Return those of the jobs that are over, with their ends."""
        is_live = self._scheduler.cluster.is_live
        ids = [one for one in dict.fromkeys(awaited) if not is_live(one)]
        ended = await self._history.ends(ids) if ids else {}
        over: dict[int, EndedJob | None] = {}
        for job_id in ids:
            if job_id not in ended:
                over[job_id] = await self._end_of_other(job_id)
            elif (end := ended[job_id]) is not None:
                over[job_id] = end
        return over

    async def _end_of_other(self, job_id: int) -> EndedJob | None:
        """Return the end of a task that was cancelled before it was a job of its own; None for a
        job that is deleted."""
        try:
            found, _ = await self._history.find(job_id)
        except NotFound:
            return None
        return ended_as(found) if found.state.terminal else None


def _left(given: Conditions, over: _Over, now_us: int) -> Conditions:
    """Return the conditions of a submit that are left, without its hold."""
    fates = (
        one
        if one.job_id not in over
        else fate_of_lost(one)
        if (ended := over[one.job_id]) is None
        else fate_after(one, ended, now_us)
        for one in given.dependencies
    )
    return given._replace(held_by=None).after(fates).at(now_us)
