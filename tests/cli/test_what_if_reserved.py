"""`rmsd what-if` with the advance reservations of a daemon's history."""

from __future__ import annotations

import contextlib
import getpass
import json

import pytest

from rmsd_core.model_time import SECOND_US
from rmsd_lab_cli.history.source import source_of_directory
from tests.live import Daemon
from tests.waiting import wait_until

USER = getpass.getuser()
NEAR_S = 5.0  # model time: half a second of real time


@pytest.mark.long  # simulates a daemon's history
def test_jobs_keep_off_reservations_and_run_inside_as_the_daemon_plans() -> None:
    options = ("--no-local-node", "--emulate", "2x4", "--rate", "10", "--recipe", "easy")
    with contextlib.closing(Daemon(*options)) as one:
        one.start()
        one.wait(one.emulate(1, time_limit_s=1))
        at = {"start_in_s": 600, "duration_s": 3600}
        one.client.reserve({"name": "repair", "nodes": "e1", "maintenance": True, **at})
        one.client.reserve({"name": "void", "nodes": "e2", "maintenance": True, **at})
        one.client.unreserve("void")
        course = one.client.reserve({"name": "course", "nodes": "e2", "users": [USER], **at})
        held = {"tasks": 4, "time_limit_s": 700}
        jobs = [one.emulate(700, **held) for _ in range(2)]
        wait_until(lambda: all(job in starts_in(one) for job in jobs))
        plan = starts_in(one)
        inside = one.emulate(600, **held, reservation="course")
        plan[inside] = course["start_us"]
        done = one.run("rmsd", "what-if", "--json", "--recipe", "conservative,depth=50")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["ignored"] == []
        assert {job["job_id"] for job in report["waiting"]} == {*jobs, inside}
        for job in report["waiting"]:
            for start in job["starts"].values():
                near_us = NEAR_S * SECOND_US
                assert start["start_us"] == pytest.approx(plan[job["job_id"]], abs=near_us)
        told = source_of_directory(one.state).reservations
        assert [change.name for change in told or ()] == ["repair", "void", "void", "course"]


def starts_in(daemon: Daemon) -> dict[int, int]:
    """Return the expected starts of the jobs that wait [us]."""
    return {one["job_id"]: one["start_us"] for one in daemon.client.plan()["starts"]}
