"""Starts one unit at a time, watches over its process tree, and writes down how it ended.

    python -I -S shepherd.py CONTROL_SOCKET JOBS_DIR

A unit is the process tree of a job's script or of a task. The shepherd is a child subreaper, so
whatever a unit starts stays below it. It takes units from the agent, but needs none to go on: it
enforces the limit itself, leaves `running.json` and `status.json` in the unit's directory, and
dials the control socket again when an agent went away. Standard library only, and little of it:
there is one such process for every running unit.

The shepherd of a root agent is root's, so that no user can touch it. It starts units as their users
and does everything with a user's paths with that user's rights.

Messages are JSON objects, one a line. From the agent: `run` (see `Unit`), `stop` with a cause,
`signal` with a number, `quit`. To the agent: `here` upon dialing, then `started`, `ended` (with
what is in `status.json`), `refused` when the unit has been claimed before or was given up, and
`unable` when this machine could not start it now, for no fault of the unit (`suspect`: unless a
file of its user's is the reason).
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from rmsd_agent import accounts, cgroups, outputs, processes, user_paths
    from rmsd_agent.accounts import Account
    from rmsd_agent.outputs import LaunchError, NodeError
    from rmsd_agent.user_paths import Place
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    import accounts
    import cgroups
    import outputs
    import processes
    import user_paths
    from outputs import LaunchError, NodeError
    from user_paths import Place
if os.geteuid() == 0:
    import subprocess

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_USERS_UMASK = 0o022
_STAND_IN = "/bin/true"
"""A program that is no user's."""
_IDLE_S = 10.0  # an idle shepherd without an agent leaves after this
_REDIAL_S = (0.2, 1.0)  # first and longest pause between two attempts to reach an agent
_KILL_ROUND_S = (0.01, 1.0)  # likewise between two rounds of SIGKILL
_LOOKS_IN_VAIN = 3
"""Rounds of SIGKILL with nothing alive, until children that nobody collects are left behind."""
_CHASE = 200
"""Looks at our children in a round, each in some 30 us, while processes end that were not seen."""
_QUOTA_POLL_S = 1.0
_LONGEST_WAIT_S = 86400.0  # at a time: select takes no more than 292 years
_MAX_TEXT = 4096  # characters of what is told to people
_REAPED_AT_ONCE = 500
"""Children that are collected, in some 5 ms, before anything else gets its turn. When as many have
ended since the last turn, the shepherd is in a storm."""
_STORM_GOES_ON = 50
"""Children that have ended since the last turn in a storm, for it to go on."""
_STORM_S = 1.0
"""A storm is over after so long with fewer."""
_STORM_PAUSE_S = 0.02
"""Between two turns in a storm. To wake for each child would take a processor."""
_STORM_TURN_S = 0.1
"""Time for which ended children are collected before the agent and deadlines get their turn."""
_UNUSABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What an order that is not as it should be raises where it is carried out."""
_ALL_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


class Unit:
    """A unit that runs. Built from `run`: unit (directory below JOBS_DIR), argv, cwd, env, stdout,
    stderr ("": the same file), limit_s (None: no limit), kill_grace_s, warn (None: no signal ahead
    of the limit; else `warning.Warn`), keep_as ("": output files are overwritten; else what is
    there is kept under its name with this at the end), user (None: the shepherd's own account; else
    the unit runs as this one), allow_root (whether that may be root's), own_output (the output
    files are in the unit's directory), max_output_bytes (0: any number), max_more_tasks (how many
    processes and threads the user may have beside all that the machine has at the start; 0: any
    number), script (argv begins with the script in there), cgroup (None, or the directory of its
    own; its limits are the parent's), cgroup_home (where the shepherd is), and for an emulated job
    until_s: argv gets the seconds until then, of CLOCK_MONOTONIC, as its last argument.
    """

    def __init__(self, spec: dict[str, Any], directory: str) -> None:
        self.name: str = spec["unit"]
        self.directory = directory
        self.grace_s = _seconds(spec["kill_grace_s"])
        self.started_s = time.monotonic()
        limit_s = spec["limit_s"]
        self.deadline_s = None if limit_s is None else self.started_s + _seconds(limit_s)
        self.warn: dict[str, Any] | None = spec["warn"]
        self.warn_at_s: list[float] = []  # still to come
        if self.warn:
            _check_signal(self.warn["number"])
            self.warn_at_s = [_seconds(at_s) for at_s in self.warn["at_s"]]
        self.quota: outputs.Quota | None = None
        self.quota_at_s: float | None = None  # when to look at it
        self.cgroup: str | None = spec["cgroup"]
        self.pid: int | None = None
        self.message = ""
        self.cause = ""  # why it ends, once that is known: the first cause counts
        self.kill_at_s: float | None = None  # when the next round of SIGKILL is due
        self.kill_pause_s = _KILL_ROUND_S[0]
        self.reached = False  # its end has begun
        self.looks_in_vain = 0  # rounds of SIGKILL, one after the other, in which nothing happened
        self.left: set[int] | None = None  # what had ended when the last of these looks was done
        self.ended = 0  # children collected by the last `reap`
        self.collected: set[int] = set()  # since that look
        self.wait_status: int | None = None  # of the main process
        self.cpu_s = 0.0
        self.max_rss_kib = 0

    def end(self, cause: str) -> None:
        """SIGTERM to the whole tree now, SIGKILL after the grace; or SIGKILL at once. The grace of
        an earlier cause ends when the unit takes more than it may."""
        if self.cause:
            if cause in processes.KILLED_AT_ONCE and self.kill_at_s is not None:
                self.kill_at_s = min(self.kill_at_s, time.monotonic())
        else:
            self.cause = cause
            self.kill_at_s = time.monotonic()
            if cause not in processes.KILLED_AT_ONCE:
                self.kill_at_s += self.grace_s  # which includes what it takes to reach them all
                self.reach_all(processes.terminate)

    def advance(self, now_s: float) -> None:
        """Do what is due: the signal ahead of the limit, the limit, rounds of SIGKILL."""
        if self.warn and self.warn_at_s and now_s >= self.warn_at_s[0] and not self.cause:
            self.warn_at_s.pop(0)
            processes.warn(self.descendants, self.pid, self.warn["number"], self.warn["whom"])
        if self.deadline_s is not None and now_s >= self.deadline_s:
            self.end("limit")
        if self.quota is not None and self.quota_at_s is not None and now_s >= self.quota_at_s:
            self.quota_at_s = now_s + _QUOTA_POLL_S
            if excess := self.quota.excess():
                if not self.cause:
                    self.message = excess
                self.end("quota")
        if self.kill_at_s is not None and now_s >= self.kill_at_s:
            killed = self.cgroup is not None and cgroups.kill(self.cgroup)
            if not killed or self.kill_pause_s > _KILL_ROUND_S[0]:  # somebody may have left it
                self.reach_all(processes.kill)
            if self.kill_pause_s > _KILL_ROUND_S[0]:
                self.look_for_life()
            self.kill_at_s = time.monotonic() + self.kill_pause_s
            self.kill_pause_s = min(self.kill_pause_s * 2, _KILL_ROUND_S[1])

    def reach_all(self, end: Callable[[Callable[[], set[int]], int | None], None]) -> None:
        """End the whole tree with one of `processes`. The first time, the main process's group is
        stopped ahead of the search: most of a fork bomb is in there."""
        first, self.reached = not self.reached, True
        with processes.Urgent():
            end(self.descendants, self.pid if first else None)

    def look_for_life(self) -> None:
        """Count the rounds in which nothing of the unit is alive, though children are left.

        What traces a process (ptrace(2)) collects it first, and may never do so. A process that
        forks and ends while it is looked for may escape every look, but each time it leaves one
        more that has ended: nothing was alive only if no others have ended than had before.
        """
        try:
            alive, ended = processes.below(os.getpid(), self.reap)
            before, collected = self.left, self.collected
            self.left, self.collected = ended, set()
            if alive:
                self.looks_in_vain = 0
            elif before is not None and ended | collected <= before:
                self.looks_in_vain += 1
            else:
                self.looks_in_vain = 1
                self.chase()
        except OSError:
            self.looks_in_vain = 0  # nothing is known

    def chase(self) -> None:
        """Kill what ends before it is looked at. Nobody but us collects our children, so that what
        has the pid of one is that child. The youngest comes first: the others have ended."""
        with processes.Urgent():
            for _ in range(_CHASE):
                if self.reap():
                    return
                processes.send(reversed(processes.children(os.getpid())), signal.SIGKILL)

    @property
    def is_held(self) -> bool:
        """Whether all that is left has ended, and a process out of our reach will not let it go."""
        return self.looks_in_vain >= _LOOKS_IN_VAIN

    def leave(self) -> None:
        """Give up what is held, with the end of the main process as the kernel shows it."""
        if self.wait_status is None and self.pid is not None:
            self.wait_status = processes.wait_status(self.pid)

    def descendants(self) -> set[int]:
        """The pids of all that is alive below us. Whatever ends during the search is collected."""
        try:
            return processes.descendants(os.getpid(), self.reap)
        except OSError as error:  # no file can be opened now: the next round of SIGKILL finds them
            _log(f"/proc: {error.strerror}")
            return set()

    def next_s(self) -> float | None:
        """When `advance` has something to do."""
        due = [self.quota_at_s]
        if self.cause:
            due.append(self.kill_at_s)
        else:
            due += [self.deadline_s, *self.warn_at_s[:1]]
        return min((at_s for at_s in due if at_s is not None), default=None)

    def reap(self) -> bool:
        """Collect what has ended, but only so much at once; True when nothing of the unit is left.

        A subreaper without children has no descendants at all: one call tells, without a walk
        through /proc.
        """
        for self.ended in range(_REAPED_AT_ONCE):
            try:
                pid, wait_status, usage = os.wait3(os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if self.left is not None:
                self.collected.add(pid)
            self.cpu_s += usage.ru_utime + usage.ru_stime
            self.max_rss_kib = max(self.max_rss_kib, usage.ru_maxrss)
            if pid == self.pid:
                self.wait_status = wait_status
                if not self.cause:
                    self.cause = "memory" if self.was_too_large() else "exit"
                    self.kill_at_s = time.monotonic()  # what it left behind
        self.ended = _REAPED_AT_ONCE
        return False

    def was_too_large(self) -> bool:
        """Whether the kernel has killed it for its memory: for the job's limit, which ends all of
        the job, and not because the machine had none left."""
        if self.cgroup is None or self.wait_status is None:
            return False
        killed = os.waitstatus_to_exitcode(self.wait_status) == -signal.SIGKILL
        return killed and cgroups.exceeded_memory(f"{self.cgroup}/..")

    def status(self, boot: str) -> dict[str, Any]:
        """How it ended, as for `status.json`. `max_rss_mib` is that of the largest process."""
        code = None if self.wait_status is None else os.waitstatus_to_exitcode(self.wait_status)
        ran = code is not None
        return {
            "cause": self.cause,
            "exit_code": code if code is not None and code >= 0 else None,
            "signal": -code if code is not None and code < 0 else None,
            "message": _cut(self.message),
            "cpu_s": round(self.cpu_s, 6) if ran else None,
            "max_rss_mib": -(-self.max_rss_kib // 1024) if ran else None,
            "ended_s": time.time(),
            "ended_mono_s": time.monotonic(),
            "boot_id": boot,
        }


class Shepherd:
    """The loop: agent, children, deadlines."""

    def __init__(self, control: str, jobs: str) -> None:
        self.control = control
        self.jobs = jobs
        self.boot = processes.boot_id()
        own = processes.process(os.getpid())
        self.identity = [os.getpid(), own.start_ticks if own else 0]
        self.unit: Unit | None = None
        self.agent: socket.socket | None = None
        self.heard = b""
        self.untold: dict[str, Any] | None = None  # an end that no agent could be told
        self.only_copy = False  # nor written down
        self.redial_at_s = 0.0
        self.redial_pause_s = _REDIAL_S[0]
        self.alone_since_s = time.monotonic()
        self.quit = False
        self.leaves_children = False  # of a unit that is over
        self.storm_until_s = 0.0
        self.wakeup = _wake_on_child_exit()

    def run(self) -> None:
        """Serve until the agent says `quit`, or until idle and alone for a while."""
        while self.turn():
            if self.in_storm:
                self.weather()

    @property
    def in_storm(self) -> bool:
        """Whether children of the unit end by the hundreds."""
        return self.unit is not None and time.monotonic() < self.storm_until_s

    def turn(self) -> bool:
        """Wait until there is something to do, and do it; False when there is nothing left."""
        if self.agent is None:
            self.dial()
        waiting_for: list[int | socket.socket] = [self.wakeup]
        if self.agent is not None:
            waiting_for.append(self.agent)
        ready, _, _ = select.select(waiting_for, [], [], self.timeout_s())
        if self.wakeup in ready:
            os.read(self.wakeup, 4096)
        if self.agent in ready:
            self.hear()
        if self.unit is not None:
            self.watch(self.unit)
        elif self.is_forsaken():
            return False
        return not (self.quit or self.is_unfit)

    @property
    def is_unfit(self) -> bool:
        """Whether no other unit may be had, since children of an earlier one are left."""
        return self.leaves_children and self.unit is None and self.has_told

    @property
    def has_told(self) -> bool:
        """Whether the end of every unit is told, or at least written down."""
        return self.untold is None or not self.only_copy

    def weather(self) -> None:
        """Serve in a storm. Only a parent can remove its ended children from the process table, so
        the shepherd takes the processor time that this needs, if it may."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        with processes.Urgent():
            while self.in_storm:
                self.turn()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})

    def is_forsaken(self) -> bool:
        """Idle and alone for a while, with nothing to tell that is not written down; or nobody is
        left to be told, since the state directory is gone."""
        if self.agent is not None or time.monotonic() - self.alone_since_s <= _IDLE_S:
            return False
        return self.has_told or not os.path.isdir(self.jobs)

    def timeout_s(self) -> float | None:
        due = [time.monotonic() + _STORM_PAUSE_S] if self.in_storm else []
        due += [] if self.agent is not None else [self.redial_at_s]
        unit_s = self.unit.next_s() if self.unit is not None else None
        if unit_s is not None:
            due.append(unit_s)
        if not due:
            return None
        return min(max(0.0, min(due) - time.monotonic()), _LONGEST_WAIT_S)

    # ------------------------------------------------------------ the agent

    def dial(self) -> None:
        if time.monotonic() < self.redial_at_s:
            return
        try:
            agent = _connected(self.control)
        except OSError:
            self.redial_at_s = time.monotonic() + self.redial_pause_s
            self.redial_pause_s = min(self.redial_pause_s * 2, _REDIAL_S[1])
            return
        self.agent = agent
        self.redial_pause_s = _REDIAL_S[0]
        unit = self.unit
        self.tell(
            op="here",
            shepherd=self.identity,
            unit=unit.name if unit else None,
            pid=unit.pid if unit else None,
        )
        if self.untold is not None and self.tell(**self.untold):
            self.untold = None

    def tell(self, **message: Any) -> bool:
        if self.agent is None:
            return False
        try:
            self.agent.sendall(_line(message))
        except OSError:
            self.lose_agent()
            return False
        return True

    def hear(self) -> None:
        assert self.agent is not None
        try:
            chunk = self.agent.recv(1 << 18)
        except OSError:
            chunk = b""
        if not chunk:
            self.lose_agent()
            return
        *lines, self.heard = (self.heard + chunk).split(b"\n")
        signals: list[int] = []
        for line in _latest(lines):
            try:
                order = json.loads(line)
                if order["op"] == "signal":
                    _check_signal(order["signal"])
                    signals.append(order["signal"])
                    continue
                self.pass_on(signals)
                self.obey(order)
            except (*_UNUSABLE, RecursionError) as error:
                _log(f"no order of an agent: {error!r}")
        self.pass_on(signals)

    def pass_on(self, signals: list[int]) -> None:
        """Send signals that came together to the unit, and forget them."""
        numbers = signals[:]
        signals.clear()
        if numbers and self.unit is not None:
            processes.send_all(self.unit.descendants, numbers)

    def lose_agent(self) -> None:
        if self.agent is not None:
            self.agent.close()
        self.agent = None
        self.heard = b""
        self.redial_at_s = self.alone_since_s = time.monotonic()

    def obey(self, message: dict[str, Any]) -> None:
        op = message["op"]
        if op == "run" and self.unit is None:
            self.start(message)
        elif op == "stop" and self.unit is not None:
            self.unit.end(message["cause"])
        elif op == "quit" and self.unit is None:
            self.quit = True

    # ------------------------------------------------------------ the unit

    def start(self, spec: dict[str, Any]) -> None:
        try:
            unit = Unit(spec, os.path.join(self.jobs, spec["unit"]))
        except _UNUSABLE as error:
            # The agent would wait for a unit that nobody has.
            why = _cut(f"the agent asked for what cannot be: {error!r}")
            status = {"cause": "launch", "message": why, "ended_s": time.time()}
            self.tell(op="ended", unit=spec["unit"], status=status)
            raise
        record = {
            "boot_id": self.boot,
            "shepherd": self.identity,
            "pid": None,
            "start_ticks": None,
            "deadline_s": unit.deadline_s,
            "kill_grace_s": unit.grace_s,
            "warn": unit.warn,
            "cgroup": unit.cgroup,
            "uid": None,
        }

        def found(uid: int) -> None:
            """Write down whose unit it is, before there is any process of it."""
            record["uid"] = uid
            claim.write(_line(record))
            claim.flush()

        running = os.path.join(unit.directory, "running.json")
        try:
            # Only who makes this file may start it.
            claim = open(running, "xb", opener=_private)  # noqa: SIM115
        except (FileExistsError, FileNotFoundError):
            self.tell(op="refused", unit=unit.name)
            return
        except OSError as error:
            self.tell(op="unable", unit=unit.name, message=f"{running}: {error.strerror}")
            return
        try:
            with claim:
                claim.write(_line(record))
                claim.flush()
                unit.pid, unit.quota = _spawned(spec, found)
                if unit.quota is not None:
                    unit.quota_at_s = unit.started_s + _QUOTA_POLL_S
                child = processes.process(unit.pid)  # ours and not reaped: it is there
                record |= {"pid": unit.pid, "start_ticks": child.start_ticks if child else 0}
                claim.write(_line(record))
        except LaunchError as error:
            unit.cause, unit.message = "launch", str(error)
            self.finish(unit)
            return
        except (NodeError, OSError) as error:
            problem = f"{running}: {error.strerror}" if isinstance(error, OSError) else str(error)
            if unit.pid is None:
                os.unlink(running)  # nothing has run: it may be tried again
                suspect = isinstance(error, NodeError) and error.suspect
                self.tell(op="unable", unit=unit.name, message=_cut(problem), suspect=suspect)
                return
            _log(problem)  # it runs, though nobody else can know its pid
        self.unit = unit
        self.tell(op="started", unit=unit.name, pid=unit.pid)

    def watch(self, unit: Unit) -> None:
        if not self.collect(unit):
            unit.advance(time.monotonic())
            if not unit.reap():
                if not unit.is_held:
                    return
                _log(f"{unit.name}: what has ended of it is traced, and left to its tracer")
                unit.leave()
                self.leaves_children = True
        self.unit = None
        self.finish(unit)

    def collect(self, unit: Unit) -> bool:
        """Collect ended children, though not for ever; True when nothing of the unit is left."""
        until_s = time.monotonic() + _STORM_TURN_S
        ended = 0
        while True:
            over = unit.reap()
            ended += unit.ended
            if unit.ended < _REAPED_AT_ONCE or time.monotonic() >= until_s:
                break
        if ended >= (_STORM_GOES_ON if self.in_storm else _REAPED_AT_ONCE):
            self.storm_until_s = time.monotonic() + _STORM_S
        return over

    def finish(self, unit: Unit) -> None:
        if unit.quota is not None:
            unit.quota.close()
        status = unit.status(self.boot)
        written = self.write_status(os.path.join(unit.directory, "status.json"), _line(status))
        self.only_copy = not written
        ended = {"op": "ended", "unit": unit.name, "status": status}
        if not self.tell(**ended):
            self.untold = ended
        self.alone_since_s = time.monotonic()

    def write_status(self, path: str, line: bytes) -> bool:
        try:
            with open(path, "wb", buffering=0, opener=_private) as file:
                file.write(line)
                # An agent that hears of it has it committed elsewhere in a moment; alone, this file
                # is all there is. (Syncing always would halve the rate at which short jobs run.)
                if self.agent is None:
                    os.fsync(file.fileno())
        except OSError as error:  # without room for it, the agent is told anyway
            _log(f"{path}: {error.strerror}")
            return False
        return True


