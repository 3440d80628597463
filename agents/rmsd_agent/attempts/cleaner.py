"""Deleting what is over: directories, and the cgroups of the same names."""

from __future__ import annotations

import asyncio
from pathlib import Path

import structlog

from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.state.files import remove_trees

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

RETRY_S = 2.0


class Cleaner:
    """Deletes directories below `jobs`, one batch after the other, in a thread."""

    def __init__(self, jobs: Path, delegation: Delegation | None) -> None:
        self._jobs = jobs
        self._delegation = delegation
        self._garbage: list[Path] = []
        self.cleaning: asyncio.Task[None] | None = None

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
        """Delete in a thread: a file system that is busy syncing takes milliseconds for it."""
        while self._garbage:
            directories, self._garbage = self._garbage, []
            try:
                done = asyncio.get_running_loop().run_in_executor(None, self._remove, directories)
            except RuntimeError as error:  # no thread can be started now
                log.error("deletion-delayed", error=str(error), again_in_s=RETRY_S)
                self._garbage += directories
                await asyncio.sleep(RETRY_S)
                continue
            await done

    def _remove(self, directories: list[Path]) -> None:
        # The cgroups first: as long as its directory is there, no task begins with the same name.
        if self._delegation is not None:
            for directory in directories:
                self._delegation.remove(str(directory.relative_to(self._jobs)))
        remove_trees(directories)
