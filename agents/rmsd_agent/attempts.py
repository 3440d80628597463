"""Attempts that run scripts and tasks on this machine, from `Launch` until the daemon's `Ack`."""

from __future__ import annotations

import asyncio

# asyncio would import it when it is needed, and then perhaps no file can be opened.
import concurrent.futures.thread  # noqa: F401
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import structlog

from rmsd_agent import adoption, warning
from rmsd_agent.adoption import Keeper, StopOrder
from rmsd_agent.delegation import Delegation, Limits
from rmsd_agent.guard import Excess, Guard, Guarded, memory_message
from rmsd_agent.limits import max_more_tasks
from rmsd_agent.overdue import Overdue
from rmsd_agent.pool import Pool, Spec
from rmsd_agent.records import (
    BATCH,
    Running,
    SavedAttempt,
    StateDir,
    Status,
    make_dir,
    read_record,
    read_used,
    remove_tree,
    remove_trees,
    status_now,
    write_record,
    write_used,
)
from rmsd_agent.reports import Key, Reports, held_as
from rmsd_agent.specs import script_spec, sleep_spec, task_spec
from rmsd_agent.users import UserRefused, Users
from rmsd_core.vocabulary import NOTHING_USED, Cause, Used
from rmsd_wire.link import HeldAttempt, Launch, StartTask

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_RETRY_S = 2.0
"""Between two attempts to start what this machine could not start."""
_MAX_SUSPECT_TRIES = 30
"""Attempts to start a unit, in a minute, while the machine could start other units: a file system
of a user's may answer for ever that the machine has no memory."""
_MAX_TASKS = 256
"""Of an attempt at a time, if it has not more processors: each has a shepherd, whose memory is
nobody's to pay for."""
_ENDED_TASKS = 4
"""Ended tasks of an attempt that are kept for their readers, for each task that may run."""
_REMEMBERED_TASKS = 64
"""Names of tasks whose records are deleted, for each task that may run: a call that starts a task
may be repeated minutes after the task has ended."""
STEP_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Unit:
    """A process tree of an attempt: its script, or a task."""

    def __init__(self, attempt: Attempt, name: str) -> None:
        self.attempt = attempt
        self.dir = attempt.dir / name
        self.name = f"{attempt.dir.name}/{name}"  # among all units of this agent
        self.is_batch = name == BATCH
        self.pid: int | None = None  # None: not started yet
        self.status: Status | None = None  # None: not over yet
        self.stop: StopOrder | None = None  # it was told to end
        self.started = asyncio.Event()  # or over without having been
        self.ended = asyncio.Event()
        self.retry: asyncio.TimerHandle | None = None  # it could not be started yet
        self.suspect_tries = 0  # that failed while this machine could start other units
        self.make_spec: Callable[[], Spec] | None = None  # None: an earlier agent had it started


class Attempt:
    """An attempt on one node, with its units."""

    def __init__(
        self, saved: SavedAttempt, directory: Path, trial_end_s: float | None = None
    ) -> None:
        launch = saved.launch
        self.key: Key = (launch.job_id, launch.attempt, launch.node)
        self.launch = launch
        self.saved = saved
        self.dir = directory
        self.trial_end_s = trial_end_s  # on CLOCK_MONOTONIC; unknown if an earlier agent began it
        self.units: dict[str, Unit] = {}
        self.ended_tasks: deque[Unit] = deque()  # among `units`, the first to end first
        self.deleted_tasks: dict[int, None] = {}  # hashes of names, in the order of the deletions
        self.used_before = NOTHING_USED  # by tasks that are not among `units` any more
        self.stop_cause: Cause | None = None
        self.stop_message = ""  # of a stop that was decided here
        self.killed_at_once = False  # it had more than it may have
        self.over = False  # reported as exited
        self.retry: asyncio.TimerHandle | None = None  # it could not be prepared yet

    @property
    def ending(self) -> bool:
        batch = self.units.get(BATCH)
        return self.stop_cause is not None or (batch is not None and batch.status is not None)

    @property
    def most_tasks(self) -> int:
        """The number of tasks that may run at a time."""
        return max(_MAX_TASKS, self.launch.cores)

    def used(self) -> Used:
        """Return what all units that have ended have used."""
        used = self.used_before
        for unit in self.units.values():
            if unit.status is not None:
                used = used.plus(unit.status.cpu_s, unit.status.max_rss_mib)
        return used

    def begin_now(self) -> None:
        """Have its times count from here, as the limit of its script does."""
        now_s = time.monotonic()
        ends_s = (_later(now_s, self.launch.limit_s), self.trial_end_s)
        self.saved = msgspec.structs.replace(
            self.saved,
            started_s=time.time(),
            deadline_s=_later(now_s, self.launch.killed_after_s),
            warn_at_s=warning.instants_s(self.launch.warn_signal, now_s, ends_s),
        )

    def limit_left_s(self, slack_s: float) -> float | None:
        """Until so long after its deadline."""
        deadline_s = self.saved.deadline_s
        return None if deadline_s is None else max(0.0, deadline_s + slack_s - time.monotonic())


