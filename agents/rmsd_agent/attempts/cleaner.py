"""Deleting what is over: directories, and the cgroups of the same names."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import structlog

from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.state import delete_trees

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

RETRY_S = 2.0
PATIENCE_S = 60.0
"""The time that the deletion of one directory may take."""
_LOOK_S = 0.1
_PAUSE_S = 0.25
"""The least time between two starts of the process that deletes."""
_AT_ONCE = 50
"""The directories that a process is given: their names fit into a pipe."""
_MOST_STUCK = 8
"""The most processes that may hang in a deletion. With so many, nothing is deleted any more."""


class Cleaner:
    """Deletes directories below `jobs`, one batch after the other, in a process that may hang.

    What cannot be deleted is left for the next start of the agent.
    """

    def __init__(self, jobs: Path, delegation: Delegation | None) -> None:
        self._jobs = jobs
        self._delegation = delegation
        self._garbage: list[Path] = []
        self._deletions = _Deletions()
        self.cleaning: asyncio.Task[None] | None = None

    def close(self) -> None:
        """Delete nothing more."""
        self._garbage.clear()
        self._deletions.close()

    def throw_away(self, directory: Path) -> None:
        """Delete a directory soon."""
        self._garbage.append(directory)
        if self.cleaning is None or self.cleaning.done():
            self.cleaning = asyncio.get_running_loop().create_task(self._clean())

    def throw_away_cgroups_except(self, known: set[str]) -> None:
        """Delete the cgroups of attempts that are not here, which an earlier agent has left."""
        if self._delegation is not None:
            for name in set(self._delegation.attempts()) - known:
                self.throw_away(self._jobs / name)

    async def _clean(self) -> None:
        """Wait for the process in a thread, until there is no garbage."""
        while self._garbage:
            directories, self._garbage = self._garbage, []
            try:
                done = asyncio.get_running_loop().run_in_executor(None, self.remove, directories)
            except RuntimeError as error:  # no thread can be started now
                log.error("deletion-delayed", error=str(error), again_in_s=RETRY_S)
                self._garbage += directories
                await asyncio.sleep(RETRY_S)
                continue
            await done
            if self._garbage:
                await asyncio.sleep(_PAUSE_S)

    def remove(self, directories: list[Path]) -> None:
        """Delete directories, in a thread: this waits for the process."""
        # The cgroups first: as long as its directory is there, no task begins with the same name.
        if self._delegation is not None:
            for directory in directories:
                self._delegation.remove(str(directory.relative_to(self._jobs)))
        while directories:
            directories = self._deletions.delete(directories)


class _Deletions:
    """The process that deletes now, and those that hang."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stuck: list[subprocess.Popen[bytes]] = []
        self._closed = False

    def close(self) -> None:
        """End what is under way."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()

    def delete(self, directories: Sequence[Path]) -> list[Path]:
        """Delete some of the directories in a process of their own; return those that are left."""
        self._stuck = [one for one in self._stuck if one.poll() is None]
        if self._closed or len(self._stuck) >= _MOST_STUCK:
            if not self._closed:
                log.error("nothing-deleted", hanging=len(self._stuck), left=len(directories))
            return []
        some, rest = directories[:_AT_ONCE], list(directories[_AT_ONCE:])
        try:
            process = self._process = _start(some)
        except OSError as error:
            log.error("nothing-deleted", error=str(error), left=len(directories))
            return []
        assert process.stdout is not None
        with process.stdout:
            for at, directory in enumerate(some):
                if (answer := self._answer(process.stdout.fileno())) is None:
                    log.error("deletion-hangs", path=str(directory), after_s=PATIENCE_S)
                    process.kill()
                    self._stuck.append(process)
                    return [*some[at + 1 :], *rest]
                if not answer:  # the process has ended
                    break
                if why := answer.decode().strip():
                    log.warning("not-deleted", path=str(directory), error=why)
        process.wait()
        return rest

    def _answer(self, answers: int) -> bytes | None:
        """Return the next line that the process says: nothing if it has ended, None if it hangs."""
        line = b""
        ready = select.poll()
        ready.register(answers, select.POLLIN)
        until_s = time.monotonic() + PATIENCE_S
        while not line.endswith(b"\n"):
            if not ready.poll(_LOOK_S * 1000):
                if self._closed or time.monotonic() >= until_s:
                    return None
            elif more := os.read(answers, 1):
                line += more
            else:
                return b""
        return line


def _start(directories: Sequence[Path]) -> subprocess.Popen[bytes]:
    """Start the process, in a session of its own: it does not heed signals of a terminal."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", delete_trees.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
        bufsize=0,
    )
    assert process.stdin is not None
    with process.stdin:
        process.stdin.write(
            b"".join(os.fsencode(one).hex().encode() + b"\n" for one in directories)
        )
    return process
