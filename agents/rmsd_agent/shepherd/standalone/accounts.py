"""Accounts on this machine, and doing things with a user's rights."""

from __future__ import annotations

import ctypes
import errno
import os
import pwd
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class _Calls:
    """The numbers of four system calls on an architecture."""

    __slots__ = ("keyctl", "setgroups", "setresgid", "setresuid")

    def __init__(self, keyctl: int, setgroups: int, setresgid: int, setresuid: int) -> None:
        self.keyctl = keyctl
        self.setgroups = setgroups
        self.setresgid = setresgid
        self.setresuid = setresuid


_CALLS = {
    "x86_64": _Calls(250, 116, 119, 117),
    "aarch64": _Calls(219, 159, 149, 147),
    "riscv64": _Calls(219, 159, 149, 147),
    "loongarch64": _Calls(219, 159, 149, 147),
    "ppc64le": _Calls(271, 81, 169, 164),
    "s390x": _Calls(280, 206, 210, 208),
}
_SAME = -1  # setresuid(2) and setresgid(2) leave an id as it is
_KEYCTL_JOIN_SESSION_KEYRING, _KEYCTL_LINK = 1, 8  # linux/keyctl.h, as the next two
_KEY_SPEC_SESSION_KEYRING, _KEY_SPEC_USER_KEYRING = -3, -4
_NO_KEYRINGS = frozenset({errno.ENOSYS, errno.EPERM})
"""Errors of a kernel without keyrings, or of a container that refuses keyctl(2), to the jobs as
well."""
_CAPABILITIES_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of capget(2)

_libc = ctypes.CDLL(None, use_errno=True)


class AccountError(Exception):
    """There is no such account here, or none that may run jobs; the message says why."""


class Account:
    """The account that a job runs as: ids, all its groups, and what its environment says of it."""

    __slots__ = ("gid", "groups", "home", "name", "shell", "uid")

    def __init__(self, entry: pwd.struct_passwd) -> None:
        self.name = entry.pw_name
        self.uid = entry.pw_uid
        self.gid = entry.pw_gid
        self.groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
        self.home = entry.pw_dir or "/"
        self.shell = entry.pw_shell or "/bin/sh"

    def env(self, env: dict[str, str]) -> dict[str, str]:
        """Return a job's environment with the names and the home of this account, whatever they
        were on the machine of the submit. A job of Slurm's commands keeps those of its submit, as
        in Slurm: programs such as Cylc name files in their HOME."""
        mine = {"HOME": self.home, "LOGNAME": self.name, "USER": self.name}
        if "SLURM_JOB_ID" in env:
            return {"SHELL": self.shell, **mine, **env}
        return {"SHELL": self.shell, **env, **mine}


def find(name: str, allow_root: bool) -> Account:
    """Return the account of this name. It is looked up each time, since directories change.

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
    """A context in which the calling thread has the rights of an account, and no others.

    The thread has the account's effective ids, all its groups and no effective capability. What it
    makes is the account's. Without an account nothing changes.

    Other threads are not touched. Real and saved ids stay root's, so that no process of the account
    can signal or trace the thread. The permitted capabilities stay too, so that none can change how
    the thread is scheduled, for which the effective id would be enough.

    setfsuid(2) alone is not enough. The kernel looks at the effective id when a sysctl is opened,
    and CAP_SYS_PTRACE would open links of /proc that lead past closed directories.

    Raises:
        AccountError: The numbers of this machine's system calls are not known.
        OSError: The kernel refuses. Then nothing has been done.
    """

    def __init__(self, account: Account | None) -> None:
        self._account = account
        self._before = (0, 0)

    def __enter__(self) -> None:
        if self._account is None:
            return
        self._before = os.geteuid(), os.getegid()
        calls = _calls()
        try:
            _become(calls, self._account)
        except OSError:
            _come_back(calls, *self._before)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._account is not None:
            _come_back(_calls(), *self._before)


def new_session_keyring() -> None:
    """Give the calling process a session keyring of its own, with a link to its user's keyring.

    To be called by what becomes a user's process, when it is the user's already. Otherwise all
    processes that an agent starts would share the session keyring of the agent. Each would possess
    every key that any user's process puts there.

    Raises:
        AccountError: The numbers of this machine's system calls are not known.
        OSError: The kernel has keyrings and gives no new one.
    """
    keyctl = _calls().keyctl
    try:
        _call(keyctl, _KEYCTL_JOIN_SESSION_KEYRING, 0)
        _call(keyctl, _KEYCTL_LINK, _KEY_SPEC_USER_KEYRING, _KEY_SPEC_SESSION_KEYRING)
    except OSError as error:
        if error.errno not in _NO_KEYRINGS:
            raise


def _become(calls: _Calls, account: Account) -> None:
    _set_groups(calls, account.groups)
    _call(calls.setresgid, _SAME, account.gid, _SAME)
    _call(calls.setresuid, _SAME, account.uid, _SAME)
    if (os.geteuid(), os.getegid()) != (account.uid, account.gid):
        raise PermissionError(errno.EPERM, f"the kernel did not make us '{account.name}'")
    if account.uid != 0 and _has_capabilities():
        raise PermissionError(
            errno.EPERM, f"capabilities of root's stay in effect as '{account.name}' (securebits)"
        )


def _come_back(calls: _Calls, uid: int, gid: int) -> None:
    """Restore the thread's own rights. The user id comes first: it gives back the capabilities that
    the rest needs."""
    _call(calls.setresuid, _SAME, uid, _SAME)
    _call(calls.setresgid, _SAME, gid, _SAME)
    _set_groups(calls, [])


def _set_groups(calls: _Calls, groups: list[int]) -> None:
    array = (ctypes.c_uint32 * len(groups))(*groups)
    _call(calls.setgroups, len(groups), ctypes.addressof(array))
    if sorted(os.getgroups()) != sorted(groups):
        raise PermissionError(errno.EPERM, "the kernel did not set our groups")


def _has_capabilities() -> bool:
    """Return True if any capability is in effect for this thread."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)  # 0: the thread that calls
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    if _libc.capget(header, sets) != 0:
        raise _problem("capget")
    return bool(sets[0] or sets[3])


def _calls() -> _Calls:
    machine = os.uname().machine
    calls = _CALLS.get(machine) if sys.maxsize > 1 << 32 else None
    if calls is None:
        raise AccountError(
            f"the agent of this node cannot act as a user: it does not know the system calls of a "
            f"machine '{machine}' with {sys.maxsize.bit_length() + 1} bits"
        )
    return calls


def _call(number: int, *values: int) -> None:
    """Make a system call for this thread: the C library's functions change all threads."""
    if _libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, values)) < 0:
        raise _problem(f"system call {number}")


def _problem(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