def _latest(orders: list[bytes]) -> Iterable[bytes]:
    """Return each of several orders once, in the order of their last occurrences.

    Signals may come faster than they can be sent, while the unit's limit and its stop wait. The
    kernel, too, keeps one pending signal of a kind.
    """
    return reversed(dict.fromkeys(reversed(orders)))


def _seconds(value: Any) -> float:
    """Return a time that can be waited for. Raises ValueError, TypeError."""
    seconds = float(value)
    if not abs(seconds) < float("inf"):
        raise ValueError(f"{seconds} seconds")
    return seconds


def _check_signal(number: Any) -> None:
    """Raises ValueError, TypeError: there is no such signal."""
    if number not in range(1, signal.NSIG):
        raise ValueError(f"signal {number}")


def _connected(path: str) -> socket.socket:
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        agent.settimeout(5)
        agent.connect(path)
    except OSError:
        agent.close()
        raise
    return agent


def _spawned(
    spec: dict[str, Any], found: Callable[[int], None]
) -> tuple[int, outputs.Quota | None]:
    """`_spawn`, with a LaunchError for what no agent of this version would ask for."""
    try:
        return _spawn(spec, found)
    except _UNUSABLE as error:
        raise LaunchError(f"the agent asked for what cannot be: {error!r}") from None


