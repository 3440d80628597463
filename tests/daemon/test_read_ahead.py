"""One request of a connection is read ahead, and every one is answered."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import web, web_protocol

from rmsd_daemon.front import read_ahead
from tests.waiting import DEADLINE_S, until

_BODY = b"12345"
_FIRST = b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(_BODY)
_NEXT = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def client_of(handler: Handler) -> AsyncIterator[socket.socket]:
    """Yield the other end of a connection whose requests the handler serves."""
    app = web.Application()
    app.router.add_route("*", "/{any:.*}", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    read_ahead.guard(runner)
    assert runner.server is not None
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    await asyncio.get_running_loop().connect_accepted_socket(runner.server, theirs)
    try:
        yield ours
    finally:
        ours.close()
        await runner.cleanup()


async def answers(client: socket.socket, number: int) -> bytes:
    """Return so many answers, all of which end with an `x`."""
    found = b""
    async with asyncio.timeout(DEADLINE_S):
        while found.count(b"\r\n\r\nx") < number:
            found += await asyncio.get_running_loop().sock_recv(client, 1 << 16)
    return found


@pytest.fixture(autouse=True)
def _one_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_protocol, "MAX_MSG_QUEUE_SIZE", web_protocol.MAX_MSG_QUEUE_SIZE)
    read_ahead.read_one_ahead()


async def test_a_request_behind_a_body_that_came_after_the_answer_is_answered() -> None:
    """A request is answered by its head alone, as one that is refused is. Its body comes together
    with the next request, before the server looks what is left of the first."""

    async def serve(request: web.Request) -> web.StreamResponse:
        response = web.Response(text="x")
        await response.prepare(request)
        await response.write_eof()
        if request.path == "/early":
            client.sendall(_BODY + _NEXT)
            await until(request.content.is_eof)
        return response

    async with client_of(serve) as client:
        client.sendall(_FIRST)
        await answers(client, 2)


async def test_requests_that_come_together_are_all_answered() -> None:
    """The bodies end in the middle of what is read."""

    async def serve(request: web.Request) -> web.StreamResponse:
        await request.read()
        return web.Response(text="x")

    together = (_FIRST + _BODY + _NEXT) * 3
    async with client_of(serve) as client:
        for size in (len(_FIRST) - 3, len(_FIRST), len(_FIRST) + 2, len(together)):
            for at in range(0, len(together), size):
                client.sendall(together[at : at + size])
                await asyncio.sleep(0)
            await answers(client, 6)


@pytest.mark.slow
async def test_no_more_than_one_request_is_read_ahead() -> None:
    served = 0
    go_on = asyncio.Event()

    async def serve(_: web.Request) -> web.StreamResponse:
        nonlocal served
        served += 1
        await go_on.wait()
        return web.Response(text="x")

    async with client_of(serve) as client:
        sent = 0
        with suppress(BlockingIOError):  # unread bytes fill the buffers of the kernel
            while sent < 1 << 24:
                sent += client.send(_NEXT * 100)
                for _ in range(3):
                    await asyncio.sleep(0)
        assert sent < 1 << 24
        assert served == 1
        go_on.set()
        await answers(client, sent // len(_NEXT))
