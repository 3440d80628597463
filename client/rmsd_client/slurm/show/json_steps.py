"""The steps of jobs in the output of `sacct --json`, as data of Slurm 22.05 (dbv0.0.38)."""

from __future__ import annotations

from rmsd_client.slurm.fields.account_fields import BY_NAME
from rmsd_client.slurm.words.account_row import Row
from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

_TRES = (("cpu", 1), ("mem", 2), ("node", 4))


def step_view(row: Row) -> Json:
    """Return a step as the accounting tells of it."""
    nodes = expand(BY_NAME["nodelist"].show(row))
    allocated = {"cpu": int(BY_NAME["ncpus"].show(row)), "mem": 0, "node": len(nodes)}
    return {
        "time": _times(row),
        "exit_code": exit_view(*map(int, BY_NAME["exitcode"].show(row).split(":"))),
        "nodes": {"count": len(nodes), "range": BY_NAME["nodelist"].show(row), "list": nodes},
        "tasks": {"count": int(BY_NAME["ntasks"].show(row))},
        "pid": None,
        "CPU": {"requested_frequency": {"min": 0, "max": 0}, "governor": []},
        "kill_request_user": None,
        "state": BY_NAME["state"].show(row),
        "statistics": {"CPU": {"actual_frequency": 0}, "energy": {"consumed": 0}},
        "step": {
            "job_id": row.job["job_id"],
            "het": {"component": None},
            "id": int(row.step) if row.step.isdigit() else row.step,
            "name": BY_NAME["jobname"].show(row),
        },
        "task": {"distribution": "Unknown"},
        "tres": {
            "requested": {"max": [], "min": [], "average": [], "total": []},
            "consumed": {"max": [], "min": [], "average": [], "total": []},
            "allocated": [
                {"type": kind, "name": None, "id": number, "count": allocated[kind]}
                for kind, number in _TRES
            ],
        },
    }


def exit_view(code: int, signal: int) -> Json:
    """Return how something ended."""
    if signal:
        name = {9: "Killed", 15: "Terminated"}.get(signal, "")
        return {
            "status": "SIGNALED",
            "return_code": 0,
            "signal": {"signal_id": signal, "name": name},
        }
    return {"status": "ERROR" if code else "SUCCESS", "return_code": code}


def _times(row: Row) -> Json:
    start_us = row.values.get("start_us") or row.job["start_us"] or 0
    end_us = row.values.get("end_us") or 0
    used = cpu_view(float(row.values.get("cpu_s") or 0))
    return {
        "elapsed": int(row.values.get("elapsed_s") or row.job["elapsed_s"] or 0),
        "end": end_us // 1_000_000,
        "start": start_us // 1_000_000,
        "suspended": 0,
        "system": cpu_view(0.0),
        "total": used,
        "user": used,
    }


def cpu_view(seconds: float) -> Json:
    """Return processor time in seconds and microseconds."""
    return {"seconds": int(seconds), "microseconds": int(seconds * 1_000_000) % 1_000_000}
