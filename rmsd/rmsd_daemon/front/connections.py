"""The daemon's connections: how many each peer may have, and which are closed for others.

A peer is an account on the Unix socket; over TCP it is a user, or an agent, at an address. Until a
connection over TCP has shown a token, its peer is the address alone. All connections of such a peer
are idle, so that other users of the same address find a place. A connection serves one request at a
time. A request goes on when its client leaves, so requests are counted as well: a peer may have as
many as connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import structlog
from aiohttp import web

from rmsd_daemon.callers.sockets import peer_uid
from rmsd_daemon.domain.errors import TooMany
from rmsd_daemon.front.problems import problem_of

log = structlog.get_logger()

_LOOK_S = 5.0
_STALLED_S = 30.0
"""An answer of which nothing has been taken for this time is given up."""
TAKEN_BYTES = 1 << 16
"""The least number of bytes that count as progress between two looks."""
UNSENT_BYTES = 1 << 16
"""The writer of an answer waits when the transport's buffer has as many bytes. Those of TLS would
have 512 KiB, and below them those of the socket the same as this again."""
_POLLS_SHARE = 0.75
"""The part of a peer's connections that long polls may hold; the others are left for other
requests."""
_RETRY_S = 1.0
_QUIET_S = 10.0

_Protocol = web.RequestHandler


@dataclass(eq=False, slots=True)
class PeerConnection:
    """An open connection. `address`: of the other end; "" on the Unix socket. `place`: the peer's
    list that it is in; None if it is an agent's link or about to be closed. `poll`: the task that
    waits for news for the other end. `serves`: a request counts for the peer, perhaps of a client
    that has left."""

    transport: asyncio.Transport
    peer: Peer
    address: str = ""
    place: dict[PeerConnection, None] | None = None
    poll: asyncio.Task[object] | None = None
    serves: bool = False
    given: int = 0  # bytes of answers, in all
    taken: int = 0  # bytes that had left this process's memory when some were last seen to leave
    moved_s: float = math.inf

    def move(self, place: dict[PeerConnection, None] | None) -> None:
        if self.place is not None:
            del self.place[self]
        self.place = place
        if place is not None:
            place[self] = None


@dataclass(eq=False, slots=True)
class Peer:
    """The connections of a peer: `idle` between two requests or before the first, the longest idle
    first; `busy` while a request is served. `all` are both, and the links of agents."""

    name: str
    idle: dict[PeerConnection, None] = field(default_factory=dict)
    busy: dict[PeerConnection, None] = field(default_factory=dict)
    all: int = 0
    polls: int = 0

    @property
    def count(self) -> int:
        """Return the number of connections without the links of agents, which are not limited."""
        return len(self.idle) + len(self.busy)


class Connections:
    """Allows `per_peer` connections of a peer and `in_all` together. When all are in use, the peer
    with the most connections loses one."""

    def __init__(self, per_peer: int, in_all: int) -> None:
        self._per_peer = per_peer
        self._in_all = in_all
        self._peers: dict[str, Peer] = {}
        self._open: dict[_Protocol, PeerConnection] = {}
        self._requests: Counter[str] = Counter()  # under way, by peer
        self._quiet_until_s = -math.inf

    def guard(self, runner: web.AppRunner) -> None:
        """Make every connection of the runner, which is set up, pass through this object."""
        server = runner.server
        assert server is not None
        made, lost = server.connection_made, server.connection_lost

        def connection_made(handler: _Protocol, transport: asyncio.Transport) -> None:
            made(handler, transport)
            transport.set_write_buffer_limits(UNSENT_BYTES)
            self._admit(handler, transport)

        def connection_lost(handler: _Protocol, exc: BaseException | None = None) -> None:
            lost(handler, exc)
            self._forget(handler)

        # aiohttp's server has no other hook at the begin and the end of a connection.
        server.connection_made = connection_made  # type: ignore[method-assign]
        server.connection_lost = connection_lost  # type: ignore[method-assign]

    # ------------------------------------------------------------ requests

    @contextlib.contextmanager
    def serving(self, request: web.Request, user: str, polls: bool) -> Iterator[None]:
        """Keep a connection from being idle while a request of `user` is served. `polls`: the
        request waits for news.

        Raises:
            DaemonError: this peer has too many connections or requests, or too many of its requests
                wait for news already.
        """
        connection = self._open.get(request.protocol)
        if connection is None or connection.place is None:  # the connection has just been closed
            yield
            return
        self._count_for(connection, user)
        peer = connection.peer
        if polls and peer.polls >= self._per_peer * _POLLS_SHARE:
            detail = f"{peer.polls} requests of yours wait for news, as many as may"
            raise TooMany(detail, retry_after_s=_RETRY_S)
        if self._requests[peer.name] >= self._per_peer:
            detail = f"{self._per_peer} requests of yours are being served, as many as may"
            raise TooMany(detail, retry_after_s=_RETRY_S)
        connection.move(peer.busy)
        self._requests[peer.name] += 1
        connection.serves = True
        if polls:
            connection.poll = asyncio.current_task()
            peer.polls += 1
        try:
            yield
        finally:
            self._served(connection)
            if polls:
                connection.poll = None
                peer.polls -= 1
            if connection.place is peer.busy:
                connection.move(peer.idle)

    def gave(self, request: web.Request, count: int) -> None:
        """Note that `count` bytes of an answer are about to be handed to the connection."""
        if connection := self._open.get(request.protocol):
            connection.given += count

    def link(self, request: web.Request) -> None:
        """Make the connection an agent's link: it no longer counts for its peer, and is not closed
        for others."""
        if connection := self._open.get(request.protocol):
            connection.move(None)
            self._served(connection)

    def _served(self, connection: PeerConnection) -> None:
        """Count the request of a connection no more."""
        if not connection.serves:
            return
        connection.serves = False
        name = connection.peer.name
        self._requests[name] -= 1
        if not self._requests[name]:
            del self._requests[name]

    # ------------------------------------------------------------ coming and going

    def _admit(self, handler: _Protocol, transport: asyncio.Transport) -> None:
        name = peer_of(transport)
        peer = self._peers.get(name) or Peer(name)
        address = "" if _uid_of(transport) is not None else name
        if why := self._why_not(peer):
            self._complain(name, why)
            # aiohttp starts a task for the connection after this. That task fails, and its failure
            # fills the log, if the connection is lost before the task has begun.
            asyncio.get_running_loop().call_soon(_refuse, transport, why)
            return
        self._open[handler] = connection = PeerConnection(transport, peer, address)
        self._enter(connection)

    def _count_for(self, connection: PeerConnection, user: str) -> None:
        """Count a connection over TCP for the user of its latest request. Raises DaemonError if the
        user has too many connections from that address."""
        name = f"{user} at {connection.address}"
        if not connection.address or connection.peer.name == name:
            return
        peer = self._peers.get(name) or Peer(name)
        if why := self._too_many(peer):
            self._complain(name, why)
            raise TooMany(why, retry_after_s=_RETRY_S)
        self._leave(connection)
        connection.peer = peer
        self._enter(connection)

    def _enter(self, connection: PeerConnection) -> None:
        """Put an idle connection among those of its peer."""
        peer = connection.peer
        self._peers[peer.name] = peer
        peer.all += 1
        connection.move(peer.idle)

    def _leave(self, connection: PeerConnection) -> None:
        """Take a connection from its peer."""
        connection.move(None)
        connection.peer.all -= 1
        if not connection.peer.all:
            del self._peers[connection.peer.name]

    def _too_many(self, peer: Peer) -> str:
        """Return why the peer has too many connections for another one; "" if it has not, perhaps
        since its longest idle one has been closed."""
        if peer.count >= self._per_peer and not _close_one(peer.idle):
            return f"{peer.count} connections of yours are in use, as many as may"
        return ""

    def _why_not(self, peer: Peer) -> str:
        """Return why the peer may not have another connection; "" if it may, perhaps since another
        connection has been closed for it."""
        if why := self._too_many(peer):
            return why
        if len(self._open) < self._in_all:
            return ""
        greediest = max(self._peers.values(), key=lambda one: one.count)
        if _close_one(greediest.idle):
            return ""
        if greediest.count > peer.count + 1 and _close_one(greediest.busy):
            return ""
        return f"the daemon has {len(self._open)} connections, as many as it can"

    def _complain(self, name: str, why: str) -> None:
        """Log a refusal, but seldom: there may be thousands a second."""
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._quiet_until_s:
            self._quiet_until_s = now_s + _QUIET_S
            log.warning("connection-refused", peer=name, detail=why)

    def _forget(self, handler: _Protocol) -> None:
        if connection := self._open.pop(handler, None):
            self._leave(connection)
            if connection.poll:  # the other end waits no more
                connection.poll.cancel()

    # ------------------------------------------------------------ stalled connections

    async def watch(self) -> None:
        """Keep closing connections whose other end does not read the answers that it has asked for.
        (The links of agents are closed when they do not answer a ping.)"""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_LOOK_S)
            for connection in list(self._open.values()):
                if connection.place is not None and is_stalled(connection, loop.time()):
                    unsent = connection.transport.get_write_buffer_size()
                    log.warning("answer-not-read", peer=connection.peer.name, unsent=unsent)
                    connection.transport.abort()


def _close_one(connections: dict[PeerConnection, None]) -> bool:
    """Close the connection that has been there for longest. Returns whether there was one."""
    for connection in connections:
        connection.move(None)
        connection.transport.abort()
        return True
    return False


def is_stalled(connection: PeerConnection, now_s: float) -> bool:
    """Return whether the other end has left bytes waiting, and has taken next to none for too
    long."""
    unsent = connection.transport.get_write_buffer_size()
    taken = connection.given - unsent
    if not unsent:
        connection.moved_s = math.inf
    elif connection.moved_s == math.inf or taken >= connection.taken + TAKEN_BYTES:
        connection.taken, connection.moved_s = taken, now_s
    return now_s - connection.moved_s >= _STALLED_S


def _refuse(transport: asyncio.Transport, why: str) -> None:
    """Send the refusal as the answer to whatever request comes, and close."""
    body = msgspec.json.encode(problem_of(TooMany(why)))
    head = (
        "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/problem+json\r\n"
        f"Retry-After: {_RETRY_S:.0f}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    transport.write(head.encode() + body)
    transport.close()


def _uid_of(transport: asyncio.Transport) -> int | None:
    return peer_uid(transport.get_extra_info("socket"))


def peer_of(transport: asyncio.Transport) -> str:
    """Return the peer of a connection that has shown no token: the account on the Unix socket, the
    address over TCP."""
    uid = _uid_of(transport)
    if uid is not None:
        return f"uid {uid}"
    return str((transport.get_extra_info("peername") or ["unknown"])[0])
