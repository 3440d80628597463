"""The use of steps in the fields of sacct: of all tasks, and of a single one where that is known.

What is told of a step that is over is the processor time of its tasks together, and the memory of
the task that held most. Of several tasks neither the least nor the sum of their memory follows, and
those fields are empty, as in a Slurm that gathers no such data.
"""

from __future__ import annotations

from rmsd_client.slurm.times import long_duration
from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rmsd_client.slurm.account_row import Row

    Show = Callable[[Row], str]


def cpu_s(row: Row) -> float | None:
    """Return the processor time of a job, of its script or of a step."""
    source = row.values if row.step else row.job
    found = source.get("cpu_s")
    return None if found is None else float(found)


def _rss_mib(row: Row) -> int | None:
    """Return the most memory of a task of a step, or of the job for its script."""
    source = row.job if row.step == "batch" else row.values
    found = source.get("max_rss_mib") if row.step else None
    return None if found is None else int(found)


def _tasks(row: Row) -> int:
    return int(row.values.get("tasks") or 1)


def _cpu(row: Row) -> str:
    found = cpu_s(row)
    return "" if found is None or not row.step else long_duration(found)


def average_cpu(row: Row) -> str:
    """Return the processor time of a step by task."""
    found = cpu_s(row)
    return "" if found is None or not row.step else long_duration(found / _tasks(row))


def rss(row: Row) -> str:
    """Return the most memory of a task."""
    found = _rss_mib(row)
    return "" if found is None else f"{found * 1024}K"


def _node(row: Row) -> str:
    """Return the node of all tasks; "" if they are on several."""
    nodes = expand(str(row.values.get("nodelist") or row.job["nodelist"]))
    return nodes[0] if len(nodes) == 1 else ""


def of_one(show: Show) -> Show:
    """Return a field that is empty where a step has several tasks."""
    return lambda row: show(row) if _tasks(row) == 1 else ""


def node_of(show: Show) -> Show:
    """Return the field of the node that belongs to another field, where that is known."""
    return lambda row: _node(row) if show(row) else ""


def task_of(show: Show) -> Show:
    """Return the field of the task that belongs to another field, where that is known."""
    return of_one(lambda row: "0" if show(row) else "")


def _tres(cpu: Show, memory: Show) -> Show:
    """Return a field of TRES of what others tell."""

    def shown(row: Row) -> str:
        found = {"cpu": cpu(row), "mem": memory(row)}
        return ",".join(f"{kind}={text}" for kind, text in found.items() if text)

    return shown


one_cpu, one_rss = of_one(_cpu), of_one(rss)
tres_total = _tres(_cpu, one_rss)
tres_average = _tres(average_cpu, one_rss)
tres_most = _tres(one_cpu, rss)
tres_most_node = _tres(node_of(one_cpu), node_of(rss))
tres_most_task = _tres(task_of(one_cpu), task_of(rss))
tres_least = _tres(one_cpu, one_rss)
tres_least_node = _tres(node_of(one_cpu), node_of(one_rss))
tres_least_task = _tres(task_of(one_cpu), task_of(one_rss))
