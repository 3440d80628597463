"""Units whose shepherd is not connected: left by an earlier agent, or orphaned."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from rmsd_agent import processes
from rmsd_agent.records import (
    BATCH,
    Running,
    SavedAttempt,
    Status,
    read_record,
    remove_tree,
    status_now,
    write_record,
)
from rmsd_core.vocabulary import Cause

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_POLL_S = 0.2
_CLAIMED_BY_AGENT = b"given up by the agent"
_RESTARTED = "the machine was restarted while it ran"


@dataclass(frozen=True, slots=True)
class Remains:
    """What a unit's directory says."""

    running: Running | None
    status: Status | None


def read_attempt(directory: Path, boot_id: str) -> tuple[SavedAttempt, dict[str, Remains]] | None:
    """An attempt that an earlier agent left, with its units; None if it never started.

    A unit that no shepherd has claimed is claimed here, so that none ever can, and dropped: the
    daemon will send it again.
    """
    saved = read_record(directory / "attempt.json", SavedAttempt)
    if saved is None:
        return None  # the agent died while it wrote it
    units = {}
    for unit_dir in sorted(path for path in directory.iterdir() if path.is_dir()):
        remains = Remains(
            running=read_record(unit_dir / "running.json", Running),
            status=read_record(unit_dir / "status.json", Status),
        )
        if remains.status is None:
            if saved.boot_id != boot_id:
                remains = Remains(None, status_now(Cause.UNKNOWN, _RESTARTED))
            elif _claim(unit_dir):
                remove_tree(unit_dir)
                continue
        units[unit_dir.name] = remains
    if saved.launch.batch and BATCH not in units:
        return None
    return saved, units


def _claim(unit_dir: Path) -> bool:
    path = unit_dir / "running.json"
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes() == _CLAIMED_BY_AGENT
    os.write(fd, _CLAIMED_BY_AGENT)
    os.close(fd)
    return True


async def outcome(
    unit_dir: Path,
    shepherd: tuple[int, int] | None,
    connected: Callable[[], bool],
    stop_cause: Callable[[], Cause | None],
) -> Status | None:
    """How a unit ended; None as soon as a shepherd is connected with it, or if none ever took it.

    While its shepherd lives, that is waited for: it dials in, or leaves a status. Without one, the
    unit's processes are watched from here, and its limit and `stop_cause` are enforced.
    `shepherd` is the one it was given to, None if that is not known.
    """
    while not connected():
        running = read_record(unit_dir / "running.json", Running)
        keeper = running.shepherd if running is not None else shepherd
        alive = keeper is not None and processes.is_alive(*keeper)
        # Read after that question: a shepherd writes the status, and then it may leave.
        status = read_record(unit_dir / "status.json", Status)
        if status is not None:
            return status
        if not alive:
            return await _without_shepherd(unit_dir, stop_cause)
        await asyncio.sleep(_POLL_S)
    return None


async def _without_shepherd(
    unit_dir: Path, stop_cause: Callable[[], Cause | None]
) -> Status | None:
    running = read_record(unit_dir / "running.json", Running)
    if running is None and not (unit_dir / "running.json").exists():
        return None
    status = await _orphaned(running, stop_cause)
    try:
        write_record(unit_dir / "status.json", status)
    except OSError as error:  # then it is unknown again after a restart of the agent
        log.error("end-not-recorded", unit=unit_dir.name, error=str(error))
    return status


async def _orphaned(running: Running | None, stop_cause: Callable[[], Cause | None]) -> Status:
    """Watch over a unit whose shepherd was killed, as well as that can be done from outside."""
    if running is None or running.pid is None or running.start_ticks is None:
        return status_now(Cause.UNKNOWN, "its shepherd was killed while it started it")
    log.warning("shepherd-killed", pid=running.pid)
    find = partial(processes.orphans, running.pid, running.start_ticks)
    killed_for: Cause | None = None
    kill_at_s = 0.0
    while processes.is_alive(running.pid, running.start_ticks) or (killed_for and find()):
        now_s = time.monotonic()
        if killed_for is None:
            late = running.deadline_s is not None and now_s >= running.deadline_s
            killed_for = Cause.LIMIT if late else stop_cause()
            if killed_for is not None:
                processes.terminate(find)
                kill_at_s = now_s + running.kill_grace_s
        elif now_s >= kill_at_s:
            processes.kill(find)
        await asyncio.sleep(_POLL_S)
    while find():  # what the main process left behind
        processes.kill(find)
        await asyncio.sleep(_POLL_S)
    return status_now(killed_for or Cause.UNKNOWN, "its shepherd was killed")
