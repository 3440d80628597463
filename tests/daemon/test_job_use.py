"""The question what a running job uses now: how much of it is under way at a time, and how much of
the answers is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from rmsd_client.api import Client
from rmsd_core.vocabulary import Cause
from rmsd_daemon.api.job_use import AT_ONCE
from rmsd_wire import link
from rmsd_wire.link_calls import PresentUse, ReadUse, Reply, SignalJob
from tests.daemon.scripted_agent import ScriptedAgent, node, off_loop, scripted
from tests.live import Daemon

pytestmark = pytest.mark.live

_NODES = AT_ONCE + 6
_USE = msgspec.msgpack.encode(PresentUse(1.0, 2, 3, 4))


async def _begin(daemon: Daemon, agent: ScriptedAgent) -> int:
    """Return the number of a job on all nodes of the agent, which has begun."""
    names = [f"n{number:03}" for number in range(_NODES)]
    await agent.hello(*(node(name) for name in names))
    job_id = int(await off_loop(daemon.submit, "true", nodes=_NODES, tasks=_NODES))
    launch = await agent.hear(link.Launch)
    await agent.say(link.LaunchedReport(1, job_id, 1, launch.node, 7))
    await off_loop(daemon.wait_for, job_id, "RUNNING")
    return job_id


async def _end(daemon: Daemon, agent: ScriptedAgent, job_id: int) -> None:
    ends = (
        link.ExitedReport(2 + at, job_id, 1, f"n{at:03}", Cause.EXIT, exit_code=0)
        for at in range(_NODES)
    )
    await agent.say(*ends)
    await off_loop(daemon.wait, job_id)


async def test_few_nodes_of_a_job_are_asked_at_a_time_for_one_caller(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Five questions are under way, and the nodes do not answer until all that may come has."""
    daemon = start_daemon("--no-local-node")
    server = f"unix:{daemon.state}/rmsd.sock"

    def ask(job_id: int) -> list[str]:
        with Client(server) as client:
            return [one["node"] for one in client.use(job_id)["nodes"]]

    async with scripted(daemon) as agent:
        job_id = await _begin(daemon, agent)
        asked = [asyncio.create_task(off_loop(ask, job_id)) for _ in range(5)]
        calls = [await agent.hear(ReadUse) for _ in range(AT_ONCE)]
        # A later call comes while the questions wait: all that could come before has.
        signalled = asyncio.create_task(off_loop(daemon.client.signal_job, job_id, 18, "script"))
        later = await agent.hear(SignalJob)
        assert agent.unheard(ReadUse) == 0
        await agent.say(Reply(later.call))
        await signalled
        answered = 0
        while answered < 5 * _NODES:
            call = calls.pop() if calls else await agent.hear(ReadUse)
            await agent.say(Reply(call.call, data=_USE))
            answered += 1
        for nodes in await asyncio.gather(*asked):
            assert nodes == [f"n{number:03}" for number in range(_NODES)]
        await _end(daemon, agent, job_id)


async def test_an_answer_of_a_node_is_read_up_to_a_number_of_bytes(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node")
    large = msgspec.msgpack.decode(_USE) | {"more": ["x" * 100] * 10_000}
    answers = [Reply(0, data=data) for data in (_USE, msgspec.msgpack.encode(large), b"")]
    async with scripted(daemon) as agent:
        job_id = await _begin(daemon, agent)
        asked = asyncio.create_task(off_loop(daemon.client.use, job_id))
        for number in range(_NODES):
            call = await agent.hear(ReadUse)
            answer = answers[min(number, 2)]
            await agent.say(msgspec.structs.replace(answer, call=call.call))
        told = (await asked)["nodes"]
        assert sorted(bool(one["problem"]) for one in told) == [False] + [True] * (_NODES - 1)
        await _end(daemon, agent, job_id)
