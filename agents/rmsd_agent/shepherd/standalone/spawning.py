"""Starting the main process of a unit: as its user, in its directory and cgroup, with its files."""

from __future__ import annotations

import errno
import os
import resource
import signal
import time

from . import accounts, cgroups, faults, outputs, processes, user_paths
from .lines import log
from .outputs import NODES_FAULT, LaunchError, NodeError
from .signals import ALL_SIGNALS
from .unit_spec import UNUSABLE
from .user_paths import Place
from .user_process import start_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .accounts import Account
    from .outputs import Quota
    from .unit_spec import UnitSpec

_JOBS_FAULT = frozenset({errno.E2BIG, errno.ENOEXEC})
"""The errors of a program that can be started nowhere: it has too many arguments, or no first line
`#!...`."""
STAND_IN = "/bin/true"
"""A program that is not a user's, to see whether this machine can start one."""


def spawn(spec: UnitSpec, found: Callable[[int], None]) -> tuple[int, Quota | None]:
    """Call `_spawn`, and raise LaunchError for what no agent of this version would ask for."""
    try:
        return _spawn(spec, found)
    except UNUSABLE as error:
        why = f"the agent asked for what cannot be: {error!r}"
        raise LaunchError(why, faults.JOB) from None


def _spawn(spec: UnitSpec, found: Callable[[int], None]) -> tuple[int, Quota | None]:
    """Start argv in a session of its own, with clean signals. Return its pid, and what it may
    write.

    `found` is told the user id of its processes before they are started.
    """
    argv = spec.argv
    fds: list[int] = []
    quota: Quota | None = None
    pid = 0
    try:
        account = _account(spec)
        found(os.getuid() if account is None else account.uid)
        env = spec.env if account is None else account.env(spec.env)
        paths = list(dict.fromkeys((spec.stdout, spec.stderr or spec.stdout)))
        if spec.own_output:
            fds += [outputs.open_own(path, account) for path in paths]
        with accounts.ActingAs(account):
            with _HomesInMind(account, [spec.cwd, *([] if spec.own_output else paths)]):
                _enter(spec.cwd)
                if not spec.own_output:
                    for path in paths:
                        outputs.keep(path, spec.keep_as)
                        fds.append(outputs.open_output(path))
            program = _find_program(argv[0], env.get("PATH", os.defpath))
        if (until_s := spec.until_s) is not None:
            argv = [*argv, f"{max(0.0, until_s - time.monotonic()):.6f}"]
        script = argv[0] if spec.script else None
        quota = outputs.quota_of(fds, script, spec.max_output_bytes)
        _enter_cgroup(spec.cgroup)
        more = 0 if account is None else spec.max_more_tasks
        try:
            pid = _started(account, more, program, argv, env, fds)
        except OSError as error:
            if error.errno in NODES_FAULT:
                suspect = can_start(account, more, fds)
                raise NodeError(f"{program}: {error.strerror}", suspect) from None
            with accounts.ActingAs(account):
                fault = faults.JOB if error.errno in _JOBS_FAULT else faults.UNKNOWN
                raise LaunchError(_exec_problem(program, error), fault) from None
        return pid, quota
    except accounts.AccountError as error:
        raise LaunchError(str(error)) from None
    except ValueError as error:  # a NUL byte in a path or argument, a '=' in a variable's name
        raise LaunchError(f"{argv[0]}: {error}", faults.JOB) from None
    finally:
        _leave_cgroup(spec)
        if quota is not None and not pid:
            quota.close()
        outputs.close(fds)
        os.chdir("/")


def _enter_cgroup(path: str | None) -> None:
    """Enter the unit's cgroup, so that what is started now begins there. A process that is moved
    later might have forked before."""
    if path is not None:
        try:
            cgroups.make(path)
            cgroups.enter(path)
        except OSError as error:
            raise NodeError(f"cgroup {path}: {error.strerror}") from None


def _leave_cgroup(spec: UnitSpec) -> None:
    if spec.cgroup is not None:
        try:
            cgroups.enter(spec.cgroup_home or "")
        except OSError as error:  # we are ended with our unit, which others look after then
            log(f"cgroup {spec.cgroup_home}: {error.strerror}")


def can_start(account: Account | None, more: int, fds: list[int]) -> bool:
    """Return True if this machine can start a program now, as the same account."""
    try:
        pid = _started(account, more, STAND_IN, [STAND_IN], {}, fds)
    except NodeError:
        return False
    except OSError as error:  # a machine without this program has been able to look for it
        return error.errno not in NODES_FAULT
    os.kill(pid, signal.SIGKILL)  # the process may have been stopped by its user
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
        return start_process(program, argv, env, fds)
    with _LimitedTasks(account, more):
        return start_as(account, program, argv, env, fds)


def start_process(program: str, argv: list[str], env: dict[str, str], fds: list[int]) -> int:
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
        setsigdef=ALL_SIGNALS,
    )


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


def _account(spec: UnitSpec) -> Account | None:
    """Return the account that the unit runs as, None if it is the shepherd's own."""
    if spec.user is None:
        return None
    account = accounts.find(spec.user, spec.allow_root)
    if spec.script:
        os.chown(spec.argv[0], account.uid, account.gid)
    return account


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
        except OSError:  # the program is not there, or may be executed and not read
            pass
    return f"{program}: {error.strerror}"
