"""Limits of the kernel's: of open files, ours and that of what we start; of a user's processes."""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path


def _kernel(name: str) -> int:
    return int(Path("/proc/sys/kernel", name).read_text(encoding="ascii"))


_given = resource.getrlimit(resource.RLIMIT_NOFILE)
_most_tasks = min(_kernel("pid_max"), _kernel("threads-max"))
"""The number of processes and threads that this machine has space for. It is read early: later
there may be no descriptor left to open the file."""


def raise_open_files() -> None:
    """Raise the limit of open files as far as the system allows: the agent has a link to every
    shepherd."""
    hard = _given[1]
    with contextlib.suppress(ValueError, OSError):  # the system's own maximum may be lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def restore_open_files(pid: int) -> None:
    """Give a process that we have just started the limit of open files that we were given."""
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_NOFILE, _given)


def max_more_tasks(max_processes: int, cores: int) -> int:
    """Return how many processes and threads a user may have beside those that a machine has
    already.

    The kernel counts the tasks of all jobs of a user together, so this is what as many jobs may
    have as fit on the node, each with one of its cores; but at most half of what the machine has
    room for, so that others can start processes, too. 0: any number.
    """
    return min(max_processes * cores, _most_tasks // 2)
