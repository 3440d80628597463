"""The commands tell how an array has ended that has failed, with a real daemon."""

from __future__ import annotations

import pytest

from tests.live import Daemon

pytestmark = pytest.mark.live


def test_why_no_task_could_be_started_is_told(cluster: Daemon) -> None:
    """Nothing exited with 1 there, which is the exit code of the array all the same."""
    array = ("--array=1-2", "--output=missing/%a.out", "--wrap", "true")
    done = cluster.run("rsub", "--parsable", "--wait", *array)
    number = done.stdout.strip()
    problem = f"{cluster.work}/missing/2.out: No such file or directory"
    ended = f"2 of 2 tasks did not complete; {number}_2: it could not be started: output file"
    assert done.returncode == 1
    assert done.stderr == f"rsub: error: job {number}: {ended} {problem}\n"
    shown = " ".join(cluster.run("rstat", number).stdout.split())
    assert f"State: FAILED: {ended}" in shown
    assert "exited with" not in shown


def test_one_of_the_tasks_that_failed_is_named(cluster: Daemon) -> None:
    script = "exit $((RMS_ARRAY_TASK_ID % 2 * 7))"
    done = cluster.run("rsub", "--wait", "--array=1-2", "--wrap", script)
    assert done.returncode == 7
    assert "1 of 2 tasks did not complete; " in done.stderr
    assert done.stderr.endswith("_1: exited with 7\n")


def test_what_names_the_output_of_a_task_is_said(cluster: Daemon) -> None:
    done = cluster.run("rsub", "--parsable", "--wait", "--array=5", "--wrap", "true")
    number = done.stdout.strip()
    refused = cluster.run("rlog", number)
    assert refused.returncode == 1
    assert f"'rlog {number}_INDEX'" in refused.stderr
    assert f"{number}_5 " in cluster.run("rstat", "-t", "all", "-j", number).stdout


def test_a_task_is_named_as_it_was_asked_for(cluster: Daemon) -> None:
    done = cluster.run("rsub", "--parsable", "--wait", "--array=2", "--wrap", "true")
    name = f"{done.stdout.strip()}_2"
    refused = cluster.run("rstat", "--usage", name)
    assert f"job {name} is COMPLETED: it uses nothing now" in refused.stderr
