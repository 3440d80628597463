"""Requests whose clients have left count until they are served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from rmsd_daemon.domain.errors import TooMany
from rmsd_daemon.front.connections import Connections
from tests.waiting import wait_until

_MOST = 3


@asynccontextmanager
async def _serving(folder: Path, served: asyncio.Event) -> AsyncIterator[tuple[Path, list[str]]]:
    """Serve requests that wait for `served`, or that make their connection an agent's link. Yield
    the path of the socket, and what the requests told."""
    connections = Connections(_MOST, 100)
    told: list[str] = []

    async def handle(request: web.Request) -> web.Response:
        try:
            with connections.serving(request, "ann", polls=False):
                if request.path == "/link":
                    connections.link(request)
                told.append("begun")
                await served.wait()
        except TooMany as error:
            told.append(error.detail)
        return web.Response()

    app = web.Application()
    app.router.add_get("/{any}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    connections.guard(runner)
    path = folder / "socket"
    await web.UnixSite(runner, str(path)).start()
    try:
        yield path, told
    finally:
        await runner.cleanup()


async def _ask_and_leave(path: Path, told: list[str], target: str) -> None:
    """Send a request, and leave once it has told something."""
    count = len(told)
    _, writer = await asyncio.open_unix_connection(path)
    writer.write(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    await asyncio.to_thread(wait_until, lambda: len(told) > count)
    writer.close()
    await writer.wait_closed()


async def test_no_more_requests_are_served_than_connections_may_be_open(short_dir: Path) -> None:
    """Each request went on when its client left: a user had any number of them in the daemon's
    memory."""
    served = asyncio.Event()
    async with _serving(short_dir, served) as (path, told):
        for _ in range(_MOST + 1):
            await _ask_and_leave(path, told, "/ask")
        assert told[:_MOST] == ["begun"] * _MOST
        assert told[_MOST] == "3 requests of yours are being served, as many as may"
        served.set()
        for _ in range(2 * _MOST):
            await _ask_and_leave(path, told, "/ask")
        assert told[_MOST + 1 :] == ["begun"] * 2 * _MOST


async def test_links_of_agents_count_for_nothing(short_dir: Path) -> None:
    async with _serving(short_dir, asyncio.Event()) as (path, told):
        for _ in range(2 * _MOST):
            await _ask_and_leave(path, told, "/link")
        assert told == ["begun"] * 2 * _MOST
