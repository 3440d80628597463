"""Arrays live: one submit, one record until tasks differ, over kill -9 of the daemon."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rmsd_client.errors import ApiError
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x2")


@pytest.mark.slow
def test_every_task_runs_once_over_a_kill(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    array = daemon.submit('echo "$RMS_ARRAY_TASK_ID" >> ran', array="0-8:2,20")
    follows = daemon.submit(
        "true", conditions={"dependencies": [{"relation": "afterok", "job_id": array}]}
    )
    daemon.kill()
    daemon.start()
    assert daemon.wait(array)["state"] == "COMPLETED"
    assert sorted(map(int, daemon.lines("ran"))) == [0, 2, 4, 6, 8, 20]
    assert daemon.wait(follows)["state"] == "COMPLETED"
    shown = daemon.client.jobs(states="all", ids=[f"{array}_[2-6]"])
    assert [job["array_task_id"] for job in shown] == [2, 4, 6]
    assert daemon.client.job(f"{array}_20")["array_job_id"] == array
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_a_throttled_array_says_why_it_waits_and_nothing_of_cancelled_tasks(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    array = daemon.submit("while ! [ -e go ]; do sleep 0.1; done", array="0-2%1")
    wait_until(lambda: daemon.client.job(f"{array}_0")["state"] == "RUNNING")
    explained = " ".join(daemon.run("rstat", "--explain", str(array)).stdout.split())
    assert (
        "Why: as many tasks of its array run, or are next in the queue, as may at a time: 1 "
        in explained
    )
    (daemon.work / "go").touch()
    assert daemon.wait(array)["array_task_str"] == ""
    shown = daemon.run("rstat", str(array)).stdout
    assert f"Job:        {array} " in shown
    assert "Array:      3 tasks, of which 1 may run at a time\n" in shown


def told(daemon: Daemon, *args: str) -> str:
    return " ".join(daemon.run("rstat", *args, expect=0).stdout.split())


@pytest.mark.slow
def test_an_array_whose_waiting_tasks_are_jobs_of_their_own_waits_as_one_of_these(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Such an array was PENDING (None), also while all of its tasks ran."""
    daemon = start_daemon(*ONE_NODE)
    busy = daemon.submit("while ! [ -e go ]; do sleep 0.1; done", tasks=2)
    array = daemon.submit("while ! [ -e over ]; do sleep 0.1; done", array="5")
    wait_until(lambda: daemon.client.job(f"{array}_5")["reason"] == "Resources")
    assert "State: PENDING (Resources): no job is before it" in told(daemon, str(array))
    explained = told(daemon, "--explain", str(array))
    assert f"Job: {array}_5 " in explained
    assert "Why: it needs 1 cpu, and 0 cpus are free now" in explained
    (daemon.work / "go").touch()
    daemon.wait(busy)
    wait_until(lambda: daemon.client.job(f"{array}_5")["state"] == "RUNNING")
    shown = told(daemon, str(array))
    assert "State: RUNNING: none of its tasks waits" in shown
    assert not any(word in shown for word in ("Waiting:", "Expected:", "Nodes:"))
    assert "State: RUNNING: none of its tasks waits" in told(daemon, "--explain", str(array))
    (daemon.work / "over").touch()
    assert daemon.wait(array)["state"] == "COMPLETED"
    assert "Nodes:" not in told(daemon, str(array))


def test_tasks_that_can_never_start_are_not_said_to_have_space(
    start_daemon: Callable[..., Daemon],
) -> None:
    """`rstat --explain` said that the array would delay a job that has a reservation before it."""
    daemon = start_daemon(*ONE_NODE)
    failed = daemon.submit("exit 1", array="0-1")
    array = daemon.submit("true", array="0-1", conditions={"after_corr": failed})
    daemon.wait(failed)
    wait_until(lambda: daemon.client.job(array)["reason"] == "DependencyNeverSatisfied")
    explained = told(daemon, "--explain", str(array))
    assert "State: PENDING (DependencyNeverSatisfied)" in explained
    assert "Why:" not in explained


@pytest.mark.slow
def test_waiting_tasks_are_one_row_and_are_cancelled_in_ranges(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    emulate = {"run_s": 1e6}
    [told] = daemon.client.submit([{"emulate": emulate, "array": "0-99999"}])
    array = told["job_id"]
    assert told["array_tasks"] == 100_000
    wait_until(lambda: len(daemon.client.jobs()) == 4)  # two run, one is next, and the others
    rest = daemon.client.jobs()[0]
    assert (rest["job_id"], rest["array_task_str"]) == (array, "3-99999")
    # A status is kept for a while where the machine is slow.
    wait_until(lambda: daemon.client.status()["jobs"].get("PENDING") == 99_998)
    daemon.client.cancel_named([f"{array}_[10-99999]"])
    daemon.kill()
    daemon.start()
    assert daemon.client.jobs()[0]["array_task_str"] == "3-9"
    assert daemon.client.job(f"{array}_50000")["state"] == "CANCELLED"
    assert len(daemon.client.jobs(apart=True)) == 10
    with pytest.raises(ApiError, match="no job"):
        daemon.client.job(f"{array}_100000")
    with pytest.raises(ApiError, match="runs backwards"):
        daemon.client.submit([{"emulate": emulate, "array": "5-3"}])
    daemon.client.cancel(array)
    assert daemon.wait(array)["state"] == "CANCELLED"
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_an_explanation_names_tasks_as_people_know_them(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    wait = "until [ -e go ]; do sleep 0.05; done"
    array = daemon.submit(wait, array="0-1", time_limit_s=600.0)
    behind = daemon.submit(wait, time_limit_s=600.0)
    wait_until(lambda: daemon.client.job(f"{array}_0")["state"] == "RUNNING")
    told = " ".join(daemon.run("rstat", "--explain", str(behind), expect=0).stdout.split())
    assert f"Waits for: {array}_0 " in told
    assert f"first in the queue is job {array}_1 " in told
    (daemon.work / "go").touch()
    assert daemon.wait(behind)["state"] == "COMPLETED"
