"""Deadlines of jobs, live: over kill -9 of the daemon, and as the clients ask for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rmsd_client.errors import ApiError
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x4")


@pytest.mark.slow
def test_a_job_that_waits_for_too_long_is_ended_over_a_kill(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    first = daemon.submit("while [ ! -e go ]; do sleep 0.02; done", tasks=4)
    late = daemon.submit("true", tasks=4, time_limit_s=60, deadline_in_s=61)
    after = daemon.submit(
        "true", conditions={"dependencies": [{"relation": "afternotok", "job_id": late}]}
    )
    daemon.kill()
    daemon.start()
    job = daemon.wait(late)
    assert (job["state"], job["reason"], job["cause"]) == ("DEADLINE", "DeadLine", "deadline")
    assert job["end_us"] > job["deadline_us"] - 60_000_000
    assert job["start_us"] is None
    (daemon.work / "go").touch()
    assert daemon.wait(after)["state"] == "COMPLETED"
    assert daemon.wait(first)["state"] == "COMPLETED"
    assert [one["job_id"] for one in daemon.client.jobs(states="DL")] == [late]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_waiting_array_is_ended_task_by_task_and_listed_so(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    daemon.submit("while [ ! -e go ]; do sleep 0.02; done", tasks=4)
    array = daemon.submit("true", array="0-99", tasks=4, time_limit_s=60, deadline_in_s=61)
    job = daemon.wait(array)
    assert (job["state"], job["message"]) == ("DEADLINE", "100 of 100 tasks did not complete")
    listed = daemon.client.jobs(states="DL")
    assert {one["state"] for one in listed} == {"DEADLINE"}
    assert array in {one["job_id"] for one in listed}
    assert daemon.client.job(f"{array}_50")["state"] == "DEADLINE"
    (daemon.work / "go").touch()


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_what_cannot_be_kept_is_refused(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    with pytest.raises(ApiError, match="the job could not end in time; give it a later deadline"):
        daemon.submit("true", time_limit_s=60, deadline_in_s=59)
    with pytest.raises(ApiError, match="60 s after its begin time, and the time limit 00:01:01"):
        daemon.submit("true", time_limit_s=61, deadline_in_s=120, conditions={"begin_in_s": 60})
    with pytest.raises(ApiError, match="without a time limit"):
        daemon.submit("true", time_limit_s=0, deadline_in_s=59)
    with pytest.raises(ApiError, match="give one of them"):
        daemon.submit("true", time_limit_s=9, deadline_in_s=59, deadline_us=1)
    held = daemon.submit("true", time_limit_s=60, conditions={"hold": True})
    with pytest.raises(ApiError, match="could not end in time"):
        daemon.client.update(held, {"deadline_in_s": 5.0})
    deadline_us = daemon.client.job(held)["submit_us"] + 3_600_000_000
    assert daemon.client.update(held, {"deadline_us": deadline_us})["deadline_us"] == deadline_us
    with pytest.raises(ApiError, match="could not end in time"):
        daemon.client.update(held, {"time_limit_s": 7200.0})
    change = daemon.client.update(held, {"deadline_us": None})["changes"][-1]
    assert (change["field"], change["after"]) == ("deadline_us", "none")
    daemon.client.change(held, "release")
    assert daemon.wait(held)["state"] == "COMPLETED"


@pytest.mark.slow
def test_the_commands_take_deadlines(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    daemon.submit("while [ ! -e go ]; do sleep 0.02; done", tasks=4)
    script = daemon.work / "late.sh"
    script.write_text("#!/bin/sh\n#SBATCH -n4 -t1 --deadline=now+61\ntrue\n")
    done = daemon.run("rsub", "--wait", str(script))
    assert done.returncode == 1
    assert "ended while it waited: it could no longer end before its deadline" in done.stderr
    shown = daemon.run("rstat", "--json", "-t", "DL").stdout
    assert '"state": "DEADLINE"' in shown
    (daemon.work / "go").touch()
