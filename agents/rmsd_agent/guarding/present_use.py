"""The processor time, memory and processes of an attempt that runs, as the kernel tells them at
once: without a walk through page tables, which can wait for a user's file system."""

from __future__ import annotations

import os

from rmsd_agent.guarding.usage import fields_kib
from rmsd_agent.shepherd.standalone import kernel_files, processes
from rmsd_agent.shepherd.standalone.processes import Tree
from rmsd_wire.link_calls import PresentUse

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_OWN = slice(11, 13)  # utime and stime, among the fields from the state on
_OF_COLLECTED = slice(13, 15)  # cutime and cstime: of children that have ended
_HELD = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
_KIB_PER_MIB = 1024


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
