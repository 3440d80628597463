"""Simulation gives the reference schedules, job for job (docs/simulation-rules.md)."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path

import pytest

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob, takes_part
from rmsd_lab.workloads.workload import with_exact_estimates
from rmsd_lab_cli.workload import read_trace

DATA = os.environ.get("RMSD_TEST_DATA")

pytestmark = [
    pytest.mark.golden,
    pytest.mark.skipif(
        DATA is None,
        reason="RMSD_TEST_DATA names no folder with traces/ and golden/",
    ),
]

TRACES = {"kth": ("KTH-SP2-1996-2.1-cln", 100), "sdsc": ("SDSC-SP2-1998-4.2-cln", 128)}

RECIPES = {
    "selective5": "selective,threshold=5",
    "selective-d": "selective-d,thresholds=3.55/21.53/1.35/2.27",
}
"""The recipes of schedules whose names do not say them."""

SCHEDULES = [
    "kth.fcfs",
    "kth.easy",
    "kth.easy-exact",
    "kth.easy-sjbf",
    "kth.easy-pred",
    "kth.easy-pcor",
    "kth.easy+",
    "kth.easy++",
    "kth.perfect++",
    "kth.x2",
    "kth.sjf-easy",
    "kth.ljf-easy",
    "kth.lxfw",
    "kth.conservative",
    "kth.conservative-exact",
    "kth.sjf-conservative",
    "kth.ljf-conservative",
    "kth.dynp",
    "kth.selective5",
    "kth.selective5-exact",
    "kth.selective-d",
    "kth.timed-fcfs",
    "kth.timed-easy",
    "kth.timed-easy++",
    "sdsc.easy",
    "sdsc.easy++",
    "sdsc.conservative",
]


@cache
def trace_jobs(name: str) -> list[TraceJob]:
    file, processors = TRACES[name]
    trace = read_trace(Path(DATA or "") / "traces" / f"{file}.swf.gz")
    return [job for job in trace.jobs if takes_part(job, processors)]


SOON = {
    "kth.fcfs",
    "kth.easy",
    "kth.easy-sjbf",
    "kth.easy++",
    "kth.lxfw",
    "kth.conservative-exact",
}
"""One schedule of most kinds of recipes. All of them compute for more than a minute: conservative
backfilling has a reservation for every job that waits, and takes 8 s where many wait."""


@pytest.mark.parametrize(
    "schedule",
    # long: a year of jobs is simulated for each
    [pytest.param(one, marks=[pytest.mark.long] * (one not in SOON)) for one in SCHEDULES],
)
def test_schedule_is_the_reference_job_for_job(schedule: str) -> None:
    trace, name = schedule.split(".")
    jobs = trace_jobs(trace)
    if name.endswith("-exact"):
        jobs = with_exact_estimates(jobs)
    name = name.removesuffix("-exact")
    recipe = parse_recipe(RECIPES.get(name, name))
    result = simulate(jobs, TRACES[trace][1], recipe)
    with gzip.open(Path(DATA or "") / "golden" / f"{schedule}.csv.gz", "rt") as lines:
        assert next(lines) == "job_id,submit,start,end\n"
        expected = [tuple(map(int, line.split(","))) for line in lines]
    got = [(job.job_id, job.submit_us, job.start_us, job.end_us) for job in result]
    assert len(got) == len(expected)
    assert got == [(i, s * SECOND_US, b * SECOND_US, e * SECOND_US) for i, s, b, e in expected]


def test_no_reference_is_left_out() -> None:
    files = (Path(DATA or "") / "golden").glob("*.csv.gz")
    assert sorted(file.name.removesuffix(".csv.gz") for file in files) == sorted(SCHEDULES)
