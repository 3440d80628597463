"""Starting a program as a user, which posix_spawn(3) cannot do: it changes no account."""

from __future__ import annotations

import os
import signal

from . import accounts
from .outputs import NodeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .accounts import Account

USERS_UMASK = 0o022
_OS, _VALUE, _KEYRING = b"os", b"value", b"keyring"
"""The kinds of problem that a child tells of before it has executed its program."""
_LONGEST = 4096  # bytes of a problem


def start_as(
    account: Account, program: str, argv: list[str], env: dict[str, str], fds: list[int]
) -> int:
    """Start a program as a user, in a session of its own, and return its pid.

    fork(2) takes a fraction of a millisecond more than posix_spawn(3). The module subprocess would
    do the same, but brings the module threading. That would give every shepherd half a MiB of
    memory of its own, since Python makes its locks anew after a fork.

    Raises:
        OSError: The program cannot be executed.
        ValueError: An argument or a variable can be given to no program.
        NodeError: The kernel gives the process no session keyring.
    """
    heard, told = os.pipe()
    try:
        try:
            pid = os.fork()
            if pid == 0:
                _become(account, program, argv, env, fds, told)
        finally:
            os.close(told)
        problem = os.read(heard, _LONGEST)  # nothing, once the program is executed
    finally:
        os.close(heard)
    if problem:
        os.waitpid(pid, 0)
        raise _raised(program, problem)
    return pid


def _raised(program: str, problem: bytes) -> Exception:
    kind, _, text = problem.partition(b" ")
    if kind == _OS:
        return OSError(int(text), os.strerror(int(text)))
    if kind == _KEYRING:
        return NodeError(f"{program}: the kernel gives it no session keyring")
    return ValueError(text.decode())


def _become(
    account: Account,
    program: str,
    argv: list[str],
    env: dict[str, str],
    fds: list[int],
    told: int,
) -> NoReturn:
    """Execute the program in this process, or tell why not and end. All other files are closed by
    that: Python opens none that a program would inherit."""
    kind = _VALUE
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(fds[0], 1)
        os.dup2(fds[-1], 2)
        os.umask(USERS_UMASK)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, for itself
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        os.setgroups(account.groups)
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
        kind = _KEYRING
        accounts.new_session_keyring()
        kind = _VALUE
        os.execve(program, argv, env)
    except OSError as error:
        text = str(error.errno).encode()
        os.write(told, b"%s %s" % (kind if kind == _KEYRING else _OS, text))
    except BaseException as error:
        os.write(told, b"%s %s" % (kind, str(error).encode(errors="replace")[: _LONGEST // 2]))
    finally:
        os._exit(127)
