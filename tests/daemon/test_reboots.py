"""Reboots of nodes: from the request over the agent's program to the next boot."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rmsd_client.errors import ApiError
from rmsd_wire import link
from rmsd_wire.node_info import NodeInfo
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.scripted_agent import ScriptedAgent, node, off_loop, scripted
from tests.live import Daemon, node_state
from tests.older import ROOT
from tests.waiting import wait_until
from tests.warm_process import start_program

pytestmark = pytest.mark.live


def on(boot_id: str, name: str = "n1") -> NodeInfo:
    """Return a node on this boot, which its agent can reboot."""
    return msgspec.structs.replace(node(name), boot_id=boot_id, can_reboot=True)


async def tell(agent: ScriptedAgent, epoch: int, *nodes: NodeInfo) -> None:
    await agent.say(link.Hello(1, "0", "agent", epoch, list(nodes), []))
    await agent.hear(link.Welcome)


def view(daemon: Daemon, name: str = "n1") -> dict[str, Any]:
    [found] = [one for one in daemon.client.nodes() if one["name"] == name]
    return found


def refusal(daemon: Daemon, *command: str) -> str:
    """Return what a command says that fails."""
    done = daemon.run(*command)
    assert done.returncode != 0
    return " ".join(done.stderr.split())


@pytest.mark.slow
async def test_only_another_boot_ends_a_reboot(start_daemon: Callable[..., Daemon]) -> None:
    """The daemon is killed while the node is away, and repeats its command to an agent that comes
    back on the same boot. No job starts before the next boot."""
    daemon = start_daemon("--no-local-node", config='node_dead = "1s"\n')
    async with scripted(daemon) as agent:
        await tell(agent, 1, on("b1"))
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "idle")
        told = await off_loop(lambda: daemon.client.reboot("n1", "new kernel"))
        assert (told["state"], told["reboot"]) == ("rebooting", "issued")
        assert told["reason"] == "new kernel: rebooting"
        first = await agent.hear(link.RebootNode)
        assert (first.node, first.boot_id) == ("n1", "b1")
        assert await off_loop(daemon.submit, "echo here") == 1
        said = await off_loop(refusal, daemon, "rnode", "reboot", "n1", "--cancel")
        assert "has begun its reboot, which cannot be cancelled any more" in said
        shown = await off_loop(daemon.run, "rnode", "show", "n1")
        assert "under way; asked for by" in shown.stdout
        done = await off_loop(daemon.run, "rnode", "resume", "n1")
        assert "n1 takes work again once it has rebooted" in done.stderr
    await off_loop(daemon.kill)
    await off_loop(daemon.start, 0)
    assert await off_loop(node_state, daemon, "n1") == "rebooting"
    async with scripted(daemon) as agent:
        await tell(agent, 2, on("b1"))
        assert await agent.hear(link.RebootNode) == first
        assert await off_loop(node_state, daemon, "n1") == "rebooting"
        assert await off_loop(daemon.state_of, 1) == "PENDING"
    async with scripted(daemon) as agent:
        await tell(agent, 3, on("b2"))
        assert (await agent.hear(link.Launch)).job_id == 1
        assert (await off_loop(view, daemon))["reboot"] == ""
    log = await off_loop(daemon.log.read_text)
    assert "node-rebooting" in log
    assert "node-dead" not in log
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
async def test_a_request_outlives_a_kill_and_waits_for_the_last_job(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent:
        await tell(agent, 1, on("b1"))
        await off_loop(daemon.submit, "echo here")
        launch = await agent.hear(link.Launch)
        await off_loop(lambda: daemon.client.reboot("n1", asap=True, next_state="down"))
        shown = await off_loop(view, daemon)
        assert (shown["state"], shown["reboot"]) == ("draining", "asap")
    await off_loop(daemon.kill)
    await off_loop(daemon.start, 0)
    async with scripted(daemon) as agent:
        held = link.HeldAttempt(1, launch.attempt, "n1", batch=True, cores=1)
        await agent.say(link.Hello(1, "0", "agent", 2, [on("b1")], [held]))
        await agent.hear(link.Welcome)
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "draining")
        await off_loop(daemon.submit, "echo there")
        await agent.say(link.ExitedReport(1, 1, launch.attempt, "n1", "exit", exit_code=0))
        assert (await agent.hear(link.RebootNode)).boot_id == "b1"
    async with scripted(daemon) as agent:
        await tell(agent, 3, on("b2"))
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "drained")
        shown = await off_loop(view, daemon)
        assert shown["reason"] == "rebooted, and to be drained then"
        assert await off_loop(daemon.state_of, 2) == "PENDING"
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
async def test_agents_tell_problems_of_their_own_reboots_alone(
    start_daemon: Callable[..., Daemon],
) -> None:
    """A problem drains a node that is rebooting, of the agent that tells it, on the boot that is to
    end; all else that an agent says changes nothing."""
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent, scripted(daemon) as liar:
        await tell(agent, 1, on("b1"), on("b1", "n2"))
        await liar.say(link.Hello(1, "0", "liar", 1, [on("b1", "n3"), on("b9")], []))
        assert "n1" in (await liar.hear(link.Welcome)).refused
        await off_loop(wait_until, lambda: node_state(daemon, "n3") == "idle")
        await off_loop(daemon.client.reboot, "n1")
        await agent.hear(link.RebootNode)
        await liar.say(link.RebootProblem("n1", "b1", "a lie"))
        await liar.say(link.RebootProblem("n3", "b1", "nobody has asked"))
        await agent.say(link.RebootProblem("n1", "b0", "long ago"))
        await agent.say(link.RebootProblem("n2", "b1", "nobody has asked"))
        await agent.say(link.RebootProblem("n1", "b1", "/etc/reboot exited with 3"))
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "drained")
        shown = await off_loop(view, daemon)
        assert shown["reason"] == "reboot failed: /etc/reboot exited with 3"
        assert await off_loop(node_state, daemon, "n2") == "idle"
        assert await off_loop(node_state, daemon, "n3") == "idle"
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
async def test_a_node_that_does_not_come_back_is_drained(
    start_daemon: Callable[..., Daemon],
) -> None:
    """A node that is still away is given up as well, and is drained when it comes back."""
    config = 'reboot_timeout = "1s"\nnode_dead = "1s"\n'
    daemon = start_daemon("--no-local-node", config=config)
    async with scripted(daemon) as agent:
        await tell(agent, 1, on("b1"))
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "idle")
        await off_loop(daemon.client.reboot, "n1")
        await agent.hear(link.RebootNode)
    await off_loop(wait_until, lambda: node_state(daemon, "n1") == "down")
    assert (await off_loop(view, daemon))["reason"].startswith("reboot timed out; ")
    async with scripted(daemon) as agent:
        await tell(agent, 2, on("b2"))
        await off_loop(wait_until, lambda: node_state(daemon, "n1") == "drained")
        assert (await off_loop(view, daemon))["reason"] == "reboot timed out"
    daemon.stop()
    assert_events_fold_to_tables(daemon)


async def test_what_cannot_be_rebooted_is_refused(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node")
    async with scripted(daemon) as agent:
        plain = msgspec.structs.replace(on("b1", "n2"), can_reboot=False)
        await tell(agent, 1, on("b1"), plain, node("old"))
        await off_loop(wait_until, lambda: node_state(daemon, "old") == "idle")
        said = await off_loop(refusal, daemon, "rnode", "reboot", "n2")
        assert "has no program for it (`reboot_program`" in said
        said = await off_loop(refusal, daemon, "rnode", "reboot", "old")
        assert "it is of an earlier version" in said
        with pytest.raises(ApiError) as raised:
            await off_loop(daemon.client.reboot, "nowhere")
        assert raised.value.status == 404
        said = await off_loop(refusal, daemon, "rnode", "reboot", "n1", "--cancel")
        assert "no reboot of node n1 was asked for" in said
        said = await off_loop(refusal, daemon, "rnode", "drain", "n1", "x", "--asap")
        assert "--asap goes with reboot" in said


# ---------------------------------------------------------------- a live agent


@contextlib.contextmanager
def rebooting_agent(daemon: Daemon, seen: Path) -> Iterator[None]:
    """Yield while an agent runs whose reboot program ends it, and starts it on another boot."""
    state = daemon.root / "other"
    options = ["--server", f"unix:{daemon.state}/rmsd.sock", "--state-dir", str(state)]
    options += ["--local-node", "--name", "n1", "--cores", "2"]
    options += ["--reboot-program", str(seen.with_name("reboot"))]
    if os.geteuid() == 0:
        options.append("--allow-root-jobs")
    agent = [sys.executable, "-m", "tests.daemon.agent_on_boot"]
    program = seen.with_name("reboot")
    program.write_text(
        f"#!/bin/sh\necho $RMS_NODENAME $SLURM_SCRIPT_CONTEXT >> {seen}\n"
        f"kill $(cat {state}/agent.lock)\nflock {state}/agent.lock true\n"
        f"export PYTHONPATH={ROOT}\n"
        f"exec setsid {' '.join([*agent, 'next-boot', *options])} >> {daemon.root}/next.log 2>&1\n"
    )
    program.chmod(0o755)
    env = daemon.env | {"PYTHONPATH": str(ROOT)}
    with (daemon.root / "other.log").open("ab") as log:
        first = start_program(
            [*agent, "this-boot", *options],
            env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield
    finally:
        first.kill()
        first.wait()
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int((state / "agent.lock").read_text()), signal.SIGKILL)


@pytest.mark.slow
def test_a_live_agent_runs_its_program_once(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """The job that runs there ends first, and the next one starts on the next boot. The program
    outlives its agent."""
    seen = tmp_path / "seen"
    daemon = start_daemon("--no-local-node")
    with rebooting_agent(daemon, seen):
        wait_until(lambda: node_state(daemon, "n1") == "idle")
        running = daemon.submit("while [ ! -e go ]; do sleep 0.1; done", tasks=2)
        daemon.wait_for(running, "RUNNING")
        waiting = daemon.submit("echo there", tasks=2)
        daemon.run("rnode", "reboot", "n1", "--reason", "new kernel", expect=0)
        assert view(daemon)["reason"] == "new kernel: to be rebooted when idle"
        assert not seen.exists()
        (daemon.work / "go").touch()
        assert daemon.wait(waiting)["state"] == "COMPLETED"
        assert daemon.wait(running)["state"] == "COMPLETED"
        assert seen.read_text() == "n1 reboot_slurmd\n"
        assert view(daemon)["reboot"] == ""
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
def test_an_emulated_node_is_on_another_boot_a_moment_later(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The agent counts the boots, so that they differ though it is killed in between."""
    daemon = start_daemon("--no-local-node", "--emulate", "2x2")
    for _ in range(2):
        daemon.run("rnode", "reboot", "e1", expect=0)
        os.kill(daemon.agent_pid, signal.SIGKILL)
        wait_until(lambda: node_state(daemon, "e1") == "idle")
    assert node_state(daemon, "e2") == "idle"
    daemon.stop()
    assert_events_fold_to_tables(daemon)