def _spawn(spec: dict[str, Any], found: Callable[[int], None]) -> tuple[int, outputs.Quota | None]:
    """Start argv in a session of its own, with clean signals; its pid, and what it may write.

    `found` is told the user id of its processes before they are started.
    """
    argv: list[str] = spec["argv"]
    fds: list[int] = []
    quota: outputs.Quota | None = None
    pid = 0
    try:
        account = _account(spec)
        found(os.getuid() if account is None else account.uid)
        env: dict[str, str] = spec["env"] if account is None else account.env(spec["env"])
        paths = list(dict.fromkeys((spec["stdout"], spec["stderr"] or spec["stdout"])))
        if spec["own_output"]:
            fds += [outputs.open_own(path, account) for path in paths]
        with accounts.ActingAs(account):
            _enter(spec["cwd"])
            if not spec["own_output"]:
                for path in paths:
                    outputs.keep(path, spec["keep_as"])
                    fds.append(outputs.open_output(path))
            program = _find_program(argv[0], env.get("PATH", os.defpath))
        if (until_s := spec.get("until_s")) is not None:
            argv = [*argv, f"{max(0.0, until_s - time.monotonic()):.6f}"]
        script = argv[0] if spec["script"] else None
        quota = outputs.quota_of(fds, script, spec["max_output_bytes"])
        _enter_cgroup(spec["cgroup"])
        more = 0 if account is None else spec["max_more_tasks"]
        try:
            pid = _started(account, more, program, argv, env, fds)
        except OSError as error:
            if error.errno in outputs.NODES_FAULT:
                suspect = _can_start(account, more, fds)
                raise NodeError(f"{program}: {error.strerror}", suspect) from None
            with accounts.ActingAs(account):
                raise LaunchError(_exec_problem(program, error)) from None
        return pid, quota
    except accounts.AccountError as error:
        raise LaunchError(str(error)) from None
    except ValueError as error:  # a NUL byte in a path or argument, a '=' in a variable's name
        raise LaunchError(f"{argv[0]}: {error}") from None
    finally:
        _leave_cgroup(spec)
        if quota is not None and not pid:
            quota.close()
        outputs.close(fds)
        os.chdir("/")


