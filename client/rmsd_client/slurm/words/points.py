"""The priorities of jobs as Slurm has them: points under the order `priority` of the queue, and 1
under the other orders."""

from __future__ import annotations

import contextlib

from rmsd_client.errors import ApiError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]

_HIGHEST = 0xFFFFFFFF
"""Slurm's highest priority, of which %p shows a fraction."""


def waiting_priorities(client: Client) -> dict[int, Job] | None:
    """Return the priorities of waiting jobs, by id; None if the queue has another order, or the
    caller may not ask, as a job with no token but its own."""
    from rmsd_client.show.priorities import priorities_by_id  # few lists show them

    with contextlib.suppress(ApiError):
        return priorities_by_id(client)
    return None


def add_priorities(jobs: Iterable[Job], found: dict[int, Job]) -> None:
    """Add their priorities to those jobs that have one."""
    for job in jobs:
        if job["state"] == "PENDING" and job["job_id"] in found:
            job["priority"] = found[job["job_id"]]


def points_of(job: Job) -> int:
    """Return the points of a job: 0 if it waits and is held, else 1 or more."""
    if job["state"] == "PENDING" and str(job["reason"]).startswith("JobHeld"):
        return 0
    priority = job.get("priority")
    return 1 if priority is None else max(1, round(float(priority["total"])))


def fraction_of(job: Job) -> str:
    """Return the points as a part of the most that Slurm gives."""
    return f"{points_of(job) / _HIGHEST:.14f}"
