"""What processes use, as /proc shows it."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_agent import processes
from rmsd_agent.memory_files import MemoryFiles

_KIB_PER_MIB = 1024


def memory_mib(pids: Iterable[int], at_least_mib: int, files: MemoryFiles) -> int:
    """The memory that some processes hold for themselves, in MiB rounded up: what would be free,
    or out of the swap, were they gone. 0 if it is certainly not above `at_least_mib`.

    That is anonymous and shared memory, with what several of them share counted once among them
    (PSS): the sum of their resident sets would count the memory of forked workers many times. File
    pages do not count, since the kernel drops them when it needs the room, but `files` in memory
    that the processes hold do. To know it takes a walk through page tables, so the resident sets,
    which are never less, are looked at first. Files are looked for only if the machine has enough
    in memory to matter.
    """
    pids = list(pids)
    at_least_kib = at_least_mib * _KIB_PER_MIB
    resident = (_fields_kib(pid, "status", (b"VmRSS:", b"VmSwap:")) or {} for pid in pids)
    upper_kib = sum(sum(found.values()) for found in resident)
    if upper_kib + files.most_kib <= at_least_kib:
        return 0
    files_kib = files.held_kib(pids)
    if upper_kib + files_kib <= at_least_kib:
        return 0
    own_kib, shared_kib = 0, 0
    for pid in pids:
        own, shared = _own_kib(pid)
        own_kib += own
        shared_kib += shared
    # A file may be mapped as well as open: the larger of both is never too much.
    return -(-(own_kib + max(0, files_kib - shared_kib)) // _KIB_PER_MIB)


def _own_kib(pid: int) -> tuple[int, int]:
    """What a process holds for itself, and how much of that is shared memory."""
    fields = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
    found = _fields_kib(pid, "smaps_rollup", fields)
    if found is None:  # another user's, for an agent that is not root
        fields = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
        found = _fields_kib(pid, "status", fields) or {}
    return sum(found.values()), found.get(fields[1], 0)


def _fields_kib(pid: int, name: str, fields: tuple[bytes, ...]) -> dict[bytes, int] | None:
    """Fields such as `VmRSS:  1234 kB` of a file of /proc; None when there is no such process, or
    it may not be looked at."""
    for thread in processes.threads(pid):
        try:
            with open(f"/proc/{thread}/{name}", "rb") as file:
                found = [line.split() for line in file if line.startswith(fields)]
        except PermissionError:  # nor are its other threads ours to see
            return None
        except OSError:
            continue
        if found:
            return {words[0]: int(words[1]) for words in found}
    return None
