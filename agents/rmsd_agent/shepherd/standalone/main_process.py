"""A child of the shepherd, from its fork to the program of the unit that it executes.

All that has to do with the user's files is done here: opening, renaming, entering. The memory that
this takes is gone with the exec, and a file system that does not answer keeps the child waiting.
"""

from __future__ import annotations

import errno
import json
import marshal
import os
import resource
import signal
import socket
import time

from . import accounts, cgroups, end_notes, faults, feeding, outputs, processes, signals, user_paths
from .claim import UnitClaim
from .lines import cut
from .outputs import NODES_FAULT, LaunchError, NodeError
from .rlimits import Rlimits
from .unit import UnitProcesses
from .unit_spec import MARK, UNUSABLE, UnitSpec
from .user_paths import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType
    from typing import Any, NoReturn

    from .accounts import Account

_JOBS_FAULT = frozenset({errno.E2BIG, errno.ENOEXEC})
"""The errors of a program that can be started nowhere: it has too many arguments, or no first line
`#!...`."""
STAND_IN = "/bin/true"
"""A program that is not a user's, to see whether this machine can start one."""
UNIT, QUOTA, NOTE = "unit", "quota", "note"
"""The messages of a child to its shepherd: the unit that it has claimed, its quota, and the file of
its end note."""
UNUSABLE_ORDER, REFUSED, LAUNCH, NODE, SUSPECT = "unusable", "refused", "launch", "node", "suspect"
"""The kinds of problem that a child tells before it ends: the order is none, the unit has been
claimed before or was given up, it cannot be started, or not now on this machine."""


class ShepherdProcess:
    """The shepherd as its child knows it: who it is, and the socket by which it hears."""

    def __init__(self, jobs: str, boot: str, identity: list[int], sock: socket.socket) -> None:
        self.jobs = jobs
        self.boot = boot
        self.identity = identity
        self._sock = sock

    def tell(
        self, kind: str, what: Any, fds: Iterable[int] = (), fault: str = faults.UNKNOWN
    ) -> None:
        socket.send_fds(self._sock, [marshal.dumps((kind, what, fault))], list(fds))

    def let_go(self) -> None:
        """Close the socket: the unit has begun."""
        self._sock.close()

    @property
    def is_gone(self) -> bool:
        return os.getppid() != self.identity[0]


def begin(
    order: bytes, shepherd: ShepherdProcess, not_ours: Iterable[socket.socket | None]
) -> NoReturn:
    """Become the main process of a unit. If that is impossible, tell the shepherd why, and end.

    The agent learns of the end of a shepherd by its socket, so this process must not keep that
    open. `not_ours` are the shepherd's sockets.
    """
    try:
        for sock in not_ours:
            if sock is not None:
                sock.close()
        signals.end_with_parent(True)  # no file is opened late, after a hung file system
        if not shepherd.is_gone:
            _claim(order, shepherd)
    except BaseException as error:
        shepherd.tell(NODE, cut(repr(error)))
    finally:
        os._exit(127)


def _claim(line: bytes, shepherd: ShepherdProcess) -> None:
    """Claim the unit, tell the shepherd so, and start it."""
    order = json.loads(line)
    name = order["unit"]
    try:
        spec = UnitSpec.of(order)
        unit = UnitProcesses(name, spec, os.path.join(shepherd.jobs, name))
    except UNUSABLE as error:
        shepherd.tell(UNUSABLE_ORDER, cut(f"the agent asked for what cannot be: {error!r}"))
        return
    try:
        claim = UnitClaim(unit, shepherd.boot, shepherd.identity)
    except (FileExistsError, FileNotFoundError):
        shepherd.tell(REFUSED, name)
        return
    except OSError as error:
        shepherd.tell(NODE, cut(f"{unit.directory}/running.json: {error.strerror}"))
        return
    shepherd.tell(UNIT, unit.terms())
    kind, text, fault = _problem(spec, claim, shepherd)
    shepherd.tell(kind, cut(text), fault=fault)


def _problem(spec: UnitSpec, claim: UnitClaim, shepherd: ShepherdProcess) -> tuple[str, str, str]:
    """Start the unit. Return the kind of problem, its description and whose fault it is if that
    fails."""
    try:
        claim.note()
        _begin(spec, claim, shepherd)
    except LaunchError as error:
        return LAUNCH, str(error), error.fault
    except accounts.AccountError as error:
        return LAUNCH, str(error), faults.UNKNOWN
    except NodeError as error:
        return SUSPECT if error.suspect else NODE, str(error), faults.NODE
    except OSError as error:
        return NODE, f"{claim.path}: {error.strerror}", faults.NODE
    except ValueError as error:  # a NUL byte in a path or argument, a '=' in a variable's name
        return LAUNCH, f"{spec.argv[0]}: {error}", faults.JOB
    except UNUSABLE as error:
        return LAUNCH, f"the agent asked for what cannot be: {error!r}", faults.JOB


