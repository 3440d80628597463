"""A guard that polls: what attempts use of memory and processes, against what they may."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog

from rmsd_agent import processes, usage
from rmsd_agent.memory_files import MemoryFiles
from rmsd_agent.processes import Tree
from rmsd_agent.reports import Key
from rmsd_core.vocabulary import Cause
from rmsd_wire.sizes import format_mem

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_POLL_S = 1.0
_MAX_SHARE = 0.05
"""Of the time: with very many processes, looks are further apart."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """An attempt that runs under limits (0: none). Its processes are those below `roots`: the
    shepherds, which do not count, and the main processes whose shepherd is gone."""

    key: Key
    mem_mib: int
    max_processes: int
    roots: set[int]
    shepherds: set[int]


@dataclass(frozen=True, slots=True)
class Excess:
    """More than an attempt may have, in words."""

    key: Key
    cause: Cause
    message: str


class Guard:
    """Looks about once a second, in a thread of its own, while there is anything to guard.

    `guarded` says what there is; `exceeded` is told of each that has more than it may.
    """

    def __init__(
        self,
        guarded: Callable[[], Sequence[Guarded]],
        exceeded: Callable[[Excess], None],
    ) -> None:
        self._guarded = guarded
        self._exceeded = exceeded
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1)

    def watch(self) -> None:
        """There is something to guard now."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        pause_s = _POLL_S
        # The first look is at once: it starts the thread while the machine has room for one.
        while guarded := self._guarded():
            try:
                excesses, took_s = await loop.run_in_executor(self._thread, _look, guarded)
            except (OSError, RuntimeError) as error:  # no file can be opened, no thread started
                log.error("guard-blind", error=str(error), again_in_s=pause_s)
            else:
                pause_s = max(_POLL_S, took_s / _MAX_SHARE)
                for excess in excesses:
                    self._exceeded(excess)
            await asyncio.sleep(pause_s)


def _look(guarded: Sequence[Guarded]) -> tuple[list[Excess], float]:
    """What has more than it may now, and what it cost to find out: seconds of a processor."""
    began_s = time.thread_time()
    tasks = processes.tasks_on_this_machine()
    todo = [one for one in guarded if one.mem_mib or tasks > one.max_processes > 0]
    excesses = []
    if todo:
        with processes.Urgent():
            tree, files = Tree(processes.process_table()), MemoryFiles()
            found = (_excess(one, tree, files) for one in todo)
            excesses = [excess for excess in found if excess is not None]
    return excesses, time.thread_time() - began_s


def _excess(one: Guarded, tree: Tree, files: MemoryFiles) -> Excess | None:
    node = one.key[2]
    found = tree.all_below(one.roots) - one.shepherds
    if 0 < one.max_processes < len(found):
        return Excess(
            one.key,
            Cause.QUOTA,
            f"it had {len(found)} processes on node {node}; {one.max_processes} are allowed",
        )
    pids = tree.alive(found)
    used_mib = usage.memory_mib(pids, one.mem_mib, files) if one.mem_mib else 0
    if used_mib > one.mem_mib:
        return Excess(one.key, Cause.MEMORY, memory_message(node, one.mem_mib, used_mib))
    return None


def memory_message(node: str, limit_mib: int, used_mib: int | None = None) -> str:
    """Why a job was killed for its memory. `used_mib`: None if only the kernel knows."""
    if used_mib is None:
        return f"it needed more than its {format_mem(limit_mib)} on node {node}"
    used, has = format_mem(used_mib), format_mem(limit_mib)
    return f"it used {used} of memory on node {node}, and it has {has}"
