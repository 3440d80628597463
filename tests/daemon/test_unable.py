"""Nodes whose agents can start no job now: nothing is sent there, and people are told why."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from rmsd_wire import link
from rmsd_wire.node_info import NodeInfo
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.scripted_agent import ScriptedAgent, node, off_loop, scripted
from tests.live import Daemon, node_state
from tests.waiting import wait_until

pytestmark = pytest.mark.live

FULL = "its agent can start no jobs now: /var/spool/rmsd: No space left on device"
UNABLE = msgspec.structs.replace(node("n1"), unable=FULL)


async def tell(agent: ScriptedAgent, epoch: int, told: NodeInfo, *held: link.HeldAttempt) -> None:
    """Say in a Hello how the node is now, with the attempts that it holds."""
    await agent.say(link.Hello(1, "0", "agent", epoch, [told], list(held)))
    await agent.hear(link.Welcome)


def told(daemon: Daemon, *command: str) -> str:
    """Return what a command says, with single blanks."""
    return " ".join(daemon.run(*command, expect=0).stdout.split())


def all_show_the_reason(daemon: Daemon) -> None:
    assert FULL in told(daemon, "rnode", "show", "n1")
    assert f"n1 is drained: {FULL}" in told(daemon, "rstat", "--explain", "1")
    status = told(daemon, "rmsd", "status")
    assert "unable: n1, to start jobs for now; `rnode` has the reason" in status
    assert daemon.client.status()["unable"] == ["n1"]


@pytest.mark.slow
async def test_nothing_is_sent_to_an_agent_that_can_start_nothing(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The reason comes again after a restart of the daemon, and goes away with the agent's news."""
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent:
        await tell(agent, 1, UNABLE)
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "drained")
        assert await off_loop(daemon.submit, "echo here") == 1
        await off_loop(wait_until, lambda: daemon.client.status()["unable"] == ["n1"])
        await off_loop(all_show_the_reason, daemon)
    await off_loop(daemon.kill)
    await off_loop(daemon.start, 0)
    assert await off_loop(node_state, daemon, "n1") == "suspect"
    async with scripted(daemon) as agent:
        await tell(agent, 2, UNABLE)
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "drained")
        await off_loop(all_show_the_reason, daemon)
    async with scripted(daemon) as agent:
        await tell(agent, 3, node("n1"))
        assert (await agent.hear(link.Launch)).job_id == 1
        assert FULL not in await off_loop(told, daemon, "rnode", "show", "n1")
    daemon.stop()
    assert_events_fold_to_tables(daemon)


async def test_a_job_that_was_sent_before_the_disk_was_full_is_explained(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent:
        await tell(agent, 1, node("n1"))
        await off_loop(daemon.submit, "echo here")
        launch = await agent.hear(link.Launch)
    async with scripted(daemon) as agent:
        held = link.HeldAttempt(launch.job_id, launch.attempt, "n1", batch=True, cores=1)
        await tell(agent, 2, UNABLE, held)
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "draining")
        explained = await off_loop(told, daemon, "rstat", "--explain", "1")
        assert f"Nodes: n1 is draining: {FULL}" in explained
        page = await off_loop(daemon.client.connection.request, "GET", "/metrics", None, {})
        assert "rmsd_nodes_unable 1.0" in page.body.decode()
