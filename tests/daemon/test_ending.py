"""The views of a job that is being ended, and of the cores that it still holds."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands import BIN
from tests.daemon.trials import TWO_CORES, head_of_queue, let_go
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_SLOW = 'kill_grace = "1h"\n'
_DEAF = "trap '' TERM; touch deaf; while [ ! -e end ]; do sleep 0.02; done"
"""A script that ignores SIGTERM and ends when the test says so."""


def explained(daemon: Daemon, job_id: int) -> str:
    """Return the explanation as text on one line."""
    done = subprocess.run(
        [BIN / "rstat", "--explain", str(job_id)],
        env=daemon.env, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return " ".join(done.stdout.split())


def deaf(daemon: Daemon, **spec: Any) -> int:
    """Return the id of a job that ignores SIGTERM, once it does."""
    job_id = daemon.submit(_DEAF, **spec)
    wait_until((daemon.work / "deaf").exists)
    return job_id


def test_a_job_that_is_cancelled(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*TWO_CORES, config=_SLOW)
    job_id = deaf(daemon, time_limit_s=3600.0)
    assert daemon.client.job(job_id)["stop_cause"] is None
    daemon.client.cancel(job_id)
    ending = daemon.client.job(job_id)
    assert (ending["state"], ending["stop_cause"]) == ("COMPLETING", "user")
    assert daemon.client.explain(job_id)["expected_end_us"] is None
    text = explained(daemon, job_id)
    assert "State: COMPLETING: being ended: cancelled Request: 1 x 1 cpu Started: " in text
    assert "Expected" not in text
    assert "Limit" not in text
    (daemon.work / "end").touch()
    assert daemon.wait(job_id)["stop_cause"] is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_trial_that_is_over(start_daemon: Callable[..., Daemon]) -> None:
    """No other job has the trial's core before the trial is gone. The trial holds up the job that
    has claimed the core."""
    daemon = start_daemon(*TWO_CORES, config=f'recipe = "timed-easy,trial=1"\n{_SLOW}')
    head = head_of_queue(daemon)
    trial = deaf(daemon)
    wait_until(lambda: daemon.client.job(trial)["reason"] == "TrialExpired")
    assert daemon.client.explain(head)["wait"]["free_cpus"] == 0
    assert "it needs 2 cpus, and 0 cpus are free now" in explained(daemon, head)
    assert daemon.client.explain(trial)["held_up"] == []
    let_go(daemon)
    daemon.wait_for(trial, "COMPLETING")
    assert daemon.client.job(trial)["stop_cause"] == "trial"
    told = daemon.client.explain(trial)
    assert ([other["job_id"] for other in told["held_up"]], told["expected_end_us"]) == (
        [head], None,
    )  # fmt: skip
    text = explained(daemon, trial)
    assert "COMPLETING: being ended: its trial is over, and others need what it holds" in text
    (daemon.work / "end").touch()
    assert daemon.wait(head)["state"] == "COMPLETED"


def test_jobs_of_several_names_and_users(daemon: Daemon) -> None:
    """A name may have commas in it; what waits or runs and what is over is chosen alike."""
    user = daemon.client.job(daemon.submit("true", name="other"))["user"]
    ended = [daemon.submit("true", name=name) for name in ("a", "b", "a,b")]
    for job_id in ended:
        daemon.wait(job_id)
    runs = [daemon.submit("sleep 600", name=name) for name in ("a", "b", "a,b")]

    def found(**wanted: str) -> list[int]:
        return [job["job_id"] for job in daemon.client.jobs(**wanted)]

    assert found(name="a,b") == runs
    assert found(name="a,b", states="all") == [*ended, *runs]
    assert found(name="b,,c", states="all") == [ended[1], runs[1]]
    assert found(user=f"nobody,{user}", name="a") == runs[:1]
    assert found(user="nobody,", states="all") == []
