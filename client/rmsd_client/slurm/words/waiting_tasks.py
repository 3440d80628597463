"""The waiting tasks of arrays, each by itself: what the daemon tells in one row is told of all of
them, as Slurm's commands do."""

from __future__ import annotations

from rmsd_wire.arrays import parse_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Job = dict[str, Any]

CUT_OFF = "..."
_PATHS = ("stdin", "stdout", "stderr")


def are_whole(jobs: Iterable[Job]) -> bool:
    """Return whether the rows of arrays name all of their waiting tasks. A long list is cut off."""
    return not any(str(job.get("array_task_str") or "").endswith(CUT_OFF) for job in jobs)


def apart(jobs: Iterable[Job]) -> Iterator[Job]:
    """Yield each waiting task in place of the row of its array. It has the number of the array, as
    in Slurm: its own comes with its start."""
    for job in jobs:
        text = job.get("array_task_str")
        if not text or job.get("array_task_id") is not None:
            yield job
            continue
        for first, last, step in parse_array(text).runs:
            for index in range(first, last + 1, step):
                task = {**job, "array_task_id": index, "array_task_str": "", "array_tasks": None}
                for name in _PATHS:
                    task[name] = job[name].replace("%a", str(index))
                yield task
