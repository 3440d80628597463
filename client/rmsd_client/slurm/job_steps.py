"""The steps of jobs as the daemon tells of them, and as rows of sacct."""

from __future__ import annotations

import re

from rmsd_client.slurm import jobs as of
from rmsd_client.slurm.account_row import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]


class JobSteps:
    """The steps of `jobs` that the daemon remembers, and the highest exit codes that it stores."""

    def __init__(self, client: Client, jobs: Iterable[Job]) -> None:
        self._by_job: dict[int, list[Job]] = {}
        self._worst: dict[tuple[int, int], tuple[int, int]] = {}
        started = [job["job_id"] for job in jobs if job["start_us"] is not None]
        if not started:
            return
        steps, worst = client.steps(started)
        for step in steps:
            self._by_job.setdefault(step["job_id"], []).append(step)
        for one in worst:
            self._worst[one["job_id"], one["attempt"]] = one["exit_code"], one["signal"]

    def rows(self, job: Job) -> list[Row]:
        """Return the steps of a job that has started: its script, and what srun has run."""
        if job["start_us"] is None or not job["nodelist"]:
            return []
        first = re.sub(r"\[(\d+)[^\]]*\].*|,.*", r"\1", job["nodelist"])
        steps = [
            step
            for step in self._by_job.get(job["job_id"], ())
            if step["attempt"] == job["attempt"]
        ]
        script = {"nodelist": first, "cpu_s": _of_script_s(job, steps)}
        return [
            Row(job, "batch", script),
            *(Row(job, str(step["number"]), _ended(job, step)) for step in steps),
        ]

    def derived_exit(self, job: Job) -> tuple[int, int]:
        """Return the highest exit code of what srun has run, with its signal; the script is no such
        step."""
        return self._worst.get((job["job_id"], job["attempt"]), (0, 0))


def running_steps(client: Client, jobs: Iterable[Job], wanted: Sequence[of.Wanted]) -> list[Row]:
    """Return the steps that run now, of all of the jobs or those that are wanted."""
    running = [job for job in jobs if job["state"] in ("RUNNING", "COMPLETING")]
    remembered = JobSteps(client, running)
    return [
        row
        for job in running
        for row in remembered.rows(job)
        if row.step == "batch" or row.values["state"] == "RUNNING"
        if not wanted or any(one.is_job(job) and one.step in ("", row.step) for one in wanted)
    ]


def _of_script_s(job: Job, steps: Sequence[Job]) -> float | None:
    """Return the processor time of a job without that of its steps, as far as it is told."""
    if job["cpu_s"] is None:
        return None
    of_steps_s = sum(float(step["cpu_s"] or 0) for step in steps)
    return max(0.0, float(job["cpu_s"]) - of_steps_s)


def _ended(job: Job, step: Job) -> Job:
    """Return a step with its state; one whose end was not told has ended with its job."""
    end_us = step["end_us"] or job["end_us"]
    over_us = end_us or of.wall_us()
    if end_us is None:
        state = "RUNNING"
    elif step["end_us"] is None:
        state = job["state"]
    elif step.get("cause"):
        state = step["cause"]
    elif step["signal"] and job["state"] in ("CANCELLED", "TIMEOUT", "OUT_OF_MEMORY"):
        state = "CANCELLED"
    else:
        state = "FAILED" if step["exit_code"] or step["signal"] else "COMPLETED"
    elapsed_s = max(0, over_us - step["start_us"]) / 1_000_000
    return {**step, "end_us": end_us, "state": state, "elapsed_s": elapsed_s}
