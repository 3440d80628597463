"""The memory and the processor time that processes use, as /proc shows them."""

from __future__ import annotations

import ctypes
import platform
import time
from collections.abc import Callable, Iterable

from rmsd_agent.guarding.memory_files import MemoryFiles
from rmsd_agent.shepherd.standalone import processes

_KIB_PER_MIB = 1024
_LONGEST_CHASE_S = 0.05
"""The processor time for looks at processes that end too soon to be measured with the others."""
_SUMS = 4
"""The most times that shared memory is summed up. A pool of workers that ends meanwhile is soon
over."""
_MUCH_OF_IT = 7 / 8
"""A process has let go of memory if it has less than this part: the kernel counts roughly."""
_GROWTH = 65 / 64
"""A peak is measured anew once processes may hold so much more: a job that grows evenly is walked
through some hundred times, however large it becomes."""
_KCMP = {"x86_64": 312, "aarch64": 272, "riscv64": 272, "ppc64le": 354, "s390x": 343}
"""The number of kcmp(2), which no library has."""
_KCMP_VM = 1

_libc = ctypes.CDLL(None)


def memory_mib(
    pids: Iterable[int],
    at_least_mib: int,
    files: MemoryFiles,
    again: Callable[[], Iterable[int]] = tuple,
) -> int:
    """Return the memory that some processes hold for themselves, in MiB rounded up: it would be
    free, or out of the swap, if they were gone. Return 0 if it is certainly not above
    `at_least_mib`.

    This is anonymous and shared memory; memory that several of them share counts once among them
    (PSS). The sum of their resident sets would count the memory of forked workers many times. Page
    tables count, which each process has of its own: memory that is only read has nothing else. File
    pages do not count, since the kernel drops them when it needs memory, but `files` in memory
    that the processes hold do. To know it takes a walk through page tables, so the resident sets,
    which are never less, are looked at first. Files are looked for only if the machine has enough
    in memory to matter.

    A process that ends before it is measured may have handed its memory on, to one that does the
    same. So `again` looks for all that is there now, and what is new is measured as it is found.
    What is new counts apart from the others, since these may have been without it: so much may be
    held twice.

    When a process ends or frees memory, the memory that it shared counts more with each process
    still to be measured. The end of a pool of workers then looks as if it took memory. So a sum of
    shared memory that is too much is made anew if that has happened meanwhile.
    """
    # Parents mostly come first: what a child shares counts with its parent no more than it is.
    pids = sorted(pids)
    at_least_kib = at_least_mib * _KIB_PER_MIB
    used_kib = 0
    for _ in range(_SUMS):
        found = _ResidentSets()
        used_kib = _held_kib(pids, at_least_kib, files, found)
        if used_kib <= at_least_kib:
            newly_kib = _newly_held_kib(set(pids), at_least_kib, again, found)
            used_kib = max(used_kib, newly_kib)
        if used_kib <= at_least_kib or found.most_kib > at_least_kib or not found.has_changed():
            break
    return -(-used_kib // _KIB_PER_MIB)


def may_hold_more(pids: Iterable[int], peak_mib: int) -> bool:
    """Return False if some processes surely hold hardly more than `peak_mib` of anonymous and
    shared memory, as the kernel tells without a walk through page tables."""
    fields = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
    upper_kib = sum(sum((fields_kib(pid, "status", fields) or {}).values()) for pid in pids)
    return upper_kib > peak_mib * _KIB_PER_MIB * _GROWTH


def held_mib(pids: Iterable[int], files: MemoryFiles) -> int:
    """Return the memory that some processes hold, as `memory_mib` has it, in MiB rounded up."""
    pids = sorted(pids)
    used_kib = 0
    for _ in range(_SUMS):
        found = _ResidentSets()
        used_kib = _held_kib(pids, 0, files, found)
        if not found.has_changed():
            break
    return -(-used_kib // _KIB_PER_MIB)


class _ResidentSets:
    """The resident sets of processes that were measured one after the other."""

    def __init__(self) -> None:
        # the most that one of them had by itself: no other process can have added to that
        self.most_kib = 0
        self._resident_kib: dict[int, int] = {}
        self._tables_kib: dict[int, int] = {}

    def tables_kib(self, pid: int) -> int:
        """Return the page tables of a process when its resident set was looked at."""
        return self._tables_kib.get(pid, 0)

    def resident_kib(self, pid: int) -> int:
        """Return how much a process has in view, whether others share it or not, before it is
        measured."""
        fields = (b"VmRSS:", b"VmSwap:", b"RssAnon:", b"VmPTE:")
        found = fields_kib(pid, "status", fields) or {}
        self._tables_kib[pid] = found.get(b"VmPTE:", 0)
        self.most_kib = max(self.most_kib, found.pop(b"RssAnon:", 0))
        self._resident_kib[pid] = sum(found.values())
        return self._resident_kib[pid]

    def has_changed(self) -> bool:
        """Return True if a process has ended since, or has let go of a good part of its memory."""
        before = list(self._resident_kib.items())
        return any(self.resident_kib(pid) < kib * _MUCH_OF_IT for pid, kib in before)


def _held_kib(pids: list[int], at_least_kib: int, files: MemoryFiles, found: _ResidentSets) -> int:
    upper_kib = sum(map(found.resident_kib, pids))
    if upper_kib + files.most_kib <= at_least_kib:
        return 0
    files_kib = files.held_kib(pids)
    if upper_kib + files_kib <= at_least_kib:
        return 0
    own_kib, shared_kib = 0, 0
    known = set(pids)
    for pid in pids:
        if not is_in_the_memory_of_its_parent(pid, known):
            own, shared = _own_kib(pid) or (0, 0)
            own_kib += own + found.tables_kib(pid)
            shared_kib += shared
    # A file may be mapped as well as open: the larger of both is never too much.
    return own_kib + max(0, files_kib - shared_kib)


def _newly_held_kib(
    known: set[int], at_least_kib: int, again: Callable[[], Iterable[int]], found: _ResidentSets
) -> int:
    """Return the most that processes beside the known ones hold at a time, in looks until a look
    has measured all that it has found."""
    most_kib = 0
    until_s = time.thread_time() + _LONGEST_CHASE_S
    while most_kib <= at_least_kib:
        held_kib = 0
        missed = False
        counted = set(known)
        for pid in again():
            if time.thread_time() >= until_s:
                return max(most_kib, held_kib)
            if pid in known or is_in_the_memory_of_its_parent(pid, counted):
                continue
            found.resident_kib(pid)
            own = _own_kib(pid)
            if own is None:
                known.add(pid)  # an ended process does not come to life again
                missed = True
            else:
                counted.add(pid)
                held_kib += own[0] + found.tables_kib(pid)
        most_kib = max(most_kib, held_kib)
        if not missed:
            break
    return most_kib


def is_in_the_memory_of_its_parent(pid: int, known: set[int]) -> bool:
    """Return True for a process that uses the very memory of a known parent. Such a process was
    started with vfork(2) or posix_spawn(3), and has not executed its program yet."""
    one = processes.process(pid)
    if one is None or one.ppid not in known or not have_same_memory(pid, one.ppid):
        return False
    # A main thread that has ended has no memory, which is the same as that of any other such.
    return processes.has_memory(pid)


def have_same_memory(pid: int, other: int) -> bool:
    """Return True if the kernel says that two processes have one memory."""
    number = _KCMP.get(platform.machine())
    return number is not None and _libc.syscall(number, pid, other, _KCMP_VM, 0, 0) == 0


def _own_kib(pid: int) -> tuple[int, int] | None:
    """Return what a process holds for itself, and how much of that is shared memory; None if it
    has ended. What is locked and neither anonymous nor shared memory is of memfd_secret(2), or of
    files that the kernel cannot drop: it counts as shared memory."""
    fields = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
    found = fields_kib(pid, "smaps_rollup", (*fields, b"Locked:"))
    if found is not None:
        locked_kib = found.pop(b"Locked:", 0)
        anonymous_kib, shared_kib = (found.get(field, 0) for field in fields[:2])
        found[fields[1]] = max(shared_kib, locked_kib - anonymous_kib)
    if found is None:  # another user's, for an agent that is not root
        fields = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
        found = fields_kib(pid, "status", fields)
    if found is None:
        return None
    return sum(found.values()), found.get(fields[1], 0)


def fields_kib(pid: int, name: str, fields: tuple[bytes, ...]) -> dict[bytes, int] | None:
    """Return fields such as `VmRSS: 1234 kB` of a file of /proc. Return None if there is no such
    process, or if this agent may not look at it."""
    for thread in processes.threads(pid):
        try:
            with open(f"/proc/{thread}/{name}", "rb") as file:
                found = [line.split() for line in file if line.startswith(fields)]
        except PermissionError:  # the other threads are not visible to this agent either
            return None
        except OSError:
            continue
        if found:
            return {words[0]: int(words[1]) for words in found}
    return None
