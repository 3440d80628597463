"""The HTTP API that cancels jobs and tasks of arrays."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

import structlog
from aiohttp import web

from rmsd_core.jobs.array import id_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_core.lifecycle.inputs import Cancel
from rmsd_core.vocabulary import RESTARTED, Cause, JobState
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller
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
from rmsd_daemon.queries.names import Named, find_named, find_waiting, parsed
from rmsd_daemon.store.records import Row
from rmsd_wire.api.jobs import CancelBody, CancelReply, JobReply, JobView

log = structlog.get_logger()

_MAX_CANCEL_BYTES = 256 << 10
"""The largest body; the most job numbers that one request may name take less."""
_FIRST_TASKS = 100
"""The tasks of an array that are cancelled first; then twice as many each time, while this is
quick."""
_QUICK_S = 0.05
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
            await self._cancel([(job_id, job.user)], caller_of(request))
        # The next batch may have ended the job, and its commit may fail: find what is stored.
        return answer(JobReply(self._view(*await self._history.find(job_id))))

    async def cancel_all(self, request: web.Request) -> web.Response:
        body = await read_body(request)
        if len(body) > _MAX_CANCEL_BYTES:
            raise too_large(len(body), _MAX_CANCEL_BYTES)
        asked = decode(body, CancelBody)
        wanted = list(dict.fromkeys(asked.job_ids))
        names = parsed(asked.jobs)
        check_ids([*wanted, *names, *asked.waiting])
        # If several requests name the same jobs, all but the first find that there is nothing to
        # do.
        async with turn_of(request):
            check_still(request)
            live = await self._cancel_live(wanted, caller_of(request))
            for name in names:
                await asyncio.sleep(0)  # others have their turn
                check_still(request)
                named = await find_named(name, self._history)
                live += await self._cancel_named(named, caller_of(request))
            for job_id in asked.waiting:
                await asyncio.sleep(0)
                check_still(request)
                named = await find_waiting(job_id, self._history)
                live += await self._cancel_named(named, caller_of(request))
        return answer(CancelReply(live))

    async def _cancel_live(self, wanted: Sequence[int], caller: Caller) -> list[int]:
        """Cancel those of the jobs that are not over. Returns their numbers."""
        found = await self._history.whose(wanted)
        for job_id in wanted:
            if job_id not in found:
                raise no_such_job(job_id)
            if not caller.sees(job_id, found[job_id].user):
                raise NotYours(job_id)
        live = [job_id for job_id in wanted if found[job_id].live]
        if live:
            await self._cancel([(job_id, found[job_id].user) for job_id in live], caller)
        return live

    async def _cancel_named(self, named: Named, caller: Caller) -> list[int]:
        """Cancel a job, an array, or those of its tasks that are named. Returns its number, or
        nothing if it is over."""
        job, ranks = named
        if not caller.sees(job.id, job.user):
            raise NotYours(job.id)
        if ranks is None:
            return await self._cancel_live([job.id], caller)
        if job.array is None or not await self._some_go_on(job, ranks):
            return []
        check_pieces(job.array, ranks)
        tasks = text_of(job.array.indices, Ranks(ranks))
        audited = entry(caller, "cancel", f"tasks {tasks[:_MOST_TOLD]} of array {job.id}")
        left = await self._cancel_most(job.id, Ranks(ranks), [audited])
        await self._scheduler.carry_out(Cancel(job.id, ranks), audit_entries=left)
        self._growth.cancel(caller, len(ranks))
        log.info("job-cancelled", job_id=job.id, tasks=tasks[:_MOST_TOLD], by=caller.user)
        return [job.id]

    async def _some_go_on(self, job: Job, ranks: Sequence[Interval]) -> bool:
        """Return whether the cancel of these tasks of an array would change anything."""
        if not job.state.terminal and not self._any_goes_on(job, ranks):
            # When this returns, the pending ends are stored or undone.
            await self._scheduler.carry_out(audit_entries=[])
        now = self._scheduler.core.jobs.get(job.id)
        return now is not None and self._any_goes_on(now, ranks)

    def _any_goes_on(self, job: Job, ranks: Sequence[Interval]) -> bool:
        array = job.array
        if array is None:
            return False
        if any(array.waits_among(first, last) for first, last in ranks):
            return True
        named = Ranks(ranks)
        jobs = filter(named.__contains__, array.tasks) if array.tasks else ()
        return any(self._goes_on(id_of(job.id, rank)) for rank in jobs)

    async def _cancel(self, jobs: Sequence[tuple[int, str]], caller: Caller) -> None:
        """Cancel jobs, given with their users, at once, so that none starts on what another one
        leaves. A job that is being ended already costs no event and no entry of the audit trail."""
        if not all(self._goes_on(job_id) for job_id, _ in jobs):
            # When this returns, the pending ends are stored or undone.
            await self._scheduler.carry_out(audit_entries=[])
        jobs = [(job_id, user) for job_id, user in jobs if self._goes_on(job_id)]
        if not jobs:
            return
        audit_entries = [
            entry(caller, "cancel", f"job {job_id} of {user}") for job_id, user in jobs
        ]
        for job_id, _ in jobs:
            audit_entries = await self._cancel_most(job_id, None, audit_entries)
        await self._scheduler.carry_out(
            *(Cancel(job_id) for job_id, _ in jobs), audit_entries=audit_entries
        )
        for job_id, _ in jobs:
            log.info("job-cancelled", job_id=job_id, by=caller.user)

    async def _cancel_most(
        self, job_id: int, wanted: Ranks | None, audit_entries: list[Row]
    ) -> list[Row]:
        """Cancel most of the tasks of an array that wait, some at a time: each on which a single
        job depends becomes a job. The last ones come first, since they start last.
        `wanted`: the tasks that are meant; None: all. The entries of the audit trail go with the
        first of them; return those that are left to write."""
        count = _FIRST_TASKS
        while len(waiting := self._waiting(job_id, wanted)) > count:
            last = waiting.intervals()[-1][1]
            some = tuple(waiting.take(last - count, last))
            began_s = time.monotonic()
            await self._scheduler.carry_out(Cancel(job_id, some), audit_entries=audit_entries)
            audit_entries = []
            is_quick = time.monotonic() - began_s < _QUICK_S
            count = 2 * count if is_quick else max(_FIRST_TASKS, count // 2)
        return audit_entries

    def _waiting(self, job_id: int, wanted: Ranks | None) -> Ranks:
        """Return the wanted tasks of a live array that wait and are no jobs of their own."""
        job = self._scheduler.core.jobs.get(job_id)
        if job is None or job.array is None:
            return Ranks()
        waiting = job.array.waiting_ranks()
        if wanted is None:
            return waiting
        return Ranks(part for one in wanted.intervals() for part in waiting.take(*one))

    def _goes_on(self, job_id: int) -> bool:
        """Return whether the job would go on, or start anew, if it were not cancelled. A job that
        has just ended counts as well: the commit of its end may fail."""
        job = self._scheduler.core.jobs.get(job_id)
        if job is None or job.state is not JobState.COMPLETING:
            return True
        return job.stop_cause is Cause.NODE or job.stop_cause in RESTARTED
