"""The text of `rmsd what-if`, where values are missing."""

from __future__ import annotations

from typing import Any

from rmsd_lab_cli.what_if.text import text


def _outcome(**more: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {
        "wait_s": {"mean": None, "max": None},
        "bounded_slowdown": {"mean": None},
        "utilization": None,
    }
    return {**nothing, **more}


def test_where_no_job_has_started_nothing_is_averaged() -> None:
    """A missing slowdown was a TypeError, and a missing wait was shown as UNLIMITED."""
    left_out = dict.fromkeys(("never_ran", "ineligible", "too_large", "over_limit"), 0)
    counts = {"counted": 1, "ended": 0, "running": 0, "waiting": 1, "cancelled_waiting": 0}
    waiting = {"job_id": 1, "label": "1", "user": "anna", "name": "a", "cpus": 2, "waited_s": 60.0}
    report = {
        "jobs": {**counts, "left_out": left_out},
        "nodes": 1,
        "nodes_left_out": [],
        "cores": 2,
        "capacity": "nodes",
        "in_force": "easy",
        "assume": "limit",
        "ignored": [],
        "since_us": 0,
        "now_us": 60_000_000,
        "happened": _outcome(),
        "recipes": [_outcome(recipe="fcfs", queue={"wait_s": {"mean": None}})],
        "waiting": [{**waiting, "starts": {"fcfs": None}}],
    }
    lines = [line.split() for line in text(report, 10).splitlines()]
    for label in (["mean", "wait"], ["longest", "wait"], ["bounded", "slowdown"], ["utilization"]):
        assert [*label, "-", "-"] in lines
    assert ["all", "mean", "wait", "-"] in lines
