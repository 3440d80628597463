"""`rstat --usage`: what running jobs use now."""

from __future__ import annotations

from rmsd_client.console.cli import plural, printable
from rmsd_client.console.terminal import Column, format_table, or_dash
from rmsd_wire.durations import format_duration
from rmsd_wire.sizes import format_mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]

_NODES = (
    Column("NODE", shrink=8),
    *(Column(title, right=True) for title in ("CPUS", "CPU_TIME", "MEM", "PEAK", "PROCS")),
    Column("THREADS", right=True, vital=False),
)
_GPUS = (
    Column("NODE", shrink=8),
    *(Column(title, right=True) for title in ("GPU", "BUSY", "MEM", "OF")),
)
_STEPS = (
    Column("STEP", right=True),
    Column("NAME", shrink=8),
    Column("NODES", shrink=8, vital=False),
    *(Column(title, right=True) for title in ("TASKS", "CPUS", "CPU_TIME", "PEAK")),
    Column("STATE"),
)


def table_of(told: Json, steps: Sequence[Json], width: int | None) -> list[str]:
    """Return lines about a job's nodes, about its GPUs if their drivers tell something, and about
    its steps if it has had any. The use of a step is known once it is over; `-` stands for what is
    not known."""
    lines = [f"Job {told['job_id']} uses now, on {plural(len(told['nodes']), 'node')}:"]
    lines += format_table(_NODES, [_node(one) for one in told["nodes"]], width=width)
    problems = [f"{one['node']}: {one['problem']}" for one in told["nodes"] if one["problem"]]
    lines += map(printable, problems)
    if gpus := [_gpu(one, gpu) for one in told["nodes"] for gpu in one.get("gpus", ())]:
        lines += ["", *format_table(_GPUS, gpus, width=width)]
    if own := [one for one in steps if one["attempt"] == told["attempt"]]:
        lines += ["", *format_table(_STEPS, [_step(one) for one in own], width=width)]
    return lines


def _node(one: Json) -> list[str]:
    return [
        str(one["node"]),
        str(one["cpus"]),
        or_dash(one["cpu_s"], format_duration),
        or_dash(one["mem_mib"], format_mem),
        or_dash(one["max_rss_mib"], format_mem),
        or_dash(one["processes"], str),
        or_dash(one["threads"], str),
    ]


def _gpu(node: Json, one: Json) -> list[str]:
    return [
        str(node["node"]),
        str(one["number"]),
        or_dash(one["busy_percent"], lambda percent: f"{percent}%"),
        or_dash(one["mem_used_mib"], format_mem),
        or_dash(one["mem_mib"], format_mem),
    ]


def _step(one: Json) -> list[str]:
    over = one["end_us"] is not None
    return [
        str(one["number"]),
        str(one["name"]),
        str(one["nodelist"]),
        str(one["tasks"]),
        str(one["cpus"]),
        or_dash(one["cpu_s"], format_duration),
        or_dash(one["max_rss_mib"], format_mem),
        f"ended {one['exit_code']}:{one['signal']}" if over else "runs",
    ]
