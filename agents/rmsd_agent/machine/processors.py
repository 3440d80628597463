"""The logical processors that this machine's agent gives to jobs, each to one job at a time."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

PhysicalCores = tuple[tuple[int, ...], ...]
"""The ids of logical processors, those of one physical core together."""

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
_LOCK = "rmsd-agent-processors.lock"


def choose(cores: PhysicalCores, taken: Collection[int], count: int) -> list[int]:
    """Return `count` processors that are not taken, those of the physical cores first that have the
    most free. Return none if fewer are free."""
    free = [[one for one in core if one not in taken] for core in cores]
    most_free_first = sorted(free, key=len, reverse=True)
    chosen = [one for core in most_free_first for one in core][:count]
    return sorted(chosen) if len(chosen) == count else []


def spelled(processors: Iterable[int]) -> str:
    """Return a set of processors as the kernel spells it, as `0-3,8`."""
    runs: list[list[int]] = []
    for one in sorted(processors):
        if runs and one == runs[-1][-1] + 1:
            runs[-1][1:] = [one]
        else:
            runs.append([one])
    return ",".join("-".join(map(str, run)) for run in runs)


def read(text: str) -> list[int]:
    """Return the set of processors that the kernel spells so."""
    found: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _siblings(processor: int) -> str:
    return Path(_SIBLINGS.format(processor)).read_text(encoding="ascii")


def usable_processors(siblings: Callable[[int], str] = _siblings) -> PhysicalCores:
    """Return the processors that this process may use (its affinity, which a cpuset bounds). Each
    is a core of its own where the kernel does not tell its siblings."""
    usable = os.sched_getaffinity(0)
    cores: dict[tuple[int, ...], None] = {}
    for one in sorted(usable):
        try:
            told = read(siblings(one))
        except (OSError, ValueError):
            told = []
        cores[tuple(sorted(usable & {one, *told}))] = None
    return tuple(cores)


def claim() -> bool:
    """Claim the processors of this machine for this process until its end. Return False if another
    agent has them: each would give the same ones to its jobs.

    An agent that can open no lock is taken to be the only one.
    """
    try:
        lock = _open_lock(f"{_lock_folder()}/{_LOCK}")
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return False
    return True


def _lock_folder() -> str:
    """Return where agents that may run beside each other find one lock: those of root where no user
    can take it, all others where each of them can."""
    if os.geteuid() == 0:
        return os.environ.get("XDG_RUNTIME_DIR") or "/run"
    return tempfile.gettempdir()


def _open_lock(path: str) -> int:
    """Open the lock file, which may be another account's."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        made = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, flags)
    if os.geteuid() != 0:  # agents of other accounts can lock what they can read
        os.fchmod(made, 0o644)
    return made
