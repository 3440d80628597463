"""The end of an array in words: how many of its tasks have failed, and how one of them has."""

from __future__ import annotations

from rmsd_client.show.job_fields import label
from rmsd_client.show.job_text import how_it_ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd_client.api import Client
    from rmsd_client.show.job_fields import Job

_FAILED = "F,TO,OOM,NF,DL,PR"


def name_a_failed_task(client: Client, job: Job) -> None:
    """Add to the message of an array that has failed the latest of the tasks that have, and why."""
    if job.get("array_tasks") is None or job["state"] != "FAILED":
        return
    for task in client.jobs(states=_FAILED, ids=[job["job_id"]], limit=1):
        job["message"] = f"{job['message']}; {label(task)}: {how_it_ended(task)}"
