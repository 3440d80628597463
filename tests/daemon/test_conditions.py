"""Holds, begin times, dependencies and restarts of jobs, live: real processes, and kill -9 of the
daemon in the middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.model_time import SECOND_US
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x4")


def after(relation: str, job_id: int, **more: Any) -> dict[str, Any]:
    return {"dependencies": [{"relation": relation, "job_id": job_id}], **more}


def reason(daemon: Daemon, job_id: int) -> str:
    return str(daemon.client.job(job_id)["reason"])


@pytest.mark.slow
def test_a_held_job_outlives_kills_and_starts_when_it_is_released(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    held = daemon.submit("echo held >> ran", conditions={"hold": True})
    waiting = daemon.submit("true", tasks=4, conditions=after("afterok", held))
    daemon.kill()
    daemon.start()
    assert reason(daemon, held) == "JobHeldUser"
    assert reason(daemon, waiting) == "Dependency"
    assert daemon.client.change(held, "hold")["conditions"]["held_by"] == "user"  # no news
    daemon.client.change(held, "release")
    assert daemon.wait(waiting)["state"] == "COMPLETED"
    assert daemon.lines("ran") == ["held"]
    with pytest.raises(ApiError, match=f"job {held} COMPLETED, with exit code 0: only a job that"):
        daemon.client.change(held, "hold")
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_begin_time_is_kept_over_a_kill(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit("true", conditions={"begin_in_s": 2})
    begin_us = daemon.client.job(job_id)["conditions"]["begin_us"]
    assert reason(daemon, job_id) == "BeginTime"
    daemon.kill()
    daemon.start()
    job = daemon.wait(job_id)
    assert job["start_us"] >= begin_us
    assert job["eligible_us"] >= begin_us
    assert job["wait_s"] == pytest.approx((job["start_us"] - job["eligible_us"]) / SECOND_US)
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
def test_jobs_follow_the_ends_of_others(start_daemon: Callable[..., Daemon]) -> None:
    """The first one is live when some are submitted, and over when others are."""
    daemon = start_daemon(*ONE_NODE)
    first = daemon.submit("while [ ! -e go ]; do sleep 0.02; done; exit 3")
    conditions = [
        after("afternotok", first),
        after("afterany", first),
        after("afterok", first, end_if_never=True),
        after("afterok", first),
        after("after", first),
    ]
    early = [daemon.submit("true", conditions=one) for one in conditions]
    assert daemon.wait(early[-1])["state"] == "COMPLETED"
    assert [reason(daemon, job_id) for job_id in early[:4]] == ["Dependency"] * 4
    (daemon.work / "go").touch()
    daemon.wait(first)
    late = [daemon.submit("true", conditions=one) for one in conditions]
    for failed, any_end, cancelled, never, started in (early, late):
        assert daemon.wait(failed)["state"] == "COMPLETED"
        assert daemon.wait(any_end)["state"] == "COMPLETED"
        ended = daemon.wait(cancelled)
        assert (ended["state"], ended["cause"]) == ("CANCELLED", "dependency")
        assert (ended["wait_s"], ended["eligible_us"]) == (0, ended["end_us"])
        assert reason(daemon, never) == "DependencyNeverSatisfied"
        unmet = {"relation": "afterok", "job_id": first, "state": "FAILED"}
        assert daemon.client.job(never)["conditions"]["unmet"] == [unmet]
        assert daemon.wait(started)["state"] == "COMPLETED"
    with pytest.raises(ApiError, match="there is no job 999"):
        daemon.submit("true", conditions=after("afterok", 999))
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_one_job_of_a_name_runs_at_a_time(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    alone = {"dependencies": [{"relation": "singleton"}]}
    script = 'echo "$RMS_JOB_ID begins" >> ran; sleep 0.1; echo "$RMS_JOB_ID ends" >> ran'
    ids = [daemon.submit(script, name="nightly", conditions=alone) for _ in range(4)]
    daemon.kill()
    daemon.start()
    daemon.wait(ids[-1])
    assert daemon.lines("ran") == [f"{one} {what}" for one in ids for what in ("begins", "ends")]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_running_job_is_requeued_and_keeps_its_number(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit(
        'echo "$RMS_ATTEMPT $RMS_RESTART_COUNT" >> ran; [ "$RMS_ATTEMPT" = 2 ] || sleep 600'
    )
    waiting = daemon.submit("true", conditions=after("afterany", job_id))
    wait_until(lambda: daemon.lines("ran"))
    daemon.client.change(job_id, "requeue")
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
    assert daemon.lines("ran") == ["1 0", "2 1"]
    causes = [one["cause"] for one in daemon.client.attempts(job_id)]
    assert causes == ["requeue", "exit"]
    assert daemon.wait(waiting)["start_us"] >= job["end_us"]
    once = daemon.submit("sleep 600", requeue=False)
    daemon.wait_for(once, "RUNNING")
    for action in ("requeue", "run-again"):
        with pytest.raises(ApiError, match="must not run twice"):
            daemon.client.change(once, action)
    daemon.client.cancel(once)
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_the_commands_hold_release_and_requeue(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = int(daemon.run("rsub", "--parsable", "-H", "--wrap", "true", expect=0).stdout)
    explained = daemon.run("rstat", "--explain", str(job_id), expect=0).stdout
    assert "Held by:    its user" in explained
    daemon.run("rjob", "release", str(job_id), expect=0)
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    refused = daemon.run("rjob", "requeue", str(job_id), expect=1)
    assert refused.stderr.strip() == (
        f"rjob: error: job {job_id} COMPLETED, with exit code 0: only a job that runs can be "
        "requeued"
    )
    wrong = daemon.run("rsub", "-d", f"afterok:{job_id},before:3", "--wrap", "true", expect=2)
    assert "'before:3' is not a dependency" in wrong.stderr
