"""Nodes of a backup that is restored: nothing starts before all of them are heard.

Long: daemons are stopped, restored and started again.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from tests.daemon.restores import CONFIG, backup, counting
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    """Run a daemon with two emulated nodes of four processors."""
    return start_daemon("--no-local-node", "--emulate", "2x4", config=CONFIG)


def restore_without_x1(daemon: Daemon) -> None:
    """Restore a backup that knows the node of another agent, which is gone, and start nothing."""
    with other_agent(daemon, "--no-local-node", "--emulate", "1x1", "--emulate-prefix", "x"):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        file = backup(daemon)
        daemon.stop()
    assert daemon.rmsd("restore", str(file)).returncode == 0


def test_a_start_does_not_wait_for_other_nodes_to_be_heard(daemon: Daemon) -> None:
    restore_without_x1(daemon)
    started = subprocess.run(
        daemon.command("--detach"), env=daemon.env, capture_output=True, text=True, check=False
    )
    assert (started.returncode, started.stderr) == (0, "")
    assert daemon.client.status()["awaited"] == ["x1"]
    assert daemon.rmsd("stop").returncode == 0


def test_a_start_says_that_new_nodes_wait_for_those_of_the_backup(daemon: Daemon) -> None:
    """The test waits for half a minute, as a start does for its nodes."""
    restore_without_x1(daemon)
    started = subprocess.run(
        daemon.command("--detach", "--emulate", "3x4"),
        env=daemon.env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert started.returncode == 1
    assert "but nothing starts before these nodes of the backup are heard: x1" in started.stderr
    assert daemon.rmsd("stop").returncode == 0


def start_a_task(client: Client, job_id: int) -> None:
    client.start_task(job_id, {"node": "e1", "step": "s", "task": 0, "argv": ["true"]})


def begin_a_step(client: Client, job_id: int) -> None:
    client.begin_step(job_id, {"name": "s", "nodelist": "e1", "tasks": 1, "cpus": 1})


def look_at_itself(client: Client, job_id: int) -> None:
    client.job(job_id, inside=True)


@pytest.mark.parametrize("ask", [start_a_task, begin_a_step, look_at_itself])
def test_nothing_starts_before_all_nodes_are_heard(
    start_daemon: Callable[..., Daemon], ask: Callable[[Client, int], None]
) -> None:
    """A node that stays away is waited for as long as `node_dead`; until then nothing starts, also
    if the daemon is killed meanwhile."""
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config=CONFIG)
    job = daemon.submit(counting("late"), nodes=2, tasks=8)
    daemon.wait(job)
    waits = daemon.submit("sleep 600", nodes=2, tasks=8)
    daemon.wait_for(waits, "RUNNING")
    pending = daemon.submit(counting("pending"))
    file = backup(daemon)
    daemon.client.cancel(waits)
    daemon.wait(pending)
    # Wait until no leftovers are there: a new agent would take them up, and be heard.
    wait_until(lambda: not any((daemon.state / "agent" / "jobs").iterdir()))
    daemon.stop()
    assert daemon.rmsd("restore", str(file)).returncode == 0

    daemon.options = ("--no-local-node",)  # no agent hosts these nodes now
    daemon.start(nodes=0)
    assert daemon.client.status()["awaited"] == ["e1", "e2"]
    text = daemon.rmsd("status").stdout
    assert "from a backup; nothing starts before e1, e2 are heard" in text
    os.kill(daemon.pid, signal.SIGKILL)
    daemon.process.wait()  # type: ignore[union-attr]
    daemon.start(nodes=0)
    assert daemon.client.status()["awaited"] == ["e1", "e2"]
    assert daemon.state_of(pending) == "PENDING"
    with (
        Client(f"unix:{daemon.state}/rmsd.sock", retry_for_s=0) as impatient,
        pytest.raises(ApiError, match="nodes are being heard") as refused,
    ):
        ask(impatient, pending)
    assert refused.value.status == 503, "it may have begun since: what it asks for is asked again"

    daemon.stop()
    daemon.options = ("--no-local-node", "--emulate", "2x4")
    daemon.start()
    assert daemon.wait(pending)["state"] == "COMPLETED"
    assert daemon.client.status()["awaited"] == []
    assert daemon.lines("pending") == ["run"]


def test_nodes_that_were_down_at_the_backup_are_heard(start_daemon: Callable[..., Daemon]) -> None:
    """Nobody waited for them, though they may have come back since: their jobs ran twice."""
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config=CONFIG)
    with_agent = daemon.options
    daemon.stop()
    daemon.options = ("--no-local-node",)  # no agent hosts these nodes now
    daemon.configure_anew(CONFIG.replace("60s", "1s"))
    daemon.start(nodes=0)
    wait_until(lambda: [node_state(daemon, name) for name in ("e1", "e2")] == ["down"] * 2)
    job = daemon.submit(counting("since"))
    file = backup(daemon)

    daemon.stop()
    daemon.options = with_agent
    daemon.configure_anew(CONFIG)
    daemon.start()
    daemon.wait(job)
    wait_until(lambda: not any((daemon.state / "agent" / "jobs").iterdir()))
    daemon.stop()
    assert daemon.rmsd("restore", str(file)).returncode == 0
    daemon.options = ("--no-local-node",)
    daemon.start(nodes=0)
    assert daemon.client.status()["awaited"] == ["e1", "e2"]
    daemon.stop()
    daemon.options = with_agent
    daemon.start()
    assert daemon.wait(job)["state"] == "COMPLETED"
    assert daemon.lines("since") == ["run"]
