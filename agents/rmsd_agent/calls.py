"""What the daemon asks for people: `rrun` starts and signals tasks, `rlog` reads output."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from rmsd_agent.accounts import AccountError
from rmsd_agent.attempts import Attempts, TaskError, Unit, task_unit_name
from rmsd_agent.pool import Pool
from rmsd_agent.reading import Part, Reader, TooManyReads
from rmsd_agent.records import BATCH
from rmsd_agent.reports import Key
from rmsd_agent.users import UserRefused, Users
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import MAX_SIGNAL, Call, ReadFile, Reply, StartTask, StopTask

_FILE_POLL_S = 0.05
_STARTED_WITHIN_S = 5.0
"""A script that is not started after so long has written nothing."""
_LAUNCH_FAILED_CODE = 127  # what a shell says of a command that it cannot start


class Calls:
    """Answers calls. Every call has a task of its own, since some of them wait."""

    def __init__(self, attempts: Attempts, pool: Pool, users: Users) -> None:
        self._attempts = attempts
        self._pool = pool
        self._reader = Reader(users)

    async def answer(self, call: Call) -> Reply:
        try:
            match call:
                case StartTask():
                    return await self._start_task(call)
                case StopTask():
                    return self._stop_task(call)
                case ReadFile():
                    return await self._read_file(call)
        except TaskError as error:
            return Reply(call.call, status=error.status, error=str(error))
        except (AccountError, UserRefused) as error:
            return Reply(call.call, status=403, error=str(error))
        except OSError as error:
            status = 404 if isinstance(error, FileNotFoundError) else 500
            return Reply(call.call, status=status, error=f"{error.filename}: {error.strerror}")

    async def _start_task(self, call: StartTask) -> Reply:
        unit = self._attempts.start_task(_key(call), call)
        await unit.started.wait()
        status = unit.status
        if status is not None and status.cause is Cause.LAUNCH:
            return Reply(call.call, status=422, error=status.message, exit_code=_LAUNCH_FAILED_CODE)
        return _with_end(Reply(call.call), unit)

    def _stop_task(self, call: StopTask) -> Reply:
        unit = self._task(call)
        if not 1 <= call.signal <= MAX_SIGNAL:  # no shepherd must fail of it
            raise TaskError(400, f"there is no signal {call.signal}")
        if unit.status is None and not self._pool.signal(unit.name, call.signal):
            raise TaskError(503, f"task {unit.name} cannot be reached just now; try again")
        return _with_end(Reply(call.call), unit)

    async def _read_file(self, call: ReadFile) -> Reply:
        unit = self._task(call) if call.step else self._attempts.unit(_key(call), BATCH)
        if unit is not None and not (call.step or call.path):
            await _wait(unit.started, _STARTED_WITHIN_S)
            if unit.pid is None:
                return Reply(call.call, offset=call.offset, eof=unit.status is not None)
        path = _stream_path(call, unit)
        give_up_s = time.monotonic() + call.wait_s
        while True:
            over = unit is None or unit.status is not None  # asked before the file is read
            data, size = await self._read(call, path, over)
            eof = over and call.offset + len(data) >= size
            wait_s = min(_FILE_POLL_S, give_up_s - time.monotonic())
            if data or eof or unit is None or wait_s <= 0:
                reply = Reply(call.call, data=data, offset=call.offset + len(data), eof=eof)
                return reply if unit is None else _with_end(reply, unit)
            await _wait(unit.ended, wait_s)

    async def _read(self, call: ReadFile, path: Path, over: bool) -> Part:
        try:
            if call.step:  # a path of ours, not one of the user's
                return await self._reader.read(path, call.offset, call.limit, over=over)
            return await self._reader.read_as(call.user, path, call.offset, call.limit, over=over)
        except (TooManyReads, RuntimeError) as error:  # or no thread can be started now
            raise TaskError(503, str(error)) from None

    def _task(self, call: StopTask | ReadFile) -> Unit:
        unit = self._attempts.unit(_key(call), task_unit_name(call.step, call.task))
        if unit is None:
            raise TaskError(404, f"no task {call.task} of step {call.step} on node {call.node}")
        return unit


def _key(call: Call) -> Key:
    return (call.job_id, call.attempt, call.node)


def _stream_path(call: ReadFile, unit: Unit | None) -> Path:
    if call.step:
        assert unit is not None
        return unit.dir / call.stream
    if unit is None:
        if not call.path:
            raise TaskError(404, f"job {call.job_id} is not on node {call.node}")
        return Path(call.path)
    launch = unit.attempt.launch
    return Path(launch.stderr or launch.stdout if call.stream == "stderr" else launch.stdout)


def _with_end(reply: Reply, unit: Unit) -> Reply:
    reply.running = unit.status is None
    if unit.status is not None:
        reply.exit_code, reply.signal = unit.status.exit_code, unit.status.signal
        if unit.status.cause is Cause.LAUNCH:
            reply.exit_code = _LAUNCH_FAILED_CODE
    return reply


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
