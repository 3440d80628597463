"""Adoption of a unit whose shepherd is not connected: the shepherd dials in, or it is gone."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

import structlog

from rmsd_agent.machine.workers import Worker
from rmsd_agent.shepherd.standalone import cgroups, ending, processes
from rmsd_agent.shepherd.standalone.unit import STOP_AGAIN_S
from rmsd_agent.state.files import read_record, write_record
from rmsd_agent.state.records import ClaimedUnit, UnitStatus, status_now
from rmsd_agent.units.orphans import Orphans
from rmsd_core.vocabulary import Cause

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

POLL_S = 0.2

_P = ParamSpec("_P")
_Seen = TypeVar("_Seen")


@dataclass(frozen=True, slots=True)
class StopOrder:
    """An order that a unit shall end, with its cause and its time on CLOCK_MONOTONIC. grace_s:
    None: the grace is the unit's own."""

    cause: Cause
    given_s: float
    grace_s: float | None = None


@dataclass(frozen=True, slots=True)
class Keeper:
    """The part of the agent that is told what becomes of a unit."""

    connected: Callable[[], bool]
    """Tells whether a shepherd with the unit is connected, or has told its end."""
    stop: Callable[[], StopOrder | None]
    new_deadline_s: Callable[[], tuple[float | None] | None]
    """Tells the deadline that the unit has now, if that was changed since its start: a tuple, whose
    only item is None for no deadline."""
    suspended: Callable[[], bool]
    """Tells whether the unit's processes are to stand still."""
    was_suspended: Callable[[], bool]
    """Tells whether they have ever been to stand still."""
    started: Callable[[int], None]
    """Called with a pid when the unit turns out to have been started."""


class _Watch:
    """Looks for a unit at files and processes, which now and then cannot be opened: then again and
    again, since no other process looks after it."""

    def __init__(self, unit_dir: Path) -> None:
        self._unit_dir = unit_dir
        self._said = False
        self._worker: Worker | None = None

    async def look(self, what: Callable[_P, _Seen], *args: _P.args, **kwargs: _P.kwargs) -> _Seen:
        """Return what `what` returns, which the kernel answers at once."""
        while True:
            try:
                return what(*args, **kwargs)
            except OSError as error:
                await self._wait(error)

    async def search(self, what: Callable[_P, _Seen], *args: _P.args, **kwargs: _P.kwargs) -> _Seen:
        """Return what `what` returns, which a process of a user's may make wait.

        The thread that calls it is this watch's alone.
        """
        while True:
            try:
                worker = self._worker = self._worker or Worker()
                return await asyncio.wrap_future(worker.call(partial(what, *args, **kwargs)))
            except (OSError, RuntimeError) as error:
                await self._wait(error)

    async def _wait(self, error: Exception) -> None:
        if not self._said:
            self._said = True
            log.error("watch-blind", unit=str(self._unit_dir), error=str(error),
                      again_in_s=POLL_S)  # fmt: skip
        await asyncio.sleep(POLL_S)

    def close(self) -> None:
        """End the thread."""
        if self._worker is not None:
            self._worker.end()


async def outcome(
    unit_dir: Path, shepherd: tuple[int, int] | None, keeper: Keeper
) -> UnitStatus | None:
    """Return how a unit ended, or None as soon as a shepherd is connected with the unit, or if none
    ever took the unit.

    While its shepherd lives, that is waited for: it dials in, or leaves a status. Without one, the
    unit's processes are watched from here, and its limit and the stop order are enforced.
    `shepherd` is the one it was given to, None if that is not known.
    """
    watch = _Watch(unit_dir)
    try:
        return await _outcome(unit_dir, shepherd, keeper, watch)
    finally:
        watch.close()


async def _outcome(
    unit_dir: Path, shepherd: tuple[int, int] | None, keeper: Keeper, watch: _Watch
) -> UnitStatus | None:
    while not keeper.connected():
        running = await watch.look(read_record, unit_dir / "running.json", ClaimedUnit)
        holder = running.shepherd if running is not None else shepherd
        alive = holder is not None and await watch.look(processes.is_alive, *holder)
        # Read after that question: a shepherd writes the status, and then it may leave.
        status = await watch.look(read_record, unit_dir / "status.json", UnitStatus)
        if status is not None:
            return status
        if not alive:
            return await _without_shepherd(unit_dir, keeper, watch)
        await asyncio.sleep(POLL_S)
    return None


