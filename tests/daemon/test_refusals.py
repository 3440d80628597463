"""Nodes that cannot launch jobs: the jobs go elsewhere, and the nodes are drained."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from rmsd_core.vocabulary import Cause, Fault
from rmsd_wire import link
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.scripted_agent import ScriptedAgent, node, off_loop, scripted
from tests.live import Daemon, node_state
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live

NOT_MOUNTED = "the home directories are not mounted on this node: /home is empty"


async def refuse(agent: ScriptedAgent, seq: int, fault: Fault, message: str) -> link.Launch:
    """Answer the next launch with a refusal."""
    launch = await asyncio.wait_for(agent.hear(link.Launch), DEADLINE_S)
    refused = link.ExitedReport(
        seq, launch.job_id, launch.attempt, launch.node, Cause.LAUNCH, message=message, fault=fault
    )
    await agent.say(refused)
    return launch


@pytest.mark.slow
async def test_one_bad_node_empties_no_queue(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x4")
    async with scripted(daemon) as agent:
        await agent.hello(node("bad"))
        await off_loop(wait_until, lambda: node_state(daemon, "bad") == "idle")
        ended = []
        for seq in range(1, 5):
            job_id = await off_loop(daemon.submit, "echo here")
            if seq < 4:
                await refuse(agent, seq, Fault.NODE, NOT_MOUNTED)
            ended.append(await off_loop(daemon.wait, job_id))
        assert [job["attempt"] for job in ended] == [2, 2, 2, 1]
        assert {(job["state"], job["nodelist"]) for job in ended} == {("COMPLETED", "e1")}
        await off_loop(shows_the_bad_node, daemon, ended)
        await off_loop(daemon.run, "rnode", "resume", "bad", expect=0)
        assert await off_loop(node_state, daemon, "bad") == "idle"
        await off_loop(wait_until, lambda: daemon.client.status()["cannot_launch"] == [])
    daemon.stop()
    assert_events_fold_to_tables(daemon)


def shows_the_bad_node(daemon: Daemon, ended: list[dict[str, Any]]) -> None:
    [refused, *_] = [job["job_id"] for job in ended if job["attempt"] == 2]
    told = " ".join(daemon.run("rstat", "--explain", str(refused), expect=0).stdout.split())
    assert "on bad, ended" in told
    assert f"it could not be started: {NOT_MOUNTED}" in told
    assert f"3 launches failed in a row: {NOT_MOUNTED}" in daemon.run("rnode", expect=0).stdout
    wait_until(lambda: daemon.client.status()["cannot_launch"] == ["bad"])
    assert "bad, since launches failed there" in daemon.rmsd("status", expect=0).stdout
    logged = daemon.log.read_text()
    assert logged.count("launch-refused") == 3
    assert "node-drained" in logged


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
async def test_a_user_cannot_drain_nodes_by_failing_on_purpose(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The job fails once three nodes have refused it, and each of them takes the next job."""
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent:
        await agent.hello(*(node(f"n{number}") for number in range(1, 5)))
        await off_loop(wait_until, lambda: daemon.nodes_up() == 4)
        for seq in range(0, 12, 3):
            job_id = await off_loop(daemon.submit, "true")
            tried = [
                await refuse(agent, seq + at, Fault.UNKNOWN, "no such directory")
                for at in (1, 2, 3)
            ]
            assert len({launch.node for launch in tried}) == 3
            job = await off_loop(daemon.wait, job_id)
            assert (job["state"], job["message"]) == ("FAILED", "no such directory")
        assert {each["state"] for each in await off_loop(daemon.client.nodes)} == {"idle"}
        assert "a launch failed there last" in (await off_loop(daemon.run, "rnode")).stdout
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
async def test_a_refused_job_waits_for_the_others_over_a_restart(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    daemon.run("rnode", "drain", "e1", "not yet", expect=0)
    async with scripted(daemon) as agent:
        await agent.hello(node("bad"))
        await off_loop(wait_until, lambda: node_state(daemon, "bad") == "idle")
        job_id = await off_loop(daemon.submit, "echo here")
        await refuse(agent, 1, Fault.NODE, NOT_MOUNTED)
        await off_loop(daemon.wait_for, job_id, "PENDING")
        # answered after a commit
        await off_loop(daemon.run, "rnode", "drain", "e1", "still not", expect=0)
    daemon.kill()
    daemon.start()
    async with scripted(daemon) as agent:
        await agent.hello(node("bad"))
        await off_loop(wait_until, lambda: node_state(daemon, "bad") == "idle")
        explained = await off_loop(daemon.run, "rstat", "--explain", str(job_id))
        told = " ".join(explained.stdout.split())
        assert "Refused by: bad, which could not start it" in told
        why = "PENDING (ReqNodeNotAvail): nodes could not start it (see its attempts)"
        assert why in told
        described = (await off_loop(daemon.run, "rstat", str(job_id))).stdout
        assert why in " ".join(described.split())
        await off_loop(daemon.run, "rnode", "resume", "e1", expect=0)
        job = await off_loop(daemon.wait, job_id)
        assert (job["state"], job["nodelist"]) == ("COMPLETED", "e1")


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
async def test_the_log_names_the_node_of_a_launch_that_failed_while_its_job_was_put_back(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The line took the node from the job, which had none any more. The pass failed at that, when
    its decisions had been committed."""
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent:
        await agent.hello(node("n1"))
        await off_loop(wait_until, lambda: daemon.nodes_up() == 1)
        job_id = await off_loop(daemon.submit, "true")
        launch = await asyncio.wait_for(agent.hear(link.Launch), DEADLINE_S)
        await off_loop(daemon.run, "rnode", "drain", "n1", "no second start yet", expect=0)
        await off_loop(daemon.client.change, job_id, "requeue")
        await agent.say(
            link.ExitedReport(
                1, job_id, launch.attempt, "n1", Cause.LAUNCH, message="no", fault=Fault.JOB
            )
        )
        await off_loop(daemon.wait_for, job_id, "PENDING")
        await off_loop(daemon.run, "rnode", "resume", "n1", expect=0)
        again = await asyncio.wait_for(agent.hear(link.Launch), DEADLINE_S)
        assert (again.job_id, again.attempt) == (job_id, 2)
    [refused] = [line for line in map(json.loads, daemon.log.read_text().splitlines())
                 if line["event"] == "launch-refused"]  # fmt: skip
    assert (refused["node"], refused["attempt"], refused["requeued"]) == ("n1", 1, True)
    assert "pass-failed" not in daemon.log.read_text()
    daemon.stop()
    assert_events_fold_to_tables(daemon)
