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
`unable` when this machine could not start it now, for no fault of the unit.
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
    from collections.abc import Callable
    from typing import Any

    from rmsd_agent import accounts, cgroups, outputs, processes
    from rmsd_agent.accounts import Account
    from rmsd_agent.outputs import LaunchError, NodeError
else:
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    import accounts
    import cgroups
    import outputs
    import processes
    from outputs import LaunchError, NodeError
if os.geteuid() == 0:
    import subprocess

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_USERS_UMASK = 0o022
_IDLE_S = 10.0  # an idle shepherd without an agent leaves after this
_REDIAL_S = (0.2, 1.0)  # first and longest pause between two attempts to reach an agent
_KILL_ROUND_S = (0.01, 1.0)  # likewise between two rounds of SIGKILL
_QUOTA_POLL_S = 1.0
_ALL_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


class Unit:
    """A unit that runs. Built from `run`: unit (directory below JOBS_DIR), argv, cwd, env, stdout,
    stderr ("": the same file), limit_s (None: no limit), kill_grace_s, warn (None: no signal ahead
    of the limit; else `warning.Warn`), keep_as ("": output files are overwritten; else what is
    there is kept under its name with this at the end), user (None: the shepherd's own account; else
    the unit runs as this one), allow_root (whether that may be root's), own_output (the output
    files are in the unit's directory), max_output_bytes (0: any number), script (argv begins with
    the script in there), cgroup (None, or the directory of its own; its limits are the parent's),
    cgroup_home (where the shepherd is), and for an emulated job until_s: argv gets the seconds
    until then, of CLOCK_MONOTONIC, as its last argument.
    """

    def __init__(self, spec: dict[str, Any], directory: str) -> None:
        self.name: str = spec["unit"]
        self.directory = directory
        self.grace_s: float = spec["kill_grace_s"]
        self.started_s = time.monotonic()
        limit_s = spec["limit_s"]
        self.deadline_s: float | None = None if limit_s is None else self.started_s + limit_s
        self.warn: dict[str, Any] | None = spec["warn"]
        self.warn_at_s: list[float] = self.warn["at_s"][:] if self.warn else []  # still to come
        self.quota: outputs.Quota | None = None
        self.quota_at_s: float | None = None  # when to look at it
        self.cgroup: str | None = spec["cgroup"]
        self.pid: int | None = None
        self.message = ""
        self.cause = ""  # why it ends, once that is known: the first cause counts
        self.kill_at_s: float | None = None  # when the next round of SIGKILL is due
        self.kill_pause_s = _KILL_ROUND_S[0]
        self.stopped = False
        self.wait_status: int | None = None  # of the main process
        self.cpu_s = 0.0
        self.max_rss_kib = 0

    def end(self, cause: str) -> None:
        """SIGTERM to the whole tree now, SIGKILL after the grace; or SIGKILL at once."""
        if not self.cause:
            self.cause = cause
            self.kill_at_s = time.monotonic()
            if cause not in processes.KILLED_AT_ONCE:
                self.reach_all(processes.terminate)
                self.kill_at_s = time.monotonic() + self.grace_s

    def advance(self, now_s: float) -> None:
        """Do what is due: the signal ahead of the limit, the limit, rounds of SIGKILL."""
        if self.warn and self.warn_at_s and now_s >= self.warn_at_s[0] and not self.cause:
            self.warn_at_s.pop(0)
            processes.warn(_own_descendants, self.pid, self.warn["number"], self.warn["whom"])
        if self.deadline_s is not None and now_s >= self.deadline_s:
            self.end("limit")
        if self.quota is not None and self.quota_at_s is not None and now_s >= self.quota_at_s:
            self.quota_at_s = now_s + _QUOTA_POLL_S
            if not self.cause and (excess := self.quota.excess()):
                self.message = excess
                self.end("quota")
        if self.kill_at_s is not None and now_s >= self.kill_at_s:
            killed = self.cgroup is not None and cgroups.kill(self.cgroup)
            if not killed or self.kill_pause_s > _KILL_ROUND_S[0]:  # somebody may have left it
                self.reach_all(processes.kill)
            self.kill_at_s = time.monotonic() + self.kill_pause_s
            self.kill_pause_s = min(self.kill_pause_s * 2, _KILL_ROUND_S[1])

    def reach_all(self, end: Callable[[Callable[[], set[int]]], None]) -> None:
        """Do it to the whole tree. A look for who that is takes long beside a fork bomb, so most
        of that is stopped before, the first time: while anybody is in the main process's group, or
        it has just been reaped, that number is nobody else's."""
        with processes.Urgent():
            if self.pid is not None and not self.stopped and self.kill_pause_s == _KILL_ROUND_S[0]:
                processes.send_group(self.pid, signal.SIGSTOP)
                self.stopped = True
            end(_own_descendants)

    def next_s(self) -> float | None:
        """When `advance` has something to do."""
        if self.cause:
            return self.kill_at_s
        due = self.warn_at_s[:1]
        due += [at_s for at_s in (self.deadline_s, self.quota_at_s) if at_s is not None]
        return min(due, default=None)

    def reap(self) -> bool:
        """Collect what has ended; True when nothing of the unit is left.

        A subreaper without children has no descendants at all: one call tells, without a walk
        through /proc.
        """
        while True:
            try:
                pid, wait_status, usage = os.wait3(os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            self.cpu_s += usage.ru_utime + usage.ru_stime
            self.max_rss_kib = max(self.max_rss_kib, usage.ru_maxrss)
            if pid == self.pid:
                self.wait_status = wait_status
                if not self.cause:
                    self.cause = "memory" if self.was_too_large() else "exit"
                    self.kill_at_s = time.monotonic()  # what it left behind

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
            "message": self.message,
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
        self.wakeup = _wake_on_child_exit()

    def run(self) -> None:
        """Serve until the agent says `quit`, or until idle and alone for a while."""
        while not self.quit:
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
                return

    def is_forsaken(self) -> bool:
        """Idle and alone for a while, with nothing to tell that is not written down; or nobody is
        left to be told, since the state directory is gone."""
        if self.agent is not None or time.monotonic() - self.alone_since_s <= _IDLE_S:
            return False
        return self.untold is None or not self.only_copy or not os.path.isdir(self.jobs)

    def timeout_s(self) -> float | None:
        due = [] if self.agent is not None else [self.redial_at_s]
        unit_s = self.unit.next_s() if self.unit is not None else None
        if unit_s is not None:
            due.append(unit_s)
        return max(0.0, min(due) - time.monotonic()) if due else None

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
        for line in lines:
            self.obey(json.loads(line))

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
        elif op == "signal" and self.unit is not None:
            processes.send(_own_descendants(), message["signal"])
        elif op == "quit" and self.unit is None:
            self.quit = True

    # ------------------------------------------------------------ the unit

    def start(self, spec: dict[str, Any]) -> None:
        unit = Unit(spec, os.path.join(self.jobs, spec["unit"]))
        record = {
            "boot_id": self.boot,
            "shepherd": self.identity,
            "pid": None,
            "start_ticks": None,
            "deadline_s": unit.deadline_s,
            "kill_grace_s": unit.grace_s,
            "warn": unit.warn,
            "cgroup": unit.cgroup,
        }
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
                unit.pid, unit.quota = _spawn(spec)
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
                self.tell(op="unable", unit=unit.name, message=problem)
                return
            _log(problem)  # it runs, though nobody else can know its pid
        self.unit = unit
        self.tell(op="started", unit=unit.name, pid=unit.pid)

    def watch(self, unit: Unit) -> None:
        if not unit.reap():
            unit.advance(time.monotonic())
            if not unit.reap():
                return
        self.unit = None
        self.finish(unit)

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


def _connected(path: str) -> socket.socket:
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        agent.settimeout(5)
        agent.connect(path)
    except OSError:
        agent.close()
        raise
    return agent


def _spawn(spec: dict[str, Any]) -> tuple[int, outputs.Quota | None]:
    """Start argv in a session of its own, with clean signals; its pid, and what it may write."""
    account = _account(spec)
    env: dict[str, str] = spec["env"] if account is None else account.env(spec["env"])
    argv: list[str] = spec["argv"]
    fds: list[int] = []
    quota: outputs.Quota | None = None
    pid = 0
    try:
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
        quota = outputs.Quota.of(fds, script, spec["max_output_bytes"])
        _enter_cgroup(spec["cgroup"])
        try:
            if account is None:
                pid = _start(program, argv, env, fds)
            else:
                pid = _start_as(account, program, argv, env, fds)
        except OSError as error:
            if error.errno in outputs.NODES_FAULT:
                raise NodeError(f"{program}: {error.strerror}") from None
            with accounts.ActingAs(account):
                raise LaunchError(_exec_problem(program, error)) from None
        return pid, quota
    except ValueError as error:  # a NUL byte in a path or argument, a '=' in a variable's name
        raise LaunchError(f"{argv[0]}: {error}") from None
    finally:
        _leave_cgroup(spec)
        if quota is not None and not pid:
            quota.close()
        for fd in fds:
            os.close(fd)
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
    """posix_spawn cannot change who the child is; this forks, and takes a fraction of a ms more."""
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
    )
    child.returncode = 0  # it is waited for elsewhere
    return child.pid


