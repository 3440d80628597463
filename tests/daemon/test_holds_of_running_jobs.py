"""Jobs that run are held, live: they go on, and are held once they wait again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x4")
ONCE = 'echo "$RMS_ATTEMPT" >> ran; [ "$RMS_ATTEMPT" != 1 ] || exec sleep 1000'


def hold_of(job: dict[str, Any]) -> tuple[str, str, str | None]:
    return job["state"], job["reason"], job["requeue_hold"]


def await_held(daemon: Daemon, job_id: int) -> None:
    daemon.wait_for(job_id, "PENDING")
    assert hold_of(daemon.client.job(job_id)) == ("PENDING", "JobHeldUser", None)


@pytest.mark.slow
def test_a_running_job_that_is_held_waits_for_its_release_once_it_is_requeued(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The hold outlives kill -9 of the daemon, before the requeue and after it."""
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit(ONCE, tasks=4)
    daemon.wait_for(job_id, "RUNNING")
    held = ("RUNNING", "JobHeldUser", "user")
    assert hold_of(daemon.client.change(job_id, "hold")) == held
    assert hold_of(daemon.client.change(job_id, "release")) == ("RUNNING", "None", None)
    daemon.client.change(job_id, "hold")
    daemon.kill()
    daemon.start()
    assert hold_of(daemon.client.change(job_id, "hold")) == held  # no news
    assert "its user, if it is to wait again\n" in daemon.run("rstat", str(job_id)).stdout
    daemon.client.change(job_id, "requeue")
    daemon.wait_for(job_id, "PENDING")
    daemon.kill()
    daemon.start()
    await_held(daemon, job_id)
    assert daemon.wait(daemon.submit("true", tasks=4))["state"] == "COMPLETED"
    daemon.client.change(job_id, "release")
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
    assert daemon.lines("ran") == ["1", "2"]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_a_job_is_requeued_and_held_whether_it_runs_or_is_over(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit(ONCE)
    daemon.wait_for(job_id, "RUNNING")
    misplaced = daemon.run("rjob", "hold", "--hold", str(job_id), expect=2)
    assert "--hold goes with requeue, and not with hold" in misplaced.stderr
    with pytest.raises(ApiError, match="'hold' goes with requeue, restart, run-again, and not"):
        daemon.client.change(job_id, "suspend", hold=True)
    daemon.run("rjob", "requeue", "--hold", str(job_id))
    await_held(daemon, job_id)
    daemon.client.change(job_id, "release")
    assert daemon.wait(job_id)["attempt"] == 2
    assert hold_of(daemon.client.change(job_id, "run-again", hold=True)) == (
        "PENDING", "JobHeldUser", None,
    )  # fmt: skip
    daemon.client.change(job_id, "release")
    assert daemon.wait(job_id)["attempt"] == 3
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_the_tasks_of_an_array_that_run_are_held_with_it(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    array = daemon.submit(ONCE, array="0-1", tasks=2)
    tasks = [array + 1, array + 2]
    for task in tasks:
        daemon.wait_for(task, "RUNNING")
    daemon.client.change(array, "hold")
    daemon.client.change(array, "requeue")
    for task in tasks:
        await_held(daemon, task)
    daemon.client.change(array, "release")
    assert [daemon.wait(task)["attempt"] for task in tasks] == [2, 2]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None
