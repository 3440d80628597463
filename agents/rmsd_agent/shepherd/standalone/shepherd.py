"""The loop of a shepherd: one unit at a time, its agent, its deadlines.

A unit is the process tree of a job's script or of a task. The shepherd is a child subreaper, so
whatever a unit starts stays below it. It takes units from the agent, but needs no agent to go on.
It enforces the limit itself, and leaves `running.json` and `status.json` in the unit's directory.
It dials the control socket again when an agent went away.

The shepherd of a root agent is root's, so that no user can touch it. It starts units as their users
and does everything with a user's paths with that user's rights.

Messages are JSON objects, one a line. From the agent: `run` (with the `unit`'s name and the fields
of `UnitSpec`), `stop` with a cause, `limit` with a deadline, `suspend` (or not), `signal` with a
number, `quit`. To the agent: `here` upon dialing, then `started`, `ended` (with what is in
`status.json`), `refused` when the unit has been claimed before or was given up, and `unable` when
this machine could not start it now, for no fault of the unit (`suspect`: unless a file of its
user's is the reason).
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time

from . import ending, faults, main_process, processes
from .agent_link import AgentLink
from .claim import withdraw
from .lines import line, log, private
from .spawning import spawn
from .unit import REAPED_AT_ONCE, UnitProcesses
from .unit_spec import UNUSABLE, check_signal, finite_s
from .urgent import Urgent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .signals import Wakeup

_RUN = b'{"op":"run",'
"""The beginning of an order to run a unit, as the agent writes it."""
_IDLE_S = 10.0  # an idle shepherd without an agent leaves after this
_LONGEST_WAIT_S = 86400.0  # the longest single wait: select takes no more than 292 years
_STORM_GOES_ON = 50
"""The number of ended children since the last turn from which a storm goes on."""
_STORM_S = 1.0
"""The time with fewer ended children after which a storm is over."""
_STORM_PAUSE_S = 0.02
"""The pause between two turns in a storm. To wake for each child would take a processor."""
_STORM_TURN_S = 0.1
"""The time for which ended children are collected before the agent and deadlines get their turn."""


class Shepherd:
    """The loop: agent, children, deadlines.

    `control` is the agent's socket, `jobs` the directory of all jobs. The nursery makes one before
    it forks, so nothing here is of the process.
    """

    def __init__(self, control: str, jobs: str) -> None:
        self.jobs = jobs
        self.boot = processes.boot_id()
        self.identity = [0, 0]  # pid, start_ticks
        self.unit: UnitProcesses | None = None
        self.agent = AgentLink(control)
        self.untold: dict[str, Any] | None = None  # an end that no agent could be told
        self.only_copy = False  # True if the end of the unit is neither told nor written down
        self.quit = False
        self.leaves_children = False  # a unit that is over has left children
        self.storm_until_s = 0.0
        self.sigterm_s: float | None = None  # the time of the last SIGTERM to the shepherd itself

    def note_sigterm(self, _number: int, _frame: object) -> None:
        """Note when SIGTERM came, and go on. A machine that shuts down sends it to all processes:
        to the unit's and to this one."""
        self.sigterm_s = time.monotonic()

    def run(self, wakeup: Wakeup) -> None:
        """Serve until the agent says `quit`, or until idle and alone for a while. `wakeup` tells
        when a child ends."""
        own = processes.process(os.getpid())
        self.identity = [os.getpid(), own.start_ticks if own else 0]
        while self.turn(wakeup):
            if self.in_storm:
                self.weather(wakeup)

    @property
    def in_storm(self) -> bool:
        """Return True while children of the unit end by the hundreds."""
        return self.unit is not None and time.monotonic() < self.storm_until_s

    def turn(self, wakeup: Wakeup) -> bool:
        """Wait until there is something to do, and do it; False when there is nothing left."""
        if self.agent.sock is None:
            self.dial()
        waiting_for: list[int | socket.socket] = [wakeup.reader]
        if self.agent.sock is not None:
            waiting_for.append(self.agent.sock)
        ready, _, _ = select.select(waiting_for, [], [], self.timeout_s())
        if wakeup.reader in ready:
            wakeup.clear()
        if self.agent.sock in ready:
            self.hear()
        if self.unit is not None:
            self.watch(self.unit)
        elif self.is_forsaken():
            return False
        return not (self.quit or self.is_unfit)

    @property
    def is_unfit(self) -> bool:
        """Return True if the shepherd may have no other unit, since children of an earlier one are
        left."""
        return self.leaves_children and self.unit is None and self.has_told

    @property
    def has_told(self) -> bool:
        """Return True if the end of every unit is told, or at least written down."""
        return self.untold is None or not self.only_copy

    def weather(self, wakeup: Wakeup) -> None:
        """Serve in a storm. Only a parent can remove its ended children from the process table, so
        the shepherd takes the processor time that this needs, if it may."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        with Urgent():
            while self.in_storm:
                self.turn(wakeup)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})

    def is_forsaken(self) -> bool:
        """Return True if the shepherd has been idle and alone for a while, and every end is told or
        written down. Return True also if the state directory is gone: no agent is left to be
        told."""
        if self.agent.sock is not None:
            return False
        if time.monotonic() - self.agent.alone_since_s <= _IDLE_S:
            return False
        return self.has_told or not os.path.isdir(self.jobs)

    def timeout_s(self) -> float | None:
        due = [time.monotonic() + _STORM_PAUSE_S] if self.in_storm else []
        due += [] if self.agent.sock is not None else [self.agent.redial_at_s]
        unit_s = self.unit.next_s() if self.unit is not None else None
        if unit_s is not None:
            due.append(unit_s)
        if not due:
            return None
        return min(max(0.0, min(due) - time.monotonic()), _LONGEST_WAIT_S)

    # ------------------------------------------------------------ the agent

    def dial(self) -> None:
        """Reach for an agent, and tell it what unit is here, and which end it does not know of."""
        if not self.agent.dial():
            return
        unit = self.unit
        self.agent.tell(
            op="here",
            shepherd=self.identity,
            unit=unit.name if unit else None,
            pid=unit.pid if unit else None,
        )
        if self.untold is not None and self.agent.tell(**self.untold):
            self.untold = None

    def hear(self) -> None:
        """Do what the agent says."""
        numbers: list[tuple[int, str]] = []
        for said in _latest(self.agent.hear()):
            try:
                if said.startswith(_RUN) and self.unit is None:  # read by the child
                    self.pass_on(numbers)
                    self.start(said)
                    continue
                order = json.loads(said)
                if order["op"] == "signal":
                    check_signal(order["signal"])
                    whom = order.get("whom", "every")
                    numbers.append((order["signal"], whom if isinstance(whom, str) else "every"))
                    continue
                self.pass_on(numbers)
                self.obey(order, said)
            except (*UNUSABLE, RecursionError) as error:
                log(f"no order of an agent: {error!r}")
        self.pass_on(numbers)

    def pass_on(self, signals: list[tuple[int, str]]) -> None:
        """Send signals that came together to the unit, and forget them. Each is for every process,
        or, as a signal ahead of a limit, for those that `whom` names."""
        told = signals[:]
        signals.clear()
        if self.unit is None:
            return
        if numbers := [number for number, whom in told if whom not in ("main", "all")]:
            ending.send_all(self.unit.descendants, numbers)
        for number, whom in told:
            if whom in ("main", "all"):
                ending.warn(self.unit.descendants, self.unit.main_pid, number, whom)

    def obey(self, message: dict[str, Any], said: bytes) -> None:
        op = message["op"]
        if op == "run" and self.unit is None:
            self.start(said)
        elif op == "stop" and self.unit is not None:
            grace_s = message.get("grace_s")
            self.unit.end(message["cause"], None if grace_s is None else finite_s(grace_s))
        elif op == "limit" and self.unit is not None:
            deadline_s = message["deadline_s"]
            self.unit.set_limit(
                None if deadline_s is None else finite_s(deadline_s),
                [finite_s(at_s) for at_s in message["warn_at_s"]],
            )
        elif op == "suspend" and self.unit is not None:
            self.unit.suspend(message["suspended"] is True)
        elif op == "quit" and self.unit is None:
            self.quit = True

    # ------------------------------------------------------------ the unit

    def start(self, order: bytes) -> None:
        """Start a unit, or tell the agent why that is not done."""
        try:
            started = spawn(order, self.jobs, self.boot, self.identity, self.agent.sock)
        except OSError as error:
            name = json.loads(order)["unit"]
            self.agent.tell(op="unable", unit=name, message=error.strerror, suspect=False)
            return
        unit, problem, text = started.unit, started.problem, started.text
        if unit is None:
            self.tell_unclaimed(json.loads(order)["unit"], problem, text)
        elif problem == main_process.LAUNCH:
            unit.cause, unit.message, unit.fault = "launch", text, started.fault
            self.finish(unit)
        elif problem:
            withdraw(unit)  # nothing has run, so that it may be tried again
            suspect = problem == main_process.SUSPECT
            self.agent.tell(op="unable", unit=unit.name, message=text, suspect=suspect)
        else:
            self.unit = unit
            self.agent.tell(op="started", unit=unit.name, pid=unit.pid)

    def tell_unclaimed(self, name: str, problem: str, text: str) -> None:
        if problem == main_process.REFUSED:
            self.agent.tell(op="refused", unit=name)
        elif problem == main_process.NODE:
            self.agent.tell(op="unable", unit=name, message=text)
        else:  # otherwise the agent would wait for a unit that no shepherd has
            log(f"no order of an agent: {text}")
            status: dict[str, Any] = {"cause": "launch", "message": text, "fault": faults.JOB}
            status["ended_s"] = time.time()
            self.agent.tell(op="ended", unit=name, status=status)

    def watch(self, unit: UnitProcesses) -> None:
        if not self.collect(unit):
            unit.advance(time.monotonic())
            if not unit.reap():
                if not unit.is_held:
                    return
                log(f"{unit.name}: what has ended of it is traced, and left to its tracer")
                unit.leave()
                self.leaves_children = True
        self.unit = None
        self.finish(unit)

    def collect(self, unit: UnitProcesses) -> bool:
        """Collect ended children, though not for ever; True when nothing of the unit is left."""
        until_s = time.monotonic() + _STORM_TURN_S
        ended = 0
        while True:
            over = unit.reap()
            ended += unit.ended
            if unit.ended < REAPED_AT_ONCE or time.monotonic() >= until_s:
                break
        if ended >= (_STORM_GOES_ON if self.in_storm else REAPED_AT_ONCE):
            self.storm_until_s = time.monotonic() + _STORM_S
        return over

    def finish(self, unit: UnitProcesses) -> None:
        if unit.quota is not None:
            unit.quota.close()
        if unit.end_note is not None:
            unit.end_note.close()
        sent_sigterm = self.sigterm_s is not None and self.sigterm_s >= unit.started_s
        status = unit.status(self.boot) | {"shepherd_sent_sigterm": sent_sigterm}
        written = self.write_status(os.path.join(unit.directory, "status.json"), line(status))
        self.only_copy = not written
        ended = {"op": "ended", "unit": unit.name, "status": status}
        if not self.agent.tell(**ended):
            self.untold = ended
        self.agent.alone_since_s = time.monotonic()

    def write_status(self, path: str, text: bytes) -> bool:
        try:
            with open(path, "wb", buffering=0, opener=private) as file:
                file.write(text)
                # A connected agent has the end committed by the daemon in a moment. Without an
                # agent, this file is the only copy. (Syncing always would halve the rate at which
                # short jobs run.)
                if self.agent.sock is None:
                    os.fsync(file.fileno())
        except OSError as error:  # the agent is told even if there is no space for the file
            log(f"{path}: {error.strerror}")
            return False
        return True


def _latest(orders: list[bytes]) -> Iterable[bytes]:
    """Return each of several orders once, in the order of their last occurrences.

    Signals may come faster than they can be sent, while the unit's limit and its stop wait. The
    kernel, too, keeps one pending signal of a kind.
    """
    return reversed(dict.fromkeys(reversed(orders)))
