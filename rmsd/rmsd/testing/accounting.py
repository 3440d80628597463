"""Accounting that lags: what it would have said of jobs and steps some time ago."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Json = dict[str, Any]

_NO_END: Json = {
    "end_us": None,
    "end_time": None,
    "exit_code": None,
    "signal": None,
    "cause": None,
    "stop_cause": None,
    "message": "",
    "cpu_s": None,
    "max_rss_mib": None,
    "reason": "",
}
_NO_START: Json = {
    "start_us": None,
    "start_time": None,
    "elapsed_s": None,
    "nodes": None,
    "nodelist": "",
    "node_cpus": [],
}


def jobs_at(jobs: Iterable[Json], at_us: int) -> list[Json]:
    """Return the jobs that were there at a time, as they were then."""
    return [_job_at(job, at_us) for job in jobs if job["submit_us"] <= at_us]


def steps_at(steps: Iterable[Json], at_us: int) -> list[Json]:
    """Return the steps that had begun at a time, as they were then."""
    return [
        {**step, "end_us": None, "exit_code": 0, "signal": 0}
        if step["end_us"] is not None and step["end_us"] > at_us
        else step
        for step in steps
        if step["start_us"] <= at_us
    ]


def _job_at(job: Json, at_us: int) -> Json:
    start_us, end_us = job["start_us"], job["end_us"]
    if end_us is not None and end_us > at_us:
        job = {**job, **_NO_END, "state": "RUNNING", "state_code": "R"}
    if start_us is None:  # The job waits, or was cancelled before its start.
        return {**job, "state": "PENDING", "state_code": "PD"} if job["end_us"] is None else job
    if start_us > at_us:
        return {**job, **_NO_END, **_NO_START, "state": "PENDING", "state_code": "PD"}
    if job["end_us"] is None:
        job = {**job, "elapsed_s": (at_us - start_us) / 1_000_000}
    return job
