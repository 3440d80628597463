"""GET /v1/link: the life of one link, from its request to its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import ClassVar, NamedTuple

import structlog
from aiohttp import WSMsgType, web

import rmsd_wire
from rmsd_daemon.agents.admission import Admission, too_many
from rmsd_daemon.agents.allowances import Allowances
from rmsd_daemon.agents.hearing import Hearing
from rmsd_daemon.agents.hello_reading import node_rows, whole_hello
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.owners import NodeOwners
from rmsd_daemon.agents.pace import FRAME_MESSAGES, Pace, pause_s
from rmsd_daemon.agents.registration import Registration
from rmsd_daemon.agents.sessions import HEARTBEAT_S, Session
from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.domain.errors import DaemonError, Forbidden
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.clock import DaemonClock
from rmsd_daemon.store.records import Row
from rmsd_wire import link
from rmsd_wire.frames import FRAME_BYTES, MAX_FRAME_BYTES, Unreadable, messages_in
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_HELLO_WITHIN_S = 10.0
_MAX_REMOTE_FRAME_BYTES = 16 << 20
"""The largest frame of an agent on another machine. An agent of the daemon's own may have very many
emulated nodes."""


class _Refused(Exception):
    """A link was refused. `retry`: the agent may dial again."""

    def __init__(self, reason: str, *, retry: bool = False, silent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry
        self.silent = silent


class _FirstFrame(NamedTuple):
    """The Hello of an agent, the rows of its nodes, the messages behind it in the same frame, and
    the frame's size."""

    hello: link.Hello
    rows: list[Row]
    messages: Iterator[link.HelloParts | link.AfterHello | Unreadable]
    size_bytes: int


