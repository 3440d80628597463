"""The steps of jobs as the daemon tells of them, and as rows of sacct."""

from __future__ import annotations

import re

from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row

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
        self._known_from_us: list[float] = []
        started = list(
            dict.fromkeys([job["job_id"] for job in jobs if job["start_us"] is not None])
        )
        if not started:
            return
        for reply in client.step_replies(started):
            known_us = reply.get("known_from_us")
            self._known_from_us.append(float("inf") if known_us is None else known_us)
            for step in reply["steps"]:
                self._by_job.setdefault(step["job_id"], []).append(step)
            for one in reply["worst"]:
                self._worst[one["job_id"], one["attempt"]] = one["exit_code"], one["signal"]

    def rows(self, job: Job) -> list[Row]:
        """Return the steps of a job that has started: its script, and what srun has run."""
        if job["start_us"] is None or not job["nodelist"]:
            return []
        first = re.sub(r"\[(\d+)[^\]]*\].*|,.*", r"\1", job["nodelist"])
        steps = self._of(job)
        rows = [Row(job, str(step["number"]), _ended(job, step)) for step in steps]
        if job.get("part"):  # the script runs in the first part
            return rows
        whole = job.get("whole", job)
        script = {"nodelist": first, "end_us": job["end_us"], **self._use_of_script(whole, first)}
        return [Row(job, "batch", script), *rows]

    def is_alone(self, job: Job) -> bool:
        """Return whether the script of a job is known to have begun no steps."""
        return self._are_known(job) and not self._of(job)

    def _are_known(self, job: Job) -> bool:
        """Return whether the daemon remembers all steps of a job."""
        return bool(job["start_us"] > max(self._known_from_us, default=float("inf")))

    def _of(self, job: Job) -> list[Job]:
        own = self._by_job.get(job["job_id"], ())
        found = [step for step in own if step["attempt"] == job["attempt"]]
        if "part" not in job:
            return found
        return [each for step in found if (each := _in_part(step, job["part"])) is not None]

    def _use_of_script(self, job: Job, node: str) -> Job:
        """Return what the script has used: what the steps of the job leave of its time, if all of
        them are known, and the job's memory if there were none."""
        if self.is_alone(job):
            return use_of_one(job["cpu_s"], job["max_rss_mib"], node)
        times_s = [step["cpu_s"] for step in self._of(job)]
        if job["cpu_s"] is None or None in times_s or not self._are_known(job):
            return {}
        return use_of_one(max(0.0, job["cpu_s"] - sum(times_s)), None, node)

    def derived_exit(self, job: Job) -> tuple[int, int]:
        """Return the highest exit code of what srun has run, with its signal; the script is no such
        step."""
        return self._worst.get((job["job_id"], job["attempt"]), (0, 0))


def _in_part(step: Job, part: int) -> Job | None:
    """Return what a step has in a part of its job; None: nothing. What the tasks of several parts
    have used is known of all of them together."""
    parts = step.get("parts")
    if not parts:
        return step if part == 0 else None
    unknown = {"cpu_s": None, "max_rss_mib": None, "figures": None} if len(parts) > 1 else {}
    return next(({**step, **one, **unknown} for one in parts if one["part"] == part), None)


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


def use_of_one(cpu_s: float | None, mib: float | None, node: str) -> Job:
    """Return the use of a step with one task, as far as it is known."""
    figures: Job = {}
    if cpu_s is not None:
        figures |= {"ave_cpu_s": cpu_s, "min_cpu_s": cpu_s, "min_cpu_task": 0, "min_cpu_node": node}
    if mib is not None:
        figures |= {"ave_rss_mib": mib, "max_rss_task": 0, "max_rss_node": node}
    return {"cpu_s": cpu_s, "max_rss_mib": mib, "figures": figures}


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
