"""The link to the daemon: dialing it for ever, and one session after another."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import aiohttp
import structlog

from rmsd_agent.agent import Agent
from rmsd_agent.link.membership import JoinError, Membership
from rmsd_agent.link.standstill import Standstill, StoodStillError, elapsed_s
from rmsd_process.service_manager import READY, ServiceManager
from rmsd_wire.frames import MAX_FRAME_BYTES, Unreadable, messages_in, next_frame
from rmsd_wire.link import Goodbye, LaunchedReport, ToAgent, ToDaemon, Welcome, to_agent
from rmsd_wire.link_calls import Reply
from rmsd_wire.malformed import MALFORMED

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_HANDSHAKE_S = 10.0
_CLOSE_S = 0.5
_FIRST_PAUSE_S = 0.1
_PAUSE_GROWTH = 1.5
_LONGEST_PAUSE_S = 10.0
_LONGEST_LOCAL_PAUSE_S = 0.5  # a Unix socket costs nothing to try
_LONGEST_REFUSED_PAUSE_S = 30.0
_LAUNCHED_SEND_DELAY_S = 0.005
"""The delay of the message that an attempt has started: the end of a short job may follow at once,
and both then share a frame."""


class LinkError(Exception):
    """The daemon cannot be talked to for now; the message says why."""


class RenewedError(LinkError):
    """The session ends because the agent has news that only a Hello can tell."""


class NodesRefusedError(LinkError):
    """The daemon takes none of the nodes."""


class AgentRefusedError(Exception):
    """The daemon will not have this agent. `exit_code` is the program's."""

    def __init__(self, reason: str, exit_code: int = 1) -> None:
        super().__init__(reason)
        self.exit_code = exit_code


_LINK_OVER = LinkError, StoodStillError, OSError, aiohttp.ClientError, TimeoutError
"""The errors after which another link is dialed."""


@dataclass(frozen=True, slots=True)
class Server:
    """The address of the daemon: `https://HOST:PORT` or `unix:/PATH`. `tls` is the trust used
    there."""

    url: str
    tls: ssl.SSLContext | None = None

    @property
    def base(self) -> str:
        """Return the beginning of the daemon's URLs."""
        return "http://rmsd" if self.socket_path else self.url.rstrip("/")

    @property
    def socket_path(self) -> str | None:
        return self.url.removeprefix("unix:") if self.url.startswith("unix:") else None


