"""The names of the jobs that others await, for people: tasks of arrays have their own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]


def name_dependencies(client: Client, jobs: Iterable[Job]) -> None:
    """Give each dependency of the jobs the `name` of the job that it is on: `12`, `12_3`, or `12_*`
    for all of an array. The end of a task that others await task by task is looked up."""
    jobs = list(jobs)
    conditions = [job["conditions"] for job in jobs if job["conditions"]]
    unmet = [one for each in conditions for one in each.get("unmet", ())]
    found = [one for each in conditions for one in each["dependencies"]] + unmet
    missing = {one["job_id"] for one in found if one["job_id"]} - {job["job_id"] for job in jobs}
    if missing:
        jobs += client.jobs(states="all", ids=missing, brief=True)
    names: dict[int, str] = {}
    states: dict[int, str] = {}
    for job in jobs:
        array, index = job.get("array_job_id"), job.get("array_task_id")
        names[job["job_id"]] = str(job["job_id"]) if index is None else f"{array}_{index}"
        if array is not None:
            names[array] = f"{array}_*"
        states[job["job_id"]] = job["state"]
    for one in found:
        one["name"] = names.get(one["job_id"], str(one["job_id"]))
    for one in unmet:
        one["state"] = one["state"] or states.get(one["job_id"])
