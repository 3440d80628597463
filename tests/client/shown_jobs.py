"""Jobs as the API shows them."""

from __future__ import annotations

from typing import Any

S = 1_000_000
T0 = 1_700_000_000 * S


def job(**changes: Any) -> dict[str, Any]:
    """Return a running job, as the API shows it."""
    running = {
        "job_id": 42, "name": "train", "user": "anna", "state": "RUNNING", "state_code": "R",
        "reason": "None", "submit_us": T0, "start_us": T0 + 60 * S, "end_us": None,
        "elapsed_s": 90.5, "wait_s": 60.0, "estimate_s": 3600.0, "time_limit_s": 3600.0,
        "prediction_s": 120.0, "corrections": 0, "backfilled": False, "tasks": 3,
        "cpus_per_task": 2, "cpus": 6, "nodes": 2, "nodelist": "n[1-2]", "node_cpus": [4, 2],
        "mem_mib": 2048, "constraint": None, "attempt": 1, "exit_code": None, "signal": None,
        "cause": None, "stop_cause": None, "message": "", "cpu_s": None, "max_rss_mib": None,
        "workdir": "/home/anna",
        "stdout": "/home/anna/rms-42.out", "stderr": "/home/anna/rms-42.out", "comment": "",
    }  # fmt: skip
    return {**running, **changes}


def over(**changes: Any) -> dict[str, Any]:
    """Return a job that is over; by default it exited with 0."""
    ended = {"state": "COMPLETED", "state_code": "CD", "end_us": T0 + 100 * S, "elapsed_s": 40.0,
             "exit_code": 0, "signal": None, "cause": "exit"}  # fmt: skip
    return job(**{**ended, **changes})


def waiting(**changes: Any) -> dict[str, Any]:
    waits: dict[str, Any] = {
        "state": "PENDING", "state_code": "PD", "reason": "Resources", "start_us": None,
        "elapsed_s": None, "nodelist": "", "node_cpus": [], "nodes": None,
    }  # fmt: skip
    return job(**{**waits, **changes})