def _begin(spec: UnitSpec, claim: UnitClaim, shepherd: ShepherdProcess) -> NoReturn:
    argv = spec.argv
    account = _account(spec)
    claim.found(os.getuid() if account is None else account.uid)
    env = spec.env if account is None else account.env(spec.env)
    fds = _open_outputs(spec, account)
    fed = None
    if spec.own_output and spec.stdin and spec.terminal is None:
        fed = _connect_input(spec.stdin)
    with _ActingAs(account):
        source = outputs.open_input("" if spec.own_output else spec.stdin)
    with _ActingAs(account):
        program = _find_program(argv[0], env.get("PATH", os.defpath))
    if (until_s := spec.until_s) is not None:
        argv = [*argv, f"{max(0.0, until_s - time.monotonic()):.6f}"]
    script = argv[0] if spec.script else None
    quota = outputs.quota_of(fds, script, spec.max_output_bytes)
    if quota is not None:
        shepherd.tell(QUOTA, (quota.sizes, spec.max_output_bytes), quota.fds)
    if (noted := end_notes.noted_file(fds[-1], spec.end_note)) is not None:
        writer, job, node = spec.end_note
        shepherd.tell(NOTE, (writer, job, node), [noted])
    _enter_cgroup(spec.cgroup)
    _bind(spec.processors)
    own = processes.process(os.getpid())
    claim.note(pid=os.getpid(), start_ticks=own.start_ticks if own else 0)
    for number, fd in enumerate((source, fds[0], fds[-1])):
        os.dup2(fd, number)
    _tell_binding(spec.bind_note)
    if fed is not None:
        _pass_input_on(fed, account, spec, env)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if spec.terminal is not None:
        _keep_terminal(
            spec,
            account,
            program,
            shepherd,
            lambda: _become_program(spec, None, program, argv, env),
        )
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these two for itself
        signal.signal(ignored, signal.SIG_DFL)
    os.setsid()
    signals.end_with_parent(False)
    _become_program(spec, account, program, argv, env, shepherd)


def _become_program(
    spec: UnitSpec,
    account: Account | None,
    program: str,
    argv: list[str],
    env: dict[str, str],
    shepherd: ShepherdProcess | None = None,
) -> NoReturn:
    """Become the program of the unit. With `shepherd`, end if that is gone: the agent has given the
    unit up."""
    rlimits = Rlimits(spec.rlimits)
    try:
        if account is not None:
            _become(account, program, spec.max_more_tasks)
        if shepherd is not None and shepherd.is_gone:
            os._exit(127)
        if spec.umask is not None:
            os.umask(spec.umask)
        rlimits.take_over()
        execute(program, argv, env)
    except (OSError, MemoryError) as error:
        rlimits.give_back()
        raise _exec_error(program, error, rlimits) from None


def _exec_error(program: str, error: OSError | MemoryError, rlimits: Rlimits) -> Exception:
    """Return the problem of a program that could not be executed."""
    number = error.errno if isinstance(error, OSError) else errno.ENOMEM
    assert number is not None
    if number in NODES_FAULT:
        why = f"{program}: {os.strerror(number)}"
        can = can_start()
        if can and (limit := rlimits.cause(number)):
            return LaunchError(f"{why}; its job was submitted with a lower {limit}", faults.JOB)
        return NodeError(why, can)
    assert isinstance(error, OSError)
    fault = faults.JOB if number in _JOBS_FAULT else faults.UNKNOWN
    return LaunchError(_exec_problem(program, error), fault)


def _keep_terminal(
    spec: UnitSpec,
    account: Account | None,
    program: str,
    shepherd: ShepherdProcess,
    begin: Callable[[], NoReturn],
) -> NoReturn:
    """Have a child become the program by a call of `begin`, in a terminal, and keep the terminal
    for it. This process is the user's by then, and its child with it."""
    from . import terminal  # few units have one

    assert spec.terminal is not None
    try:
        listener = terminal.listen(spec.stdin)
    except OSError as error:
        raise NodeError(f"terminal {spec.stdin}: {error.strerror}") from None
    with _ActingAs(account):
        keeps, shows = terminal.open_terminal(spec.terminal)
    if account is not None:  # before the fork: the program must not run without its keeper
        _become(account, program, spec.max_more_tasks)
    if shepherd.is_gone:
        os._exit(127)
    try:
        pid = terminal.fork(shows, begin)
    except OSError as error:
        raise NodeError(f"{program}: {error.strerror}") from None
    if pid is None:  # the child has told the shepherd why
        os._exit(127)
    shepherd.let_go()
    terminal.TerminalKeeper(keeps, listener, 1, pid, spec.terminal.hangup_s).keep()


def _account(spec: UnitSpec) -> Account | None:
    """Return the account that the unit runs as, None if it is the shepherd's own."""
    if spec.user is None:
        return None
    account = accounts.find(spec.user, spec.allow_root)
    if spec.script:
        os.chown(spec.argv[0], account.uid, account.gid)
    return account


def execute(program: str, argv: list[str], env: dict[str, str]) -> NoReturn:
    """Execute a program. All files but the first three are closed by that, since Python opens none
    that a program would inherit. Raises OSError or ValueError."""
    os.execve(program, argv, env)


