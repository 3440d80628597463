"""An agent whose every message is a test's, on a real link to a real daemon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiohttp

from rmsd_wire import PROTOCOL, link
from rmsd_wire.node_info import NodeInfo
from tests.link_frames import to_agent
from tests.live import Daemon
from tests.waiting import DEADLINE_S

_Message = TypeVar("_Message")


class ScriptedAgent:
    """The agent's end of a link. `frames` has the sizes of the frames that came, in bytes."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.frames: list[int] = []
        self._heard: list[Any] = []

    async def say(self, *messages: Any) -> None:
        """Send messages, some of which may be raw bytes, in one frame."""
        await self.socket.send_bytes(link.encoder.encode(list(messages)))

    async def hello(self, *nodes: NodeInfo, **more: Any) -> link.Welcome:
        """Open a session as agent `agent`."""
        await self.say(link.Hello(PROTOCOL, "0", "agent", 1, list(nodes), [], **more))
        return await self.hear(link.Welcome)

    async def hear(self, kind: type[_Message]) -> _Message:
        """Return the next message of this kind.

        Raises:
            ConnectionError: the daemon closed the link.
        """
        while True:
            for message in self._heard:
                if isinstance(message, kind):
                    self._heard.remove(message)
                    return message
            frame = await self.socket.receive(timeout=DEADLINE_S)
            if frame.type is not aiohttp.WSMsgType.BINARY:
                raise ConnectionError(f"the link is closed: {self.socket.close_code}")
            self.frames.append(len(frame.data))
            self._heard += to_agent.decode(frame.data)

    def unheard(self, kind: type[object]) -> int:
        """Return how many messages of this kind have come that nobody has heard."""
        return sum(isinstance(message, kind) for message in self._heard)


def node(name: str = "late", cores: int = 1) -> NodeInfo:
    return NodeInfo(name, "real", cores, 1 << 20)


@asynccontextmanager
async def scripted(daemon: Daemon, **options: Any) -> AsyncIterator[ScriptedAgent]:
    """Yield an agent that has dialed the daemon and said nothing yet."""
    connector = aiohttp.UnixConnector(str(daemon.state / "rmsd.sock"))
    async with (
        aiohttp.ClientSession(connector=connector) as http,
        http.ws_connect("http://rmsd/v1/link", **options) as socket,
    ):
        yield ScriptedAgent(socket)


async def off_loop(call: Any, *arguments: Any, **named: Any) -> Any:
    """Call something that blocks, such as a client of the daemon, while the link goes on."""
    return await asyncio.to_thread(call, *arguments, **named)
