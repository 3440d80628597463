"""The TCP port: a connection begins with a TLS handshake, and the number of open handshakes is
limited."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from asyncio import sslproto
from collections import Counter
from typing import NamedTuple

import structlog
from aiohttp import web

from rmsd_daemon.front.tls import Tls

log = structlog.get_logger()

_READ_BYTES = 16 << 10
"""The bytes that a connection reads at a time, a record of TLS. asyncio keeps a buffer of this size
(256 KiB by default) for as long as a connection is open, even if the peer sends nothing."""
_HANDSHAKE_S = 10.0
"""A connection whose handshake takes longer is closed."""
_ALONE_S = 1.0
"""The time that the only handshake of an address may take when others wait."""
_AGAIN_S = 1.0
_BACKLOG = 1024
"""The length of the kernel's queue. A client that finds it full tries again after one second, then
two, while others come in between. It should therefore be long enough for a flood of connections."""


class _Handshake(NamedTuple):
    """The address of a connection, and when its handshake began on the loop's clock."""

    address: str
    began_s: float


class TlsSite(web.BaseSite):
    """A TCP port that speaks TLS and nothing else.

    A connection belongs to no caller before its handshake is finished, and is counted here: at most
    `most_handshakes`. When there are as many, the address with most of them loses its oldest one.
    If no address has two, the oldest of all is lost, once it has had a second.
    """

    def __init__(
        self, runner: web.AppRunner, host: str, port: int, tls: Tls, most_handshakes: int
    ) -> None:
        super().__init__(runner)
        self._host, self._port, self._tls = host, port, tls
        self._most = most_handshakes
        self._handshakes: dict[asyncio.Task[None], _Handshake] = {}  # the oldest first
        self._listeners: list[asyncio.Task[None]] = []

    @property
    def name(self) -> str:
        return f"https://{self._host}:{self._port}"

    async def start(self) -> None:
        """Listen on the port. Raises OSError if that fails."""
        sslproto.SSLProtocol.max_size = _READ_BYTES
        await super().start()
        loop = asyncio.get_running_loop()
        sockets = await self._sockets()
        self._listeners = [loop.create_task(self._accept(sock)) for sock in sockets]

    async def stop(self) -> None:
        tasks = [*self._listeners, *self._handshakes]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().stop()

    async def _sockets(self) -> list[socket.socket]:
        found = await asyncio.get_running_loop().getaddrinfo(
            self._host or None, self._port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        sockets = []
        with contextlib.ExitStack() as opened:
            for family, _, _, _, address in dict.fromkeys(found):
                sock = socket.create_server(address, family=family, backlog=_BACKLOG)
                sockets.append(opened.enter_context(sock))
                sock.setblocking(False)
            opened.pop_all()
        return sockets

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with listener:
            while True:
                try:
                    sock, address = await loop.sock_accept(listener)
                except ConnectionAbortedError:
                    continue
                except OSError as error:  # for example, too many open files
                    log.error("accept-failed", error=str(error), again_in_s=_AGAIN_S)
                    await asyncio.sleep(_AGAIN_S)
                    continue
                with contextlib.ExitStack() as held:
                    held.enter_context(sock)
                    await self._room()
                    held.pop_all()
                task = loop.create_task(self._shake_hands(sock))
                self._handshakes[task] = _Handshake(str(address[0]), loop.time())
                task.add_done_callback(self._handshakes.pop)
                await asyncio.sleep(0)  # a flood must not block other tasks

    async def _room(self) -> None:
        """Wait until another handshake may begin."""
        while len(self._handshakes) >= self._most:
            addresses = Counter(one.address for one in self._handshakes.values())
            ((greediest, count),) = addresses.most_common(1)  # if equal, the address of the oldest
            task, oldest = next(
                one for one in self._handshakes.items() if one[1].address == greediest
            )
            left_s = oldest.began_s + _ALONE_S - asyncio.get_running_loop().time()
            if count > 1 or left_s <= 0:
                task.cancel()
                left_s = _HANDSHAKE_S
            await asyncio.wait(
                self._handshakes, timeout=left_s, return_when=asyncio.FIRST_COMPLETED
            )

    async def _shake_hands(self, sock: socket.socket) -> None:
        server = self._runner.server
        assert server is not None
        with contextlib.suppress(OSError):  # the other end's error: it may connect again
            await asyncio.get_running_loop().connect_accepted_socket(
                server, sock, ssl=self._tls.context, ssl_handshake_timeout=_HANDSHAKE_S
            )
