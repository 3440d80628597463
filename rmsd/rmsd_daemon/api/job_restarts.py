"""Restarts of jobs that are over: who may have a job run again, and what waits for the job then."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import msgspec
import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.inputs import AwaitAgain, Input
from rmsd_core.vocabulary import HeldBy
from rmsd_daemon.api.reservation_members import tell_members
from rmsd_daemon.api.submit_checks import check_reservation
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Conflict, DependencyOver, Forbidden
from rmsd_daemon.domain.places import bytes_stored
from rmsd_daemon.domain.submission import Details, NewJob, Payload, Rules, request_in
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.restarts import Restarts

log = structlog.get_logger()

_STORED_S = 10.0
"""The longest time that a restart waits for the job's end to be stored."""


class JobRestarts:
    """Carries out restarts.

    role_of: returns the role of a user. most_of_user: the live jobs that a user may have.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        rules: Rules,
        growth: Growth,
        history: JobHistory,
        role_of: Callable[[str], Role],
        most_of_user: int,
    ) -> None:
        self._scheduler = scheduler
        self._rules = rules
        self._growth = growth
        self._history = history
        self._role_of = role_of
        self._most_of_user = most_of_user
        self._restarts = Restarts(scheduler, history)

    async def carry_out(
        self, job_id: int, caller: Caller, turn: Turn, *, hold: bool = False
    ) -> None:
        """Have a job that is over run again, perhaps after a hold. It is the `turn` of the caller.

        Raises:
            DaemonError: the job cannot be restarted now, or not by this caller, or its user has too
                many jobs.
        """
        self._growth.check(caller)
        with self._scheduler.reviving(job_id):
            others = await self._revive(job_id, caller, turn, hold=hold)
        log.info("job-restart", job_id=job_id, by=caller.user)
        # The job may be over again before all of these wait for its end.
        for part in others:
            await self._await_again(part, caller)

    async def _revive(
        self, job_id: int, caller: Caller, turn: Turn, *, hold: bool
    ) -> list[list[int]]:
        """Let the job wait again, and with it the first part of the jobs that depend on its end.
        Return the other parts."""
        while True:
            is_live = self._scheduler.cluster.is_live(job_id)
            await self._scheduler.until_over(job_id, 0 if is_live else _STORED_S)
            job, details = await self._history.find(job_id)
            now_us = self._scheduler.clock.now_us()
            _check_may_restart(job, now_us)
            inside = [(job.reservation, job.user)]
            await tell_members(self._scheduler, self._rules.accounts.is_listed, inside)
            self._check_rights(job, details, caller)
            held_by = held_by_caller(job, caller) if hold else None
            restart = await self._restarts.restart(job, details, now_us, held_by)
            first, *others = await self._restarts.stranded(job_id, turn) or [[]]
            awaiting = await self._restarts.await_again(first, now_us, job_id)
            new = NewJob(restart.job, details, Payload())
            audited = entry(caller, "restart", f"job {job_id} of {job.user}")
            with contextlib.suppress(DependencyOver):  # then its end is stored: settle it
                inputs: list[Input] = [restart, *awaiting]
                done = await self._scheduler.restart(new, inputs, self._most_of_user, audited)
                break
        if not done:
            raise Conflict(f"job {job_id} has just been restarted")
        told = len(msgspec.json.encode(details)) + bytes_stored(job.request)
        self._growth.restart(caller, told)
        self._count(awaiting, caller)
        return others

    async def _await_again(self, part: list[int], caller: Caller) -> None:
        """Let the jobs of a part wait again, or start if what they depend on is over again."""
        while True:
            now_us = self._scheduler.clock.now_us()
            awaiting = await self._restarts.await_again(part, now_us)
            with contextlib.suppress(DependencyOver):  # then its end is stored: settle it
                await self._scheduler.await_again(awaiting)
                break
        self._count(awaiting, caller)

    def _count(self, awaiting: list[AwaitAgain], caller: Caller) -> None:
        dependencies = sum(len(one.awaits.dependencies) for one in awaiting)
        self._growth.awaiting(caller, len(awaiting), dependencies)

    def _check_rights(self, job: Job, details: Details, caller: Caller) -> None:
        """Check that the caller may have the job run now, and that its user could submit the job
        now: whoever has lost an account, a QOS, a partition or a reservation runs no job of before
        there.

        Raises:
            DaemonError: the caller or the user may not.
        """
        if job.user != caller.user and not caller.role.covers(role := self._role_of(job.user)):
            raise Forbidden(
                f"job {job.id} is of {job.user}, who has the role '{role}' here; {caller.user} has "
                f"'{caller.role}' and cannot have it run again"
            )
        accounts, request = self._rules.accounts, job.request
        if accounts.account_of(job.account, job.user) != job.account:
            raise Conflict(
                f"job {job.id} was submitted before there were accounts: submit it again"
            )
        accounts.qos_of(job.qos, job.account, job.user)
        accounts.check_job(job.account, job.qos, request.size, job.estimate_us)
        for name in request.partitions or [""]:
            partitions = self._rules.partitions.named(name, job.user)
            request_in(partitions, details, job.estimate_us, self._rules.capacity)
        check_reservation(self._scheduler.core, job)


def held_by_caller(job: Job, caller: Caller) -> HeldBy:
    """Return as whom the caller holds a job."""
    return HeldBy.USER if caller.user == job.user else HeldBy.OPERATOR


def _check_may_restart(job: Job, now_us: int) -> None:
    """Raise Conflict if the job cannot run again under its number."""
    if job.array is not None or job.task is not None:
        raise Conflict(
            f"job {job.label} is {'an array' if job.task is None else 'a task of an array'}, which "
            "cannot be restarted: submit it again"
        )
    if not job.state.terminal:
        raise Conflict(
            f"job {job.label} is {job.state.value}: only a job that is over can be restarted"
        )
    if not job.requeue:
        raise Conflict(f"job {job.label} must not run twice: it was submitted with --no-requeue")
    if job.latest_start_us < now_us:
        raise Conflict(
            f"job {job.label} could not end before its deadline any more: submit it again"
        )
