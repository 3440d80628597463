"""Speculation, live: real processes run on what would idle, are killed for others, and run again.

The daemon is killed while a speculation runs, and while one is being killed.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.commands import rmsd
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.trials import TWO_CORES, head_of_queue, let_go
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_RECIPE = 'recipe = "easy,speculate=yes"\n'
_LONG_AT_FIRST = (
    'echo "$RMS_ATTEMPT $RMS_TRIAL ${RMS_TRIAL_END-none}" >> ran; [ "$RMS_ATTEMPT" = 2 ] '
    "|| sleep 600"
)
_DEAF = "trap 'touch told' TERM; touch deaf; while [ ! -e end ]; do sleep 0.02; done"


def _reason(daemon: Daemon, job_id: int) -> str:
    return str(daemon.client.job(job_id)["reason"])


def _explained(daemon: Daemon, job_id: int, *options: str) -> str:
    """Return what rstat says of a job, on one line."""
    return " ".join(daemon.run("rstat", *options, str(job_id)).stdout.split())


def _assert_verified(daemon: Daemon) -> None:
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    report = json.loads(rmsd("verify", daemon.state, "--json").stdout)
    assert report["difference"] is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_speculation_outlives_the_daemon_and_is_killed_for_the_head(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*TWO_CORES, config=f'{_RECIPE}kill_grace = "1s"\n')
    head = head_of_queue(daemon, "echo head >> ran", restartable=False)
    job_id = daemon.submit(_LONG_AT_FIRST)
    wait_until(lambda: daemon.lines("ran"))
    job = daemon.client.job(job_id)
    assert (job["reason"], job["trial_end_us"]) == ("Speculation", None)
    assert "(Speculation)" in daemon.run("rstat").stdout
    for told in (_explained(daemon, job_id), _explained(daemon, job_id, "--explain")):
        assert "before its turn, on what would idle, until others need its processors" in told
    assert daemon.client.explain(job_id)["held_up"] == []

    daemon.kill()
    daemon.start()
    wait_until(lambda: _reason(daemon, job_id) == "Speculation")
    assert daemon.lines("ran") == ["1 1 none"]
    let_go(daemon)
    assert daemon.wait(head)["state"] == "COMPLETED"
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
    assert job["lost_s"] > 0
    assert daemon.lines("ran") == ["1 1 none", "head", "2 0 none"]
    killed, ended = daemon.client.attempts(job_id)
    assert (killed["cause"], killed["message"], ended["cause"]) == (
        "trial", f"job {head} needed its processors", "exit",
    )  # fmt: skip
    told = _explained(daemon, job_id)
    assert f"it was run as a speculation, and was ended: job {head} needed its processors" in told
    _assert_verified(daemon)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_why_a_speculation_is_killed_outlives_the_daemon(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*TWO_CORES, config=f'{_RECIPE}kill_grace = "1h"\n')
    head = head_of_queue(daemon, restartable=False)
    job_id = daemon.submit(_DEAF)
    wait_until((daemon.work / "deaf").exists)
    let_go(daemon)
    daemon.wait_for(job_id, "COMPLETING")
    wait_until((daemon.work / "told").exists)
    daemon.kill()
    daemon.start()
    why = f"it was run as a speculation, and was ended: job {head} needed its processors"
    assert f"COMPLETING: being ended: {why}" in _explained(daemon, job_id)
    assert _reason(daemon, head) == "Claimed"
    (daemon.work / "end").touch()
    assert daemon.wait(head)["state"] == "COMPLETED"
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"], job["message"]) == ("COMPLETED", 2, "")
    _assert_verified(daemon)


@pytest.mark.slow
def test_a_job_that_may_not_be_restarted_waits_for_its_turn(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*TWO_CORES, config=_RECIPE)
    head = head_of_queue(daemon, "echo head >> ran", restartable=False)
    first, second = (daemon.submit("echo it >> ran", **spec) for spec in _ONCE)
    for job_id in (first, second):
        assert daemon.state_of(job_id) == "PENDING"
    let_go(daemon)
    for job_id in (head, first, second):
        assert daemon.wait(job_id)["state"] == "COMPLETED"
    assert daemon.lines("ran") == ["head", "it", "it"]


_ONCE = ({"restartable": False}, {"requeue": False})


@pytest.mark.slow
def test_the_recipe_rmsd_runs_a_cluster(start_daemon: Callable[..., Daemon]) -> None:
    """Trials come first, then the base; what is left over speculates."""
    config = 'recipe = "rmsd,trial=1,floor=0"\nkill_grace = "1s"\n'
    daemon = start_daemon(*TWO_CORES, config=config)
    head = head_of_queue(daemon, "true")
    longer = daemon.submit('[ "$RMS_ATTEMPT" -gt 1 ] || sleep 600', time_limit_s=3000.0)
    short = [daemon.submit("true", time_limit_s=600.0) for _ in range(5)]
    wait_until(lambda: _reason(daemon, longer) in ("TrialExpired", "Speculation"))
    daemon.kill()
    daemon.start()
    let_go(daemon)
    for job_id in (head, longer, *short):
        assert daemon.wait(job_id)["state"] == "COMPLETED"
    assert daemon.client.attempts(longer)[0]["cause"] == "trial"
    _assert_verified(daemon)
