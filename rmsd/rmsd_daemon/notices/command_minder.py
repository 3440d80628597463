"""The program that runs the command of one notice as its user, and then ends all of it.

The daemon starts it as `python -I -S command_minder.py USER SECONDS COMMAND`. USER is empty for the
daemon's own account. The minder stays the daemon's account, so that a user's command can neither
signal nor trace it. It is a child subreaper: whatever the command starts is found below it. It
writes the reason of a failure to its standard output, and nothing if the command succeeded.

Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import resource
import signal
import sys
import time

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 36, 38  # linux/prctl.h
_KEYCTL_JOIN_SESSION_KEYRING = 1
_KEYCTL = {"x86_64": 250, "ppc64le": 271, "s390x": 280}  # 219 on other machines
_PATH = "/usr/local/bin:/usr/bin:/bin"
_UMASK = 0o022
_NICENESS = 10
_MORE_TASKS = 64
"""The processes and threads that a user's command may add to those of the machine."""
_PAUSE_S = 0.01
_MOST = {
    resource.RLIMIT_AS: 1 << 30,
    resource.RLIMIT_CPU: 60,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 1024,
}
"""The limits of each process of a user's command."""

_libc = ctypes.CDLL(None, use_errno=True)


class CommandEnded(Exception):
    """The command must end now: the message is the reason."""


def main(user: str, seconds: str, command: str) -> str:
    """Run the command, and end all that it has started. Returns "", or why it failed."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGALRM, _end)
    try:
        problem = _run(user, float(seconds), command)
        _ignore_signals()
    except CommandEnded as error:
        problem = str(error) or f"the command was not done within {float(seconds):g} s"
    except OSError as error:
        problem = f"/bin/sh: {error}"
    _end_all()
    return problem


def _run(user: str, seconds: float, command: str) -> str:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)  # the daemon may be killed
    pid = _start(_account(user), command)
    os.close(0)
    while (ended := os.waitpid(-1, 0))[0] != pid:
        pass
    code = os.waitstatus_to_exitcode(ended[1])
    return "" if code == 0 else f"the command exited with {code}"


def _end(number: int, _: object) -> None:
    _ignore_signals()  # the command ends once
    raise CommandEnded("" if number == signal.SIGALRM else "the daemon ended the command")


def _ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def _account(user: str) -> pwd.struct_passwd | None:
    if not user:
        return None
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        raise CommandEnded(f"there is no account '{user}' on this machine") from None
    if account.pw_uid == 0:
        raise CommandEnded(f"the command would be root's, as '{user}' is, and none is run as root")
    return account


def _start(account: pwd.struct_passwd | None, command: str) -> int:
    """Start the command in a session of its own, and return its pid."""
    if account is not None:
        groups = os.getgrouplist(account.pw_name, account.pw_gid)
        tasks = _tasks_on_this_machine()
    pid = os.fork()
    if pid:
        return pid
    try:
        env = dict(os.environ)
        for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if account is not None:
            _become(account, groups, tasks + _MORE_TASKS)
            env = _environment(account)
        try:
            os.chdir(env.get("HOME", "/"))
        except OSError:
            os.chdir("/")
        os.execve("/bin/sh", ["/bin/sh", "-c", command], env)
    finally:
        os._exit(126)


def _become(account: pwd.struct_passwd, groups: list[int], most_tasks: int) -> None:
    """Become the account for good, with limits, and with nothing of root's. Raises OSError."""
    os.umask(_UMASK)
    os.nice(_NICENESS)
    for kind, most in [*_MOST.items(), (resource.RLIMIT_NPROC, most_tasks)]:
        hard = resource.getrlimit(kind)[1]
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, limit))
    os.setgroups(groups)
    os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    keyctl = _KEYCTL.get(os.uname().machine, 219)
    _libc.syscall(ctypes.c_long(keyctl), ctypes.c_long(_KEYCTL_JOIN_SESSION_KEYRING), None)


def _environment(account: pwd.struct_passwd) -> dict[str, str]:
    return {
        "HOME": account.pw_dir or "/",
        "LOGNAME": account.pw_name,
        "PATH": _PATH,
        "SHELL": account.pw_shell or "/bin/sh",
        "USER": account.pw_name,
    }


def _tasks_on_this_machine() -> int:
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[2])


def _end_all() -> None:
    """End every process below this one. All are stopped first, so that none escapes by forking."""
    while True:
        stopped: set[int] = set()
        while new := _descendants() - stopped:
            for pid in new:
                _signal(pid, signal.SIGSTOP)
            stopped |= new
        for pid in stopped:
            _signal(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_PAUSE_S)


def _descendants() -> set[int]:
    """Return the processes below this one, by the parents in /proc, without those that ended."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except OSError:  # the process is gone
                continue
            if state not in (b"Z", b"X"):
                parents[int(name)] = int(parent)
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl: {os.strerror(number)}")


if __name__ == "__main__":
    os.write(1, main(*sys.argv[1:]).encode(errors="replace")[:4096])
