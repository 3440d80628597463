"""Arrays in a story: what people submit, and what must hold of the tasks."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core

Row = Mapping[str, Any]


def array(rng: random.Random) -> dict[str, Any]:
    """Draw the part of a spec that makes the job an array; mostly there is none."""
    if rng.random() < 0.75:
        return {}
    tasks = rng.choice([1, 2, 4, 9])
    limit = rng.choice(["", "", "%1", "%2"])
    return {"array": f"0-{tasks - 1}{limit}"}


def count_of(spec: Row) -> int:
    """Return how many tasks the array of a spec has; 0 for another job."""
    text = str(spec.get("array", ""))
    return int(text.partition("%")[0].partition("-")[2]) + 1 if text else 0


def number_of(name: str) -> int:
    """Return the number of a job, or of the task that `12_3` names: the indices begin with 0."""
    job_id, _, index = name.partition("_")
    return int(job_id) + (1 + int(index) if index else 0)


def too_many_at_once(core: Core) -> str:
    """Return which array runs more tasks than its limit allows; "" if none does."""
    for job in core.jobs.values():
        if job.array is not None and job.array.limit is not None:
            running = sum(_holds(task) for task in job.array.tasks.values())
            if running > job.array.limit:
                return f"array {job.id} runs {running} tasks, and may run {job.array.limit}"
    return ""


def _holds(task: Job) -> bool:
    return bool(task.open_nodes) or task.claim is not None


def wrong_tasks(row: Row, spec: Row, jobs: Mapping[int, Row], pruned: set[int]) -> str:
    """Return what is wrong with the tasks of an array that is over; "" if nothing is: each of them
    is a job of its own, or was cancelled before."""
    kept, tasks = json.loads(row["array"]), tasks_of(row, jobs)
    dropped = {at for first, last in kept["cancelled"] for at in range(first, last)}
    if waiting := [*kept["rest"], *kept["blocked"], *kept["never"]]:
        return f"tasks {waiting} wait, and the array is over"
    known = {task["array_index"] for task in tasks} | dropped
    missing = set(range(count_of(spec))) - known
    if lost := {at for at in missing if row["id"] + 1 + at not in pruned}:
        return f"tasks {sorted(lost)} are lost"
    failed = sum(task["state"] != "COMPLETED" for task in tasks) + len(dropped)
    if not missing and (failed == 0) != (row["state"] == "COMPLETED"):
        return f"{failed} tasks did not complete, and the array is {row['state']}"
    return ""


def tasks_of(row: Row, jobs: Mapping[int, Row]) -> list[Row]:
    """Return the rows of the tasks of an array."""
    return [
        task
        for task in jobs.values()
        if task["array_id"] == row["id"] and task["array_index"] is not None
    ]


def all_started_us(row: Row, jobs: Mapping[int, Row], starts_us: Mapping[int, int]) -> int | None:
    """Return when the last task of an array had started first, or was over without a start; None if
    one has not."""
    tasks = tasks_of(row, jobs)
    times_us = [starts_us.get(task["id"], task["end_us"]) for task in tasks]
    kept = json.loads(row["array"])
    waits = [*kept["rest"], *kept["blocked"], *kept["never"]]
    if waits or None in times_us:
        return None
    return max([int(kept["cancelled_us"]), *(us for us in times_us if us is not None)])
