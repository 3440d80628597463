"""Restarts of jobs that are over, live: real processes, and kill -9 of the daemon in the middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.restores import backup, restore
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x4")


def after(relation: str, job_id: int, **more: Any) -> dict[str, Any]:
    return {"dependencies": [{"relation": relation, "job_id": job_id}], **more}


def reason(daemon: Daemon, job_id: int) -> str:
    return str(daemon.client.job(job_id)["reason"])


@pytest.mark.slow
def test_a_failed_job_runs_again_and_others_wait_for_it(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The dependency is there again over a kill of the daemon, and the first attempt is kept."""
    daemon = start_daemon(*ONE_NODE)
    until_go = "while [ ! -e go ]; do sleep 0.02; done; "
    script = until_go + 'echo "$RMS_ATTEMPT $RMS_RESTART_COUNT" >> ran; [ -e good ]'
    held = daemon.submit("true", conditions={"hold": True})
    failed = daemon.submit(script)
    waits = daemon.submit("true", conditions=after("afterok", failed))
    changed = daemon.submit("true", conditions=after("afterok", held))
    daemon.client.update(changed, after("afterok", failed))
    gone = daemon.submit("true", conditions=after("afterok", failed, end_if_never=True))
    (daemon.work / "go").touch()
    first = daemon.wait(failed)
    assert daemon.wait(gone)["cause"] == "dependency"
    wait_until(lambda: reason(daemon, changed) == "DependencyNeverSatisfied")
    with pytest.raises(ApiError, match="restart those first"):
        daemon.client.change(gone, "restart")
    [node] = daemon.client.nodes()
    daemon.client.drain(node["name"], "test")
    told = daemon.run("rsub", "--restart", str(failed), expect=0)
    assert told.stdout == f"Restarted job {failed}\n"
    daemon.kill()
    daemon.start()
    assert daemon.client.job(failed)["state"] == "PENDING"
    assert [reason(daemon, one) for one in (waits, changed)] == ["Dependency"] * 2
    daemon.client.change(gone, "run-again")  # the job is over
    (daemon.work / "good").touch()
    daemon.client.resume(node["name"])
    for one in (waits, changed, gone):
        assert daemon.wait(one)["state"] == "COMPLETED"
    again = daemon.client.job(failed)
    assert (again["state"], again["attempt"]) == ("COMPLETED", 2)
    assert (again["submit_us"], again["user"]) == (first["submit_us"], first["user"])
    assert again["wait_s"] == (again["start_us"] - again["eligible_us"]) / 1e6
    assert again["eligible_us"] > first["end_us"]
    starts = daemon.client.attempts(failed)
    assert [(one["attempt"], one["exit_code"]) for one in starts] == [(1, 1), (2, 0)]
    assert daemon.lines("ran") == ["1 0", "2 1"]
    daemon.client.cancel(held)
    daemon.run("rsub", "--restart", str(held), "--wait", expect=0)
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_what_cannot_be_restarted_is_refused(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    once = daemon.submit("exit 3", requeue=False)
    daemon.wait(once)
    array = daemon.submit("exit 3", array="0-1")
    daemon.wait(array)
    waits = daemon.submit("true", conditions={"hold": True})
    refusals = {
        str(once): "must not run twice: it was submitted with --no-requeue",
        str(array): "is an array, which cannot be restarted: submit it again",
        f"{array}_1": "is a task of an array, which cannot be restarted: submit it again",
        str(waits): "is PENDING: only a job that is over can be restarted",
    }
    for name, why in refusals.items():
        refused = daemon.run("rsub", "--restart", name, expect=1)
        assert refused.stderr == f"rsub: error: job {name} {why}\n"
    wrong = daemon.run("rsub", "--restart", str(once), "-n", "2", expect=2)
    assert "'--ntasks' cannot be given with it" in wrong.stderr
    assert daemon.run("rsub", "--restart", "999", expect=1).stderr.startswith("rsub: error: there")
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_a_restart_of_a_job_from_before_a_backup_can_be_verified(
    start_daemon: Callable[..., Daemon],
) -> None:
    """After a restore, as after a snapshot, a verification takes earlier jobs from their table.
    There a restarted job has its later arrival number, so that the jobs between seemed wrong."""
    daemon = start_daemon(*ONE_NODE)
    early, other = (daemon.submit("true") for _ in range(2))
    for job_id in (early, other):
        daemon.wait(job_id)
    restore(daemon, backup(daemon))
    daemon.wait(daemon.submit("true"))
    for job_id in (early, early, other):
        daemon.run("rsub", "--restart", str(job_id), "--wait", expect=0)
    assert daemon.stop() == 0
    verdict = daemon.verdict()
    assert verdict.difference is None
    assert verdict.jobs == 3
