"""The HTTP API that cancels jobs and tasks of arrays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import ClassVar

import structlog
from aiohttp import web

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_daemon.api.cancel_parts import LOOKED_AT, CancelParts, any_goes_on, goes_on
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.arrays import check_pieces, text_of
from rmsd_daemon.domain.errors import Conflict, no_such_job
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.front.access import NotYours, caller_of, check_still
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import check_ids, parse_job_id
from rmsd_daemon.front.request_limits import decode, read_body, too_large
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import views
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.names import Named, named_in, parsed, waiting_in
from rmsd_wire.api.jobs import CancelBody, CancelReply, JobReply, JobView

log = structlog.get_logger()

_MAX_CANCEL_BYTES = 256 << 10
"""The largest body; the most job numbers that one request may name take less."""
_MOST_TOLD = 200
"""The most characters of a list of tasks in the log and the audit trail."""


class Cancels:
    """The handlers of cancels."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("cancel", "cancel_all")

    def __init__(
        self,
        scheduler: Scheduler,
        growth: Growth,
        history: JobHistory,
        view: Callable[[Job, Details], JobView],
    ) -> None:
        self._scheduler = scheduler
        self._growth = growth
        self._history = history
        self._view = view

    async def cancel(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        # If several requests name the same job, all but the first find that there is nothing to do.
        async with turn_of(request):
            check_still(request)
            job, _ = await self._history.find(job_id)
            if job.state.terminal:
                raise Conflict(f"job {job.label} is already over: {views.how_it_ended(job)}")
            await self._cancel([(job_id, job.user)], request)
        # The next batch may have ended the job, and its commit may fail: find what is stored.
        return answer(JobReply(self._view(*await self._history.find(job_id))))

    async def cancel_all(self, request: web.Request) -> web.Response:
        body = await read_body(request)
        if len(body) > _MAX_CANCEL_BYTES:
            raise too_large(len(body), _MAX_CANCEL_BYTES)
        asked = decode(body, CancelBody)
        names = parsed(asked.jobs)
        jobs = [name.job_id for name in names if name.runs is None]
        wanted = list(dict.fromkeys([*asked.job_ids, *jobs]))
        tasks = [name for name in names if name.runs is not None]
        check_ids([*wanted, *tasks, *asked.waiting])
        # If several requests name the same jobs, all but the first find that there is nothing to
        # do.
        async with turn_of(request):
            check_still(request)
            live = await self._cancel_live(wanted, request)
            for name in tasks:
                await asyncio.sleep(0)  # others have their turn
                check_still(request)
                named = named_in(await self._seen(name.job_id, request), name)
                live += await self._cancel_named(named, request)
            for job_id in asked.waiting:
                await asyncio.sleep(0)
                check_still(request)
                named = waiting_in(await self._seen(job_id, request))
                live += await self._cancel_named(named, request)
        return answer(CancelReply(live))

    async def _cancel_live(self, wanted: Sequence[int], request: web.Request) -> list[int]:
        """Cancel those of the jobs that are not over. Returns their numbers."""
        caller = caller_of(request)
        found = await self._history.whose(wanted)
        for job_id in wanted:
            if job_id not in found:
                raise no_such_job(job_id)
            if not caller.sees(job_id, found[job_id].user):
                raise NotYours(job_id)
        live = [job_id for job_id in wanted if found[job_id].live]
        if live:
            await self._cancel([(job_id, found[job_id].user) for job_id in live], request)
        return live

    async def _seen(self, job_id: int, request: web.Request) -> Job:
        """Return the job. Raises NotFound if there is none that the caller sees."""
        job, _ = await self._history.find(job_id)
        if not caller_of(request).sees(job.id, job.user):
            raise NotYours(job.id)
        return job

    async def _cancel_named(self, named: Named, request: web.Request) -> list[int]:
        """Cancel a job, an array, or those of its tasks that are named. Returns its number, or
        nothing if it is over."""
        job, ranks = named
        caller = caller_of(request)
        if ranks is None:
            return await self._cancel_live([job.id], request)
        if job.array is None or not await self._some_go_on(job, ranks):
            return []
        check_pieces(job.array, ranks)
        tasks = text_of(job.array.indices, Ranks(ranks))[:_MOST_TOLD]
        entries = {job.id: entry(caller, "cancel", f"tasks {tasks} of array {job.id}")}

        def begun(_: Sequence[int]) -> None:
            log.info("job-cancelled", job_id=job.id, tasks=tasks, by=caller.user)

        check = partial(check_still, request)
        parts = CancelParts(self._scheduler, entries, ranks, caller.user, check, begun)
        await parts.carry_out()
        self._growth.cancel(caller, len(ranks))
        return [job.id]

    async def _some_go_on(self, job: Job, ranks: Sequence[Interval]) -> bool:
        """Return whether the cancel of these tasks of an array would change anything."""
        if not job.state.terminal and not any_goes_on(job, ranks):
            # When this returns, the pending ends are stored or undone.
            await self._scheduler.carry_out(audit_entries=[])
        now = self._scheduler.core.jobs.get(job.id)
        return now is not None and any_goes_on(now, ranks)

    async def _cancel(self, jobs: Sequence[tuple[int, str]], request: web.Request) -> None:
        """Cancel jobs, given with their users. None starts on what another one leaves. A job that
        is being ended already costs no event and no entry of the audit trail."""
        caller = caller_of(request)
        if len([job async for job in self._going_on(jobs)]) < len(jobs):
            # When this returns, the pending ends are stored or undone.
            await self._scheduler.carry_out(audit_entries=[])
        entries = {
            job_id: entry(caller, "cancel", f"job {job_id} of {user}")
            async for job_id, user in self._going_on(jobs)
        }

        def begun(job_ids: Sequence[int]) -> None:
            for job_id in job_ids:
                log.info("job-cancelled", job_id=job_id, by=caller.user)

        check = partial(check_still, request)
        parts = CancelParts(self._scheduler, entries, None, caller.user, check, begun)
        await parts.carry_out()

    async def _going_on(self, jobs: Sequence[tuple[int, str]]) -> AsyncIterator[tuple[int, str]]:
        """Yield those of the jobs that would go on. Others have their turns meanwhile."""
        for at, (job_id, user) in enumerate(jobs, 1):
            if self._goes_on(job_id):
                yield job_id, user
            if not at % LOOKED_AT:
                await asyncio.sleep(0)

    def _goes_on(self, job_id: int) -> bool:
        """Return whether the job would go on, or start anew, if it were not cancelled. A job that
        has just ended counts as well: the commit of its end may fail."""
        job = self._scheduler.core.jobs.get(job_id)
        return job is None or goes_on(job)
