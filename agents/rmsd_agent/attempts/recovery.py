"""Units without a shepherd that is connected: those that an earlier agent left, and orphans."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Protocol

from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt, Unit
from rmsd_agent.attempts.cleaner import Cleaner
from rmsd_agent.attempts.runner import Runner
from rmsd_agent.reports import Key
from rmsd_agent.state.records import ClaimedUnit, UnitStatus, read_used, status_now
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_agent.units import adoption, leftovers
from rmsd_agent.units.adoption import Keeper
from rmsd_agent.units.pool import Pool
from rmsd_core.vocabulary import Cause


class Fates(Protocol):
    """The fates of units, by their names, and of attempts."""

    def unit_started(self, name: str, pid: int) -> None: ...

    def unit_ended(self, name: str, status: UnitStatus) -> None: ...

    def stop(self, key: Key, cause: Cause, message: str = "") -> None: ...


class Recovery:
    """Takes over what an earlier agent has left, and looks after units whose shepherd is away."""

    def __init__(
        self, held: HeldAttempts, pool: Pool, runner: Runner, cleaner: Cleaner, fates: Fates
    ) -> None:
        self._held = held
        self._cleaner = cleaner
        self._pool = pool
        self._runner = runner
        self._fates = fates
        self._watches: dict[str, asyncio.Task[None]] = {}

    def recover(self, state: AgentStateDir) -> None:
        """Take over what is in the state directory. Nothing is started here."""
        for attempt, remains in _found(state, self._cleaner):
            self._held.add(attempt)
            for name, of_unit in remains.items():
                unit = self._held.add_unit(attempt, name)
                if of_unit.running is not None and of_unit.running.pid is not None:
                    self._fates.unit_started(unit.name, of_unit.running.pid)
            for name, of_unit in remains.items():
                unit = attempt.units[name]
                if of_unit.status is not None:
                    self._fates.unit_ended(unit.name, of_unit.status)
                else:
                    self.watch(unit, None)
                    self._expect_limit(unit, of_unit.running)
            # the attempt may have tasks alone, or nothing
            if attempt.saved.boot_id != state.boot_id:
                self._fates.stop(attempt.key, Cause.NODE, leftovers.restarted(attempt.launch.node))

    def watch(self, unit: Unit, shepherd: tuple[int, int] | None) -> None:
        """See to a unit whose shepherd is not connected, until it is, or the unit is over.

        `shepherd` is the one that it was given to, None if that is not known.
        """
        if unit.name not in self._watches and unit.status is None:
            watch = asyncio.get_running_loop().create_task(self.see_to(unit, shepherd))
            self._watches[unit.name] = watch
            watch.add_done_callback(lambda _: self._watches.pop(unit.name, None))

    async def see_to(self, unit: Unit, shepherd: tuple[int, int] | None) -> None:
        """Do what `watch` promises."""
        status = await adoption.outcome(
            unit.dir,
            shepherd,
            Keeper(
                connected=lambda: self._pool.has(unit.name) or unit.status is not None,
                stop=lambda: unit.stop,
                new_deadline_s=unit.new_deadline_s,
                suspended=lambda: unit.attempt.is_suspended,
                was_suspended=lambda: unit.attempt.saved.suspended_s > 0,
                started=lambda pid: self._fates.unit_started(unit.name, pid),
            ),
        )
        if status is not None:
            self._fates.unit_ended(unit.name, status)
        elif unit.status is None and not self._pool.has(unit.name):
            # The shepherd died before it took the unit.
            if unit.stop is not None:
                self._fates.unit_ended(unit.name, status_now(unit.stop.cause))
            else:
                self._runner.run(unit)

    def _expect_limit(self, unit: Unit, running: ClaimedUnit | None) -> None:
        if running is None:
            return
        [deadline_s] = unit.new_deadline_s() or (running.deadline_s,)
        if deadline_s is not None:
            left_s = deadline_s - time.monotonic()
            self._runner.overdue.expect_end(unit.name, max(0.0, left_s) + running.kill_grace_s)


def _found(
    state: AgentStateDir, cleaner: Cleaner
) -> Iterator[tuple[NodeAttempt, dict[str, leftovers.Remains]]]:
    """Yield the attempts that an earlier agent has left; delete what has never begun, or is deleted
    in part."""
    for directory in sorted(state.jobs.iterdir()):
        found = leftovers.read_attempt(directory, state.boot_id)
        if found is None:
            cleaner.throw_away(directory)
            continue
        saved, units = found
        attempt = NodeAttempt(saved, directory)
        attempt.used_before = read_used(directory)
        attempt.owes_epilog = saved.boot_id == state.boot_id
        yield attempt, units
