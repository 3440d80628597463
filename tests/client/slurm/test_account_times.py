"""The times between which sacct looks for jobs, and its sizes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.fields.account_fields import BY_NAME
from rmsd_client.slurm.fields.account_times import truncated, was_in, window_us
from rmsd_client.slurm.fields.units import in_unit, unit_of
from rmsd_client.slurm.words.account_row import Row


def _job(state: str, start_us: int | None, end_us: int | None, **more: Any) -> dict[str, Any]:
    return {"state": state, "submit_us": 1, "start_us": start_us, "end_us": end_us, **more}


@pytest.mark.parametrize(
    ("job", "states", "found"),
    [
        (_job("COMPLETED", 10, 50), "COMPLETED", True),
        (_job("COMPLETED", 10, 70), "COMPLETED", False),  # Slurm: it ended later
        (_job("COMPLETED", 10, 70), "RUNNING", True),
        (_job("COMPLETED", 10, 70), "COMPLETED RUNNING", True),
        (_job("COMPLETED", 61, 70), "RUNNING", False),
        (_job("COMPLETED", 61, 70), "PENDING", True),
        (_job("COMPLETED", 10, 39), "RUNNING", False),
        (_job("CANCELLED", None, 50), "PENDING", True),
        (_job("CANCELLED", None, 30), "PENDING", False),
        (_job("PENDING", None, None), "PENDING", True),
        (_job("PENDING", None, None), "RUNNING", False),
        (_job("COMPLETING", 10, None), "RUNNING", True),
        (_job("SUSPENDED", 10, None), "SUSPENDED", True),
        (_job("FAILED", 10, 50), "COMPLETED", False),
    ],
)
def test_states_are_those_between_two_times(job: dict[str, Any], states: str, found: bool) -> None:
    assert was_in(job, states.split(), 40, 60) is found


def test_without_an_end_the_state_is_that_of_now() -> None:
    assert was_in(_job("COMPLETED", 10, 70), ["COMPLETED"], 40, None)
    assert not was_in(_job("COMPLETED", 10, 70), ["RUNNING"], 40, None)


def test_truncated_times_are_within_the_window() -> None:
    """-T had no effect."""
    second = 1_000_000
    job = _job("RUNNING", 10 * second, None, elapsed_s=90.0, cpus=2, node_cpus=[2])
    job |= {"nodelist": "e1", "suspended_s": 5.0}
    steps = [Row(job), Row(job, "batch", {"nodelist": "e1", "end_us": None})]
    steps.append(Row(job, "0", {"start_us": 30 * second, "end_us": 35 * second, "elapsed_s": 5.0}))
    shown = BY_NAME["elapsedraw"].show
    assert [shown(row) for row in truncated(steps, 20 * second, 60 * second)] == ["35", "35", "5"]
    [waits] = truncated([Row(_job("PENDING", None, None))], 20, 60)
    assert waits.job["start_us"] is None


def test_now_is_the_time_of_the_cluster() -> None:
    """A cluster for tests may have a fast clock: `--endtime now` left out its jobs."""
    client = cast("Client", SimpleNamespace(status=lambda: {"clock": {"model_us": 10**16}}))
    assert window_us(client, {"starttime": "now", "endtime": "now"}, None) == (10**16,) * 2
    named = window_us(cast("Client", None), {"starttime": "2026-11-21", "endtime": ""}, None)
    assert named[1] is None


def test_a_suspended_job_tells_for_how_long() -> None:
    show, job = BY_NAME["suspended"].show, {"suspended_s": 65.0}
    assert (show(Row(job)), show(Row(job, "batch")), show(Row(job, "0"))) == (
        "00:01:05",
        "00:01:05",
        "",
    )
    assert show(Row({}, "0")) == "00:00:00"


@pytest.mark.parametrize(
    ("name", "text", "unit", "shown"),
    [
        ("ReqMem", "4G", "-", "4096M"),
        ("ReqMem", "1536M", "G", "1.50G"),
        ("ReqMem", "0", "G", "0"),
        ("MaxRSS", "2048K", "-", "2097152"),
        ("MaxRSS", "2048K", "M", "2M"),
        ("AveRSS", "2049K", "M", "2.00M"),
        ("ReqTRES", "billing=1,cpu=1,mem=1G,node=1", "M", "billing=1,cpu=1,mem=1024M,node=1"),
        ("AllocTRES", "cpu=1,gres/gpu=1,mem=2T", "-", "cpu=1,gres/gpu=1,mem=2097152M"),
        ("TRESUsageInMax", "cpu=00:00:01,mem=4K", "-", "cpu=00:00:01,mem=4096"),
        ("JobName", "4G", "M", "4G"),
    ],
)  # fmt: skip
def test_sizes_have_the_unit_that_is_asked_for(name: str, text: str, unit: str, shown: str) -> None:
    assert in_unit(name, text, unit) == shown


def test_units_are_slurms() -> None:
    assert unit_of({}) == ""
    assert unit_of({"noconvert": ""}) == "-"
    assert unit_of({"noconvert": "", "units": "kb"}) == "K"
    with pytest.raises(SlurmError, match="sacct: fatal: Invalid unit type"):
        unit_of({"units": "X"})
