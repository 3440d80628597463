"""The state directory of an agent, and who the agent is.

agent.lock agent.json control.sock shepherd.log jobs/
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import uuid
from pathlib import Path
from typing import Annotated

import msgspec
import structlog

from rmsd_agent.state.files import make_dir, private, read_record, replace_record
from rmsd_agent.state.records import OUR_BOOT_ID
from rmsd_process.ownership import ChangeableError, check_way, closed_to_others

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_SOCKET_PATH_MAX = 107
_PROBE = bytes(64 << 10)
"""The contents of a file as large as those of most jobs, and too large for an inode itself."""


class StateError(Exception):
    """The state directory cannot be used; the message says why."""


class _Identity(msgspec.Struct):
    """The identity of the agent to daemons. An identity that no daemon would take was not written
    by an agent."""

    agent_id: Annotated[str, msgspec.Meta(pattern=r"\A[0-9A-Za-z]{1,256}\Z")]
    epoch: Annotated[int, msgspec.Meta(ge=0, lt=1 << 61)] = 0


class AgentStateDir:
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
        self.boot_id = OUR_BOOT_ID
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
                    f"{self.path} can be changed by other accounts, which could replace its files; "
                    "use a --state-dir of this account's alone"
                )
            check_way(self.path)
            make_dir(self.path, parents=True)
            make_dir(self.jobs, parents=True)
            self._lock = os.open(self.path / "agent.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except ChangeableError as error:
            raise StateError(f"state directory {self.path}: {error}") from None
        except OSError as error:
            raise StateError(f"{error.filename}: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._lock, 32).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise StateError(f"{self.path}: in use by another agent (pid {holder})") from None
        # the holder of the directory remains unnamed on a full disk
        with contextlib.suppress(OSError):
            os.pwrite(self._lock, f"{os.getpid():<10}\n".encode(), 0)  # all digits at one instant
        self._identity = read_record(self._identity_path, _Identity) or _Identity(uuid.uuid4().hex)

    def closed_to_users(self) -> Path | None:
        """Return the directory on the way to the scripts that users cannot pass through, if there
        is one."""
        return closed_to_others(self.jobs)

    @property
    def _identity_path(self) -> Path:
        return self.path / "agent.json"

    @property
    def agent_id(self) -> str:
        return self._identity.agent_id

    def next_epoch(self) -> int:
        """Return a number above those of all earlier sessions of this agent."""
        self._identity.epoch += 1
        try:
            replace_record(self._identity_path, self._identity)  # an agent keeps its id
        except OSError as error:  # a full disk must not cost us the link
            log.error("session-not-recorded", path=error.filename, error=error.strerror)
        return self._identity.epoch

    def why_unwritable(self) -> str:
        """Return why the files of jobs cannot be written here now; "" if they can be."""
        probe = self.path / "probe"
        try:
            with open(probe, "wb", opener=private) as file:
                file.write(_PROBE)
        except OSError as error:
            return f"{self.path}: {error.strerror}"
        finally:
            with contextlib.suppress(OSError):
                probe.unlink(missing_ok=True)
        return ""

    def close(self) -> None:
        os.close(self._lock)