def _enter_cgroup(path: str | None) -> None:
    """What is started now begins there: moved later, it might have forked before."""
    if path is not None:
        try:
            cgroups.make(path)
            cgroups.enter(path)
        except OSError as error:
            raise NodeError(f"cgroup {path}: {error.strerror}") from None


def _leave_cgroup(spec: dict[str, Any]) -> None:
    if spec["cgroup"] is not None:
        try:
            cgroups.enter(spec["cgroup_home"])
        except OSError as error:  # we are ended with our unit, which others look after then
            _log(f"cgroup {spec['cgroup_home']}: {error.strerror}")


def _can_start(account: Account | None, more: int, fds: list[int]) -> bool:
    """Return True if this machine can start a program now, as the same account."""
    try:
        pid = _started(account, more, _STAND_IN, [_STAND_IN], {}, fds)
    except NodeError:
        return False
    except OSError as error:  # a machine without this program has been able to look for it
        return error.errno not in outputs.NODES_FAULT
    os.kill(pid, signal.SIGKILL)  # its user may have stopped it
    os.waitpid(pid, 0)
    return True


def _started(
    account: Account | None,
    more: int,
    program: str,
    argv: list[str],
    env: dict[str, str],
    fds: list[int],
) -> int:
    if account is None:
        return _start(program, argv, env, fds)
    with _LimitedTasks(account, more):
        return _start_as(account, program, argv, env, fds)


