"""`rmsd replay --paced`: the live daemon gives the simulation's schedule, job for job."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.replayed import SWF
from tests.commands import rmsd
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

DATA = os.environ.get("RMSD_TEST_DATA")
KTH = Path(DATA or "") / "traces/KTH-SP2-1996-2.1-cln.swf.gz"
needs_data = pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/")


@pytest.fixture
def swf_text() -> str:
    return SWF


def paced(trace: Path, *options: str) -> dict[str, Any]:
    """Return the report of a paced replay, in which no job differs (exit code 0)."""
    report: dict[str, Any] = json.loads(rmsd("replay", trace, "--paced", "--json", *options).stdout)
    return report


@pytest.mark.slow
@pytest.mark.live
def test_a_replay_on_a_paced_clock_gives_the_schedule_of_simulation(swf: Path) -> None:
    report = paced(swf, "--recipe", "timed-easy", "--nodes", "2", "--agents", "2")
    assert report["paced"] == {"differ": 0, "of": 6, "first": []}
    assert report["fidelity"]["start_error_s"] == {"p50": 0, "p99": 0}
    assert report["fidelity"]["clock_lag_s"] == {"max": 0}
    assert report["rate"] == 0


@needs_data
@pytest.mark.long  # runs hundreds of jobs in a live daemon
@pytest.mark.live
def test_hundreds_of_jobs_of_a_real_trace_run_as_in_simulation() -> None:
    """Some of the jobs have trials that are killed."""
    report = paced(KTH, "--jobs", "300", "--recipe", "timed-easy")
    assert report["paced"] == {"differ": 0, "of": 300, "first": []}
    assert report["trials"]["restarted_share"] > 0
    assert report["daemon"]["commits"] > 300


@needs_data
@pytest.mark.long  # runs hundreds of jobs in a live daemon
@pytest.mark.live
@pytest.mark.parametrize(
    "options",
    [
        ["--jobs", "900", "--recipe", "easy"],
        ["--jobs", "900", "--recipe", "easy++", "--kill-at-estimate"],
        ["--jobs", "500", "--recipe", "timed-easy", "--nodes", "10", "--agents", "5"],
        ["--jobs", "500", "--recipe", "conservative", "--nodes", "10", "--agents", "2", "--tls"],
        ["--jobs", "500", "--recipe", "rmsd"],
        ["--jobs", "500", "--recipe", "dynp"],
        ["--jobs", "500", "--recipe", "lxfw"],
    ],
    ids=" ".join,
)
def test_many_jobs_run_as_in_simulation(options: list[str]) -> None:
    """A job takes some 10 ms, for the way through all parts of the system and two commits."""
    assert paced(KTH, *options)["paced"]["differ"] == 0


@needs_data
@pytest.mark.long  # kills a live daemon four times while it runs hundreds of jobs
@pytest.mark.live
@pytest.mark.parametrize("recipe", ["easy", "easy++", "timed-easy", "conservative"])
def test_a_daemon_that_is_killed_and_started_again_goes_on_with_the_same_schedule(
    start_daemon: Callable[..., Daemon], recipe: str
) -> None:
    """The daemon is killed after every fifth of the jobs, and its local agent with it."""
    jobs = 500
    options = ["--no-local-node", "--emulate", "1x100", "--capacity", "counted"]
    daemon = start_daemon(*options, "--rate", "paced", "--recipe", recipe)
    command = [sys.executable, "-m", "rmsd_cli.main", "replay", str(KTH), "--jobs", str(jobs)]
    command += ["--paced", "--json", "--server", f"unix:{daemon.state}/rmsd.sock"]
    command += ["--wait-for-server", str(DEADLINE_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as replay:
        for part in range(1, 5):
            wait_until(lambda part=part: submitted(daemon) >= part * jobs // 5)  # type: ignore[misc]
            daemon.kill()
            daemon.start()
        out, _ = replay.communicate()
    report = json.loads(out)
    assert report["paced"] == {"differ": 0, "of": jobs, "first": []}
    assert 1 <= report["restarts"] <= 4  # two kills in a row may be met as one


def test_a_replay_that_differs_tells_of_earlier_jobs(
    start_daemon: Callable[..., Daemon], swf: Path
) -> None:
    """A daemon under a recipe that predicts has learnt from the first replay."""
    options = ["--no-local-node", "--emulate", "1x4", "--capacity", "counted"]
    daemon = start_daemon(*options, "--rate", "paced", "--recipe", "easy++")
    command = ["replay", swf, "--paced", "--server", f"unix:{daemon.state}/rmsd.sock"]
    assert "differ from the simulation\n" in rmsd(*command).stdout
    again = rmsd(*command, expect=1).stdout
    assert f"The daemon has numbered {submitted(daemon) // 2} jobs before these" in again


def submitted(daemon: Daemon) -> int:
    """Return the highest number of a job."""
    newest = daemon.client.jobs(states="all", limit=1)
    return newest[0]["job_id"] if newest else 0


def test_what_takes_real_time_is_refused(swf: Path) -> None:
    for options, said in (
        (["--rate", "500"], "--rate beside --paced: a paced clock has none"),
        (["--exec", "process"], "--exec process beside --paced"),
        (["--closed-loop"], "--closed-loop beside --paced"),
        (["--fidelity-sweep"], "--paced beside --fidelity-sweep"),
    ):
        assert said in rmsd("replay", swf, "--paced", *options, expect=2).stderr
    assert "give --paced instead" in rmsd("replay", swf, "--rate", "paced", expect=2).stderr
