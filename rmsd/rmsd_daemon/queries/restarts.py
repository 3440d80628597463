"""The restarts of jobs that are over: their conditions, and those of the jobs that await them."""

from __future__ import annotations

from rmsd_core.jobs.conditions import NO_CONDITIONS, Conditions
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.inputs import AwaitAgain, Restart
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_daemon.domain.errors import Conflict, NotFound
from rmsd_daemon.domain.slices import in_slices
from rmsd_daemon.domain.submission import Details, awaited_in
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.dependencies import after_ends
from rmsd_daemon.queries.history import JobHistory


class Restarts:
    """The look-up of what a job that is over asked for at its submit, and of who still asks for
    that job."""

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self._scheduler = scheduler
        self._history = history

    async def inputs(
        self, job: Job, details: Details, now_us: int
    ) -> tuple[Restart, list[AwaitAgain]]:
        """Return the inputs that have a job run again which is over, and those that have others
        wait for it again.

        Raises:
            Conflict: jobs that the job depends on have ended so that it can never run.
        """
        over: dict[int, Job] = {}
        conditions = await self._conditions(job.id, details, over, now_us)
        if conditions.never:
            raise Conflict(
                f"job {job.id} depends on jobs that have ended otherwise: restart those first, or "
                "submit it again"
            )
        others = []
        stranded, _ = await in_slices(self._stranded(job.id))
        for other_id, other in stranded:
            left = await self._conditions(other_id, other, over, now_us, but_for=job.id)
            if not left.never:
                others.append(AwaitAgain(other_id, left.awaits))
        return Restart(job, conditions), others

    def _stranded(self, job_id: int) -> Portions[list[tuple[int, Details]]]:
        """Return the live jobs that depend on the job and wait though they can never run."""
        found = []
        for at, other in enumerate(list(self._scheduler.core.jobs.values()), 1):
            if other.conditions.never:
                details = self._scheduler.details.get(other.id)
                given = None if details is None else details.conditions
                if details is not None and given is not None and job_id in awaited_in(given):
                    found.append((other.id, details))
            if not at % PORTION:
                yield
        return found

    async def _conditions(
        self,
        job_id: int,
        details: Details,
        over: dict[int, Job],
        now_us: int,
        but_for: int | None = None,
    ) -> Conditions:
        """Return the conditions that a job was submitted with, but for a hold and those that have
        come true. `over`: jobs that are known to be over; `but_for`: one that is not, soon."""
        given = details.conditions
        if given is None:
            return NO_CONDITIONS
        for other_id in awaited_in(given):
            if other_id in over or other_id in (job_id, but_for):
                continue
            try:
                found, _ = await self._history.find(other_id)
            except NotFound:  # deleted: the core takes it for one whose end is not known
                continue
            if other_id not in self._scheduler.details and found.state.terminal:
                over[other_id] = found
        ended = {key: value for key, value in over.items() if key != but_for}
        return after_ends(given._replace(held_by=None), ended, now_us).at(now_us)
