"""The use of nodes by jobs, for callers; nothing is decided by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rmsd_core.jobs.job import Job


@dataclass(slots=True)
class Usage:
    """The cores and the memory that are held on a node, and the jobs that hold them."""

    cores: int
    mem_mib: int
    job_ids: list[int]


def usage_of(holders: Iterable[Job], nodes: Iterable[str]) -> dict[str, Usage]:
    """Return what every node has given out to the jobs that hold something."""
    usage = {name: Usage(0, 0, []) for name in nodes}
    for job in holders:
        for piece in job.holding():
            held = usage[piece.node]
            held.cores += piece.cores
            held.mem_mib += piece.mem_mib
            held.job_ids.append(job.id)
    return usage
