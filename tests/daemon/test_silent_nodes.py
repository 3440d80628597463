"""Nodes whose agent is silent: what is said of them, and how they are given up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rmsd_client.errors import ApiError
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.live
def test_a_silent_node_is_forgotten_by_force_and_its_jobs_run_elsewhere(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    with other_agent(daemon, "--no-local-node", "--emulate", "1x1", "--emulate-prefix", "x"):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        daemon.run("rnode", "drain", "e1", "not yet", expect=0)
        job_id = daemon.emulate(600)
        wait_until(lambda: daemon.client.job(job_id)["state"] == "RUNNING")
    wait_until(lambda: node_state(daemon, "x1") == "suspect")
    wait_until(lambda: daemon.client.status()["cores_used"] == 0)  # the local node has one core
    assert "its agent is not heard" in daemon.run("rnode", expect=0).stdout
    explained = daemon.run("rstat", "--explain", str(job_id), expect=0).stdout
    assert "Nodes:      x1 is suspect: its agent is not heard\n" in explained
    with pytest.raises(ApiError, match=r"x1 is suspect: only a node that is down .*--force"):
        daemon.client.forget_node("x1")
    refused = daemon.run("rnode", "forget", "--force", "e1", expect=1).stderr
    assert "node e1 is up: only a node that is down can be forgotten" in refused
    assert "--force goes with forget" in daemon.run("rnode", "--force", expect=2).stderr
    daemon.run("rnode", "forget", "--force", "x1", expect=0)
    assert node_state(daemon, "x1") is None
    assert daemon.client.job(job_id)["state"] == "PENDING"
    daemon.run("rnode", "resume", "e1", expect=0)
    wait_until(lambda: daemon.client.job(job_id)["state"] == "RUNNING")
    assert "forget" in daemon.run("rmsd", "audit", expect=0).stdout
