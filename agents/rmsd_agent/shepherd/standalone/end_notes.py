"""The line in a unit's error output that says why the unit was ended from outside, as Slurm writes
one. Programs look for it there."""

from __future__ import annotations

import _thread
import os
import stat
import time

from .outputs import ANSWERED_WITHIN_S, close, in_a_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_REASONS = {
    "limit": " DUE TO TIME LIMIT",
    "user": "",
    "requeue": " DUE TO JOB REQUEUE",
    "displace": " DUE TO PREEMPTION",
    "preempt": " DUE TO PREEMPTION",
}
"""Slurm's words for the causes of an end."""


class EndNote:
    """A line that is still to be written into a file.

    The file is known by a descriptor that was opened with the rights of the unit's user. A thread
    writes, since a file system may not answer while the shepherd has stops to keep.
    """

    def __init__(self, fd: int, program: str, job: str, node: str) -> None:
        self._fd = fd
        self._program = program
        self._job = job
        self._node = node
        self._written = _thread.allocate_lock()

    def write(self, cause: str) -> None:
        """Write why the unit is ended, if Slurm has a word for that."""
        if line := self._line(cause):
            self._written.acquire()
            in_a_thread(lambda: self._write(line.encode()))

    def close(self) -> None:
        """Let the file go, once the line is written: who learns of the end may look for it."""
        self._written.acquire(timeout=ANSWERED_WITHIN_S)
        in_a_thread(lambda: close([self._fd]))

    def _line(self, cause: str) -> str:
        if cause == "memory":
            why = f"Detected 1 oom_kill event in StepId={self._job}.batch. Some of the step tasks"
            return f"{self._program}: error: {why} have been OOM Killed.\n"
        if cause not in _REASONS:
            return ""
        at = time.strftime("%Y-%m-%dT%H:%M:%S")
        what = f"JOB {self._job} ON {self._node} CANCELLED AT {at}{_REASONS[cause]}"
        return f"{self._program}: error: *** {what} ***\n"

    def _write(self, line: bytes) -> None:
        try:
            os.write(self._fd, line)
        except OSError:
            pass  # a disk that is full, or a server that has forgotten the file
        finally:
            self._written.release()


def noted_file(fd: int, named: Sequence[str]) -> int | None:
    """Return a descriptor for a note, or None: none is wanted, or the file is no regular one."""
    if not named or not stat.S_ISREG(os.fstat(fd).st_mode):
        return None
    return os.dup(fd)
