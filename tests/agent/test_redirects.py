"""An agent goes nowhere but to its daemon, and reads no answer without end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from rmsd_agent.link.link import Link, LinkError, Server, no_redirects
from rmsd_agent.link.membership import MOST_ANSWER, JoinError, Membership
from rmsd_wire.tokens import new_token


@asynccontextmanager
async def _serving(handler: Any) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def _membership(folder: Path) -> Membership:
    token_file = folder / "token"
    token_file.touch(mode=0o600)
    token_file.write_text(f"{new_token().text}\n")
    return Membership(folder, "agent", token_file)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("joined", [False, True])
async def test_an_agent_follows_no_redirect(tmp_path: Path, status: int, joined: bool) -> None:
    """The agent follows none when it joins, and none with its link, not even to another path of the
    same server."""
    visited: list[tuple[str, str]] = []

    async def lead_on(request: web.Request) -> web.Response:
        visited.append((request.method, request.path))
        if joined and request.method == "POST":
            return web.Response()
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    async with _serving(lead_on) as url:
        link = Link(Server(url), _membership(tmp_path))
        async with aiohttp.ClientSession(trace_configs=[no_redirects()]) as http:
            with pytest.raises(LinkError, match="leads elsewhere"):
                await link.dial(http)
    assert visited == [("POST", "/v1/join")] + [("GET", "/v1/link")] * joined


async def test_every_session_of_a_link_is_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[list[aiohttp.TraceConfig]] = []

    class Made(Exception):
        pass

    def session(*, trace_configs: list[aiohttp.TraceConfig], **_: object) -> None:
        made.append(trace_configs)
        raise Made

    monkeypatch.setattr(aiohttp, "ClientSession", session)
    agent: Any = None
    with pytest.raises(Made):
        await Link(Server(f"unix:{tmp_path}/s")).run(agent)
    assert [len(config.on_request_redirect) for config in made[0]] == [1]


async def test_of_an_answer_without_end_a_part_is_read(tmp_path: Path) -> None:
    async def talk(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=403)
        await response.prepare(request)
        while True:  # until the agent hangs up
            await response.write(b"x" * MOST_ANSWER)

    async with _serving(talk) as url, aiohttp.ClientSession() as http:
        with pytest.raises(JoinError, match="it answered 403"):
            await _membership(tmp_path).join(http, url)
