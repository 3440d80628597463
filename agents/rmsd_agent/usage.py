"""What processes use, as /proc shows it."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_agent import processes

_KIB_PER_MIB = 1024


def memory_mib(pids: Iterable[int], at_least_mib: int) -> int:
    """The memory that some processes hold for themselves, in MiB rounded up: what would be free,
    or out of the swap, were they gone. 0 if it is certainly not above `at_least_mib`.

    That is anonymous and shared memory, with what several of them share counted once among them
    (PSS): the sum of their resident sets would count the memory of forked workers many times. File
    pages do not count, since the kernel drops them when it needs the room. To know it takes a walk
    through page tables, so the resident sets, which are never less, are looked at first.
    """
    pids = list(pids)
    upper_kib = sum(_sum_kib(pid, "status", (b"VmRSS:", b"VmSwap:")) or 0 for pid in pids)
    if upper_kib <= at_least_mib * _KIB_PER_MIB:
        return 0
    return -(-sum(map(_own_kib, pids)) // _KIB_PER_MIB)


def _own_kib(pid: int) -> int:
    fields = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
    own_kib = _sum_kib(pid, "smaps_rollup", fields)
    if own_kib is None:  # another user's, for an agent that is not root
        own_kib = _sum_kib(pid, "status", (b"RssAnon:", b"RssShmem:", b"VmSwap:"))
    return own_kib or 0


def _sum_kib(pid: int, name: str, fields: tuple[bytes, ...]) -> int | None:
    """The sum of fields such as `VmRSS:  1234 kB` in a file of /proc; None when there is no such
    process, or it may not be looked at."""
    for thread in processes.threads(pid):
        try:
            with open(f"/proc/{thread}/{name}", "rb") as file:
                found = [line for line in file if line.startswith(fields)]
        except PermissionError:  # nor are its other threads ours to see
            return None
        except OSError:
            continue
        if found:
            return sum(int(line.split()[1]) for line in found)
    return None


def tasks_on_this_machine() -> int:
    """How many processes and threads there are."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[2])
