"""The daemon's calls for its users: `rrun` starts and signals tasks, `rlog` reads output."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from rmsd_agent.attempts import terminals
from rmsd_agent.attempts.attempt import Unit
from rmsd_agent.attempts.attempts import Attempts
from rmsd_agent.attempts.errors import NotNow, TaskNotFound, UnusableRequest
from rmsd_agent.attempts.limits_watch import roots_of
from rmsd_agent.attempts.tasks import task_unit_name
from rmsd_agent.calls.problems import TASK_NOT_LAUNCHED, problem_of
from rmsd_agent.calls.reading import Part, Reader
from rmsd_agent.guarding.gpu_use import GpuLooks, numbers_in
from rmsd_agent.guarding.present_use import SharedLooks
from rmsd_agent.machine.processors import spelled
from rmsd_agent.machine.users import Users
from rmsd_agent.reports import Key
from rmsd_agent.state.records import BATCH
from rmsd_agent.units.pool import Pool
from rmsd_core.vocabulary import Cause
from rmsd_wire.frames import FRAME_BYTES, cut
from rmsd_wire.link_calls import (
    MOST_OF_PROCESSORS,
    Call,
    ReadFile,
    ReadUse,
    Reply,
    SignalJob,
    SignalStep,
    StartTask,
    StopTask,
    WriteInput,
)
from rmsd_wire.link_values import MAX_SIGNAL

FILE_POLL_S = 0.05
_POLLED_SO_OFTEN = 8
"""Readers of a user whose files are looked at so often. More of them share these looks: each look
starts a thread, and a hundred readers would take a processor."""
_STARTED_WITHIN_S = 5.0
"""The time after which a script that is not started counts as one that has written nothing."""
_LAUNCH_FAILED_CODE = 127  # the code of shells for a command that cannot be started


class Calls:
    """Answers calls. Every call has a task of its own, since some of them wait."""

    def __init__(
        self,
        attempts: Attempts,
        pool: Pool,
        users: Users,
        deliver: Callable[[Reply], Awaitable[None]],
        machine: str = "",
    ) -> None:
        self._deliver = deliver
        self._machine = machine  # the node that is this machine; "": none of them is
        self._attempts = attempts
        self._pool = pool
        self._reader = Reader(users)
        self._looks = SharedLooks()
        self._gpu_looks = GpuLooks()
        self._waiting: Counter[str] = Counter()  # reads, by user

    @property
    def waiting(self) -> int:
        """Return how many reads wait for more output."""
        return self._waiting.total()

    async def answer(self, call: Call) -> None:
        """Do what is asked, and deliver the reply."""
        try:
            match call:
                case StartTask():
                    await self._deliver(await self._start_task(call))
                case StopTask():
                    await self._deliver(self._stop_task(call))
                case SignalJob():
                    await self._deliver(self._signal_job(call))
                case SignalStep():
                    await self._deliver(self._signal_step(call))
                case WriteInput():
                    await self._deliver(self._write_input(call))
                case ReadUse():
                    await self._deliver(await self._read_use(call))
                case ReadFile():
                    await self._read_file(call)
        except Exception as error:
            status, why = problem_of(error, call)
            await self._deliver(Reply(call.call, status=status, error=cut(why)))

    async def _start_task(self, call: StartTask) -> Reply:
        unit = self._attempts.tasks.start(_key(call), call)
        await unit.started.wait()
        status = unit.status
        if status is not None and status.cause is Cause.LAUNCH:
            why = cut(status.message)
            return Reply(
                call.call, status=TASK_NOT_LAUNCHED, error=why, exit_code=_LAUNCH_FAILED_CODE
            )
        return _with_end(Reply(call.call), unit)

    def _stop_task(self, call: StopTask) -> Reply:
        unit = self._task(call)
        _check_signal(call.signal)
        if unit.status is None and not self._pool.signal(unit.name, call.signal):
            raise NotNow(f"task {unit.name} cannot be reached just now; try again")
        return _with_end(Reply(call.call), unit)

    def _write_input(self, call: WriteInput) -> Reply:
        """Give a task as much as it takes now, and the end of its input behind that."""
        unit = self._task(call)
        if unit.status is not None:
            return Reply(call.call, eof=True)
        if unit.terminal is not None or terminals.is_there(unit.dir):
            return _type(unit, call)
        try:
            connected = unit.input()
        except BlockingIOError:
            raise NotNow(f"task {unit.name} is about to begin; try again") from None
        if connected is None:
            return Reply(call.call, eof=True)
        taken = 0
        try:
            taken = connected.send(call.data) if call.data else 0
        except BlockingIOError:
            return Reply(call.call, offset=0)
        except OSError:  # the task has closed its input
            unit.close_input()
            return Reply(call.call, eof=True)
        if over := call.eof and taken == len(call.data):
            unit.close_input()
        return Reply(call.call, offset=taken, eof=over)

    def _signal_job(self, call: SignalJob) -> Reply:
        attempt = self._attempts.attempt(_key(call))
        if attempt is None:
            raise TaskNotFound(f"job {call.job_id} is not running on node {call.node}")
        _check_signal(call.signal)
        for unit in attempt.units.values():
            if unit.status is not None or (
                call.to != "all" and (call.to == "script") != unit.is_batch
            ):
                continue
            whom = "main" if call.to == "script" else "all" if unit.is_batch else "every"
            if not self._pool.signal(unit.name, call.signal, whom):
                raise NotNow(f"{unit.name} cannot be reached just now; try again")
        return Reply(call.call)

    def _signal_step(self, call: SignalStep) -> Reply:
        attempt = self._attempts.attempt(_key(call))
        units = attempt.units.items() if attempt is not None else ()
        of_step = [
            unit for name, unit in units if unit.status is None and name.startswith(f"{call.step}-")
        ]
        if not of_step:
            raise TaskNotFound(f"step {call.step} of job {call.job_id} is not on node {call.node}")
        _check_signal(call.signal)
        for unit in of_step:
            if not self._pool.signal(unit.name, call.signal):
                raise NotNow(f"{unit.name} cannot be reached just now; try again")
        return Reply(call.call)

    async def _read_use(self, call: ReadUse) -> Reply:
        attempt = self._attempts.attempt(_key(call))
        if attempt is None:
            raise TaskNotFound(f"job {call.job_id} is not running on node {call.node}")
        roots, shepherds = roots_of(attempt, self._pool)
        running = await self._looks.of(_key(call), roots, shepherds)
        ended = attempt.used()
        processors = spelled(attempt.saved.processors)
        gpus = numbers_in(attempt.launch.env) if call.node == self._machine else []
        now = msgspec.structs.replace(
            running,
            cpu_s=running.cpu_s + (ended.cpu_s or 0.0),
            max_rss_mib=ended.max_rss_mib,
            gpus=await self._gpu_looks.of(gpus),
            processors=processors if len(processors) <= MOST_OF_PROCESSORS else "",
        )
        return Reply(call.call, data=msgspec.msgpack.encode(now))

    async def _read_file(self, call: ReadFile) -> None:
        unit = self._task(call) if call.step else self._attempts.unit(_key(call), BATCH)
        if unit is not None and not (call.step or call.path):
            await wait_at_most(unit.started, _STARTED_WITHIN_S)
            if unit.pid is None:
                over = unit.status is not None
                await self._deliver(Reply(call.call, offset=call.offset, eof=over))
                return
        self._waiting[call.user] += 1
        try:
            await self._read_when_there(call, unit, _stream_path(call, unit))
        finally:
            self._waiting[call.user] -= 1
            if not self._waiting[call.user]:
                del self._waiting[call.user]

    async def _read_when_there(self, call: ReadFile, unit: Unit | None, path: Path) -> None:
        give_up_s = time.monotonic() + call.wait_s
        while True:
            over = unit is None or unit.status is not None  # asked before the file is read
            async with self._part(call, path, unit, over) as (data, size):
                eof = over and call.offset + len(data) >= size
                pause_s = FILE_POLL_S * max(1.0, self._waiting[call.user] / _POLLED_SO_OFTEN)
                wait_s = min(pause_s, give_up_s - time.monotonic())
                if data or eof or unit is None or wait_s <= 0:
                    reply = Reply(call.call, data=data, offset=call.offset + len(data), eof=eof)
                    await self._deliver(reply if unit is None else _with_end(reply, unit))
                    return
            await wait_at_most(unit.ended, wait_s)

    def _part(
        self, call: ReadFile, path: Path, unit: Unit | None, over: bool
    ) -> AbstractAsyncContextManager[Part]:
        limit = min(call.limit, FRAME_BYTES)
        if call.step:  # a path of ours, not one of the user's
            assert unit is not None
            user = unit.attempt.launch.user
            return self._reader.read(user, path, call.offset, limit, over=over)
        return self._reader.read_as(call.user, path, call.offset, limit, over=over)

    def _task(self, call: StopTask | WriteInput | ReadFile) -> Unit:
        unit = self._attempts.unit(_key(call), task_unit_name(call.step, call.task))
        if unit is None and call.step.isdecimal():
            unit = self._of_numbered_step(call)
        if unit is None:
            raise TaskNotFound(f"no task {call.task} of step {call.step} on node {call.node}")
        return unit

    def _of_numbered_step(self, call: StopTask | WriteInput | ReadFile) -> Unit | None:
        """Return the task of a step that is known by its number alone, None if it is not here. The
        names of its tasks begin with the number."""
        attempt = self._attempts.attempt(_key(call))
        for name, unit in attempt.units.items() if attempt is not None else ():
            if name.startswith(f"{call.step}-") and name.endswith(f".{call.task}"):
                return unit
        return None


def _key(call: Call) -> Key:
    return (call.job_id, call.attempt, call.node)


def _type(unit: Unit, call: WriteInput) -> Reply:
    """Have bytes typed at a task's terminal. Once it was hung up, the task takes no more."""
    if unit.terminal is None:
        unit.terminal = terminals.TerminalLine(unit.dir)
    try:
        goes_on = unit.terminal.pass_on(call)
    except BlockingIOError:
        return Reply(call.call, offset=0)
    return Reply(call.call, offset=len(call.data) if goes_on else 0, eof=not goes_on)


def _check_signal(number: int) -> None:
    """Check the number of a signal. No shepherd must fail because of a bad one.

    Raises:
        UnusableRequest: there is no such signal.
    """
    if not 1 <= number <= MAX_SIGNAL:
        raise UnusableRequest(f"there is no signal {number}")


def _stream_path(call: ReadFile, unit: Unit | None) -> Path:
    if call.step:
        assert unit is not None
        return unit.dir / call.stream
    if unit is None:
        if not call.path:
            raise TaskNotFound(f"job {call.job_id} is not on node {call.node}")
        return Path(call.path)
    launch = unit.attempt.launch
    return Path(launch.stderr or launch.stdout if call.stream == "stderr" else launch.stdout)


def _with_end(reply: Reply, unit: Unit) -> Reply:
    reply.running = unit.status is None
    if unit.status is not None:
        reply.exit_code, reply.signal = unit.status.exit_code, unit.status.signal
        reply.cpu_s, reply.max_rss_mib = unit.status.cpu_s, unit.status.max_rss_mib
        if unit.status.cause is Cause.LAUNCH:
            reply.exit_code = _LAUNCH_FAILED_CODE
    return reply


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
