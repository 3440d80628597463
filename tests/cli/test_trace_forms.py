"""The forms of `rmsd trace convert` that other tools read.

evalys 4.0.7 with pandas 3.1.1 reads the job set (`JobSet.from_csv`); it is not installed with the
tests, which check Batsim's documented columns instead (`test_trace_convert`). Batsim and Perfetto
have no reader in Python: their documented keys are checked here.
"""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.charts.trace_events import trace_events
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.sample import sample_trace
from tests.cli.trace_command import trace
from tests.commands import rmsd

SWF = """\
; MaxProcs: 4
1 0 5 100 4 -1 -1 4 200 -1 1 7 -1 -1 -1 -1 -1 -1
2 10 -1 50 2 -1 -1 2 40 -1 1 8 -1 -1 -1 -1 -1 -1
3 20 100 0 2 -1 -1 2 10 -1 0 8 -1 -1 -1 -1 -1 -1
"""


@pytest.fixture
def swf(tmp_path: Path) -> Path:
    path = tmp_path / "t.swf"
    path.write_text(SWF)
    return path


def test_a_workload_of_batsim(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "workload.json"
    done = trace("convert", swf, "-o", out)
    assert "1 of 3 jobs without run time or processors left out" in done.stderr
    workload = json.loads(out.read_text())
    assert workload["nb_res"] == 4
    assert workload["jobs"] == [
        {"id": "1", "subtime": 0, "res": 4, "profile": "delay-100", "walltime": 200, "user": "7"},
        {"id": "2", "subtime": 10, "res": 2, "profile": "delay-50", "user": "8"},  # ran on
    ]
    assert workload["profiles"] == {
        "delay-100": {"type": "delay", "delay": 100},
        "delay-50": {"type": "delay", "delay": 50},
    }


def slices(events: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in events["traceEvents"] if one["ph"] == "X"]


def test_a_schedule_for_perfetto(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "schedule.json.gz"
    done = trace("convert", swf, "--to", "perfetto", "-o", out)
    assert "1 of 3 jobs without wait time, run time or processors left out" in done.stderr
    events = json.loads(gzip.decompress(out.read_bytes()))
    first, third = slices(events)
    assert (first["name"], first["ts"], first["dur"]) == ("1", 5_000_000, 100_000_000)
    assert first["args"]["user"] == "7"
    assert first["args"]["wait_s"] == 5
    assert (third["name"], third["ts"], third["dur"]) == ("3", 120_000_000, 0)


def test_the_times_of_a_simulation_are_in_a_schedule_for_perfetto(
    swf: Path, tmp_path: Path
) -> None:
    schedule, out = tmp_path / "s.csv", tmp_path / "schedule.json"
    rmsd("simulate", swf, "--recipe", "easy", "--schedule", schedule)
    trace("convert", swf, "--schedule", schedule, "--to", "perfetto", "-o", out)
    starts = {one["name"]: one["ts"] // 1_000_000 for one in slices(json.loads(out.read_text()))}
    assert starts == {"1": 0, "2": 100, "3": 100}


@pytest.mark.parametrize("recipe", ["easy", "timed-easy"])
def test_slices_of_a_track_do_not_overlap_and_counters_add_up(recipe: str) -> None:
    """Perfetto nests slices of one track that overlap, and would show a wrong picture."""
    jobs = sample_trace(400, 64, seed=5)
    schedule = simulate(jobs, 64, parse_recipe(recipe))
    events = trace_events(schedule, "sample")
    assert bool(schedule.killed) == (recipe == "timed-easy")
    found = sorted(slices(events), key=lambda one: (one["tid"], one["ts"], one["dur"]))
    for before, after in itertools.pairwise(found):
        if before["tid"] == after["tid"]:
            assert before["ts"] + before["dur"] <= after["ts"]
    held = sum(one["dur"] * one["args"]["processors here"] for one in found)
    assert held == _area(events, "busy processors")
    waited = _area(events, "waiting jobs")
    if recipe == "easy":
        assert held == sum(job.run_us * job.size for job in schedule)
        assert waited == sum(job.start_us - job.submit_us for job in schedule)


def _area(events: dict[str, Any], counter: str) -> int:
    steps = [
        (one["ts"], one["args"][counter])
        for one in events["traceEvents"]
        if one["ph"] == "C" and one["name"] == counter
    ]
    return sum(value * (after - at) for (at, value), (after, _) in itertools.pairwise(steps))


def test_an_empty_schedule_has_no_slices() -> None:
    assert slices(trace_events(Schedule([], 4), "none")) == []
