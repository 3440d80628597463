"""The sending of answers: long lists in parts, made as fast as their readers take them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterable

import msgspec
import structlog
from aiohttp import HttpVersion11, web

from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.connections import Connections
from rmsd_daemon.front.held import HeldBytes

log = structlog.get_logger()

NUMBER_BYTES = 48
"""The memory that the number of a job takes which is still to be shown."""
PART_BYTES = 64 << 10
"""A part of a list is sent as soon as it has as many bytes."""
LIST_BYTES = 1 << 20
"""The bytes that a list counts while it is sent. A part or two is here, the rest is in the
transport's buffers. The numbers of the elements that are
still to come count as well."""
OF_ONE_BYTES = 64 << 20
OF_ALL_BYTES = 512 << 20
"""The most bytes that the answers under way may count, of one caller and of all."""

TURN = "turn"
"""The key of the caller's turn in a request."""
_JSON = "application/json"
_encoder = msgspec.json.Encoder()


def answer(value: object, status: int = 200) -> web.Response:
    """Return a short answer, which is made at once."""
    return web.Response(status=status, body=_encoder.encode(value), content_type=_JSON)


class Listed(web.StreamResponse):
    """An answer with a list, made while it is sent.

    `reply` is the answer with an empty list as `field`. `items` yields the elements; each is made
    when its part is sent. `kept_bytes`: the memory that `items` hold meanwhile, beyond numbers.
    `in_lists`: `items` yields lists of elements, which are encoded at once.
    """

    def __init__(
        self,
        reply: msgspec.Struct,
        field: str,
        items: AsyncIterable[object],
        status: int = 200,
        kept_bytes: int = 0,
        *,
        in_lists: bool = False,
    ) -> None:
        super().__init__(status=status)
        self.content_type = _JSON
        self.kept_bytes = kept_bytes
        self.parts = _parts(reply, field, items, in_lists=in_lists)


async def _parts(
    reply: msgspec.Struct, field: str, items: AsyncIterable[object], *, in_lists: bool
) -> AsyncGenerator[tuple[bytes, bool], None]:
    """Yield the parts of the answer's JSON, each with whether it is the last one."""
    # This key occurs only at the list: inside a JSON string, a quote has a backslash before it.
    key = b'"%s":[' % field.encode()
    before, found, after = _encoder.encode(reply).partition(key)
    assert found
    part = bytearray(before + found)
    separator = b""
    async for item in items:
        encoded = _encoder.encode(item)
        if in_lists:
            encoded = encoded[1:-1]
        if not encoded:
            continue
        part += separator
        separator = b","
        part += encoded
        if len(part) >= PART_BYTES:
            yield bytes(part), False
            part = bytearray()
    yield bytes(part + after), True


def turn_of(request: web.Request) -> Turn:
    """Return the turn of the caller of a request that has passed the limits."""
    turn: Turn = request[TURN]
    return turn


class Answers:
    """Sends answers, and counts the memory that the answers under way hold."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.held = HeldBytes(OF_ONE_BYTES, "of answers to read", OF_ALL_BYTES)

    async def send(self, request: web.Request, response: web.StreamResponse) -> None:
        """Send a response that is not prepared yet, to a caller whose token still holds.

        Raises:
            Unauthenticated: the token of the caller of a GET was revoked or has expired meanwhile;
                429 or 503, the answers to GETs that wait to be read are too many.
        """
        if response.prepared:  # a WebSocket
            return
        reads = request.method in ("GET", "HEAD")
        if reads:  # a change has been made already, and its caller is told
            check_still(request)
        caller = caller_of(request).name
        with self.held.held(caller, _bytes_of(response), forced=not reads):
            if isinstance(response, Listed):
                await self._send_list(request, response, turn_of(request))
            else:
                try:
                    await response.prepare(request)
                    await self._send_body(request, response)
                finally:
                    if isinstance(response, web.Response):
                        response.body = None  # an idle connection keeps its latest answer

    async def _send_body(self, request: web.Request, response: web.StreamResponse) -> None:
        """Send the body of a prepared response in parts. TLS takes all that it is given at once,
        whether or not it is read, and only then has its writer wait."""
        body = response.body if isinstance(response, web.Response) else None
        if request.method == "HEAD" or not isinstance(body, bytes) or len(body) <= PART_BYTES:
            self._connections.gave(request, _bytes_of(response))
            await response.write_eof()
            return
        for at in range(0, len(body), PART_BYTES):
            await self._write(request, response, body[at : at + PART_BYTES])
        await web.StreamResponse.write_eof(
            response
        )  # `write_eof` of a Response would send the body again

    async def _send_list(self, request: web.Request, response: Listed, turn: Turn) -> None:
        """Send the parts of a list, each made in the caller's turn once the one before is taken.

        If a part cannot be made, the connection is broken off: a client must not take an incomplete
        list for a complete one.
        """
        async with contextlib.aclosing(response.parts) as parts:
            async with turn:
                part, last = await anext(parts)
            if last:
                response.content_length = len(part)
            elif request.version < HttpVersion11:
                response.force_close()  # a list without chunks ends with the connection
            await response.prepare(request)
            if request.method != "HEAD":
                try:
                    await self._write(request, response, part)
                    while not last:
                        async with turn:
                            if request.method == "GET":
                                check_still(request)
                            part, last = await anext(parts)
                        await self._write(request, response, part)
                except BaseException as error:
                    if not isinstance(error, ConnectionError | asyncio.CancelledError):
                        log.warning("list-broken-off", path=request.path, error=repr(error))
                    if request.transport is not None:
                        request.transport.abort()
                    raise
        await response.write_eof()

    async def _write(self, request: web.Request, response: web.StreamResponse, part: bytes) -> None:
        self._connections.gave(request, len(part))
        await response.write(part)


def _bytes_of(response: web.StreamResponse) -> int:
    """Return the bytes that the answer holds in memory while it is sent."""
    if isinstance(response, Listed):
        return LIST_BYTES + response.kept_bytes
    return response.content_length or 0
