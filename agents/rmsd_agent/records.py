"""What the state directory says: who uses it, which attempts are here, how units fare.

agent.lock agent.json control.sock shepherd.log
jobs/<job>.<attempt>.<node>/attempt.json used.json
jobs/<job>.<attempt>.<node>/<unit>/running.json status.json ...
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
import structlog

from rmsd_agent.processes import boot_id
from rmsd_agent.warning import Warn
from rmsd_core.vocabulary import NOTHING_USED, Cause, Used
from rmsd_wire.link import Launch
from rmsd_wire.malformed import MALFORMED

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

BATCH = "batch"
"""The unit that is the job's script; the others are tasks, `<step>.<task>`."""

_SOCKET_PATH_MAX = 107
_BOOT_ID = boot_id()


class StateError(Exception):
    """The state directory cannot be used; the message says why."""


class Status(msgspec.Struct, frozen=True):
    """How a unit ended (`status.json`). `ended_mono_s` counts on the boot of `boot_id` only."""

    cause: Cause
    exit_code: int | None = None
    signal: int | None = None
    message: str = ""
    cpu_s: float | None = None
    max_rss_mib: int | None = None
    ended_s: float = 0.0
    ended_mono_s: float = 0.0
    boot_id: str = ""

    def ended_on_our_clock_s(self) -> float:
        """Its end in terms of this boot's CLOCK_MONOTONIC (negative: before the boot)."""
        if self.boot_id == _BOOT_ID:
            return self.ended_mono_s
        return time.monotonic() - max(0.0, time.time() - self.ended_s)


class Running(msgspec.Struct, frozen=True):
    """A unit that a shepherd has claimed (`running.json`); `pid` None: not started yet.

    `uid` is whose processes the unit has, None if a shepherd of an earlier version has claimed it
    or the account has not been looked up yet.
    """

    boot_id: str
    shepherd: tuple[int, int]  # pid, start_ticks
    pid: int | None
    start_ticks: int | None
    deadline_s: float | None
    kill_grace_s: float
    warn: Warn | None = None
    cgroup: str | None = None
    uid: int | None = None

    @property
    def main(self) -> tuple[int, int] | None:
        """The pid and the start of the main process, None if there is none yet."""
        if self.pid is None or self.start_ticks is None:
            return None
        return self.pid, self.start_ticks


class SavedAttempt(msgspec.Struct, frozen=True):
    """What the daemon asked for (`attempt.json`), and when its time is up on CLOCK_MONOTONIC.

    `warn_at_s`: when it gets the signal that it asked for, on the same clock. All times count from
    when it could be prepared; those of its script are in `Running`."""

    launch: Launch
    started_s: float
    deadline_s: float | None
    boot_id: str
    warn_at_s: list[float] = []


class _UsedBefore(msgspec.Struct, frozen=True):
    """What tasks have used whose directories are deleted, though their attempt goes on
    (`used.json`)."""

    cpu_s: float | None
    max_rss_mib: int | None


class _Identity(msgspec.Struct):
    """Who the agent is to daemons. What no daemon would take is not what an agent has written."""

    agent_id: Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z]{1,256}\Z")]
    epoch: Annotated[int, msgspec.Meta(ge=0, lt=1 << 61)] = 0


_Record = TypeVar("_Record", bound=msgspec.Struct)


def status_now(cause: Cause, message: str = "", signal: int | None = None) -> Status:
    """An end that the agent itself states, at this moment."""
    return Status(
        cause=cause,
        signal=signal,
        message=message,
        ended_s=time.time(),
        ended_mono_s=time.monotonic(),
        boot_id=_BOOT_ID,
    )


def private(path: str, flags: int) -> int:
    """An `opener` for files that others may not read."""
    return os.open(path, flags, 0o600)


def read_record(path: Path, kind: type[_Record]) -> _Record | None:
    """The last record of a file that has one a line; None when it has none, or is not there.

    A line that was not written to its end does not count.
    """
    try:
        lines = path.read_bytes().splitlines()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    for line in reversed(lines):
        try:
            return msgspec.json.decode(line, type=kind)
        except MALFORMED:
            continue
    return None


