"""The processor time, memory and processes of an attempt that runs, as the kernel tells them at
once: without a walk through page tables, which can wait for a user's file system."""

from __future__ import annotations

import asyncio
import os
import time

from rmsd_agent.guarding.usage import fields_kib
from rmsd_agent.reports import Key
from rmsd_agent.shepherd.standalone import kernel_files, processes
from rmsd_agent.shepherd.standalone.processes import Tree
from rmsd_wire.link_calls import PresentUse

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_OWN = slice(11, 13)  # utime and stime, among the fields from the state on
_OF_COLLECTED = slice(13, 15)  # cutime and cstime: of children that have ended
_HELD = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
_KIB_PER_MIB = 1024
FRESH_S = 0.5
"""The time for which a look serves all who ask for the same attempt."""
_REST_TIMES = 4
"""The rest after a look, as a multiple of its duration: all who ask together take a fifth of a
processor at most. Each look reads all of /proc."""


class SharedLooks:
    """The looks at what attempts use now: one at a time, shared by those who ask together."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._rest_until_s = 0.0
        self._known: dict[Key, tuple[float, PresentUse]] = {}  # each with the time of its look

    async def of(self, key: Key, roots: set[int], shepherds: set[int]) -> PresentUse:
        """Return what `present_use` does. Raises OSError as that does."""
        async with self._one:
            now_s = time.monotonic()
            self._known = {
                one: known for one, known in self._known.items() if now_s - known[0] < FRESH_S
            }
            if (known := self._known.get(key)) is not None:
                return known[1]
            await asyncio.sleep(max(0.0, self._rest_until_s - now_s))
            began_s = time.monotonic()
            use = await asyncio.to_thread(present_use, roots, shepherds)
            ended_s = time.monotonic()
            self._rest_until_s = ended_s + _REST_TIMES * (ended_s - began_s)
            self._known[key] = ended_s, use
            return use


def present_use(roots: set[int], shepherds: set[int]) -> PresentUse:
    """Return what the processes below `roots` use, `shepherds` excluded. A shepherd has collected
    the processes that are over, and knows their time. Memory that processes share counts for each.

    Raises:
        OSError: there is no file to be had to look at processes.
    """
    tree = Tree(processes.process_table())
    found = tree.all_below(roots) - shepherds
    alive = tree.alive(found)
    ticks = sum(_ticks(pid, _OWN) + _ticks(pid, _OF_COLLECTED) for pid in found)
    ticks += sum(_ticks(pid, _OF_COLLECTED) for pid in shepherds)
    held_kib = sum(sum((fields_kib(pid, "status", _HELD) or {}).values()) for pid in alive)
    return PresentUse(
        cpu_s=ticks / _TICKS_PER_S,
        mem_mib=-(-held_kib // _KIB_PER_MIB),
        processes=len(alive),
        threads=tree.threads(alive),
    )


def _ticks(pid: int, which: slice) -> int:
    try:
        fields = kernel_files.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # the process has just ended
        return 0
    return sum(map(int, fields[which]))