class TaskError(Exception):
    """A task cannot be started or found. `status` is the HTTP status that fits."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Attempts:
    """All attempts with processes. Told by the daemon what to do, and by the pool what became
    of it; tells the daemon through `reports`."""

    def __init__(
        self,
        state: StateDir,
        pool: Pool,
        reports: Reports,
        extra_env: dict[str, str],
        users: Users,
        delegation: Delegation | None,
        cores: int,
    ) -> None:
        """`cores` is how many all nodes of this agent have together."""
        self._delegation = delegation
        self._cores = cores
        self._state = state
        self._users = users
        self._pool = pool
        self._reports = reports
        self._extra_env = extra_env
        self._attempts: dict[Key, Attempt] = {}
        self._units: dict[str, Unit] = {}
        self._watches: dict[str, asyncio.Task[None]] = {}
        self._garbage: list[Path] = []
        self._cleaner: asyncio.Task[None] | None = None
        self._overdue = Overdue(self._shepherd_of)
        self._guard = Guard(self._guarded, self._exceeded)

    def __contains__(self, key: Key) -> bool:
        return key in self._attempts

    def held(self) -> Iterator[HeldAttempt]:
        """The attempts that are here, those included whose end is not acknowledged yet."""
        return (
            held_as(attempt.launch, stopping=attempt.ending, over=attempt.over)
            for attempt in self._attempts.values()
        )

    def unit(self, key: Key, name: str) -> Unit | None:
        attempt = self._attempts.get(key)
        return attempt.units.get(name) if attempt else None

    def attempt(self, key: Key) -> Attempt | None:
        return self._attempts.get(key)

    def launch_of(self, key: Key) -> Launch | None:
        attempt = self._attempts.get(key)
        return attempt.launch if attempt else None

    # ------------------------------------------------------------ what the daemon says

    def launch(self, key: Key, launch: Launch, rate: float, model_now_us: float) -> None:
        """Start an attempt, or say again that it runs."""
        known = self._attempts.get(key)
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
        saved = SavedAttempt(  # its times follow when it begins
            launch=msgspec.structs.replace(launch, script="", env=env),
            started_s=unix_s,
            deadline_s=None,
            boot_id=self._state.boot_id,
        )
        directory = self._state.jobs / "{}.{}.{}".format(*key)
        attempt = Attempt(saved, directory, trial_end_s)
        self._attempts[key] = attempt
        make_spec: Callable[[Unit], Spec] = script_spec
        if launch.emulation is None and launch.batch and (refused := self._refused(launch)):
            attempt.over = True
            self._reports.exited(key, status_now(Cause.LAUNCH, refused))
            return
        if launch.emulation is not None:
            end_us = launch.model_start_us + launch.emulation.run_us
            end_s = now_s + _real_s(end_us - model_now_us, rate)
            make_spec = partial(sleep_spec, end_s=end_s)
        self._begin(attempt, launch.script, make_spec)

    def _refused(self, launch: Launch) -> str:
        """Return why the script is not to be started here, or "" if it is to be."""
        if launch.refused:
            return launch.refused
        try:
            self._users.runs_as(launch.user)
        except UserRefused as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Leave everything to a later agent."""
        self._guard.close()

    def stop(self, key: Key, cause: Cause, message: str = "") -> None:
        """End an attempt; a repeat is no news."""
        attempt = self._attempts[key]
        if attempt.over or attempt.stop_cause is not None:
            return
        attempt.stop_cause, attempt.stop_message = cause, message
        if attempt.retry is not None:
            attempt.retry.cancel()
        self._end_units(attempt, cause)
        self._finish_if_done(attempt)

    def forget(self, key: Key) -> None:
        """The daemon has committed its end: delete what is here of it."""
        attempt = self._attempts.get(key)
        if attempt is not None and attempt.over:  # else it began after an end that was stated of it
            del self._attempts[key]
            for unit in attempt.units.values():
                self._units.pop(unit.name, None)
            self._throw_away(attempt.dir)

    def start_task(self, key: Key, call: StartTask) -> Unit:
        """Start a task, or find the one that a repeated call has started.

        Raises:
            TaskError: the attempt is not here or is ending, it has as many tasks as may be, the
                step's name is unusable, or the task is over and deleted.
        """
        attempt = self._attempts.get(key)
        if attempt is None:
            raise TaskError(404, f"job {call.job_id} is not running on node {call.node}")
        if not STEP_NAME.fullmatch(call.step):
            raise TaskError(
                400, f"step '{call.step}': letters, digits, '-' and '_' only, up to 100"
            )
        name = task_unit_name(call.step, call.task)
        unit = attempt.units.get(name)
        if unit is not None:
            return unit
        if hash(name) in attempt.deleted_tasks:
            raise TaskError(
                409, f"task {name} of job {call.job_id} is over, and its record is deleted"
            )
        if attempt.ending:
            raise TaskError(409, f"job {call.job_id} is ending on node {call.node}")
        tasks = sum(not one.is_batch and one.status is None for one in attempt.units.values())
        if tasks >= attempt.most_tasks:
            raise TaskError(
                429,
                f"job {call.job_id} has {tasks} tasks on node {call.node}, as many as may run",
            )
        try:
            self._users.runs_as(attempt.launch.user)
        except UserRefused as error:
            raise TaskError(403, str(error)) from None
        if not attempt.launch.batch and not attempt.units:  # by now its script has begun elsewhere
            attempt.begin_now()
        try:
            (attempt.dir / name).mkdir(mode=0o700)
        except OSError as error:  # no fault of the step: `rrun` asks again, as for a node away
            raise TaskError(503, f"{error.filename}: {error.strerror}") from None
        unit = self._add_unit(attempt, name)
        unit.make_spec = lambda: task_spec(unit, call)
        self._run(unit)
        return unit

    # ------------------------------------------------------------ what the pool says

    def unit_here(self, name: str, pid: int | None) -> None:
        unit = self._units.get(name)
        if unit is None:
            log.warning("unit-unknown", unit=name)
            self._pool.stop(name, Cause.UNKNOWN)
            return
        if pid is not None:
            self.unit_started(name, pid)
        if unit.status is not None:
            self._pool.stop(name, Cause.UNKNOWN)  # given up too early
        elif unit.stop is not None:
            self._pool.stop(name, unit.stop.cause)

    def unit_started(self, name: str, pid: int) -> None:
        unit = self._units.get(name)
        if unit is not None and unit.pid is None:
            unit.pid = pid
            unit.started.set()
            self._overdue.started(name)
            if unit.is_batch:
                self._reports.launched(unit.attempt.key, pid)
            self._guard.watch()

    def unit_ended(self, name: str, status: Status) -> None:
        unit = self._units.get(name)
        if unit is None or unit.status is not None:
            return  # told twice: by the shepherd, and by the file it left
        unit.status = status
        unit.make_spec = None  # it has the arguments and the environment, which may be large
        self._overdue.forget(name)
        unit.started.set()
        unit.ended.set()
        if unit.is_batch:
            self._end_units(unit.attempt, status.cause)
        elif status.cause is Cause.MEMORY:  # the kernel's kills are of all that the job has here
            launch = unit.attempt.launch
            self.stop(unit.attempt.key, status.cause, memory_message(launch.node, launch.mem_mib))
        if not unit.is_batch:
            self._keep_for_readers(unit)
        self._finish_if_done(unit.attempt)

    def unit_unable(self, name: str, message: str, *, suspect: bool) -> None:
        log.error("unit-delayed", unit=name, error=message, again_in_s=_RETRY_S)
        unit = self._units.get(name)
        if unit is None:
            return
        unit.suspect_tries += suspect
        if unit.stop is not None:
            self.unit_ended(name, status_now(unit.stop.cause))
        elif unit.suspect_tries >= _MAX_SUSPECT_TRIES:
            self.unit_ended(name, status_now(Cause.LAUNCH, message))
        else:
            unit.retry = asyncio.get_running_loop().call_later(_RETRY_S, self._run, unit)

    def unit_lost(self, name: str, shepherd: tuple[int, int]) -> None:
        unit = self._units.get(name)
        if unit is not None:
            self._watch(unit, shepherd)

    # ------------------------------------------------------------ what a job may use

    def _guarded(self) -> list[Guarded]:
        """What the guard has to look at now."""
        attempts = self._attempts.values()
        return [
            self._guarded_attempt(attempt)
            for attempt in attempts
            if not attempt.over and any(self._polled(attempt.launch))
        ]

    def _guarded_attempt(self, attempt: Attempt) -> Guarded:
        shepherds, orphans = set(), set()
        for unit in attempt.units.values():
            if unit.status is None and unit.pid is not None:
                shepherd = self._pool.shepherd_of(unit.name)
                if shepherd is not None:
                    shepherds.add(shepherd[0])
                else:
                    orphans.add(unit.pid)
        mem_mib, max_processes = self._polled(attempt.launch)
        return Guarded(attempt.key, mem_mib, max_processes, shepherds | orphans, shepherds)

    def _polled(self, launch: Launch) -> tuple[int, int]:
        """The limits of memory and processes that are not the kernel's to keep."""
        kept = self._delegation.controllers if self._delegation is not None else frozenset()
        return (
            0 if "memory" in kept else launch.mem_mib,
            0 if "pids" in kept else launch.max_processes,
        )

    def _exceeded(self, excess: Excess) -> None:
        attempt = self._attempts.get(excess.key)
        if attempt is None or attempt.over or attempt.killed_at_once:
            return
        attempt.killed_at_once = True
        log.warning("job-killed", job_id=excess.key[0], cause=excess.cause.value,
                    message=excess.message)  # fmt: skip
        if attempt.ending:
            self._end_grace(attempt, excess.cause)
        else:
            self.stop(excess.key, excess.cause, excess.message)

    # ------------------------------------------------------------ what an earlier agent left

    def recover(self) -> None:
        """Take over what is in the state directory. Nothing is started here."""
        for directory in sorted(self._state.jobs.iterdir()):
            found = adoption.read_attempt(directory, self._state.boot_id)
            if found is None:
                remove_tree(directory)
                continue
            saved, units = found
            attempt = Attempt(saved, directory)
            attempt.used_before = read_used(directory)
            self._attempts[attempt.key] = attempt
            for unit_name, remains in units.items():
                unit = self._add_unit(attempt, unit_name)
                if remains.running is not None and remains.running.pid is not None:
                    self.unit_started(unit.name, remains.running.pid)
            for unit_name, remains in units.items():
                unit = attempt.units[unit_name]
                if remains.status is not None:
                    self.unit_ended(unit.name, remains.status)
                else:
                    self._watch(unit, None)
                    self._expect_limit(unit, remains.running)

        if self._delegation is not None:
            known = {attempt.dir.name for attempt in self._attempts.values()}
            for name in set(self._delegation.attempts()) - known:
                self._throw_away(self._state.jobs / name)

    def _expect_limit(self, unit: Unit, running: Running | None) -> None:
        if running is not None and running.deadline_s is not None:
            left_s = running.deadline_s - time.monotonic()
            self._overdue.expect_end(unit.name, max(0.0, left_s) + running.kill_grace_s)

    # ------------------------------------------------------------ inside

    def _begin(self, attempt: Attempt, script: str, make_spec: Callable[[Unit], Spec]) -> None:
        """Start it; when there is no room for its files, again and again until there is."""
        attempt.begin_now()
        try:
            self._prepare(attempt, script)
        except OSError as error:
            problem = f"{error.filename or attempt.dir}: {error.strerror}"
            log.error("attempt-delayed", job_id=attempt.launch.job_id, error=problem,
                      again_in_s=_RETRY_S)  # fmt: skip
            remove_tree(attempt.dir)
            attempt.retry = asyncio.get_running_loop().call_later(
                _RETRY_S, self._begin, attempt, script, make_spec
            )
            return
        if attempt.launch.batch:
            batch = self._add_unit(attempt, BATCH)
            batch.make_spec = lambda: make_spec(batch)
            self._run(batch)

    def _run(self, unit: Unit) -> None:
        """Hand a unit over to the shepherds."""
        unit.retry = None
        if unit.make_spec is None:
            self.unit_ended(unit.name, status_now(Cause.NODE, "it was never started"))
        else:
            self._pool.run(unit.name, partial(self._spec, unit, unit.make_spec))

    def _spec(self, unit: Unit, make_spec: Callable[[], Spec]) -> Spec:
        """What a shepherd gets, at the moment when it gets it."""
        if unit.is_batch:  # it may have waited for a process or a shepherd to be had
            unit.attempt.begin_now()
        spec = make_spec()
        launch = unit.attempt.launch
        stand_in = unit.is_batch and launch.emulation is not None  # a command of our own
        spec["user"] = None if stand_in else self._users.runs_as(launch.user)
        spec["allow_root"] = self._users.allow_root
        _, max_processes = self._polled(launch)
        spec["max_more_tasks"] = max_more_tasks(max_processes, self._cores)
        spec["cgroup"] = spec["cgroup_home"] = None
        if self._delegation is not None:
            spec["cgroup"] = str(self._delegation.path(unit.name))
            spec["cgroup_home"] = str(self._delegation.home)
        self._overdue.forget(unit.name)  # of an attempt to start it before
        if spec["limit_s"] is not None:
            self._overdue.expect_end(unit.name, spec["limit_s"] + spec["kill_grace_s"])
        return spec

    def _shepherd_of(self, name: str) -> tuple[int, int] | None:
        shepherd = self._pool.shepherd_of(name)
        if shepherd is None:
            running = read_record(self._units[name].dir / "running.json", Running)
            shepherd = running.shepherd if running is not None else None
        return shepherd

    def _prepare(self, attempt: Attempt, script: str) -> None:
        if self._delegation is not None:
            launch = attempt.launch
            limits = Limits(launch.cores, launch.mem_mib, launch.max_processes)
            self._delegation.make(attempt.dir.name, limits)
        make_dir(attempt.dir)
        write_record(attempt.dir / "attempt.json", attempt.saved)
        if attempt.launch.batch:
            unit_dir = attempt.dir / BATCH
            make_dir(unit_dir)
            if attempt.launch.emulation is None:
                _write_script(unit_dir / "script", script)

    def _add_unit(self, attempt: Attempt, name: str) -> Unit:
        unit = Unit(attempt, name)
        attempt.units[name] = unit
        self._units[unit.name] = unit
        return unit

    def _end_units(self, attempt: Attempt, cause: Cause) -> None:
        for unit in list(attempt.units.values()):
            if unit.status is None and unit.stop is None:
                unit.stop = StopOrder(cause, time.monotonic())
                if unit.retry is not None:
                    unit.retry.cancel()
                    self.unit_ended(unit.name, status_now(cause))
                elif self._pool.withdraw(unit.name):
                    self.unit_ended(unit.name, status_now(cause))
                else:
                    self._pool.stop(unit.name, cause)  # or when its shepherd dials in
                    self._overdue.expect_end(unit.name, attempt.launch.kill_grace_s)

    def _end_grace(self, attempt: Attempt, cause: Cause) -> None:
        """Have what is left of an attempt that ends killed at once: in its grace, too, the attempt
        has no more than it may have."""
        for unit in attempt.units.values():
            if unit.status is None:
                unit.stop = StopOrder(cause, time.monotonic())
                self._pool.stop(unit.name, cause)  # or when its shepherd dials in

    def _keep_for_readers(self, task: Unit) -> None:
        """Keep the record and the output of an ended task, but only of so many in an attempt.

        Those of the task that ended first are deleted for it: a job may start tasks without end.
        """
        attempt = task.attempt
        attempt.ended_tasks.append(task)
        if len(attempt.ended_tasks) > _ENDED_TASKS * attempt.most_tasks:
            self._delete_task(attempt.ended_tasks.popleft())

    def _delete_task(self, task: Unit) -> None:
        attempt = task.attempt
        if task.status is not None:
            attempt.used_before = attempt.used_before.plus(
                task.status.cpu_s, task.status.max_rss_mib
            )
        try:
            write_used(attempt.dir, attempt.used_before)
        except OSError as error:  # then a later agent does not know of it
            log.error("usage-not-recorded", path=error.filename, error=error.strerror)
        del attempt.units[task.dir.name], self._units[task.name]
        attempt.deleted_tasks[hash(task.dir.name)] = None
        if len(attempt.deleted_tasks) > _REMEMBERED_TASKS * attempt.most_tasks:
            del attempt.deleted_tasks[next(iter(attempt.deleted_tasks))]
        self._throw_away(task.dir)

    def _finish_if_done(self, attempt: Attempt) -> None:
        if attempt.over or not attempt.ending:
            return
        if any(unit.status is None for unit in attempt.units.values()):
            return
        attempt.over = True
        batch = attempt.units.get(BATCH)
        status = batch.status if batch is not None else None
        if status is None:
            status = status_now(attempt.stop_cause or Cause.UNKNOWN)
        if attempt.stop_message and status.cause is attempt.stop_cause:
            status = msgspec.structs.replace(status, message=attempt.stop_message)
        elif status.cause is Cause.MEMORY and attempt.stop_cause is None:  # so it was here
            message = memory_message(attempt.launch.node, attempt.launch.mem_mib)
            status = msgspec.structs.replace(status, message=message)
        used = attempt.used()._asdict()
        self._reports.exited(attempt.key, msgspec.structs.replace(status, **used))

    def _throw_away(self, directory: Path) -> None:
        self._garbage.append(directory)
        if self._cleaner is None or self._cleaner.done():
            self._cleaner = asyncio.get_running_loop().create_task(self._clean())

    async def _clean(self) -> None:
        """Delete in a thread: a file system that is busy syncing takes milliseconds for it."""
        while self._garbage:
            directories, self._garbage = self._garbage, []
            try:
                done = asyncio.get_running_loop().run_in_executor(None, self._remove, directories)
            except RuntimeError as error:  # no thread can be started now
                log.error("deletion-delayed", error=str(error), again_in_s=_RETRY_S)
                self._garbage += directories
                await asyncio.sleep(_RETRY_S)
                continue
            await done

    def _remove(self, directories: list[Path]) -> None:
        # The cgroups first: as long as its directory is there, no task begins with the same name.
        if self._delegation is not None:
            for directory in directories:
                self._delegation.remove(str(directory.relative_to(self._state.jobs)))
        remove_trees(directories)

    def _watch(self, unit: Unit, shepherd: tuple[int, int] | None) -> None:
        if unit.name not in self._watches and unit.status is None:
            watch = asyncio.get_running_loop().create_task(self._watch_unit(unit, shepherd))
            self._watches[unit.name] = watch
            watch.add_done_callback(lambda _: self._watches.pop(unit.name, None))

    async def _watch_unit(self, unit: Unit, shepherd: tuple[int, int] | None) -> None:
        """See to a unit whose shepherd is not connected, until it is, or the unit is over."""
        status = await adoption.outcome(
            unit.dir,
            shepherd,
            Keeper(
                connected=lambda: self._pool.has(unit.name) or unit.status is not None,
                stop=lambda: unit.stop,
                started=lambda pid: self.unit_started(unit.name, pid),
            ),
        )
        if status is not None:
            self.unit_ended(unit.name, status)
        elif unit.status is None and not self._pool.has(unit.name):
            # Its shepherd died before it took it.
            if unit.stop is not None:
                self.unit_ended(unit.name, status_now(unit.stop.cause))
            else:
                self._run(unit)


def task_unit_name(step: str, task: int) -> str:
    return f"{step}.{task}"


def _write_script(path: Path, script: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700)
    with open(fd, "wb") as file:
        file.write(script.encode())


def _later(now_s: float, in_s: float | None) -> float | None:
    return None if in_s is None else now_s + in_s


def _real_s(us: float, rate: float) -> float:
    """Real seconds for a span of model time."""
    return us / 1e6 / rate