def write_record(path: Path, record: msgspec.Struct) -> None:
    """Write a record, readable by its owner only.

    Raises:
        OSError: it cannot be written; what is there then cannot be read as a record.
    """
    with open(path, "wb", opener=private) as file:
        file.write(msgspec.json.encode(record))


def replace_record(path: Path, record: msgspec.Struct) -> None:
    """Write a record in the place of one that shall not be lost.

    Raises:
        OSError: it cannot be written; what was there is still there.
    """
    new = path.with_suffix(".new")
    write_record(new, record)
    new.rename(path)


def write_used(directory: Path, used: Used) -> None:
    """Write what deleted tasks of an attempt have used.

    Raises:
        OSError: it cannot be written; what was there is still there.
    """
    replace_record(directory / "used.json", _UsedBefore(*used))


def read_used(directory: Path) -> Used:
    """Return what deleted tasks of an attempt have used."""
    found = read_record(directory / "used.json", _UsedBefore)
    return NOTHING_USED if found is None else Used(found.cpu_s, found.max_rss_mib)


IS_ROOT = os.geteuid() == 0
"""Whether this agent starts jobs as their users."""


def make_dir(path: Path, *, parents: bool = False) -> None:
    """Make a directory that others may not list. If jobs are other users', they may pass through
    it, to what is theirs in it.

    Raises:
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=parents, exist_ok=parents)
    if IS_ROOT:
        path.chmod(0o711)


class StateDir:
    """An agent's directory, locked for as long as this object lives (or until `close`).

    Raises:
        StateError: it cannot be made, others can change it, another agent has it, or its path is
            too long for a socket.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.jobs = self.path / "jobs"
        self.control = self.path / "control.sock"
        self.shepherd_log = self.path / "shepherd.log"
        self.boot_id = _BOOT_ID
        if len(os.fsencode(self.control)) > _SOCKET_PATH_MAX:
            raise StateError(
                f"{self.path}: the path is too long for a Unix socket in it "
                f"(at most {_SOCKET_PATH_MAX - len('/control.sock')} bytes); "
                "use a shorter --state-dir"
            )
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.path.stat()
            if found.st_uid not in (0, os.geteuid()) or found.st_mode & 0o022:
                raise StateError(
                    f"{self.path} can be changed by others, who could replace what is in it; "
                    "use a --state-dir of this account's alone"
                )
            make_dir(self.path, parents=True)
            make_dir(self.jobs, parents=True)
            self._lock = os.open(self.path / "agent.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StateError(f"{error.filename}: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._lock, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise StateError(f"{self.path}: in use by another agent (pid {holder})") from None
        with contextlib.suppress(OSError):  # no room: then nobody is told who has it
            os.pwrite(self._lock, f"{os.getpid():<10}\n".encode(), 0)  # all digits at one instant
        self._identity = read_record(self._identity_path, _Identity) or _Identity(uuid.uuid4().hex)

    def closed_to_users(self) -> Path | None:
        """The directory on the way to the scripts that users cannot pass through, if any."""
        ways = [path for path in (self.jobs, *self.jobs.parents) if not path.stat().st_mode & 0o001]
        return ways[-1] if ways else None

    @property
    def _identity_path(self) -> Path:
        return self.path / "agent.json"

    @property
    def agent_id(self) -> str:
        return self._identity.agent_id

    def next_epoch(self) -> int:
        """A number above those of all earlier sessions of this agent."""
        self._identity.epoch += 1
        try:
            replace_record(self._identity_path, self._identity)  # an agent keeps its id
        except OSError as error:  # a full disk must not cost us the link
            log.error("session-not-recorded", path=error.filename, error=error.strerror)
        return self._identity.epoch

    def close(self) -> None:
        os.close(self._lock)


def remove_trees(paths: Iterable[Path]) -> None:
    for path in paths:
        remove_tree(path)


def remove_tree(path: Path | str) -> None:
    """Delete a directory; what cannot be deleted is left for the next start of the agent."""
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    remove_tree(entry.path)
                else:
                    os.unlink(entry.path)
        os.rmdir(path)
    except FileNotFoundError:
        return
    except OSError as error:
        log.warning("not-deleted", path=error.filename, error=error.strerror)
