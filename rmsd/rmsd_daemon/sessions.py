"""An open link to an agent: commands out, calls and their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog
from aiohttp import web

from rmsd_daemon.problems import ApiError
from rmsd_wire import link

log = structlog.get_logger()

Message = (
    link.Welcome | link.Goodbye | link.Ack | link.Launch | link.Stop | link.Call | link.ReadEnded
)


class Session:
    """An open link. Messages that are ready together leave in one frame."""

    def __init__(self, ws: web.WebSocketResponse, agent_id: str, nodes: Sequence[str]) -> None:
        self.agent_id = agent_id
        self.nodes = tuple(nodes)
        self.closed = False
        self.lies = 0  # reports about what is not this agent's
        self._ws = ws
        self._outbox: list[Message] = []
        self._ready = asyncio.Event()
        self._calls: dict[int, asyncio.Future[link.Reply]] = {}
        self._last_call = 0

    def send(self, *messages: Message) -> None:
        self._outbox += messages
        self._ready.set()

    def acknowledge(self, seq: int) -> None:
        self.send(link.Ack(seq))

    async def call(
        self, make: Callable[[int], link.Call | link.ReadEnded], timeout_s: float
    ) -> link.Reply:
        """The agent's answer to the call that `make` builds around its number.

        Raises:
            ApiError: the link broke, or no answer came in time.
        """
        self._last_call += 1
        number = self._last_call
        future: asyncio.Future[link.Reply] = asyncio.get_running_loop().create_future()
        self._calls[number] = future
        self.send(make(number))
        try:
            return await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            raise ApiError(504, f"the agent did not answer within {timeout_s:g} s") from None
        finally:
            self._calls.pop(number, None)

    def reply(self, message: link.Reply) -> None:
        future = self._calls.get(message.call)
        if future and not future.done():
            future.set_result(message)

    async def pump(self) -> None:
        """Send what `send` was given, until the link breaks."""
        while not self.closed:
            await self._ready.wait()
            self._ready.clear()
            messages, self._outbox = self._outbox, []
            try:
                await self._ws.send_bytes(link.encoder.encode(messages))
            except (ConnectionError, RuntimeError):  # aiohttp raises both for a closing link
                return
            except Exception:
                # The messages are lost: the agent dials again, and is told anew what it must know.
                log.exception("send-failed", agent_id=self.agent_id)
                await self._ws.close()
                return

    async def close(self, goodbye: link.Goodbye | None = None) -> None:
        if self.closed:
            return
        self.closed = True
        for future in self._calls.values():
            if not future.done():
                future.set_exception(ApiError(503, "the link to the node's agent broke"))
        if goodbye and not self._ws.closed:
            with_goodbye = link.encoder.encode([*self._outbox, goodbye])
            try:
                await self._ws.send_bytes(with_goodbye)
            except (ConnectionError, RuntimeError):
                return
        await self._ws.close()
