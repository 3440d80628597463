"""A guard that polls: what attempts use of memory, processes and threads, against what they may."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import structlog

from rmsd_agent.guarding import usage
from rmsd_agent.guarding.measuring import PATIENCE_S, Measurements, Unmeasurable
from rmsd_agent.guarding.memory_files import MemoryFiles
from rmsd_agent.reports import Key
from rmsd_agent.shepherd.standalone import processes
from rmsd_agent.shepherd.standalone.processes import Tree
from rmsd_agent.shepherd.standalone.urgent import Urgent
from rmsd_core.vocabulary import Cause
from rmsd_wire.sizes import format_mem

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

POLL_S = 1.0
_MAX_SHARE = 0.05
"""The part of the time that looks at processes take at most. With very many processes, looks are
further apart."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """An attempt that runs under limits (None: no limit). Its processes are those below `roots`:
    the shepherds, which do not count, and the main processes whose shepherd is gone. Each thread of
    them counts for `max_processes`, as it does for the kernel (pids.max, RLIMIT_NPROC)."""

    key: Key
    mem_mib: int | None
    max_processes: int | None
    roots: set[int]
    shepherds: set[int]
    peak_mib: int = 0
    """The most memory that earlier looks have found."""


@dataclass(frozen=True, slots=True)
class Excess:
    """The excess of an attempt over one of its limits, in words."""

    key: Key
    cause: Cause
    message: str


class Guard:
    """Looks about once a second, in a thread of its own, while there is anything to guard.

    `guarded` says what there is; `exceeded` is told of each that has more than it may, and of each
    whose memory cannot be measured; `peaked` is told of each that has more memory than ever before.
    The thread itself reads only what the kernel answers at once.
    """

    def __init__(
        self,
        guarded: Callable[[], Sequence[Guarded]],
        exceeded: Callable[[Excess], None],
        peaked: Callable[[Key, int], None],
    ) -> None:
        self._guarded = guarded
        self._exceeded = exceeded
        self._peaked = peaked
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1)
        self._measurements = Measurements()

    @property
    def is_watching(self) -> bool:
        """Return whether attempts are looked at now, which ends when there are none."""
        return self._task is not None and not self._task.done()

    def watch(self) -> None:
        """Look at attempts from now on: there is something to guard."""
        if not self.is_watching:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        pause_s = POLL_S
        # The first look is at once: it starts the thread while the machine can start one.
        while guarded := self._guarded():
            look = Look(guarded, self._measurements)
            try:
                await loop.run_in_executor(self._thread, look.run)
            except (OSError, RuntimeError) as error:  # no file can be opened, no thread started
                look.problem = error
            if look.problem is None:
                pause_s = max(POLL_S, look.took_s / _MAX_SHARE)
            else:
                log.error("guard-blind", error=str(look.problem), again_in_s=pause_s)
            for key, peak_mib in look.peaks_mib.items():
                self._peaked(key, peak_mib)
            for excess in look.excesses:
                self._exceeded(excess)
            await asyncio.sleep(pause_s)


class Look:
    """One look at attempts: first at their processes, then at their memory.

    What was found stays in `excesses` if something else could not be looked at (`problem`).
    """

    def __init__(self, guarded: Sequence[Guarded], measurements: Measurements) -> None:
        self._guarded = guarded
        self._measurements = measurements
        self._files = MemoryFiles()
        self.excesses: list[Excess] = []
        self.peaks_mib: dict[Key, int] = {}
        self.problem: Exception | None = None
        self.took_s = 0.0  # processor time spent on looking at processes

    def run(self) -> None:
        """Look at all attempts.

        Raises:
            OSError: there is no file to be had to look at processes.
        """
        self._measurements.begin_look({one.key for one in self._guarded})
        # Workers are started outside of `Urgent`, since threads inherit it.
        for one, pids in self._counted():
            self._measure(one, pids)

    def _counted(self) -> list[tuple[Guarded, set[int]]]:
        """Count the threads of attempts; return whose memory is to be measured, with the pids."""
        to_measure: list[tuple[Guarded, set[int]]] = []
        began_s = time.thread_time()
        with Urgent():
            tree = Tree(processes.process_table())
            for one in self._guarded:
                found = tree.all_below(one.roots) - one.shepherds
                most = one.max_processes
                if most is not None and most < (count := tree.threads(found)):
                    self._add(one, Cause.QUOTA, _processes_message(one, count))
                else:
                    to_measure.append((one, tree.alive(found)))
        self.took_s += time.thread_time() - began_s
        return to_measure

    def _measure(self, one: Guarded, pids: set[int]) -> None:
        measure = partial(self._memory_mib, one, pids)
        limit_mib = one.mem_mib
        try:
            used_mib = self._measurements.measure(one.key, measure)
        except Unmeasurable:
            if limit_mib is not None:
                self._add(one, Cause.MEMORY, _unmeasurable_message(one))
        except (OSError, RuntimeError) as error:  # the others are looked at nevertheless
            self.problem = error
        else:
            if used_mib is not None and used_mib > one.peak_mib:
                self.peaks_mib[one.key] = used_mib
            if used_mib is not None and limit_mib is not None and used_mib > limit_mib:
                self._add(one, Cause.MEMORY, memory_message(one.key[2], limit_mib, used_mib))

    def _memory_mib(self, one: Guarded, pids: set[int]) -> int:
        """Return what an attempt holds; 0 if that is neither above its limit nor a new peak."""
        used_mib = 0
        if one.mem_mib is not None:
            again = partial(processes.each_below, one.roots)
            with Urgent():
                used_mib = usage.memory_mib(pids, one.mem_mib, self._files, again)
        if used_mib == 0 and usage.may_hold_more(pids, one.peak_mib):
            used_mib = usage.held_mib(pids, self._files)
            # A sum that is made without another look for new processes is no reason for a kill.
            used_mib = used_mib if one.mem_mib is None else min(used_mib, one.mem_mib)
        return used_mib

    def _add(self, one: Guarded, cause: Cause, message: str) -> None:
        self.excesses.append(Excess(one.key, cause, message))


def _processes_message(one: Guarded, count: int) -> str:
    return (
        f"it had {count} processes and threads on node {one.key[2]}; "
        f"{one.max_processes} are allowed"
    )


def _unmeasurable_message(one: Guarded) -> str:
    return (
        f"its memory on node {one.key[2]} cannot be measured: the kernel has not told it for "
        f"{PATIENCE_S:.0f} s (a file system that a process has mapped may not answer)"
    )


def memory_message(node: str, limit_mib: int, used_mib: int | None = None) -> str:
    """Return why a job was killed for its memory. `used_mib` is None if only the kernel knows how
    much the job had."""
    if used_mib is None:
        return f"it needed more than its {format_mem(limit_mib)} on node {node}"
    used, has = format_mem(used_mib), format_mem(limit_mib)
    return f"it used {used} of memory on node {node}, and it has {has}"
