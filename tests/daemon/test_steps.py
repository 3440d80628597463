"""Tasks inside a job, as its node's agent sees them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_core.vocabulary import Cause
from rmsd_wire import PROTOCOL, link
from tests.live import DEADLINE_S, Daemon

pytestmark = pytest.mark.live


class Agent:
    """Of one node with one core, on a link; the test says what it says."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._heard: list[Any] = []

    async def say(self, message: Any) -> None:
        await self._socket.send_bytes(link.encoder.encode([message]))

    async def hear(self, kind: type) -> Any:
        """The next message of this kind."""
        while True:
            for message in self._heard:
                if isinstance(message, kind):
                    self._heard.remove(message)
                    return message
            self._heard += link.to_agent.decode((await self._socket.receive()).data)


@asynccontextmanager
async def launching(daemon: Daemon) -> AsyncIterator[tuple[Agent, int]]:
    """The agent of node `late`, which has been told to start a job, and that job's id; it is over
    afterwards."""
    connector = aiohttp.UnixConnector(str(daemon.state / "rmsd.sock"))
    async with (
        aiohttp.ClientSession(connector=connector) as http,
        http.ws_connect("http://rmsd/v1/link") as socket,
    ):
        agent = Agent(socket)
        node = link.NodeInfo("late", "real", 1, 1024)
        await agent.say(link.Hello(PROTOCOL, "0", "agent", 1, [node], []))
        job_id = await asyncio.to_thread(daemon.submit, "true")
        await agent.hear(link.Launch)
        yield agent, job_id
        await agent.say(link.Exited(1, job_id, 1, "late", Cause.EXIT, exit_code=0))
        await asyncio.to_thread(daemon.wait, job_id)


def test_a_timer_has_no_tasks(start_daemon: Callable[..., Daemon]) -> None:
    """Nor will it have any: nobody shall wait for that."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    timer = daemon.emulate(1000.0)
    daemon.wait_for(timer, "RUNNING")
    task = {"node": "e1", "step": "s", "task": 0, "argv": ["true"]}
    with pytest.raises(ApiError, match=r"is not running on node e1$") as refused:
        daemon.client.start_task(timer, task)
    assert refused.value.status == 404


def test_a_task_waits_for_a_node_that_has_not_heard_of_the_job_yet(
    start_daemon: Callable[..., Daemon],
) -> None:
    """As one whose link broke when the job was started elsewhere: `rrun` asks it again."""
    daemon = start_daemon("--no-local-node")
    server = f"unix:{daemon.state}/rmsd.sock"

    def begin_task(job_id: int) -> int:
        task = {"node": "late", "step": "s", "task": 0, "argv": ["true"], "attempt": 1}
        with Client(server, retry_for_s=0.0) as client, pytest.raises(ApiError) as refused:
            client.start_task(job_id, task)
        return refused.value.status

    async def story() -> list[int]:
        async with launching(daemon) as (agent, job_id):
            asked = asyncio.create_task(asyncio.to_thread(begin_task, job_id))
            call = await agent.hear(link.StartTask)
            await agent.say(link.Reply(call.call, status=404, error="job 1 is not running there"))
            first = await asked
        return [first, await asyncio.to_thread(begin_task, job_id)]

    assert asyncio.run(asyncio.wait_for(story(), DEADLINE_S)) == [503, 409]


def test_a_job_can_be_read_before_its_start_is_told(start_daemon: Callable[..., Daemon]) -> None:
    """By itself, say; but no file that was there before it: only its agent knows."""
    daemon = start_daemon("--no-local-node")

    async def story() -> list[bytes]:
        told = []
        async with launching(daemon) as (agent, job_id):
            for answer in (
                {"data": b"begun", "offset": 5},
                {"status": 404, "error": "job 1 is not on node late"},
            ):
                asked = asyncio.create_task(asyncio.to_thread(daemon.client.output, job_id))
                call = await agent.hear(link.ReadFile)
                assert call.path == ""
                await agent.say(link.Reply(call.call, **answer))
                told.append((await asked).data)
        return told

    assert asyncio.run(asyncio.wait_for(story(), DEADLINE_S)) == [b"begun", b""]