def _account(spec: dict[str, Any]) -> Account | None:
    """Who the unit runs as; None: as the shepherd itself does."""
    if spec["user"] is None:
        return None
    try:
        account = accounts.find(spec["user"], spec["allow_root"])
        if spec["script"]:
            os.chown(spec["argv"][0], account.uid, account.gid)
    except accounts.AccountError as error:
        raise LaunchError(str(error)) from None
    return account


def _enter(cwd: str) -> None:
    try:
        os.chdir(cwd)
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
            with open(program, "rb", opener=_without_waiting) as file:
                first = file.readline(200).decode(errors="replace").strip()
        except OSError:  # it is not there, or may be executed and not read
            return f"{program}: {error.strerror}"
        return f"{program}: its interpreter '{first}' was not found"
    return f"{program}: {error.strerror}"


def _without_waiting(path: str, flags: int) -> int:
    """An `opener`: the user may have put a FIFO there meanwhile."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _private(path: str, flags: int) -> int:
    """An `opener` for files that others may not read."""
    return os.open(path, flags, 0o600)


def _own_descendants() -> set[int]:
    try:
        return processes.descendants(os.getpid())
    except OSError as error:  # no file can be opened now: the next round of SIGKILL finds them
        _log(f"/proc: {error.strerror}")
        return set()


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
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # who wants a core dump raises it again
    _clean_signals()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _ignore)  # only the unit's end, or SIGKILL, ends its shepherd
    os.chdir("/")
    Shepherd(control, jobs).run()


if __name__ == "__main__":
    main()
