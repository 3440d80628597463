"""Jobs are suspended and resumed, live: their real processes, over kill -9 of the daemon, of the
agent and of their shepherd."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_client.errors import ApiError
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x4")
TREE = "sleep 1000 & echo $! > new; echo $$ > shell; mv new child; wait"


def stat_of(pid: int) -> list[str]:
    """Return the fields of a process's stat that follow its name: its state, its parent, ..."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def tree_of(daemon: Daemon, job_id: int) -> list[int]:
    """Return the pids of the script that `TREE` is, and of its child, once the job runs."""
    wait_until((daemon.work / "child").exists)
    daemon.wait_for(job_id, "RUNNING")
    return [int((daemon.work / name).read_text()) for name in ("shell", "child")]


def await_stopped(tree: list[int], *, stopped: bool = True) -> None:
    wait_until(lambda: all((stat_of(pid)[0] == "T") == stopped for pid in tree))


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_suspended_job_stands_still_over_kills_of_daemon_and_agent(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit(TREE, tasks=4)
    tree = tree_of(daemon, job_id)
    job = daemon.client.change(job_id, "suspend")
    assert (job["state"], job["state_code"], job["cpus"]) == ("SUSPENDED", "S", 4)
    await_stopped(tree)
    waiting = daemon.submit("true")  # the suspended job keeps its processors
    daemon.kill()
    daemon.start()
    assert daemon.client.change(job_id, "suspend")["state"] == "SUSPENDED"  # no news
    killed = daemon.agent_pid
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: daemon.agent_pid != killed and daemon.nodes_up() == 1)
    assert (daemon.client.job(job_id)["state"], stat_of(tree[1])[0]) == ("SUSPENDED", "T")
    assert daemon.client.job(waiting)["state"] == "PENDING"
    assert daemon.client.change(job_id, "resume")["state"] == "RUNNING"
    await_stopped(tree, stopped=False)
    os.kill(tree[1], signal.SIGKILL)
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"]) == ("COMPLETED", 1)
    took_s = (job["end_us"] - job["start_us"]) / 1e6
    assert 0 < job["suspended_s"] < took_s
    assert job["elapsed_s"] == pytest.approx(took_s - job["suspended_s"])
    assert daemon.wait(waiting)["state"] == "COMPLETED"
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_suspended_job_whose_shepherd_was_killed_is_resumed_and_ended(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit(TREE)
    tree = tree_of(daemon, job_id)
    daemon.client.change(job_id, "suspend")
    await_stopped(tree)
    os.kill(int(stat_of(tree[0])[1]), signal.SIGKILL)
    daemon.client.change(job_id, "resume")
    await_stopped(tree, stopped=False)
    daemon.client.change(job_id, "suspend")
    await_stopped(tree)
    daemon.client.cancel(job_id)
    assert daemon.wait(job_id)["state"] == "CANCELLED"
    child = Path(f"/proc/{tree[1]}/stat")
    assert not child.exists() or stat_of(tree[1])[0] == "Z"


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_limit_passes_only_while_the_job_runs(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    limit_s, early_s = 3, 0.1  # an agent keeps limits within this time
    job_id = daemon.submit(TREE, time_limit_s=limit_s)
    tree = tree_of(daemon, job_id)
    daemon.client.change(job_id, "suspend")
    await_stopped(tree)
    other = daemon.wait(daemon.submit("sleep 600", time_limit_s=limit_s))
    assert other["state"] == "TIMEOUT"  # the limit of the first one is past, too
    assert daemon.client.job(job_id)["state"] == "SUSPENDED"
    for pid in tree:  # a user cannot have the job run on without a clock
        os.kill(pid, signal.SIGCONT)
    await_stopped(tree)
    daemon.client.change(job_id, "resume")
    job = daemon.wait(job_id)
    assert (job["state"], job["reason"]) == ("TIMEOUT", "TimeLimit")
    assert job["suspended_s"] >= other["elapsed_s"]  # the whole life of the other
    assert job["elapsed_s"] >= limit_s - early_s  # the time of the suspension is not counted


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_suspended_job_is_cancelled_and_requeued(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit(f"[ $RMS_RESTART_COUNT -eq 1 ] && exit 0; {TREE}")
    tree = tree_of(daemon, job_id)
    daemon.run("rjob", "suspend", str(job_id), expect=0)
    await_stopped(tree)
    assert " S " in daemon.run("rstat", "-j", str(job_id), expect=0).stdout
    told = daemon.run("rstat", str(job_id), expect=0).stdout
    assert "SUSPENDED: its processes and its limit stand still" in told
    daemon.client.change(job_id, "requeue")
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"], job["suspended_s"]) == ("COMPLETED", 2, 0)
    with pytest.raises(ApiError, match="only a job that runs can be suspended"):
        daemon.client.change(job_id, "suspend")
    held = daemon.submit("true", conditions={"hold": True})
    with pytest.raises(ApiError, match="only a suspended job can be resumed"):
        daemon.client.change(held, "resume")


@pytest.mark.slow
def test_emulated_jobs_end_later_by_the_time_that_they_stood_still(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.emulate(1.0)
    daemon.wait_for(job_id, "RUNNING")
    daemon.client.change(job_id, "suspend")
    other = daemon.emulate(2.0)
    daemon.wait(other)
    killed = daemon.agent_pid
    os.kill(killed, signal.SIGKILL)  # the timer is lost, and made again as it was
    wait_until(lambda: daemon.agent_pid != killed and daemon.nodes_up() == 1)
    assert daemon.client.change(job_id, "resume")["state"] == "RUNNING"
    job = daemon.wait(job_id)
    assert (job["state"], job["elapsed_s"]) == ("COMPLETED", 1.0)
    assert job["suspended_s"] > 2.0
