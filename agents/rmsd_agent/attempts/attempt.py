"""Attempts on a node and their units, as far as this agent knows of them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from rmsd_agent.attempts import warning
from rmsd_agent.attempts.terminals import TerminalLine
from rmsd_agent.reports import Key
from rmsd_agent.shepherd.standalone.feeding import short_path
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.records import BATCH, SavedAttempt, UnitStatus
from rmsd_agent.units.adoption import StopOrder
from rmsd_core.vocabulary import NOTHING_USED, Cause, Used

INPUT = "stdin"
"""The name of a task's input in its directory."""
_MOST_TRIES = 64
"""The most connections for an input that wait: one for each try to start its task."""
MAX_TASKS = 256
"""The most tasks of an attempt that run at a time, if it has not more processors. Each task has a
shepherd, and the memory of shepherds counts for no job."""


class Unit:
    """A process tree of an attempt: its script, or a task."""

    def __init__(self, attempt: NodeAttempt, name: str) -> None:
        self.attempt = attempt
        self.dir = attempt.dir / name
        self.name = f"{attempt.dir.name}/{name}"  # unique among all units of this agent
        self.is_batch = name == BATCH
        self.pid: int | None = None  # None until the unit has started
        self.status: UnitStatus | None = None  # None until the unit is over
        self.stop: StopOrder | None = None  # the order to end the unit, if any
        self.started = asyncio.Event()  # set also if the unit is over without a start
        self.ended = asyncio.Event()
        # the next try, if the unit could not be started yet
        self.retry: asyncio.TimerHandle | None = None
        self.terminal: TerminalLine | None = None  # the terminal's line, once it was asked for
        self._listener: socket.socket | None = None  # until the task's input is connected
        self._connected: socket.socket | None = None
        self.suspect_tries = 0  # failed tries while this machine could start other units
        self.make_spec: Callable[[], UnitSpec] | None = (
            None  # None if an earlier agent had the unit started
        )

    def new_deadline_s(self) -> tuple[float | None] | None:
        """Return the unit's deadline, in a tuple, if it was changed since the start. A suspended
        unit has none."""
        saved = self.attempt.saved
        if saved.suspended_at_s is not None:
            return (None,)
        return (saved.deadline_s,) if saved.has_new_limit else None

    def open_input(self) -> None:
        """Make the input of a task: a socket in its directory, to which the process connects that
        passes the input on (`feeding`). The task finds its end once `close_input` has been called,
        or this process is gone."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.setblocking(False)
        with short_path(self.dir / INPUT) as path:
            self._listener.bind(path)
        self._listener.listen(_MOST_TRIES)

    def input(self) -> socket.socket | None:
        """Return the connection for the task's input; None if the task takes no more.

        Raises:
            BlockingIOError: the task does not take any yet.
        """
        if self._listener is not None:
            with contextlib.suppress(BlockingIOError):
                while self.pid is not None:  # each try to start the task has connected
                    self._connected, _ = self._listener.accept()
            if self._connected is None:
                raise BlockingIOError
            self._connected.setblocking(False)
            self._connected.shutdown(socket.SHUT_RD)  # nothing of a user's gathers here
            self._listener.close()
            self._listener = None
        return self._connected

    def close_input(self) -> None:
        """End the input, if there is one, and let go of the terminal."""
        if self.terminal is not None:
            self.terminal.close()
        for sock in (self._listener, self._connected):
            if sock is not None:
                sock.close()
        self._listener = self._connected = None


class NodeAttempt:
    """An attempt on one node, with its units."""

    def __init__(
        self, saved: SavedAttempt, directory: Path, trial_end_s: float | None = None
    ) -> None:
        launch = saved.launch
        self.key: Key = (launch.job_id, launch.attempt, launch.node)
        self.launch = launch
        self.saved = saved
        self.dir = directory
        # CLOCK_MONOTONIC; unknown if an earlier agent began the attempt
        self.trial_end_s = trial_end_s
        self.units: dict[str, Unit] = {}
        self.ended_tasks: deque[Unit] = deque()  # ended tasks among `units`, the first to end first
        self.deleted_tasks: dict[int, None] = {}  # hashes of names, in the order of the deletions
        self.used_before = NOTHING_USED  # used by tasks that are not among `units` any more
        self.peak_mib = 0  # the most memory that all processes were seen with at a time
        self.stop_cause: Cause | None = None
        self.stop_message = ""  # the message of a stop that was decided here
        self.killed_at_once = False  # True if the attempt had more than it may have
        self.over = False  # reported as exited
        self.program_runs = False  # True while the prolog or the epilog of the site runs
        self.failed_start: UnitStatus | None = None  # the end of an attempt whose prolog failed
        self.owes_epilog = False  # True from the preparation until the epilog was run
        self.drain_reason = ""  # the reason for which the node shall be drained
        # the next try, if the attempt could not be prepared yet
        self.retry: asyncio.TimerHandle | None = None

    @property
    def ending(self) -> bool:
        batch = self.units.get(BATCH)
        if self.stop_cause is not None or self.failed_start is not None:
            return True
        return batch is not None and batch.status is not None

    @property
    def most_tasks(self) -> int:
        """Return the number of tasks that may run at a time."""
        return max(MAX_TASKS, self.launch.cores)

    def used(self) -> Used:
        """Return what all units that have ended have used, and the most memory: that of all
        processes at a time, or that of the largest if no look has found so much."""
        used = self.used_before.plus(None, self.peak_mib or None)
        for unit in self.units.values():
            if unit.status is not None:
                used = used.plus(unit.status.cpu_s, unit.status.max_rss_mib)
        return used

    def begin_now(self) -> None:
        """Have the attempt's times count from now, as the time limit of its script does."""
        now_s = time.monotonic()
        ends_s = (_later(now_s, self.launch.time_limit_s), self.trial_end_s)
        self.saved = msgspec.structs.replace(
            self.saved,
            started_s=time.time(),
            deadline_s=_later(now_s, self.launch.killed_after_s),
            warn_at_s=warning.instants_s(self.launch.warn_signal, now_s, ends_s),
        )

    def set_limit(self, time_limit_s: float | None) -> None:
        """Give the attempt another limit, which counts from its start."""
        began_s = self._began_s
        self.launch = launch = msgspec.structs.replace(self.launch, time_limit_s=time_limit_s)
        ends_s = (_later(began_s, time_limit_s), self.trial_end_s)
        self.saved = msgspec.structs.replace(
            self.saved,
            launch=launch,
            deadline_s=_later(began_s, launch.killed_after_s),
            warn_at_s=warning.instants_s(launch.warn_signal, began_s, ends_s),
            has_new_limit=True,
        )

    @property
    def is_suspended(self) -> bool:
        return self.saved.suspended_at_s is not None

    def set_suspended(self, *, suspended: bool) -> None:
        """Let the attempt's clock stand still from now on, or go on: all that is still to come
        comes so much later."""
        saved, now_s = self.saved, time.monotonic()
        if suspended:
            self.saved = msgspec.structs.replace(saved, suspended_at_s=now_s)
            return
        assert saved.suspended_at_s is not None
        stood_s = max(0.0, now_s - saved.suspended_at_s)
        coming = [at_s + stood_s for at_s in saved.warn_at_s if at_s >= saved.suspended_at_s]
        self.saved = msgspec.structs.replace(
            saved,
            suspended_at_s=None,
            suspended_s=saved.suspended_s + stood_s,
            deadline_s=_later(stood_s, saved.deadline_s),
            warn_at_s=coming,
            has_new_limit=True,
        )

    @property
    def _began_s(self) -> float:
        """Return when the attempt began, on CLOCK_MONOTONIC."""
        deadline_s, after_s = self.saved.deadline_s, self.launch.killed_after_s
        if deadline_s is not None and after_s is not None:
            return deadline_s - after_s
        ran_s = time.time() - self.saved.started_s - self.saved.suspended_s
        return time.monotonic() - max(0.0, ran_s)

    def deadline_left_s(self, slack_s: float) -> float | None:
        """Return the seconds until `slack_s` after the attempt's deadline, None if it has no
        deadline."""
        deadline_s = self.saved.deadline_s
        return None if deadline_s is None else max(0.0, deadline_s + slack_s - time.monotonic())


class HeldAttempts:
    """All attempts with processes that are here, and all their units."""

    def __init__(self) -> None:
        self.attempts: dict[Key, NodeAttempt] = {}
        self.units: dict[str, Unit] = {}  # key: the unit's name among all units

    def add(self, attempt: NodeAttempt) -> None:
        """Hold an attempt that has no units yet."""
        self.attempts[attempt.key] = attempt

    def add_unit(self, attempt: NodeAttempt, name: str) -> Unit:
        """Make a unit of an attempt."""
        unit = Unit(attempt, name)
        attempt.units[name] = unit
        self.units[unit.name] = unit
        return unit

    def drop(self, attempt: NodeAttempt) -> None:
        """Forget an attempt with its units."""
        del self.attempts[attempt.key]
        for unit in attempt.units.values():
            unit.close_input()
            self.units.pop(unit.name, None)

    def drop_unit(self, unit: Unit) -> None:
        """Forget a unit, though its attempt goes on."""
        unit.close_input()
        del unit.attempt.units[unit.dir.name], self.units[unit.name]


def _later(now_s: float, in_s: float | None) -> float | None:
    return None if in_s is None else now_s + in_s
