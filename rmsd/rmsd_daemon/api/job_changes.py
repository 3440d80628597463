"""The HTTP API that changes jobs: holds, releases and the like, and updates."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import msgspec
import structlog
from aiohttp import web
from msgspec import UNSET

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    Active,
    Claiming,
    Executing,
    Ineligible,
    Suspended,
    Waiting,
)
from rmsd_core.lifecycle.inputs import Hold, PutBack, Release, Suspend, Unsuspend
from rmsd_core.lifecycle.suspending import may_be_suspended
from rmsd_core.lifecycle.updates import waits_for_itself
from rmsd_core.model_time import duration_s
from rmsd_core.vocabulary import HeldBy
from rmsd_daemon.api.job_restarts import JobRestarts, held_by_caller
from rmsd_daemon.api.reservation_members import tell_members
from rmsd_daemon.api.submit_checks import check_may_be_nice, check_reservation
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Conflict, DependencyOver, Forbidden, Malformed, NeverFits
from rmsd_daemon.domain.places import bytes_stored
from rmsd_daemon.domain.submission import Details, Rules
from rmsd_daemon.domain.updates import Amended, amended, conditions_asked
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import parse_job_id
from rmsd_daemon.front.request_limits import decode, read_body
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import views
from rmsd_daemon.queries.dependencies import Dependencies
from rmsd_daemon.queries.history import JobHistory
from rmsd_wire.api.jobs import JobAction, JobReply, JobView
from rmsd_wire.api.updates import JobUpdate
from rmsd_wire.durations import format_duration

log = structlog.get_logger()

MOST_AT_ONCE = 500
"""The tasks of an array that are changed at once, as in a part of a cancel."""

_AGAIN = ("requeue", "restart", "run-again")
"""The actions that have a job run again."""

_Change = Hold | Release | PutBack | Suspend | Unsuspend


class JobChanges:
    """The handlers of what is done to a job."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("job_action", "update_job")

    def __init__(
        self,
        scheduler: Scheduler,
        rules: Rules,
        growth: Growth,
        history: JobHistory,
        view: Callable[[Job, Details], JobView],
        role_of: Callable[[str], Role],
        most_of_user: int,
    ) -> None:
        self._scheduler = scheduler
        self._rules = rules
        self._growth = growth
        self._dependencies = Dependencies(scheduler, history)
        self._restarts = JobRestarts(scheduler, rules, growth, history, role_of, most_of_user)
        self._history = history
        self._view = view

    async def job_action(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        asked = decode(await read_body(request), JobAction)
        action, hold = asked.action, asked.hold
        if hold and action not in _AGAIN:
            raise Malformed(f"'hold' goes with {', '.join(_AGAIN)}, and not with '{action}'")
        caller = caller_of(request)
        # Several requests may name the same job: each sees what the ones before it have done.
        async with (turn := turn_of(request)):
            check_still(request)
            job, _ = await self._history.find(job_id)
            if action == "restart" or (action == "run-again" and job.state.terminal):
                await self._restarts.carry_out(job_id, caller, turn, hold=hold)
            elif action == "run-again":
                # The job may end by itself at the same moment.
                if not await self._change(job, "requeue", request, hold=hold):
                    await self._restarts.carry_out(job_id, caller, turn, hold=hold)
            else:
                await self._change(job, action, request, hold=hold)
        return answer(JobReply(self._view(*await self._history.find(job_id))))

    async def _change(self, job: Job, action: str, request: web.Request, *, hold: bool) -> bool:
        """Carry out an action on a live job, which is held then if `hold` says so. Return whether
        there was anything to do, and nothing of it was refused.

        Raises:
            DaemonError: the job is in no state for that, or the caller may not.
        """
        caller = caller_of(request)
        if (change := _INPUTS[action](job, caller)) is None:
            return False
        if hold and isinstance(change, PutBack):
            change = replace(change, held_by=held_by_caller(job, caller))
        self._growth.check(caller)
        held = ", held then" if hold else ""
        audited = [entry(caller, action, f"job {job.id} of {job.user}{held}")]
        changed = _all_of(job)
        self._growth.change(caller, len(changed), sum(map(_dependencies, changed)))
        done = True
        for part in _parts(job, change):
            check_still(request)
            done &= await self._scheduler.carry_out(*part, audit_entries=audited)
            audited = []
        log.info(f"job-{action}", job_id=job.id, by=caller.user)
        return done

    async def update_job(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        asked = decode(await read_body(request), JobUpdate)
        caller = caller_of(request)
        self._growth.check(caller)
        async with turn_of(request):
            check_still(request)
            await self._update(job_id, asked, caller)
        return answer(JobReply(self._view(*await self._history.find(job_id))))

    async def _update(self, job_id: int, asked: JobUpdate, caller: Caller) -> None:
        """Change the job, or find that there is nothing to change.

        Raises:
            DaemonError: the job cannot be changed so, or not by this caller.
        """
        job, _ = await self._history.find(job_id)
        if isinstance(asked.reservation, str):
            named = [(asked.reservation, job.user)]
            await tell_members(self._scheduler, self._rules.accounts.is_listed, named)
        now_us = self._scheduler.clock.now_us()
        audited = entry(caller, "update", f"job {job_id} of {job.user}: {_named(asked)}")

        added = 0

        def change(job: Job, details: Details) -> Amended | None:
            nonlocal added
            _check_alone(job)
            done = amended(job, details, asked, conditions, caller.user, now_us, self._rules)
            if done is not None:
                self._check(job, done, caller)
                added = _bytes_added(job, done)
            return done

        while True:
            conditions = conditions_asked(asked, now_us)
            if conditions is not None:
                conditions = await self._dependencies.settled(conditions, caller, now_us)
            with contextlib.suppress(DependencyOver):  # then its end is stored: settle it
                done = await self._scheduler.amend(job_id, change, audited)
                break
        if done:
            self._growth.update(caller, added)
            log.info("job-updated", job_id=job_id, by=caller.user, fields=_named(asked))
        elif done is False:
            job, _ = await self._history.find(job_id)
            raise Conflict(f"job {job_id} {_now(job)}: it cannot be changed so any more")

    def _check(self, job: Job, done: Amended, caller: Caller) -> None:
        """Raise DaemonError if the job cannot be changed so now, or not by this caller."""
        update = done.update
        if isinstance(job.phase, Executing):
            if not update.is_of_the_limit:
                raise Conflict(
                    f"job {job.id} runs: only its time limit and its comment can be changed"
                )
            if self._scheduler.core.reaches_into(job, update):
                raise Conflict(
                    f"job {job.id} runs, and would reach into an advance reservation, or beyond "
                    "the end of its own: `rnode reservations` lists them"
                )
            longer = update.estimate_us is not None and update.estimate_us > job.estimate_us
            if longer and not caller.role.covers(Role.OPERATOR):
                raise Forbidden(
                    f"job {job.id} runs: only an operator can give it more time than its limit of "
                    f"{format_duration(duration_s(job.estimate_us))} now"
                )
        elif not isinstance(job.phase, Ineligible | Waiting | Claiming):
            raise Conflict(f"job {job.id} {_now(job)}: it cannot be changed any more")
        if (
            update.request is not None
            and (why := self._scheduler.core.never_fits(update.request)) is not None
        ):
            raise NeverFits(f"the request can never be met: {why}")
        if update.reservation:
            asked = replace(
                job.copied(),
                estimate_us=update.estimate_us or job.estimate_us,
                request=update.request or job.request,
                reservation=update.reservation,
            )
            check_reservation(self._scheduler.core, asked)
        if update.nice is not None:
            check_may_be_nice(caller, job.nice, update.nice)
        if update.awaits is not None and waits_for_itself(
            self._scheduler.core.jobs, job, update.awaits.dependencies
        ):
            raise Malformed(
                f"'dependencies': job {job.id} would wait for itself, or for so many other jobs "
                "that this cannot be told"
            )


def _check_alone(job: Job) -> None:
    """Raise Conflict if the job is an array or a task of one."""
    if job.array is not None or job.task is not None:
        raise Conflict(
            f"job {job.label} is {'an array' if job.task is None else 'a task of an array'}, "
            "which cannot be changed: cancel it, and submit it again"
        )


def _bytes_added(job: Job, done: Amended) -> int:
    """Return the bytes that the texts of a job, and the nodes that its lists stand for, add to the
    event of an update: with all that is kept of the job, and with the request that is asked for."""
    asked = done.update.request
    named = bytes_stored(job.request) if asked is None else 2 * bytes_stored(asked)
    return len(msgspec.json.encode(done.details)) + named


def _named(asked: JobUpdate) -> str:
    """Return the names of the fields that an update changes."""
    return ", ".join(
        name for name in JobUpdate.__struct_fields__ if getattr(asked, name) not in (UNSET, False)
    )


def _dependencies(job: Job) -> int:
    """Return how many dependencies a job has: the event of a hold or a release has all of them."""
    return len(job.conditions.dependencies)


def _hold_of(job: Job) -> HeldBy | None:
    """Return who holds the job, or has it held once it waits again."""
    return job.conditions.held_by or job.requeue_hold


def _hold(job: Job, caller: Caller) -> _Change | None:
    """Return the input that holds a job; None if the job is held so already."""
    by = held_by_caller(job, caller)
    if job.state.terminal:
        raise Conflict(f"job {job.label} {_now(job)}: only a job that waits or runs can be held")
    is_done = all(_hold_of(one) in (by, HeldBy.OPERATOR) for one in _all_of(job))
    return None if is_done else Hold(job.id, by)


def _release(job: Job, caller: Caller) -> _Change | None:
    """Return the input that releases a job; None if the job is not held."""
    if job.state.terminal:
        raise Conflict(f"job {job.label} {_now(job)}: only a job that is held can be released")
    holds = {_hold_of(one) for one in _all_of(job)} - {None}
    if HeldBy.OPERATOR in holds and not caller.role.covers(Role.OPERATOR):
        raise Forbidden(f"job {job.label} is held by an operator: only an operator can release it")
    return Release(job.id) if holds else None


def _requeue(job: Job, caller: Caller) -> _Change | None:  # noqa: ARG001 - as the other actions
    """Return the input that has a running job run again."""
    if not job.requeue:
        raise Conflict(f"job {job.label} must not run twice: it was submitted with --no-requeue")
    if not any(isinstance(one.phase, Active) for one in _all_of(job)):
        raise Conflict(f"job {job.label} {_now(job)}: only a job that runs can be requeued")
    return PutBack(job.id)


def _suspend(job: Job, caller: Caller) -> _Change | None:
    """Return the input that suspends a job; None if the job is suspended already."""
    _check_may_suspend(job, caller)
    if any(may_be_suspended(one) for one in _all_of(job)):
        return Suspend(job.id)
    if not any(isinstance(one.phase, Suspended) for one in _all_of(job)):
        raise Conflict(f"job {job.label} {_now(job)}: only a job that runs can be suspended")
    return None


def _resume(job: Job, caller: Caller) -> _Change | None:
    """Return the input that resumes a suspended job; None if the job runs already."""
    _check_may_suspend(job, caller)
    if any(isinstance(one.phase, Suspended) for one in _all_of(job)):
        return Unsuspend(job.id)
    if not any(isinstance(one.phase, Active) for one in _all_of(job)):
        raise Conflict(f"job {job.label} {_now(job)}: only a suspended job can be resumed")
    return None


def _check_may_suspend(job: Job, caller: Caller) -> None:
    if not caller.role.covers(Role.OPERATOR):
        raise Forbidden(f"job {job.label}: only an operator can suspend and resume jobs")


def _parts(job: Job, change: _Change) -> Iterator[list[_Change]]:
    """Yield the inputs that carry out a change, those of a part together. Of a large array, the
    tasks that are jobs come first, some at a time."""
    if job.array is not None and len(job.array.tasks) > MOST_AT_ONCE:
        ids = [task.id for _, task in job.array.tasks_in_order()]
        if isinstance(change, Hold):
            ids.reverse()  # the last tasks of the queue first: none starts in place of another one
        for at in range(0, len(ids), MOST_AT_ONCE):
            yield [replace(change, job_id=one) for one in ids[at : at + MOST_AT_ONCE]]
    yield [change]


def _all_of(job: Job) -> list[Job]:
    """Return what an action on the job concerns: of an array, the tasks that are jobs, and the
    array itself while it stands for tasks that wait."""
    if job.array is None:
        return [job]
    return [*job.array.tasks.values(), *([job] if job.array.waiting else [])]


_INPUTS: dict[str, Callable[[Job, Caller], _Change | None]] = {
    "hold": _hold,
    "release": _release,
    "requeue": _requeue,
    "suspend": _suspend,
    "resume": _resume,
}


def _now(job: Job) -> str:
    return views.how_it_ended(job) if job.state.terminal else f"is {job.state.value}"
