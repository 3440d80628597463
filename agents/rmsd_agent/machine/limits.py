"""The limit of processes of a user on a machine."""

from __future__ import annotations

from pathlib import Path


def _kernel(name: str) -> int:
    return int(Path("/proc/sys/kernel", name).read_text(encoding="ascii"))


_most_tasks = min(_kernel("pid_max"), _kernel("threads-max"))
"""The number of processes and threads that this machine has space for. It is read early: later
there may be no descriptor left to open the file."""


def max_more_tasks(max_processes: int | None, cores: int) -> int:
    """Return how many processes and threads a user may have beside those that a machine has
    already.

    The kernel counts the tasks of all jobs of a user together. This is therefore the sum for as
    many jobs as fit on the node, each with one of its cores. It is at most half of what the machine
    can hold, so that other users can start processes, too. 0: any number, for no limit
    (`UnitSpec`).
    """
    if max_processes is None:
        return 0
    return min(max_processes * cores, _most_tasks // 2)
