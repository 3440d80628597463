"""Accounts on this machine, and doing things with a user's rights. Standard library only.

Imported by the agent, and by the shepherd of a root agent from the file beside it.
"""

from __future__ import annotations

import ctypes
import os
import pwd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_SYS_SETGROUPS = {"x86_64": 116, "aarch64": 159, "riscv64": 159, "ppc64le": 81, "s390x": 206}
_ONLY_ASK = -1  # setfsuid and setfsgid change nothing then, and tell what is in force

_libc = ctypes.CDLL(None, use_errno=True)


class AccountError(Exception):
    """There is no such account here, or none that may run jobs; the message says why."""


class Account:
    """Who a job runs as: ids, all its groups, and what its environment says of it."""

    __slots__ = ("gid", "groups", "home", "name", "shell", "uid")

    def __init__(self, entry: pwd.struct_passwd) -> None:
        self.name = entry.pw_name
        self.uid = entry.pw_uid
        self.gid = entry.pw_gid
        self.groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
        self.home = entry.pw_dir or "/"
        self.shell = entry.pw_shell or "/bin/sh"

    def env(self, env: dict[str, str]) -> dict[str, str]:
        """A job's environment on this account: who it is and where its home is are the account's,
        whatever was so on the machine of the submit."""
        mine = {"HOME": self.home, "LOGNAME": self.name, "USER": self.name}
        return {"SHELL": self.shell, **env, **mine}


def find(name: str, allow_root: bool) -> Account:
    """The account of this name; looked up anew each time, since directories change.

    Raises:
        AccountError: there is none, or it is root's and that is not allowed.
    """
    try:
        entry = pwd.getpwnam(name)
    except (KeyError, ValueError):
        raise AccountError(f"there is no account '{name}' on this node") from None
    if entry.pw_uid == 0 and not allow_root:
        raise AccountError(
            f"jobs of '{name}' would be root's, and the agent of this node runs none of those "
            "(--allow-root-jobs)"
        )
    return Account(entry)


class ActingAs:
    """Within this context the calling thread opens, renames and enters files with the rights of an
    account (None: nothing changes), and what it makes is that account's.

    Only the file system's view of the thread changes (setfsuid(2)): nobody can send it a signal or
    trace it for that, and other threads of the process are not touched.

    Raises:
        PermissionError: the kernel does not let us; then nothing has been done.
    """

    def __init__(self, account: Account | None) -> None:
        self._account = account

    def __enter__(self) -> None:
        if self._account is not None:
            try:
                _set(self._account.uid, self._account.gid, self._account.groups)
            except OSError:
                _set(os.geteuid(), os.getegid(), [])
                raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._account is not None:
            _set(os.geteuid(), os.getegid(), [])


def _set(uid: int, gid: int, groups: list[int]) -> None:
    _set_groups(groups)
    _set_id(_libc.setfsgid, gid)
    _set_id(_libc.setfsuid, uid)


def _set_id(call: ctypes._NamedFuncPointer, wanted: int) -> None:
    call(wanted)
    if call(_ONLY_ASK) != wanted:
        raise PermissionError(f"{call.__name__}({wanted}) was refused")


def _set_groups(groups: list[int]) -> None:
    """By the system call: the C library's function changes all threads of the process."""
    number = _SYS_SETGROUPS.get(os.uname().machine)
    if number is None:  # then what is open to supplementary groups alone is not open to us
        os.setgroups([])
        return
    array = (ctypes.c_uint32 * len(groups))(*groups)
    if _libc.syscall(number, len(groups), array) != 0:
        problem = ctypes.get_errno()
        raise PermissionError(problem, f"setgroups: {os.strerror(problem)}")