async def _without_shepherd(unit_dir: Path, keeper: Keeper, watch: _Watch) -> UnitStatus | None:
    running = await watch.look(read_record, unit_dir / "running.json", ClaimedUnit)
    if running is None and not await watch.look((unit_dir / "running.json").exists):
        return None
    status = await _orphaned(unit_dir, running, keeper, watch)
    try:
        write_record(unit_dir / "status.json", status)
    except OSError as error:  # the unit is unknown again after a restart of the agent
        log.error("end-not-recorded", unit=unit_dir.name, error=str(error))
    return status


async def _orphaned(
    unit_dir: Path, running: ClaimedUnit | None, keeper: Keeper, watch: _Watch
) -> UnitStatus:
    """Watch over a unit whose shepherd was killed, as well as that can be done from outside."""
    if running is None:
        return _unknown()  # a shepherd writes down that it has it before it starts anything
    uid = await watch.look(uid_of, running)
    orphans = Orphans(str(unit_dir), running.shepherd[1], running.main, running.cgroup, uid)
    try:
        return await _end_of(orphans, unit_dir, running, keeper, watch)
    finally:
        orphans.close()


def _unknown() -> UnitStatus:
    return status_now(Cause.UNKNOWN, "its shepherd was killed while it started it")


def uid_of(running: ClaimedUnit) -> int | None:
    """Return whose processes a unit has, None if that cannot be known."""
    if running.uid is not None:
        return running.uid
    if os.geteuid() != 0:
        return os.getuid()
    if running.main is None or not processes.is_alive(*running.main):
        return None
    return processes.real_uid(running.main[0])


async def _end_of(
    orphans: Orphans, unit_dir: Path, running: ClaimedUnit, keeper: Keeper, watch: _Watch
) -> UnitStatus:
    main = running.main
    if main is None:
        await asyncio.sleep(POLL_S)  # a process has no mark before it has executed its program
        main = await watch.search(orphans.oldest)
        if main is None:
            return _unknown()
    keeper.started(main[0])  # the shepherd may have died before it reported the start
    log.warning("shepherd-killed", unit=str(unit_dir), pid=main[0])
    killed_for: Cause | None = None
    kill_at_s = 0.0
    warn = running.warn
    warn_at_s = [at_s for at_s in warn.at_s if at_s > time.monotonic()] if warn else []
    # The shepherd may have been killed before it could let a suspended unit go on.
    is_stopped, stop_at_s = keeper.was_suspended(), 0.0
    while await watch.look(processes.is_alive, *main) or (
        killed_for is not None and bool(await watch.search(orphans.find))
    ):
        now_s = time.monotonic()
        if killed_for is None and keeper.suspended() and now_s >= stop_at_s:
            is_stopped, stop_at_s = True, now_s + STOP_AGAIN_S
            await watch.search(ending.suspend, orphans.find)
        elif killed_for is None and is_stopped and not keeper.suspended():
            is_stopped, stop_at_s = False, 0.0
            await watch.search(ending.proceed, orphans.find)
        if warn and warn_at_s and now_s >= warn_at_s[0] and killed_for is None:
            warn_at_s.pop(0)
            await watch.search(ending.warn, orphans.find, main[0], warn.number, warn.whom)
        if killed_for is None:
            [deadline_s] = keeper.new_deadline_s() or (running.deadline_s,)
            killed_for = _cause_to_end(deadline_s, keeper.stop(), now_s)
            if killed_for is not None and killed_for not in ending.KILLED_AT_ONCE:
                await watch.search(ending.terminate, orphans.find)
                kill_at_s = time.monotonic() + _grace_s(keeper.stop(), running.kill_grace_s)
        elif now_s >= kill_at_s or _allows_no_grace(keeper.stop()):
            await watch.search(orphans.kill)
        await asyncio.sleep(POLL_S)
    while await watch.search(orphans.find):  # kill the processes that the main process left behind
        await watch.search(orphans.kill)
        await asyncio.sleep(POLL_S)
    if killed_for is None and running.cgroup and cgroups.exceeded_memory(f"{running.cgroup}/.."):
        killed_for = Cause.MEMORY
    return status_now(killed_for or Cause.UNKNOWN, "its shepherd was killed")


def _grace_s(stop: StopOrder | None, own_s: float) -> float:
    return own_s if stop is None or stop.grace_s is None else stop.grace_s


def _allows_no_grace(stop: StopOrder | None) -> bool:
    return stop is not None and stop.cause in ending.KILLED_AT_ONCE


def _cause_to_end(deadline_s: float | None, stop: StopOrder | None, now_s: float) -> Cause | None:
    """Return the limit or the stop order, whichever was first, or None while neither is due."""
    late = deadline_s is not None and now_s >= deadline_s
    if stop is not None and not (late and deadline_s is not None and deadline_s <= stop.given_s):
        return stop.cause
    return Cause.LIMIT if late else None