def _open_outputs(spec: UnitSpec, account: Account | None) -> list[int]:
    """Enter the working directory and open the output files, with the rights of the account."""
    paths = list(dict.fromkeys((spec.stdout, spec.stderr or spec.stdout)))
    fds: list[int] = []
    if spec.own_output:
        fds += [outputs.open_own(path, account) for path in paths]
    homes = _HomesInMind(account, [spec.cwd, *([] if spec.own_output else paths)])
    with _ActingAs(account), homes:
        _enter(spec.cwd)
        if not spec.own_output:
            for path in paths:
                outputs.keep(path, spec.keep_as)
                fds.append(outputs.open_output(path, spec.append, spec.umask))
    return fds


class _ActingAs(accounts.ActingAs):
    """A context with the rights of an account, in which and after which this process ends with its
    shepherd."""

    def __enter__(self) -> None:
        super().__enter__()
        signals.end_with_parent(True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        signals.end_with_parent(True)


class _HomesInMind:
    """A context in which a failure at paths of a user is the node's fault if the file system with
    the homes is not mounted. The message then names no path of the user's."""

    def __init__(self, account: Account | None, paths: list[str]) -> None:
        self._account = account
        self._paths = paths

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, LaunchError):
            for path in self._paths:
                if empty := faults.missing_homes(path, self._account):
                    why = f"the home directories are not mounted on this node: {empty} is empty"
                    raise LaunchError(why, faults.NODE) from None


def _connect_input(path: str) -> socket.socket | None:
    try:
        return feeding.connect(path)
    except OSError as error:
        raise NodeError(f"input {path}: {error.strerror}") from None


def _pass_input_on(
    source: socket.socket, account: Account | None, spec: UnitSpec, env: dict[str, str]
) -> None:
    """Make standard input what comes from the agent, over a process of the user's."""

    def become() -> None:
        os.setsid()
        if account is not None:
            _become(account, "input", spec.max_more_tasks)

    marked = {name: value for name, value in env.items() if name == MARK}
    owner = -1 if account is None else account.uid
    try:
        os.dup2(feeding.pass_on(source, owner, become, marked), 0)
    except OSError as error:
        raise NodeError(f"input {spec.stdin}: {error.strerror}") from None


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


def _enter_cgroup(path: str | None) -> None:
    """Enter the unit's cgroup, so that all that the unit starts begins there. A process that is
    moved later might have forked before."""
    if path is not None:
        try:
            cgroups.make(path)
            cgroups.enter(path)
        except OSError as error:
            raise NodeError(f"cgroup {path}: {error.strerror}") from None


def _bind(processors: Sequence[int]) -> None:
    """Bind this process, and all that it starts, to processors of its job's own."""
    if processors:
        try:
            os.sched_setaffinity(0, processors)
        except OSError:  # all of them are offline by now: the job may use what there is
            return


def _tell_binding(note: str) -> None:
    """Write to the error output which processors this process is bound to, if that is asked for."""
    if note:
        mask = sum(1 << one for one in os.sched_getaffinity(0))
        try:
            os.write(2, f"{note} [{os.getpid()}]: mask 0x{mask:x} set\n".encode())
        except OSError:  # the disk is full
            return


def _become(account: Account, program: str, more_tasks: int) -> None:
    """Give up root's rights for good, and everything that a user may not share with root."""
    _limit_tasks(account, more_tasks)
    os.setgroups(account.groups)
    os.setresgid(account.gid, account.gid, account.gid)
    os.setresuid(account.uid, account.uid, account.uid)
    try:
        accounts.new_session_keyring()
    except (OSError, accounts.AccountError):
        raise NodeError(f"{program}: the kernel gives it no session keyring") from None


def _limit_tasks(account: Account, more: int) -> None:
    """Keep what is started for a user from starting processes without end.

    The kernel counts all processes and threads of the user's on the machine (RLIMIT_NPROC). To
    count them here would take a walk through /proc, so all that the machine has stand in for those
    that the user has already. The kernel never holds root to such a limit, and jobs of root's may
    become other users, so theirs is left as it is.
    """
    if more and account.uid != 0:
        allowed = processes.tasks_on_this_machine() + more
        soft, hard = (
            allowed if given == resource.RLIM_INFINITY else min(given, allowed)
            for given in resource.getrlimit(resource.RLIMIT_NPROC)
        )
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))


def can_start() -> bool:
    """Return True if this machine can start a program now, as this process."""
    try:
        pid = os.posix_spawn(STAND_IN, [STAND_IN], {})
    except OSError as error:  # a machine without this program has been able to look for it
        return error.errno not in NODES_FAULT
    os.kill(pid, signal.SIGKILL)  # the process may have been stopped by its user
    os.waitpid(pid, 0)
    return True


def _exec_problem(program: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        try:
            fd = user_paths.open_regular(program)
            if fd is not None:
                with open(fd, "rb") as file:
                    first = file.readline(200).decode(errors="replace").strip()
                return f"{program}: its interpreter '{first}' was not found"
        except OSError:  # the program is not there, or may be executed and not read
            pass
    return f"{program}: {error.strerror}"