class LinkEndpoint:
    """Opens links and serves them. `opened` is called with a request that has become the link of an
    agent."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("agent_link",)
    """The names of its operations, which are those of the handlers, too."""

    def __init__(
        self,
        scheduler: Scheduler,
        clock: DaemonClock,
        links: AgentLinks,
        opened: Callable[[web.Request], None],
    ) -> None:
        owners = NodeOwners(scheduler)
        self._links = links
        self._opened = opened
        self._allowances = Allowances()
        self._admission = Admission(links, owners)
        self._registration = Registration(scheduler, clock, links, self._admission)
        self._hearing = Hearing(scheduler, clock, links, owners, self._allowances)
        self._reading: set[str] = set()  # the agents whose Hellos are being read

    async def agent_link(self, request: web.Request) -> web.WebSocketResponse:
        """Serve GET /v1/link."""
        caller = caller_of(request)
        if caller.agent_id is None and not caller.own:
            raise Forbidden("a join token opens no link: the agent must join first")
        ws = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S,
            max_msg_size=MAX_FRAME_BYTES if caller.own else _MAX_REMOTE_FRAME_BYTES,
            compress=False,
            autoping=False,  # otherwise endless pings would be answered without a pause
        )
        await ws.prepare(request)
        try:
            first = await self._first_frame(ws, request, caller)
        except _Refused as refused:
            await _refuse(ws, refused)
            return ws
        if caller.agent_id is not None:
            nodes = len(first.hello.nodes)
            self._allowances.take_hello(caller.agent_id, first.size_bytes, nodes)
        self._opened(request)
        session = self._registration.open(ws, first.hello, first.rows, trusted=caller.own)
        pump = asyncio.get_running_loop().create_task(pump_session(session, request))
        try:
            await self._hear(ws, session, first)
        finally:
            pump.cancel()
            self._links.drop(session)
        return ws

    async def _first_frame(
        self, ws: web.WebSocketResponse, request: web.Request, caller: Caller
    ) -> _FirstFrame:
        """Return the first frame of an agent, if its Hello may open a link.

        Raises:
            _Refused: the Hello may not open a link.
        """
        if caller.agent_id is not None and (
            wait_s := self._allowances.too_early_s(caller.agent_id)
        ):
            reason = f"this agent dials too often; its next link may be open in {wait_s:.3g} s"
            silent = self._allowances.note_hasty(caller.agent_id)
            raise _Refused(reason, retry=True, silent=silent)
        # A Hello is read as a Hello first in a frame alone: to read one takes a while.
        hello_parts = link.hello_parts if caller.own else link.remote_hello_parts
        decoders = chain([hello_parts.decode], repeat(link.after_hello.decode))
        try:
            first = await ws.receive_bytes(timeout=_HELLO_WITHIN_S)
            messages = messages_in(first, lambda raw: next(decoders)(raw))
        except TimeoutError:
            raise _Refused(f"no Hello within {_HELLO_WITHIN_S:g} s", retry=True) from None
        except (TypeError, *MALFORMED) as error:
            raise _Refused(f"a Hello was expected: {error}", retry=True) from None
        parts = next(messages, None)
        if not isinstance(parts, link.HelloParts):
            what = parts.error if isinstance(parts, Unreadable) else "nothing came"
            raise _Refused(f"the first message must be Hello: {what}", retry=True)
        if caller.agent_id not in (None, parts.agent_id):
            raise _Refused("this key belongs to another agent")
        if not rmsd_wire.OLDEST_PROTOCOL <= parts.protocol <= rmsd_wire.PROTOCOL:
            raise _Refused(
                f"the agent speaks version {parts.protocol} of the protocol, the daemon "
                f"{rmsd_wire.OLDEST_PROTOCOL} to {rmsd_wire.PROTOCOL}; upgrade "
                + ("the daemon" if parts.protocol > rmsd_wire.PROTOCOL else "the agent")
            )
        hello = await self._hello(parts, caller)
        if not caller.own and (why := self._admission.too_much(hello)):
            raise _Refused(why)
        rows = await node_rows(hello)
        try:
            check_still(request)
        except DaemonError as error:
            raise _Refused(str(error)) from None
        return _FirstFrame(hello, rows, messages, len(first))

    async def _hello(self, parts: link.HelloParts, caller: Caller) -> link.Hello:
        """Return the Hello that has these parts.

        Raises:
            _Refused: it has more parts than an agent on another machine may tell, or one cannot be
                read, or another Hello of the agent is being read.
        """
        agent_id = parts.agent_id
        if not caller.own and (why := too_many(parts)):
            raise _Refused(why)
        if agent_id in self._reading:
            raise _Refused("another Hello of this agent is being read", retry=True)
        self._reading.add(agent_id)
        try:
            return await whole_hello(parts)
        except MALFORMED as error:
            raise _Refused(f"the first message must be Hello: {error}", retry=True) from None
        finally:
            self._reading.discard(agent_id)

    async def _hear(self, ws: web.WebSocketResponse, session: Session, first: _FirstFrame) -> None:
        """Read the messages of an agent until its link ends."""
        # Take the rest of the frame at once, so that a reported exit wins over a lost attempt. An
        # agent of the previous version does not say in its Hello which attempts are over.
        pace = Pace()
        first_pace = pace if first.size_bytes > FRAME_BYTES else None
        await self._hearing.hear(session, first.messages, first.size_bytes, first_pace)
        async for frame in ws:
            await pace.told(FRAME_MESSAGES)
            if frame.type is WSMsgType.PING:
                await ws.pong(frame.data)
            if frame.type is not WSMsgType.BINARY:
                continue
            try:
                messages = messages_in(frame.data, link.after_hello.decode)
            except MALFORMED as error:
                self._hearing.note_unreadable(session, str(error))
                continue
            await self._hearing.hear(session, messages, len(frame.data), pace)
            await asyncio.sleep(pause_s(len(frame.data)))


async def _refuse(ws: web.WebSocketResponse, refused: _Refused) -> None:
    if not refused.silent:
        log.warning("agent-refused", reason=refused.reason)
    with contextlib.suppress(ConnectionError, RuntimeError):
        goodbye = link.Goodbye(refused.reason, retry=refused.retry)
        await ws.send_bytes(link.encoder.encode([goodbye]))
    await ws.close()


async def pump_session(session: Session, request: web.Request) -> None:
    """Send the session's messages; break the link of an agent that does not take them."""
    try:
        await session.pump()
    except TimeoutError:
        log.warning("link-not-read", agent_id=session.agent_id)
        if request.transport is not None:
            request.transport.abort()
