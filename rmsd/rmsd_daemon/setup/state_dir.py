"""The daemon's directory: private, and one daemon's at a time."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

LOCK = "daemon.lock"
_LOOKS, _LOOK_S = 500, 0.01  # so often is waited for who only looks, and so long each time
_LOCK = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class StateDirError(Exception):
    """The directory cannot be used; the message says why."""


def private(path: str | Path, flags: int) -> int:
    """An `opener` for files that others may not read."""
    return os.open(path, flags, 0o600)


def hand_over(path: Path) -> None:
    """Give what root has made to the owner of the directory it is in, whose daemon is to use it.

    Raises:
        OSError: it is not there, or its owner cannot be changed.
    """
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


class StateDir:
    """Made if there is none, and locked until `close`. `passable`: others may pass through, to what
    is for them below (a job's script); what else is there is private by its own mode. `on_behalf`:
    root works for the account that owns it, which is trusted with all that is there.

    Raises:
        StateDirError: it cannot be made, others can change it, or another daemon has it.
    """

    def __init__(self, path: Path, *, passable: bool = False, on_behalf: bool = False) -> None:
        try:
            safe_directory(path, on_behalf=on_behalf)
            if passable:
                path.chmod(path.stat().st_mode | 0o011)
            self._lock = os.open(path / LOCK, _LOCK, 0o600)
            hand_over(path / LOCK)
        except OSError as error:
            raise StateDirError(f"{error.filename}: {error.strerror}") from error
        try:
            _take(self._lock)
        except BlockingIOError:
            pid = os.pread(self._lock, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise StateDirError(
                f"a daemon is already running on {path} (pid {pid}); "
                "stop it with `rmsd stop`, or use another --state-dir"
            ) from None
        os.pwrite(self._lock, f"{os.getpid():<10}\n".encode(), 0)  # all digits at one instant

    def close(self) -> None:
        os.close(self._lock)


def _take(lock: int) -> None:
    """Who only looks whose it is (`running_pid`) shares it for a moment, which we let pass.

    Raises:
        BlockingIOError: a daemon has it.
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


def safe_directory(path: Path, *, on_behalf: bool = False) -> None:
    """Make it private, if there is none. `on_behalf`: root may find it another account's.

    Raises:
        StateDirError: others could replace what is in it.
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()) and not (on_behalf and os.geteuid() == 0):
        raise StateDirError(
            f"{path} belongs to another account (uid {found.st_uid}), who could replace what is "
            "in it; use that account, or another --state-dir"
        )
    if found.st_mode & 0o022:
        raise StateDirError(
            f"{path} can be changed by others, who could replace what is in it; `chmod 700 {path}`"
        )


def running_pid(path: Path) -> int | None:
    """The pid of the daemon on this directory, None if there is none.

    Raises:
        StateDirError: the lock cannot be read.
    """
    try:
        with (path / LOCK).open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = file.read(32).strip()
                return int(text) if text.isdigit() else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StateDirError(f"{error.filename}: {error.strerror}") from error
    return None
