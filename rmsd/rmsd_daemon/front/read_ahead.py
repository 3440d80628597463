"""Bounds on what is read of a connection: 16 KiB at a time, and one request ahead while another is
served."""

from __future__ import annotations

from asyncio import selector_events
from typing import Any

from aiohttp import StreamReader, web, web_protocol

_READ_BYTES = 16 << 10
"""The bytes that a connection reads at a time (asyncio: 256 KiB)."""


def read_one_ahead() -> None:
    """Have connections that are made from now on read one request ahead. By default aiohttp reads
    32, with all their headers, before their sender is known."""
    web_protocol.MAX_MSG_QUEUE_SIZE = 1
    selector_events._SelectorTransport.max_size = _READ_BYTES  # type: ignore[attr-defined]


def guard(runner: web.AppRunner) -> None:
    """Have connections of the runner, which is set up, go on reading after a request whose body
    ended while the request was served.

    aiohttp's parser counts a request when its body has ended. aiohttp's protocol takes the request
    off that count when the request is about to be served. Where the body ends later, the request
    stays on the count. The parser then stops before what follows, and is not told to go on: the
    next request is never answered. (Seen with aiohttp 3.14.5.)

    A connection is read no further when a body comes in chunks. Each chunk takes a microsecond,
    however small it is, so that fifty connections could occupy the event loop for good.
    """
    server = runner.server
    assert server is not None
    made = server.request_factory

    def request_of(
        message: Any, payload: StreamReader, protocol: web.RequestHandler, *rest: Any
    ) -> Any:
        if message.chunked:
            protocol.close()
            payload.feed_eof()  # the guard refuses the request
        elif not payload.is_eof():
            payload.on_eof(lambda: _go_on_soon(protocol))
        return made(message, payload, protocol, *rest)

    # Each connection takes the server's factory when it is made; there is no other hook.
    server.request_factory = request_of


def _go_on_soon(protocol: web.RequestHandler) -> None:
    """Have the protocol parse what it holds once the parser, which is at work, has counted."""
    protocol._loop.call_soon(_go_on, protocol)


def _go_on(protocol: web.RequestHandler) -> None:
    if protocol._parser is not None and protocol.transport is not None:
        protocol._parser.message_consumed()
        protocol.data_received(b"")
