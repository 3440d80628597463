"""The use of steps in the fields of sacct and sstat: of all tasks, and of single ones where that is
known.

The end of a step tells the processor time of all tasks together, the most memory of a task, and in
`figures` the means, the least processor time, and the ranks and nodes of these two tasks. The most
processor time and the least memory are known of a step with one task alone. What is not known is
empty, as in a Slurm that gathers no such data.
"""

from __future__ import annotations

from rmsd_client.slurm.words.times import cpu_time, long_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rmsd_client.slurm.words.account_row import Row

    Show = Callable[[Row], str]


def cpu_s(row: Row) -> float | None:
    """Return the processor time of a job, of its script or of a step."""
    source = row.values if row.step else row.job
    found = source.get("cpu_s")
    return None if found is None else float(found)


def used_time(row: Row) -> str:
    """Return the processor time as TotalCPU shows it; empty for a component of a heterogeneous job,
    and for a step on several of them, since the time of all components is known alone."""
    found = cpu_s(row)
    return "" if found is None and "part" in row.job else cpu_time(found)


def _tasks(row: Row) -> int:
    return int(row.values.get("tasks") or 1)


def _kib(mib: float) -> str:
    return f"{int(mib * 1024)}K"


def _figure(name: str, show: Callable[[Any], str] = str) -> Show:
    """Return a field about the single tasks of a step; empty where that is not known."""

    def shown(row: Row) -> str:
        found = (row.values.get("figures") or {}).get(name)
        return "" if found is None else show(found)

    return shown


def _of_one(show: Show) -> Show:
    """Return a field that is empty where a step has several tasks."""
    return lambda row: show(row) if _tasks(row) == 1 else ""


def _total_cpu(row: Row) -> str:
    found = cpu_s(row)
    return "" if found is None or not row.step else long_duration(found)


def _total_rss(row: Row) -> str:
    """Return the memory of all tasks: the sum of the most that each has had."""
    return _figure("ave_rss_mib", lambda mib: _kib(round(mib * _tasks(row))))(row)


def max_rss(row: Row) -> str:
    """Return the most memory of a task."""
    found = row.values.get("max_rss_mib")
    return "" if found is None else _kib(found)


def _tres(cpu: Show, memory: Show) -> Show:
    """Return a field of TRES of what others tell."""

    def shown(row: Row) -> str:
        found = {"cpu": cpu(row), "mem": memory(row)}
        return ",".join(f"{kind}={text}" for kind, text in found.items() if text)

    return shown


average_cpu = _figure("ave_cpu_s", long_duration)
min_cpu = _figure("min_cpu_s", long_duration)
min_cpu_node = _figure("min_cpu_node")
min_cpu_task = _figure("min_cpu_task")
average_rss = _figure("ave_rss_mib", _kib)
max_rss_node = _figure("max_rss_node")
max_rss_task = _figure("max_rss_task")
_min_rss = _of_one(average_rss)

tres_total = _tres(_total_cpu, _total_rss)
tres_average = _tres(average_cpu, average_rss)
tres_max = _tres(_of_one(min_cpu), max_rss)
tres_max_node = _tres(_of_one(min_cpu_node), max_rss_node)
tres_max_task = _tres(_of_one(min_cpu_task), max_rss_task)
tres_min = _tres(min_cpu, _min_rss)
tres_min_node = _tres(min_cpu_node, lambda row: max_rss_node(row) if _min_rss(row) else "")
tres_min_task = _tres(min_cpu_task, lambda row: max_rss_task(row) if _min_rss(row) else "")
