"""Links to agents: messages that cannot be read, and frames with limits.

Long: daemons and agents are started.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from rmsd_client.errors import ApiError
from rmsd_core.vocabulary import Cause
from rmsd_wire import link
from rmsd_wire.frames import FRAME_BYTES, MAX_MESSAGES, MAX_TEXT
from rmsd_wire.names import MAX_NODE_NAME
from rmsd_wire.node_info import NodeInfo
from tests.daemon.scripted_agent import ScriptedAgent, node, off_loop, scripted
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

PATH_MAX = 4095


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    return start_daemon("--no-local-node")


@asynccontextmanager
async def running(daemon: Daemon) -> AsyncIterator[tuple[ScriptedAgent, int]]:
    """Yield an agent with a job that it has been told to launch."""
    async with scripted(daemon) as agent:
        await agent.hello(node())
        job_id = await off_loop(daemon.submit, "true")
        await agent.hear(link.Launch)
        yield agent, job_id


def exited(seq: int, job_id: int, **more: Any) -> link.ExitedReport:
    return link.ExitedReport(seq, job_id, 1, "late", Cause.LAUNCH, **more)


async def test_a_message_of_any_length_is_taken_and_cut(daemon: Daemon) -> None:
    """An agent may have one on its disk that an earlier version wrote."""
    async with running(daemon) as (agent, job_id):
        message = "output file " + "x" * 200_000 + ": File name too long"
        await agent.say(exited(1, job_id, message=message))
        assert (await agent.hear(link.Ack)).seq == 1
        job = await off_loop(daemon.wait, job_id)
        assert len(job["message"]) <= MAX_TEXT
        assert job["message"].endswith(": File name too long")


@pytest.mark.parametrize("with_hello", [True, False])
async def test_an_end_that_cannot_be_read_is_an_end(daemon: Daemon, with_hello: bool) -> None:
    """The report is acknowledged, the job ends, and the agent is heard as before."""
    async with running(daemon) as (agent, job_id):
        odd = msgspec.to_builtins(exited(1, job_id)) | {"exit_code": 1 << 60}
        if not with_hello:
            await agent.say(odd)
            assert (await agent.hear(link.Ack)).seq == 1
            assert not agent.socket.closed
    if with_hello:
        async with scripted(daemon) as agent:
            held = link.HeldAttempt(job_id, 1, "late", batch=True, cores=1, over=True)
            hello = link.Hello(1, "0", "agent", 2, [node()], [held])
            await agent.say(hello, odd)
            await agent.hear(link.Welcome)
            assert (await agent.hear(link.Ack)).seq == 1
    job = await off_loop(daemon.wait, job_id)
    assert (job["state"], job["cause"]) == ("FAILED", "unknown")
    assert "cannot be read" in job["message"]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {},
        {"type": "no-such"},
        {"type": "launched"},
        {"type": "launched", "seq": 1, "job_id": "x"},
        {"type": "exited", "seq": 1, "job_id": 1, "attempt": 1, "node": ""},
        {"type": "exited", "seq": -1, "job_id": 1},
        {"type": "reply", "call": 1, "data": 7},
        {"type": "hello"},
        b"\xc1",
        [[[]]],
    ],
)
async def test_what_is_no_message_costs_itself_alone(daemon: Daemon, odd: Any) -> None:
    async with running(daemon) as (agent, job_id):
        await agent.say(odd, exited(2, job_id, message="so it ended"))
        while (await agent.hear(link.Ack)).seq < 2:
            pass
        assert (await off_loop(daemon.wait, job_id))["message"] == "so it ended"


async def test_frames_that_are_none_cost_themselves_alone(daemon: Daemon) -> None:
    too_many = b"\xdd" + (MAX_MESSAGES + 1).to_bytes(4, "big") + b"\xc0" * (MAX_MESSAGES + 1)
    async with running(daemon) as (agent, job_id):
        for frame in (b"", b"\xc1", b"\xdd\xff\xff\xff\xff", too_many):
            await agent.socket.send_bytes(frame)
        await agent.socket.send_str("a text")
        await agent.say(exited(1, job_id, message="so it ended"))
        assert (await agent.hear(link.Ack)).seq == 1
        assert (await off_loop(daemon.wait, job_id))["message"] == "so it ended"


@pytest.mark.parametrize("first", [b"\x91\xc0", b"\xc1", b"\x90"])
async def test_an_agent_whose_hello_cannot_be_read_may_dial_again(
    daemon: Daemon, first: bytes
) -> None:
    async with scripted(daemon) as agent:
        await agent.socket.send_bytes(first)
        assert (await agent.hear(link.Goodbye)).retry


async def test_launches_of_large_scripts_come_in_frames_of_a_size(daemon: Daemon) -> None:
    """This holds however many launches come at once: an agent takes frames up to a limit."""
    scripts, size_bytes = 12, 1 << 20
    fill = "#" * (size_bytes - 100)
    ids = [await off_loop(daemon.submit, f"exit 3\n{fill}") for _ in range(scripts)]
    async with scripted(daemon, max_msg_size=2 * size_bytes) as agent:
        await agent.hello(node(cores=scripts))
        launched = {(await agent.hear(link.Launch)).job_id for _ in ids}
        assert launched == set(ids)
        assert max(agent.frames) <= FRAME_BYTES + size_bytes
        await agent.say(*(exited(i, job_id) for i, job_id in enumerate(ids, 1)))
        for job_id in ids:
            await off_loop(daemon.wait, job_id)


async def test_node_names_are_names(daemon: Daemon) -> None:
    odd = ["a,b", "q[1-9]", "../x", " ", "\x1b[2J", ".x", "-x", "\N{SNOWMAN}", "n" * 129]
    good = ["n" * MAX_NODE_NAME, "late.example-1_x"]
    async with scripted(daemon) as agent:
        crowd = NodeInfo("many", "real", (1 << 24) + 1, 1)
        nodes = [*map(node, odd), *map(node, good), node(good[0]), crowd]
        refused = (await agent.hello(*nodes)).refused
        assert refused.keys() == {*odd, "many"}
        assert "letters, digits" in refused["a,b"]
        assert "16777216" in refused["many"]
        wait_until(lambda: len(daemon.client.nodes()) == len(good))
        assert {one["name"] for one in daemon.client.nodes()} == set(good)


@pytest.mark.parametrize("field", ["stdout", "stderr"])
def test_a_path_is_bounded_by_what_it_becomes(daemon: Daemon, field: str) -> None:
    """The length of its pattern does not matter."""
    name = "n" * 200
    pattern = "/tmp/" + "%x" * 20
    pattern += "y" * (PATH_MAX - 5 - 20 * len(name))
    assert daemon.submit("true", name=name, **{field: pattern})
    with pytest.raises(ApiError, match=f"'{field}' becomes a path of up to 4096 bytes") as refused:
        daemon.submit("true", name=name, **{field: pattern + "y"})
    assert refused.value.status == 400
    with pytest.raises(ApiError, match="becomes a path of up to"):
        daemon.submit("true", name="n" * 256, **{field: "/tmp/" + "%x" * 400})
    wide = "/" + "\N{GRINNING FACE}" * 1024
    with pytest.raises(ApiError, match="'workdir' has 4097 bytes"):
        daemon.submit("true", workdir=wide)
    with pytest.raises(ApiError, match="'stdout' becomes a path"):  # beside its name's own bytes
        daemon.submit("true", workdir=wide[:-1])
