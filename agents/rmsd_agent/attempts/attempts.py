"""Attempts that run scripts and tasks on this machine, from `Launch` until the daemon's `Ack`."""

from __future__ import annotations

import asyncio

# asyncio would import it when it is needed, and then perhaps no file can be opened.
import concurrent.futures.thread  # noqa: F401
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import structlog

from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt, Unit
from rmsd_agent.attempts.binding import Binding
from rmsd_agent.attempts.cleaner import Cleaner
from rmsd_agent.attempts.limits_watch import LimitsWatch
from rmsd_agent.attempts.recovery import Recovery
from rmsd_agent.attempts.runner import RETRY_S, Runner
from rmsd_agent.attempts.site_programs import ProgramPaths, SitePrograms
from rmsd_agent.attempts.specs import script_spec, sleep_spec, write_node_file
from rmsd_agent.attempts.tasks import Tasks
from rmsd_agent.guarding.guard import Excess, memory_message
from rmsd_agent.machine.delegation import Delegation, Limits
from rmsd_agent.machine.device_filter import DeviceFilter
from rmsd_agent.machine.users import UserRefused, Users
from rmsd_agent.reports import Key, Reports, held_as
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.files import make_dir, remove_tree, replace_record, write_record
from rmsd_agent.state.records import BATCH, SavedAttempt, UnitStatus, status_now
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_agent.units.pool import Pool
from rmsd_core.vocabulary import Cause, Fault
from rmsd_wire.link import HeldAttempt, Launch

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class Attempts:
    """All attempts with processes: launches, stops, and what is reported of their ends.

    The daemon says what to do, and the pool what became of it; `reports` tell that to the daemon.
    Parts do the rest. `tasks` starts tasks, `Runner` hands units to shepherds, and
    `Recovery` looks after units whose shepherds are away. `LimitsWatch` holds attempts to their
    limits, and `Cleaner` deletes attempts that are over.
    """

    def __init__(
        self,
        state: AgentStateDir,
        pool: Pool,
        reports: Reports,
        extra_env: dict[str, str],
        users: Users,
        delegation: Delegation | None,
        cores: int,
        binding: Binding | None = None,
        programs: ProgramPaths | None = None,
        device_filter: DeviceFilter | None = None,
    ) -> None:
        """Begin with no attempts. cores: how many all nodes of this agent have together."""
        self._state = state
        self._pool = pool
        self._reports = reports
        self._extra_env = extra_env
        self._users = users
        self._delegation = delegation
        self._binding = binding
        self._device_filter = device_filter
        self._programs = SitePrograms(programs or ProgramPaths())
        self.held_here = HeldAttempts()
        self.cleaner = Cleaner(state.jobs, delegation)
        self._limits = LimitsWatch(self.held_here, pool, delegation, self.exceeded)
        self._runner = Runner(
            self.held_here, pool, users, self._limits, delegation, cores, self.unit_ended
        )
        self._recovery = Recovery(self.held_here, pool, self._runner, self.cleaner, self)
        self.tasks = Tasks(self.held_here, self._runner, users, self.cleaner)

    def resize(self, cores: int) -> None:
        """Take note that the machine may have other processors now, and all nodes together so many
        cores. Attempts that run keep what they have."""
        self._runner.cores = cores
        if self._binding is not None:
            self._binding.renew()

    def __contains__(self, key: Key) -> bool:
        return key in self.held_here.attempts

    def held(self) -> Iterator[HeldAttempt]:
        """Return the attempts that are here, also those whose end is not acknowledged yet."""
        return (
            held_as(
                attempt.launch,
                stopping=attempt.ending,
                over=attempt.over,
                suspended=attempt.is_suspended,
            )
            for attempt in self.held_here.attempts.values()
        )

    def unit(self, key: Key, name: str) -> Unit | None:
        attempt = self.held_here.attempts.get(key)
        return attempt.units.get(name) if attempt else None

    def attempt(self, key: Key) -> NodeAttempt | None:
        return self.held_here.attempts.get(key)

    def launch_of(self, key: Key) -> Launch | None:
        attempt = self.held_here.attempts.get(key)
        return attempt.launch if attempt else None

    def recover(self) -> None:
        """Take over what an earlier agent has left. Nothing is started here."""
        self._recovery.recover(self._state)
        known = {attempt.dir.name for attempt in self.held_here.attempts.values()}
        self.cleaner.throw_away_cgroups_except(known)

    # ------------------------------------------------------------ what the daemon says

    def launch(self, key: Key, launch: Launch, rate: float, model_now_us: float) -> None:
        """Start an attempt, or say again that it runs."""
        known = self.held_here.attempts.get(key)
        if known is not None:
            batch = known.units.get(BATCH)
            if batch is not None and batch.pid is not None and not known.over:
                self._reports.launched(key, batch.pid)
            return
        now_s, unix_s = time.monotonic(), time.time()
        env = {**self._extra_env, **launch.env}
        trial_end_s = None
        if launch.trial_end_us is not None:
            left_s = _real_s(launch.trial_end_us - model_now_us, rate)
            trial_end_s = now_s + left_s
            env["RMS_TRIAL_END"] = str(int(unix_s + left_s))
        has_prolog = self._programs.are_for(launch) and self._programs.has_prolog
        saved = SavedAttempt(  # the times follow when the attempt begins
            launch=msgspec.structs.replace(launch, script="", env=env),
            started_s=unix_s,
            deadline_s=None,
            boot_id=self._state.boot_id,
            processors=self._processors_for(launch),
            suspended_at_s=None if launch.suspended_since_us is None else now_s,
            prolog_over=not has_prolog,
        )
        directory = self._state.jobs / "{}.{}.{}".format(*key)
        attempt = NodeAttempt(saved, directory, trial_end_s)
        self.held_here.add(attempt)
        make_spec: Callable[[NodeAttempt, Path], UnitSpec] = script_spec
        if launch.emulation is None and launch.batch and (refused := self._refused(launch)):
            attempt.over = True
            why, fault = refused
            self._reports.exited(key, status_now(Cause.LAUNCH, why, fault=fault))
            return
        if launch.emulation is not None:
            end_us = launch.model_start_us + launch.emulation.run_us
            end_s = now_s + _real_s(end_us - model_now_us, rate)
            make_spec = partial(sleep_spec, end_s=end_s)
        self._begin(attempt, launch.script, make_spec)

    def _processors_for(self, launch: Launch) -> list[int]:
        if self._binding is None:
            return []
        return self._binding.processors_for(launch, self.held_here.attempts.values())

    def _refused(self, launch: Launch) -> tuple[str, Fault] | None:
        """Return why the script is not to be started here and whose fault that is, or None if it
        is to be started."""
        if launch.refused:
            return launch.refused, Fault.JOB
        try:
            self._users.runs_as(launch.user)
        except UserRefused as error:
            return str(error), Fault.UNKNOWN
        return None

    def close(self) -> None:
        """Leave everything to a later agent."""
        self._programs.close()
        self._limits.close()
        self.cleaner.close()

    def stop(self, key: Key, cause: Cause, message: str = "", grace_s: float | None = None) -> None:
        """End an attempt, with its own grace (None) or another; a repeat is no news."""
        attempt = self.held_here.attempts[key]
        if attempt.over or attempt.stop_cause is not None:
            return
        attempt.stop_cause, attempt.stop_message = cause, message
        if attempt.retry is not None:
            attempt.retry.cancel()
        self._runner.end(attempt, cause, grace_s)
        self._finish_if_done(attempt)

    def set_limit(self, key: Key, time_limit_s: float | None) -> None:
        """Give an attempt another time limit, if it is here and goes on."""
        attempt = self.held_here.attempts.get(key)
        if attempt is None or attempt.ending or attempt.launch.time_limit_s == time_limit_s:
            return
        attempt.set_limit(time_limit_s)
        try:
            replace_record(attempt.dir / "attempt.json", attempt.saved)
        except OSError as error:  # the daemon says it again to the next agent
            log.error("limit-not-recorded", job_id=key[0], error=str(error))
        for unit in list(attempt.units.values()):
            self._runner.set_limit(unit)

    def set_suspended(self, key: Key, *, suspended: bool) -> None:
        """Stop the processes of an attempt and its clock, or let both go on, if it is here and goes
        on. What is to be done is recorded before it is done."""
        attempt = self.held_here.attempts.get(key)
        if attempt is None or attempt.ending or attempt.is_suspended == suspended:
            return
        attempt.set_suspended(suspended=suspended)
        try:
            replace_record(attempt.dir / "attempt.json", attempt.saved)
        except OSError as error:  # the daemon says it again to the next agent
            log.error("suspension-not-recorded", job_id=key[0], error=str(error))
        for unit in list(attempt.units.values()):
            self._runner.set_suspended(unit)

    def forget(self, key: Key) -> None:
        """Delete what is here of an attempt whose end the daemon has committed."""
        attempt = self.held_here.attempts.get(key)
        if attempt is not None and attempt.over:  # else it began after an end that was stated of it
            self.held_here.drop(attempt)
            self.cleaner.throw_away(attempt.dir)

    # ------------------------------------------------------------ what the pool says

    def unit_here(self, name: str, pid: int | None) -> None:
        unit = self.held_here.units.get(name)
        if unit is None:
            log.warning("unit-unknown", unit=name)
            self._pool.stop(name, Cause.UNKNOWN)
            return
        if pid is not None:
            self.unit_started(name, pid)
        self._runner.end_known(unit)

    def unit_started(self, name: str, pid: int) -> None:
        unit = self.held_here.units.get(name)
        if unit is not None and unit.pid is None:
            unit.pid = pid
            unit.started.set()
            self._runner.overdue.started(name)
            if unit.is_batch:
                self._reports.launched(unit.attempt.key, pid)
            self._limits.begin()
            if unit.attempt.is_suspended:  # a task was about to be started
                self._runner.set_suspended(unit)

    def unit_ended(self, name: str, status: UnitStatus) -> None:
        unit = self.held_here.units.get(name)
        if unit is None or unit.status is not None:
            return  # told twice: by the shepherd, and by the file it left
        unit.status = status
        # the function holds the arguments and the environment, which may be large
        unit.make_spec = None
        self._runner.overdue.forget(name)
        unit.started.set()
        unit.ended.set()
        if unit.is_batch:
            self._runner.end(unit.attempt, status.cause)
        elif status.cause is Cause.MEMORY:  # the kernel's kills are of all that the job has here
            launch = unit.attempt.launch
            self.stop(unit.attempt.key, status.cause, memory_message(launch.node, launch.mem_mib))
        if not unit.is_batch:
            self.tasks.ended(unit)
        self._finish_if_done(unit.attempt)

    def unit_unable(self, name: str, message: str, *, suspect: bool) -> None:
        log.error("unit-delayed", unit=name, error=message, again_in_s=RETRY_S)
        unit = self.held_here.units.get(name)
        if unit is not None:
            self._runner.run_later(unit, message, suspect=suspect)

    def unit_lost(self, name: str, shepherd: tuple[int, int]) -> None:
        unit = self.held_here.units.get(name)
        if unit is not None:
            self._recovery.watch(unit, shepherd)

    def exceeded(self, excess: Excess) -> None:
        """End an attempt that has more than it may have, at once."""
        attempt = self.held_here.attempts.get(excess.key)
        if attempt is None or attempt.over or attempt.killed_at_once:
            return
        attempt.killed_at_once = True
        log.warning("job-killed", job_id=excess.key[0], cause=excess.cause.value,
                    message=excess.message)  # fmt: skip
        if attempt.ending:
            self._runner.end_grace(attempt, excess.cause)
        else:
            self.stop(excess.key, excess.cause, excess.message)

    # ------------------------------------------------------------ inside

    def _begin(
        self, attempt: NodeAttempt, script: str, make_spec: Callable[[NodeAttempt, Path], UnitSpec]
    ) -> None:
        """Start an attempt, again and again until there is space for its files."""
        attempt.begin_now()
        try:
            self._prepare(attempt, script)
        except OSError as error:
            problem = f"{error.filename or attempt.dir}: {error.strerror}"
            log.error("attempt-delayed", job_id=attempt.launch.job_id, error=problem,
                      again_in_s=RETRY_S)  # fmt: skip
            remove_tree(attempt.dir)
            attempt.retry = asyncio.get_running_loop().call_later(
                RETRY_S, self._begin, attempt, script, make_spec
            )
            return
        attempt.owes_epilog = True
        if attempt.saved.prolog_over:
            self._start_script(attempt, make_spec)
        else:
            self._programs.run_prolog(attempt, partial(self._prolog_over, attempt, make_spec))

    def _prolog_over(
        self,
        attempt: NodeAttempt,
        make_spec: Callable[[NodeAttempt, Path], UnitSpec],
        problem: str,
    ) -> None:
        """Start the script after the prolog, or report that the node could not start it."""
        if problem:
            attempt.drain_reason = problem
            cause, fault = (
                (Cause.LAUNCH, Fault.NODE) if attempt.launch.batch else (Cause.NODE, None)
            )
            attempt.failed_start = status_now(cause, problem, fault=fault)
        if attempt.ending:
            self._finish_if_done(attempt)
            return
        attempt.saved = msgspec.structs.replace(attempt.saved, prolog_over=True)
        if not attempt.launch.batch:  # the record of the script says so of any other
            try:
                replace_record(attempt.dir / "attempt.json", attempt.saved)
            except OSError as error:  # a later agent runs the prolog again
                log.error("prolog-not-recorded", job_id=attempt.key[0], error=str(error))
        self._start_script(attempt, make_spec)

    def _start_script(
        self, attempt: NodeAttempt, make_spec: Callable[[NodeAttempt, Path], UnitSpec]
    ) -> None:
        if attempt.launch.batch:
            batch = self.held_here.add_unit(attempt, BATCH)
            batch.make_spec = lambda: make_spec(attempt, batch.dir)
            self._runner.run(batch)

    def _prepare(self, attempt: NodeAttempt, script: str) -> None:
        if self._delegation is not None:
            launch = attempt.launch
            limits = Limits(launch.cores, *launch.limits, attempt.saved.processors)
            self._delegation.make(attempt.dir.name, limits)
            if self._device_filter is not None and launch.gres is not None:
                cgroup = self._delegation.path(attempt.dir.name)
                self._device_filter.attach(cgroup, launch.node, launch.gres)
        make_dir(attempt.dir)
        write_record(attempt.dir / "attempt.json", attempt.saved)
        if attempt.launch.batch:
            unit_dir = attempt.dir / BATCH
            make_dir(unit_dir)
            if attempt.launch.emulation is None:
                _write_script(unit_dir / "script", script)
                write_node_file(attempt, script)

    def _finish_if_done(self, attempt: NodeAttempt) -> None:
        if attempt.over or not attempt.ending or attempt.program_runs:
            return
        if any(unit.status is None for unit in attempt.units.values()):
            return
        if attempt.owes_epilog and self._programs.are_for(attempt.launch):
            attempt.owes_epilog = False
            if self._programs.has_epilog:
                self._programs.run_epilog(attempt, partial(self._epilog_over, attempt))
                return
        attempt.over = True
        batch = attempt.units.get(BATCH)
        status = batch.status if batch is not None else None
        if status is None and attempt.stop_cause is None:
            status = attempt.failed_start
        if status is None:
            status = status_now(attempt.stop_cause or Cause.UNKNOWN)
        if attempt.stop_message and status.cause is attempt.stop_cause:
            status = msgspec.structs.replace(status, message=attempt.stop_message)
        # the kernel of this node killed the unit for its memory
        elif status.cause is Cause.MEMORY and attempt.stop_cause is None:
            message = memory_message(attempt.launch.node, attempt.launch.mem_mib)
            status = msgspec.structs.replace(status, message=message)
        used = attempt.used()._asdict()
        self._reports.exited(
            attempt.key,
            msgspec.structs.replace(status, **used),
            drain=attempt.drain_reason,
        )

    def _epilog_over(self, attempt: NodeAttempt, problem: str) -> None:
        attempt.drain_reason = "; ".join(filter(None, (attempt.drain_reason, problem)))
        self._finish_if_done(attempt)


def _write_script(path: Path, script: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700)
    with open(fd, "wb") as file:
        file.write(script.encode())


def _real_s(us: float, rate: float) -> float:
    """Return the real seconds of a span of model time."""
    return us / 1e6 / rate