class Link:
    """Carries an agent's messages. `send` is valid at any time; without a session it drops.

    `membership` None: the daemon is on this machine, and knows us by our account. `manager` is told
    that the agent is ready once it is linked, or knows that the daemon is away. `now_s` is the
    clock that tells whether the agent has stood still.
    """

    def __init__(
        self,
        server: Server,
        membership: Membership | None = None,
        manager: ServiceManager | None = None,
        now_s: Callable[[], float] = elapsed_s,
    ) -> None:
        self._server = server
        self._now_s = now_s
        self._membership = membership
        self._manager = manager or ServiceManager()
        self._outbox: deque[ToDaemon] = deque()
        self._ready = asyncio.Event()
        self._deliveries: dict[int, asyncio.Future[None]] = {}  # key: the id of the reply
        # set by Hello: from then on a message reaches the daemon, or the link breaks
        self._open = False
        self._renewed = asyncio.Event()
        self._welcomed = False
        self._reason = ""  # the reason why the last attempt to connect failed

    def send(self, message: ToDaemon) -> None:
        """Queue a message; all that are queued in one turn of the loop share a frame.

        The message of a start waits a moment for others (`_LAUNCHED_SEND_DELAY_S`).
        """
        if not self._open:
            return
        self._outbox.append(message)
        if isinstance(message, LaunchedReport):
            asyncio.get_running_loop().call_later(_LAUNCHED_SEND_DELAY_S, self._ready.set)
        else:
            self._ready.set()

    async def deliver(self, reply: Reply) -> None:
        """Send a reply; return when it is on its way, or the session is over.

        A caller that waits holds no more in memory than this reply.
        """
        if not self._open:
            return
        sent = self._deliveries[id(reply)] = asyncio.get_running_loop().create_future()
        self.send(reply)
        await sent

    def _delivered(self, messages: Iterable[object]) -> None:
        for message in messages:
            if (sent := self._deliveries.pop(id(message), None)) and not sent.done():
                sent.set_result(None)

    def renew(self) -> None:
        """End the session, if there is one, and open another: its Hello tells the nodes anew."""
        self._renewed.set()

    async def run(self, agent: Agent) -> None:
        """Keep a session open for ever.

        Raises:
            AgentRefusedError: no key of ours is accepted, or the daemon said goodbye for good.
        """
        local = self._server.socket_path
        longest_s = _LONGEST_PAUSE_S if local is None else _LONGEST_LOCAL_PAUSE_S
        connector = (
            aiohttp.UnixConnector(local)
            if local
            else aiohttp.TCPConnector(ssl=self._server.tls or True)
        )
        pause_s = _FIRST_PAUSE_S
        async with aiohttp.ClientSession(
            connector=connector, trace_configs=[no_redirects()]
        ) as http:
            while True:
                try:
                    await self._session(http, agent)
                except RenewedError:
                    continue
                except _LINK_OVER as error:
                    if self._welcomed:
                        pause_s, self._reason = _FIRST_PAUSE_S, ""
                    else:
                        refused = isinstance(error, NodesRefusedError)
                        longest_now_s = _LONGEST_REFUSED_PAUSE_S if refused else longest_s
                        pause_s = min(pause_s * _PAUSE_GROWTH, longest_now_s)
                    self._welcomed = False
                    self._complain(_describe(error))
                await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))

    def _complain(self, reason: str) -> None:
        """Log a reason once, however often it comes in a row: a daemon may be away for days."""
        if reason != self._reason:
            self._reason = reason
            self._manager.tell(READY, f"no link to {self._server.url}: {reason}")
            log.warning("no-link", server=self._server.url, reason=reason)

    async def _session(self, http: aiohttp.ClientSession, agent: Agent) -> None:
        async with asyncio.timeout(_HANDSHAKE_S):
            try:
                ws = await self.dial(http)
            except RuntimeError as error:  # no thread can be started now to look up addresses
                raise LinkError(str(error)) from None
        standstill = Standstill(_HANDSHAKE_S, self._now_s)
        try:
            async with asyncio.timeout(_HANDSHAKE_S):
                self._renewed.clear()
                self._open = True  # later events come after the contents of the Hello
                hello = deque(agent.hello())
                while hello:
                    await ws.send_bytes(next_frame(hello, _unsendable)[0])
                messages = await receive(ws)
            standstill.check()
            welcome = next(messages, None)
            if isinstance(welcome, Goodbye):
                _leave(welcome)
            if not isinstance(welcome, Welcome):
                raise LinkError(f"expected a welcome, got {type(welcome).__name__}")
            if agent.names and agent.names <= welcome.refused.keys():
                reasons = "; ".join(sorted(set(welcome.refused.values())))
                raise NodesRefusedError(f"all nodes are refused: {reasons}")
            self._welcomed = True
            agent.link_up(welcome)
            self._manager.tell(READY, f"linked to {self._server.url}")
            log.info("link-up", server=self._server.url, epoch=welcome.epoch)
            _hear(agent, messages)
            standstill = Standstill(welcome.heartbeat_s, self._now_s)
            reading = _read(ws, agent, welcome.heartbeat_s, standstill)
            await _first_of(self._write(ws), reading, standstill.watch(), self._await_renewal())
        finally:
            self._open = False
            self._delivered(self._outbox)
            self._outbox.clear()
            agent.link_lost()
            await ws.close()

    async def _await_renewal(self) -> None:
        await self._renewed.wait()
        raise RenewedError("the agent tells its nodes anew")

    async def _write(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            await self._ready.wait()
            self._ready.clear()
            while self._outbox:
                frame, messages = next_frame(self._outbox, _unsendable)
                await ws.send_bytes(frame)
                self._delivered(messages)

    async def dial(self, http: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
        base, membership = self._server.base, self._membership
        try:
            if membership is not None and not membership.headers:
                await membership.join(http, base)
            return await self._connect(http)
        except aiohttp.WSServerHandshakeError as error:
            if error.status not in (401, 403):
                raise LinkError(f"{base} answered {error.status} to /v1/link") from None
            if membership is None:
                raise AgentRefusedError(
                    f"{self._server.url} serves agents of its own account alone ({error.status})",
                    exit_code=77,
                ) from None
        except JoinError as error:
            raise AgentRefusedError(str(error), exit_code=77) from None
        try:
            await membership.join(http, base)
        except JoinError as error:
            raise AgentRefusedError(str(error), exit_code=77) from None
        raise LinkError("joined anew")  # the next attempt is with the key

    async def _connect(self, http: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
        return await http.ws_connect(
            f"{self._server.base}/v1/link",
            headers=self._membership.headers if self._membership else {},
            autoping=False,
            max_msg_size=MAX_FRAME_BYTES,
            timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_S),
        )


def no_redirects() -> aiohttp.TraceConfig:
    """Return a configuration that ends each request which is redirected. The agent's key and its
    link are for one daemon, and `ws_connect` has no option for that."""
    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(_refuse)
    return config


async def _refuse(_http: object, _context: object, at: aiohttp.TraceRequestRedirectParams) -> None:
    where = at.response.headers.get("Location", "")[:200]
    raise LinkError(f"{at.response.url} leads elsewhere, where no agent goes: {where!r}")


async def _first_of(*coroutines: Coroutine[None, None, None]) -> None:
    """Run tasks until one ends, and raise what that one raised."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(
    ws: aiohttp.ClientWebSocketResponse, agent: Agent, heartbeat_s: float, standstill: Standstill
) -> None:
    while True:
        messages = await receive(ws, heartbeat_s)
        standstill.check()
        _hear(agent, messages)


async def receive(
    ws: aiohttp.ClientWebSocketResponse, heartbeat_s: float | None = None
) -> Iterator[ToAgent | Unreadable]:
    """Return the messages of the next frame. The agent answers silence with a ping, and ends the
    session after more silence.

    Raises:
        LinkError: the connection is over, or the frame is no list of messages.
    """
    pinged = False
    while True:
        try:
            frame = await ws.receive(timeout=heartbeat_s)
        except TimeoutError:
            if pinged:
                raise LinkError(f"nothing heard for {2 * (heartbeat_s or 0):g} s") from None
            await ws.ping()
            pinged = True
            continue
        pinged = False
        if frame.type is aiohttp.WSMsgType.BINARY:
            try:
                return messages_in(frame.data, to_agent.decode)
            except MALFORMED as error:
                raise LinkError(f"a frame that is no list of messages: {error}") from None
        if frame.type is aiohttp.WSMsgType.PING:
            await ws.pong(frame.data)
        elif frame.type is not aiohttp.WSMsgType.PONG:
            raise LinkError("the daemon closed the link")


def _describe(error: Exception) -> str:
    # the error's own text speaks of ssl:default
    if isinstance(error, aiohttp.ClientConnectorError):
        return error.strerror or str(error)
    return str(error) or "timed out"


def _hear(agent: Agent, messages: Iterator[ToAgent | Unreadable]) -> None:
    for message in messages:
        if isinstance(message, Goodbye):
            _leave(message)
        agent.hear(message)


def _unsendable(message: object, error: Exception) -> None:
    log.error("message-unsendable", kind=type(message).__name__, error=str(error))


def _leave(goodbye: Goodbye) -> NoReturn:
    if goodbye.retry:
        raise LinkError(goodbye.reason)
    raise AgentRefusedError(goodbye.reason)