def _start(program: str, argv: list[str], env: dict[str, str], fds: list[int]) -> int:
    return os.posix_spawn(
        program,
        argv,
        env,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, fds[0], 1),
            (os.POSIX_SPAWN_DUP2, fds[-1], 2),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=_ALL_SIGNALS,
    )


def _start_as(
    account: Account, program: str, argv: list[str], env: dict[str, str], fds: list[int]
) -> int:
    """posix_spawn cannot change who the child is; this forks, and takes a fraction of a ms more.

    Nothing but this thread is here, so that the child may call Python before it executes.
    """
    try:
        child = subprocess.Popen(
            argv,
            executable=program,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=fds[0],
            stderr=fds[-1],
            start_new_session=True,
            user=account.uid,
            group=account.gid,
            extra_groups=account.groups,
            umask=_USERS_UMASK,
            preexec_fn=accounts.new_session_keyring,
        )
    except subprocess.SubprocessError:  # of `preexec_fn`; its error is not passed on
        raise NodeError(f"{program}: the kernel gives it no session keyring") from None
    child.returncode = 0  # it is waited for elsewhere
    return child.pid


class _LimitedTasks:
    """A context in which what is started for a user may not start processes without end.

    The kernel counts all processes and threads of the user's on the machine (RLIMIT_NPROC). To
    count them here would take a walk through /proc, so all that the machine has stand in for those
    that the user has already. The kernel never holds root to such a limit, and jobs of root's may
    become other users, so theirs is left as it is.
    """

    def __init__(self, account: Account, more: int) -> None:
        self._more = more if account.uid != 0 else 0
        self._given = resource.getrlimit(resource.RLIMIT_NPROC)

    def __enter__(self) -> None:
        if self._more:
            allowed = processes.tasks_on_this_machine() + self._more
            soft, hard = (
                allowed if given == resource.RLIM_INFINITY else min(given, allowed)
                for given in self._given
            )
            resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))

    def __exit__(self, *_: object) -> None:
        try:
            resource.setrlimit(resource.RLIMIT_NPROC, self._given)
        except (ValueError, OSError):  # root without CAP_SYS_RESOURCE: our next unit has it, too
            return


