"""Requests that count for nobody's rate get so many answers, and keep nobody else waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from aiohttp import web

from rmsd_daemon.callers.auth import Authenticator, Caller, Role, Shown
from rmsd_daemon.front.access import guard
from rmsd_daemon.front.answers import Answers
from rmsd_daemon.front.connections import Connections
from rmsd_daemon.front.request_limits import RequestLimits, limit
from rmsd_daemon.front.turned_away import TurnedAway, admit

_NEVER = 1e-6
"""Answers a second, of which none comes while a test lasts."""


@asynccontextmanager
async def _serving(turned_away: TurnedAway, folder: Path) -> AsyncIterator[Path]:
    """Serve on the socket whose path is the value; `/in` is let in, and other paths are not."""

    async def handle(request: web.Request) -> web.Response:
        if request.path == "/in":
            admit(request)
        return web.Response()

    app = web.Application()
    app.router.add_get("/{any}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)  # held requests are given up
    await runner.setup()
    turned_away.guard(runner)
    path = folder / "socket"
    try:
        await web.UnixSite(runner, str(path)).start()
        yield path
    finally:
        await runner.cleanup()


async def _answers(path: Path, requests: bytes) -> bytes:
    """Return all answers to requests that come at once on one connection, which ends."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(requests)
    told = await reader.read()
    writer.close()
    return told


def _get(target: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: x", *headers, "", ""]).encode()


@pytest.mark.parametrize("headers", [(), ("Expect: nothing",)])
async def test_so_many_are_told_at_once_and_then_the_connection_is_broken_off(
    short_dir: Path, headers: tuple[str, ...]
) -> None:
    last = _get("/out", "Connection: close", *headers)

    async with _serving(TurnedAway(_NEVER, 3, longest_s=1.0), short_dir) as path:
        assert (await _answers(path, _get("/out", *headers) * 4 + last)).count(b"HTTP/1.1 ") == 3
        # Clients that are let in notice nothing.
        told = await _answers(path, _get("/in") * 10 + _get("/in", "Connection: close"))
        assert told.count(b"HTTP/1.1 200") == 11


async def test_an_answer_waits_its_turn(short_dir: Path) -> None:
    async with _serving(TurnedAway(_NEVER, 1, longest_s=1e9), short_dir) as path:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(_get("/out") * 2)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        told = await _answers(path, _get("/in") * 10 + _get("/in", "Connection: close"))
        assert told.count(b"HTTP/1.1 200") == 11
        second = asyncio.ensure_future(reader.readuntil(b"\r\n\r\n"))
        await asyncio.sleep(0)
        assert not second.done()
        second.cancel()
        writer.close()


class _Known:
    """Accounts by which every caller is the user that the request names."""

    def caller(self, shown: Shown) -> Caller:
        return Caller(shown.authorization, Role.USER, "")

    def still(self, caller: Caller) -> None:
        """Do nothing: the token holds."""


@pytest.mark.filterwarnings("ignore::aiohttp.web_exceptions.NotAppKeyWarning")
async def test_one_request_of_a_caller_is_let_in_at_a_time(short_dir: Path) -> None:
    came: dict[str, list[int]] = {"/ann": [], "/bob": []}
    rounds = 0

    async def count_rounds() -> None:
        nonlocal rounds
        while True:
            rounds += 1
            await asyncio.sleep(0)

    async def handle(request: web.Request) -> web.Response:
        came[request.path].append(rounds)
        return web.Response()

    async def refused(*_: object) -> None:
        """Refuse no caller."""

    known = Connections(1000, 1000)
    limits = RequestLimits(body_bytes=1000, jobs=1, user_jobs=1, rate=1e6)
    guards = [
        guard(cast("Authenticator", _Known()), refused),
        limit(limits, known, Answers(known)),
    ]
    app = web.Application(middlewares=guards)
    app.router.add_get("/{any}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    known.guard(runner)
    path = short_dir / "socket"
    await web.UnixSite(runner, str(path), backlog=1000).start()
    opened = [await asyncio.open_unix_connection(path) for _ in range(60)]
    counting = asyncio.create_task(count_rounds())
    for number, (_, writer) in enumerate(opened):  # all of them are there in the same round
        name = "bob" if number % 3 == 0 else "ann"
        writer.write(_get(f"/{name}", f"Authorization: {name}", "Connection: close"))
    for reader, writer in opened:
        await reader.read()
        writer.close()
    counting.cancel()
    await runner.cleanup()
    assert (len(came["/ann"]), len(came["/bob"])) == (40, 20)
    for of_one in came.values():
        assert len(set(of_one)) == len(of_one), "no two of them in one round"
    assert came["/bob"][-1] < came["/ann"][-1], "nobody waits for the requests of others"
