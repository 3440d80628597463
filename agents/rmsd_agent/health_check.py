"""The site's own program that says whether jobs may start on this machine.

It runs at the start of the agent and then in an interval. While it fails, the agent's nodes are
unable to start jobs, for the reason that it prints; what an operator drains is another matter.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import structlog

from rmsd_agent.attempts.site_programs import ProgramPaths, program_environment_of, run_program

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_FIRST = "its health check has not ended yet"
_MOST_BYTES = 4096
"""The bytes of the output in which the reason is looked for."""
_MOST_CHARACTERS = 200
_CHUNK = 64 << 10
"""The most bytes that a pipe holds."""
_PAUSE_S = 0.01
"""The time between two reads of what is dropped: a program that prints without end must not occupy
the agent."""


class HealthCheck:
    """Runs the health check of this machine. `why`: why no job may start here now; "" if jobs
    may."""

    def __init__(self, paths: ProgramPaths) -> None:
        self._paths = paths
        self.why = _FIRST if paths.health_check else ""

    async def run(self, changed: Callable[[], None]) -> None:
        """Run the program again and again, if there is one, and call `changed` at news."""
        if (path := self._paths.health_check) is None:
            return
        while True:
            before, self.why = self.why, await self._looked(path)
            if self.why != before:
                if self.why:
                    log.warning("health-check-failed", node=self._paths.node, reason=self.why)
                elif before != _FIRST:
                    log.info("health-check-passed", node=self._paths.node)
                changed()
            await asyncio.sleep(self._paths.health_check_interval_s)

    async def _looked(self, path: Path) -> str:
        """Run the program once. Return "", or the reason of its failure: the first line that it has
        printed, or else how it has ended."""
        problems: list[str] = []
        # A pipe and no file: a disk that is full may be what the program tells of.
        try:
            reader, writer = os.pipe()
        except OSError as error:
            return f"its health check cannot be run: {error.strerror}"
        beginning = _Beginning(reader)
        try:
            env = program_environment_of("health_check", {"RMS_NODENAME": self._paths.node})
            await run_program(path, env, self._paths.timeout_s, problems.append, writer)
            printed = beginning.read().decode(errors="replace")
        finally:
            beginning.close()
            os.close(writer)
        if not (problem := problems[0]):
            return ""
        lines = (line.strip() for line in printed.splitlines())
        told = next(filter(None, lines), problem)[:_MOST_CHARACTERS]
        return f"its health check failed: {told}"


class _Beginning:
    """The beginning of what comes through a pipe; the rest is read slowly and dropped. What a
    program leaves behind may keep the other end, so the end of the program is the end of the
    reading."""

    def __init__(self, reader: int) -> None:
        self._reader = reader
        self._kept = b""
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.TimerHandle | None = None
        os.set_blocking(reader, False)
        self._loop.add_reader(reader, self._take)

    def read(self) -> bytes:
        """Return the beginning, with what has come just now."""
        self._take()
        return self._kept

    def close(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._loop.remove_reader(self._reader)
        os.close(self._reader)

    def _take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._kept += os.read(self._reader, _CHUNK)[: _MOST_BYTES - len(self._kept)]
        if len(self._kept) == _MOST_BYTES and self._next is None:
            self._loop.remove_reader(self._reader)
            self._drop()

    def _drop(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._reader, _CHUNK)
        self._next = self._loop.call_later(_PAUSE_S, self._drop)
