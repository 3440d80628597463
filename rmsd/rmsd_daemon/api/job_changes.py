"""The HTTP API that changes jobs: holds, releases, and restarts."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import structlog
from aiohttp import web

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming, Expired, Ineligible, OnTrial, Running, Unfolding, Waiting
from rmsd_core.lifecycle.inputs import Hold, Input, PutBack, Release
from rmsd_core.vocabulary import HeldBy
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Conflict, Forbidden
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import parse_job_id
from rmsd_daemon.front.request_limits import decode, read_body
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import views
from rmsd_daemon.queries.history import JobHistory
from rmsd_wire.api.jobs import JobAction, JobReply, JobView

log = structlog.get_logger()


class JobChanges:
    """The handler of what is done to a job."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("job_action",)

    def __init__(
        self,
        scheduler: Scheduler,
        history: JobHistory,
        growth: Growth,
        view: Callable[[Job, Details], JobView],
    ) -> None:
        self._scheduler = scheduler
        self._history = history
        self._growth = growth
        self._view = view

    async def job_action(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        action = decode(await read_body(request), JobAction).action
        caller = caller_of(request)
        # Several requests may name the same job: each sees what the ones before it have done.
        async with turn_of(request):
            check_still(request)
            job, _ = await self._history.find(job_id)
            if (change := _INPUTS[action](job, caller)) is not None:
                self._growth.check(caller)
                audited = entry(caller, action, f"job {job_id} of {job.user}")
                await self._scheduler.carry_out(change, audit_entries=[audited])
                self._growth.change(caller)
                log.info(f"job-{action}", job_id=job_id, by=caller.user)
        return answer(JobReply(self._view(*await self._history.find(job_id))))


_WAITS = Ineligible | Waiting | Claiming | Unfolding


def _hold(job: Job, caller: Caller) -> Input | None:
    """Return the input that holds a job; None if the job is held so already."""
    by = HeldBy.USER if caller.user == job.user else HeldBy.OPERATOR
    if not any(isinstance(one.phase, _WAITS) for one in _all_of(job)):
        raise Conflict(f"job {job.label} {_now(job)}: only a job that waits can be held")
    return None if job.conditions.held_by in (by, HeldBy.OPERATOR) else Hold(job.id, by)


def _release(job: Job, caller: Caller) -> Input | None:
    """Return the input that releases a job; None if the job is not held."""
    if job.state.terminal:
        raise Conflict(f"job {job.label} {_now(job)}: only a job that waits can be released")
    holds = {one.conditions.held_by for one in _all_of(job)} - {None}
    if HeldBy.OPERATOR in holds and not caller.role.covers(Role.OPERATOR):
        raise Forbidden(f"job {job.label} is held by an operator: only an operator can release it")
    return Release(job.id) if holds else None


def _requeue(job: Job, caller: Caller) -> Input | None:  # noqa: ARG001 - as the other actions
    """Return the input that has a running job run again."""
    if not job.requeue:
        raise Conflict(f"job {job.label} must not run twice: it was submitted with --no-requeue")
    if not any(isinstance(one.phase, OnTrial | Expired | Running) for one in _all_of(job)):
        raise Conflict(f"job {job.label} {_now(job)}: only a job that runs can be requeued")
    return PutBack(job.id)


def _all_of(job: Job) -> list[Job]:
    """Return what an action on the job concerns: of an array, the tasks that are jobs, and the
    array itself while it stands for tasks that wait."""
    if job.array is None:
        return [job]
    return [*job.array.tasks.values(), *([job] if job.array.waiting else [])]


_INPUTS: dict[str, Callable[[Job, Caller], Input | None]] = {
    "hold": _hold,
    "release": _release,
    "requeue": _requeue,
}


def _now(job: Job) -> str:
    return views.how_it_ended(job) if job.state.terminal else f"is {job.state.value}"
