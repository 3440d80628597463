"""The daemon's state directory: private, and used by one daemon at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rmsd_process.ownership import ChangeableError, check_way

LOCK = "daemon.lock"
# the waits for a process that only reads the lock's holder, and the length of each
_LOOKS, _LOOK_S = 500, 0.01
_LOCK = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class StateDirError(Exception):
    """The directory cannot be used; the message says why."""


class DirectoryInUse(StateDirError):
    """A daemon has the directory."""


def private(path: str | Path, flags: int) -> int:
    """Open a file that other accounts cannot read; an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def make_private(*paths: Path) -> list[Path]:
    """Take the rights of other accounts from those of the files that exist; return the files that
    others had rights to. A copy made without `cp -p` has lost their modes.

    Raises:
        OSError: a mode cannot be changed.
    """
    exposed = [path for path in paths if path.exists() and path.stat().st_mode & 0o077]
    for path in exposed:
        path.chmod(0o600)
    return exposed


@contextmanager
def acting_for_owner(directory: Path) -> Iterator[Path]:
    """Have root act with the rights of the owner of a directory, and no others. Yields the path
    to use for the directory: its owner may replace `directory`, or what leads to it, meanwhile.

    What is made in the directory belongs to its owner then, whose daemon is to use it. And no link
    that the owner puts there leads root to files that the owner may not read or change. If the
    directory is yet to be made, that holds for the directory in which it will be. Nothing changes
    for other accounts, nor in a directory of root's.

    Raises:
        OSError: the directory cannot be looked at.
    """
    if os.geteuid() != 0:
        yield directory
        return
    there, *_ = (path for path in (directory, *directory.absolute().parents) if path.exists())
    found, real = _found(there)
    real /= os.path.relpath(directory.absolute(), there.absolute())
    if found.st_uid == 0:
        yield real
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([found.st_gid])
    os.setegid(found.st_gid)
    os.seteuid(found.st_uid)
    try:
        yield real
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def _found(directory: Path) -> tuple[os.stat_result, Path]:
    """Return the status of a directory, and the path without links of that very directory. Two
    look-ups by name could find two directories."""
    fd = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return os.fstat(fd), Path(os.readlink(f"/proc/self/fd/{fd}"))
    finally:
        os.close(fd)


class StateDir:
    """A state directory, created if missing, and locked until `close`. `passable`: other accounts
    may pass through, to their own files below (a job's script); all other contents are private by
    their modes.

    Raises:
        StateDirError: the directory cannot be made, others can change it, or another daemon has it.
    """

    def __init__(self, path: Path, *, passable: bool = False) -> None:
        try:
            safe_directory(path)
            if passable:
                path.chmod(path.stat().st_mode | 0o011)
            self._lock = os.open(path / LOCK, _LOCK, 0o600)
        except OSError as error:
            raise StateDirError(f"{error.filename}: {error.strerror}") from error
        try:
            _take(self._lock)
        except BlockingIOError:
            pid = os.pread(self._lock, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise DirectoryInUse(
                f"a daemon is already running on {path} (pid {pid}); "
                "stop it with `rmsd stop`, or use another --state-dir"
            ) from None
        os.pwrite(self._lock, f"{os.getpid():<10}\n".encode(), 0)  # all digits in one write

    def close(self) -> None:
        os.close(self._lock)


def _take(lock: int) -> None:
    """Take the lock. A process that only reads the lock's holder (`running_pid`) shares the lock
    for a moment, which is waited for.

    Raises:
        BlockingIOError: a daemon has the lock.
    """
    for _ in range(_LOOKS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(lock, fcntl.LOCK_UN)
        time.sleep(_LOOK_S)
    raise BlockingIOError


def safe_directory(path: Path) -> None:
    """Create a private directory if there is none.

    Raises:
        StateDirError: others could replace what is in it, or the whole directory.
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_directory(path)


def check_directory(path: Path) -> None:
    """Check that no other account can replace a directory, or what is in it.

    Raises:
        StateDirError: one can, or the directory cannot be looked at.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise StateDirError(f"{path}: {error.strerror}") from error
    if found.st_uid not in (0, os.geteuid()):
        raise StateDirError(
            f"{path} belongs to another account (uid {found.st_uid}), which could "
            "replace its files; use that account, or another --state-dir"
        )
    if found.st_mode & 0o022:
        raise StateDirError(
            f"{path} can be changed by other accounts, which could replace its files; "
            f"`chmod 700 {path}`"
        )
    try:
        check_way(path)
    except ChangeableError as error:
        raise StateDirError(f"state directory {path}: {error}") from error


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that says that it has a state directory. uid: the account whose lock it is."""

    pid: int
    uid: int


def running_pid(path: Path) -> int | None:
    """Return the pid of the daemon on this directory, None if there is none.

    Raises:
        StateDirError: the lock cannot be read.
    """
    found = holder(path)
    return None if found is None else found.pid


def holder(path: Path) -> Holder | None:
    """Return the process that has this directory, or None if none has.

    Raises:
        StateDirError: the lock cannot be read.
    """
    try:
        with open(path / LOCK, "rb", opener=_unlinked) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read(32).strip()
                return Holder(int(text), os.fstat(file.fileno()).st_uid) if text.isdigit() else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StateDirError(f"{error.filename}: {error.strerror}") from error
    return None


def _unlinked(path: str, flags: int) -> int:
    """Open a file and neither what a link leads to, nor a FIFO to wait for; an `opener`."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def terminate(daemon: Holder) -> None:
    """Ask a daemon to stop, if it is still there.

    Raises:
        PermissionError: the process is not of the account that the lock belongs to, or may not be
            signalled by this one. The owner of a directory can write any number into its lock.
    """
    with suppress(FileNotFoundError, ProcessLookupError):
        if os.stat(f"/proc/{daemon.pid}").st_uid != daemon.uid:
            raise PermissionError(errno.EPERM, f"process {daemon.pid} is another account's")
        os.kill(daemon.pid, signal.SIGTERM)
