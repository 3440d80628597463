"""`rstat --efficiency`: how much of what jobs had they have used."""

from __future__ import annotations

from rmsd_client.console.terminal import Column, format_table, or_dash
from rmsd_client.show.job_fields import label
from rmsd_wire.durations import format_duration
from rmsd_wire.sizes import format_mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Job = dict[str, Any]

_COLUMNS = (
    Column("JOBID", right=True),
    Column("NAME", shrink=8),
    Column("STATE", shrink=9, vital=False),
    Column("TIME", right=True),
    Column("CPUS", right=True),
    Column("CPU_TIME", right=True),
    Column("CPU%", right=True),
    Column("MEM_USED", right=True),
    Column("MEM", right=True),
    Column("MEM%", right=True),
)


def efficiency_of(job: Job) -> Job:
    """Return what a job has used, beside what it had; None: not known. Memory is that of the node
    where the job used most of it, beside what it asked for on each node."""
    elapsed_s, used_s = job["elapsed_s"], job["cpu_s"]
    had_s = None if elapsed_s is None else elapsed_s * job["cpus"]
    used_mib, asked_mib = job["max_rss_mib"], job["mem_mib"] or None
    return {
        "job_id": job["job_id"],
        "state": job["state"],
        "elapsed_s": elapsed_s,
        "cpus": job["cpus"],
        "cpu_s": used_s,
        "cpu_efficiency": None if used_s is None or not had_s else used_s / had_s,
        "max_rss_mib": used_mib,
        "mem_mib": asked_mib,
        "mem_efficiency": None if None in (used_mib, asked_mib) else used_mib / asked_mib,
    }


def table_of(jobs: Sequence[Job], *, header: bool, width: int | None) -> list[str]:
    """Return the lines of a table of jobs; `-` stands for what is not known."""
    return format_table(_COLUMNS, [_row(job) for job in jobs], header=header, width=width)


def _row(job: Job) -> list[str]:
    found = efficiency_of(job)
    return [
        label(job),
        str(job["name"]),
        str(job["state"]),
        or_dash(found["elapsed_s"], format_duration),
        str(job["cpus"]),
        or_dash(found["cpu_s"], format_duration),
        or_dash(found["cpu_efficiency"], _percent),
        or_dash(found["max_rss_mib"], format_mem),
        or_dash(found["mem_mib"], format_mem),
        or_dash(found["mem_efficiency"], _percent),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
