"""`rstat --priority`: the priorities of waiting jobs, and the parts that they are the sums of."""

from __future__ import annotations

from rmsd_client.console.terminal import Column, format_table
from rmsd_client.errors import ApiError, ClientError
from rmsd_client.show.job_fields import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]

_NOT_FOUND = 404
_PARTS = ("total", "age", "share", "size", "qos", "partition", "nice")
_HEADS = ("PRIORITY", "AGE", "SHARE", "SIZE", "QOS", "PARTITION", "NICE")
_COLUMNS = (
    Column("JOBID", right=True),
    Column("USER", shrink=6),
    Column("ACCOUNT", shrink=6, vital=False),
    *(Column(head, right=True) for head in _HEADS),
)


def add_priorities(client: Client, jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that wait for their turn, each with its `priority`, the largest first.

    Raises:
        ClientError: the queue is in another order than `priority`.
    """
    reply = client.priorities()
    if reply["order"] != "priority":
        raise ClientError(
            f"jobs have no priorities: the order of the queue is `{reply['order']}` by the recipe; "
            "`rstat --explain JOB` says why a job waits"
        )
    found = {one["job_id"]: one["priority"] for one in reply["priorities"]}
    waiting = [{**job, "priority": found[id_]} for job in jobs if (id_ := job["job_id"]) in found]
    return sorted(waiting, key=lambda job: (-job["priority"]["total"], job["job_id"]))


def priorities_by_id(client: Client) -> dict[int, Job] | None:
    """Return the priorities of the jobs that wait for their turn, by id; None if the recipe has
    another order, or an older daemon does not tell them."""
    try:
        reply = client.priorities()
    except ApiError as error:
        if error.status != _NOT_FOUND:
            raise
        return None
    if reply["order"] != "priority":
        return None
    return {one["job_id"]: one["priority"] for one in reply["priorities"]}


def row_of(job: Job) -> Job:
    """Return the priority of a job for programs."""
    names = ("job_id", "array_job_id", "array_index", "user", "account", "qos", "partition")
    return {name: job.get(name) for name in names} | {"priority": job["priority"]}


def table_of(jobs: Sequence[Job], *, header: bool, width: int | None) -> list[str]:
    """Return the lines of a table of jobs with their priorities in points."""
    return format_table(_COLUMNS, [_row(job) for job in jobs], header=header, width=width)


def _row(job: Job) -> list[str]:
    points = [f"{job['priority'][part] + 0.0:.0f}" for part in _PARTS]  # no -0
    return [label(job), str(job["user"]), job.get("account") or "-", *points]