def _account(spec: dict[str, Any]) -> Account | None:
    """Who the unit runs as; None: as the shepherd itself does."""
    if spec["user"] is None:
        return None
    account = accounts.find(spec["user"], spec["allow_root"])
    if spec["script"]:
        os.chown(spec["argv"][0], account.uid, account.gid)
    return account


def _enter(cwd: str) -> None:
    try:
        with Place(cwd, directory=True) as place:
            os.fchdir(place.fd)
    except OSError as error:
        raise LaunchError(f"working directory {cwd}: {error.strerror}") from None


def _find_program(name: str, path: str) -> str:
    if "/" in name:
        return name
    for directory in path.split(os.pathsep):
        candidate = os.path.join(directory or ".", name)
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK, effective_ids=True):
            return candidate
    raise LaunchError(f"{name}: command not found")


def _exec_problem(program: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        try:
            fd = user_paths.open_regular(program)
            if fd is not None:
                with open(fd, "rb") as file:
                    first = file.readline(200).decode(errors="replace").strip()
                return f"{program}: its interpreter '{first}' was not found"
        except OSError:  # it is not there, or may be executed and not read
            pass
    return f"{program}: {error.strerror}"


def _private(path: str, flags: int) -> int:
    """An `opener` for files that others may not read."""
    return os.open(path, flags, 0o600)


def _cut(text: str) -> str:
    """Return a text that the agent can read, its end included: there stands the reason.

    This is `rmsd_wire.frames.cut` once more, since a shepherd has the standard library alone.
    """
    if len(text) > _MAX_TEXT:
        text = f"{text[: _MAX_TEXT // 2]} [...] {text[-_MAX_TEXT // 4 :]}"
    return text.encode(errors="replace").decode()  # a path may be of bytes that are no text


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def _log(text: str) -> None:
    try:
        os.write(2, f"shepherd {os.getpid()}: {text}\n".encode())
    except OSError:
        return  # the log is on the same full disk


def _wake_on_child_exit() -> int:
    """A descriptor that becomes readable with SIGCHLD."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _ignore)
    return reader


def _ignore(_number: int, _frame: object) -> None:
    """As a handler rather than SIG_IGN: what we start does not inherit it."""


def _clean_signals() -> None:
    """What our parents ignored or blocked is no business of what we start."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in _ALL_SIGNALS - {signal.SIGPIPE, signal.SIGXFSZ}:  # ignored by Python, for itself
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _prctl(option: int, name: str) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({name})")


def main() -> None:
    control, jobs = sys.argv[1:]
    _prctl(_PR_SET_CHILD_SUBREAPER, "PR_SET_CHILD_SUBREAPER")
    if os.geteuid() == 0:  # its units are users': what they execute gives them no other rights
        _prctl(_PR_SET_NO_NEW_PRIVS, "PR_SET_NO_NEW_PRIVS")
        os.setgroups([])
        os.umask(_USERS_UMASK)  # for output files that it creates; its own files say their modes
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # who wants a core dump raises it again
    _clean_signals()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _ignore)  # only the unit's end, or SIGKILL, ends its shepherd
    os.chdir("/")
    Shepherd(control, jobs).run()


if __name__ == "__main__":
    main()
