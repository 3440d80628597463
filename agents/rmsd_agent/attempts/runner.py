"""Handing units to shepherds, again and again if the machine cannot start them, and ending them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

import structlog

from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt, Unit
from rmsd_agent.attempts.limits_watch import LimitsWatch
from rmsd_agent.attempts.specs import TASK_SLACK_S, own_home
from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.machine.limits import max_more_tasks
from rmsd_agent.machine.users import Users
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.files import read_record
from rmsd_agent.state.records import ClaimedUnit, UnitStatus, status_now
from rmsd_agent.units.adoption import StopOrder
from rmsd_agent.units.overdue import Overdue
from rmsd_agent.units.pool import Pool
from rmsd_core.vocabulary import Cause, Fault

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

RETRY_S = 2.0
"""The pause between two attempts to start what this machine could not start."""
MAX_SUSPECT_TRIES = 30
"""The attempts to start a unit, in a minute, while the machine could start other units. A file
system of a user's may answer for ever that the machine has no memory."""


class Runner:
    """A runner of units: shepherds of the pool run and end them.

    `cores` is how many all nodes of this agent have together. `ended` is told of a unit that ends
    without a shepherd that could tell so.
    """

    def __init__(
        self,
        held: HeldAttempts,
        pool: Pool,
        users: Users,
        limits: LimitsWatch,
        delegation: Delegation | None,
        cores: int,
        ended: Callable[[str, UnitStatus], None],
    ) -> None:
        self.overdue = Overdue(self._shepherd_of)
        self._held = held
        self._pool = pool
        self._users = users
        self._limits = limits
        self._delegation = delegation
        self.cores = cores
        self._ended = ended

    def run(self, unit: Unit) -> None:
        """Hand a unit over to the shepherds."""
        unit.retry = None
        if unit.make_spec is None:
            self._ended(unit.name, status_now(Cause.NODE, "it was never started"))
        else:
            self._pool.run(unit.name, partial(self._spec, unit, unit.make_spec))

    def run_later(self, unit: Unit, message: str, *, suspect: bool) -> None:
        """Try once more to have a unit started that a shepherd could not start."""
        unit.suspect_tries += suspect
        if unit.stop is not None:
            self._ended(unit.name, status_now(unit.stop.cause))
        elif unit.suspect_tries >= MAX_SUSPECT_TRIES:
            self._ended(unit.name, status_now(Cause.LAUNCH, message, fault=Fault.UNKNOWN))
        else:
            unit.retry = asyncio.get_running_loop().call_later(RETRY_S, self.run, unit)

    def end(self, attempt: NodeAttempt, cause: Cause, grace_s: float | None = None) -> None:
        """Have all units of an attempt ended that have not been told to end yet, with the grace of
        the attempt (None) or another."""
        for unit in list(attempt.units.values()):
            if unit.status is None and unit.stop is None:
                unit.stop = StopOrder(cause, time.monotonic(), grace_s)
                if unit.retry is not None:
                    unit.retry.cancel()
                    self._ended(unit.name, status_now(cause))
                elif self._pool.withdraw(unit.name):
                    self._ended(unit.name, status_now(cause))
                else:
                    # at once, or when the unit's shepherd dials in
                    self._pool.stop(unit.name, cause, grace_s)
                    within_s = attempt.launch.kill_grace_s if grace_s is None else grace_s
                    self.overdue.expect_end(unit.name, within_s)

    def end_grace(self, attempt: NodeAttempt, cause: Cause) -> None:
        """Have what is left of an ending attempt killed at once. In its grace, too, the attempt has
        no more than it may have."""
        for unit in attempt.units.values():
            if unit.status is None:
                unit.stop = StopOrder(cause, time.monotonic())
                self._pool.stop(unit.name, cause)  # at once, or when the unit's shepherd dials in

    def set_limit(self, unit: Unit) -> None:
        """Tell the shepherd of a unit that runs the present limit of its attempt."""
        if unit.status is not None or unit.pid is None or unit.stop is not None:
            return  # the shepherd of a unit that has not started is told then
        saved = unit.attempt.saved
        slack_s = 0.0 if unit.is_batch else TASK_SLACK_S
        deadline_s = None if saved.deadline_s is None else saved.deadline_s + slack_s
        self._pool.set_limit(unit.name, deadline_s, saved.warn_at_s)
        self.overdue.expect_no_end(unit.name)
        if deadline_s is not None:
            left_s = max(0.0, deadline_s - time.monotonic())
            self.overdue.expect_end(unit.name, left_s + saved.launch.kill_grace_s)

    def set_suspended(self, unit: Unit) -> None:
        """Tell the shepherd of a unit whether the unit stands still, and its limit if it goes on.
        The shepherd of a unit that has not started is told then."""
        if unit.status is not None or unit.pid is None or unit.stop is not None:
            return
        if unit.attempt.is_suspended:
            self.overdue.expect_no_end(unit.name)
        else:
            self.set_limit(unit)
        self._pool.suspend(unit.name, suspended=unit.attempt.is_suspended)

    def end_known(self, unit: Unit) -> None:
        """Have a unit ended if it is to end. A shepherd has dialed in with the unit."""
        if unit.status is not None:
            self._pool.stop(unit.name, Cause.UNKNOWN)  # given up too early
        elif unit.stop is not None:
            self._pool.stop(unit.name, unit.stop.cause, unit.stop.grace_s)
        elif unit.attempt.is_suspended or unit.attempt.saved.has_new_limit:
            self.set_suspended(unit)

    def _spec(self, unit: Unit, make_spec: Callable[[], UnitSpec]) -> UnitSpec:
        """Return what a shepherd gets, at the moment when it gets it."""
        if unit.is_batch:  # the job may have waited for a process or a shepherd
            unit.attempt.begin_now()
        spec = make_spec()
        launch = unit.attempt.launch
        stand_in = unit.is_batch and launch.emulation is not None  # a command of our own
        spec.user = None if stand_in else self._users.runs_as(launch.user)
        if spec.user is None:
            spec.env.setdefault("HOME", own_home())
        spec.allow_root = self._users.allow_root
        _, max_processes = self._limits.polled(launch)
        spec.processors = spec.processors or unit.attempt.saved.processors
        spec.max_more_tasks = max_more_tasks(max_processes, self.cores)
        if self._delegation is not None:
            spec.cgroup = str(self._delegation.path(unit.name))
            spec.cgroup_home = str(self._delegation.home)
        self.overdue.forget(unit.name)  # forget an earlier try to start the unit
        if spec.killed_after_s is not None:
            self.overdue.expect_end(unit.name, spec.killed_after_s + spec.kill_grace_s)
        return spec

    def _shepherd_of(self, name: str) -> tuple[int, int] | None:
        shepherd = self._pool.shepherd_of(name)
        if shepherd is None:
            running = read_record(self._held.units[name].dir / "running.json", ClaimedUnit)
            shepherd = running.shepherd if running is not None else None
        return shepherd
