"""Links whose agents do not read what they are sent, or talk without end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestClient, TestServer

from rmsd_core.lifecycle.core import Core
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.agents import endpoint, pace, sessions
from rmsd_daemon.agents.endpoint import LinkEndpoint, pump_session
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.clock import RealClock
from rmsd_wire import PROTOCOL
from rmsd_wire.link import Ack, Hello, encoder
from rmsd_wire.link_calls import Reply
from tests.waiting import DEADLINE_S


class NeverTaken:
    """A link, and its request and transport, of which the other end takes nothing."""

    def __init__(self) -> None:
        self.aborted = False

    @property
    def transport(self) -> NeverTaken:
        return self

    def abort(self) -> None:
        self.aborted = True

    async def send_bytes(self, _: bytes) -> None:
        await asyncio.Event().wait()


async def test_a_link_that_is_never_read_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """What people ask of its jobs would gather in the daemon's memory: 2 MB a second of a user."""
    monkeypatch.setattr(sessions, "TAKEN_S", 0.01)
    link: Any = NeverTaken()
    session = Session(link, "liar", ["n1"], asyncio.Semaphore())
    session.send(Ack(1))
    await asyncio.wait_for(pump_session(session, link), DEADLINE_S)
    assert bool(link.aborted)


@pytest.mark.parametrize("kind", [WSMsgType.BINARY, WSMsgType.TEXT, WSMsgType.PING])
async def test_an_agent_that_sends_many_small_frames_is_heard_with_pauses(
    kind: WSMsgType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise one agent keeps everybody waiting half a second for each answer."""
    breath_s, breaths, sleep = 0.00123, 0, asyncio.sleep

    async def counted(delay_s: float, *result: Any) -> Any:
        nonlocal breaths
        breaths += delay_s == breath_s
        return await sleep(delay_s, *result)

    caller = Caller("", Role.AGENT, "test", agent_id="agent")
    monkeypatch.setattr(endpoint, "caller_of", lambda _: caller)
    monkeypatch.setattr(endpoint, "check_still", lambda _: None)
    monkeypatch.setattr(pace, "FLOOD_S", DEADLINE_S)
    monkeypatch.setattr(pace, "BREATH_S", breath_s)
    monkeypatch.setattr(asyncio, "sleep", counted)
    core = Core(parse_recipe("easy"))
    told = SimpleNamespace(awaited=False, node_rows={}, core=core, put=lambda _: None)
    scheduler = cast("Scheduler", told)
    links = AgentLinks(scheduler, 60.0, 60.0)
    agents = LinkEndpoint(scheduler, RealClock(), links, lambda _: None)

    app = web.Application()
    app.router.add_get("/v1/link", agents.agent_link)
    async with TestClient(TestServer(app)) as http, http.ws_connect("/v1/link") as socket:
        await socket.send_bytes(encoder.encode([Hello(PROTOCOL, "0", "agent", 1, [], [])]))
        payload = encoder.encode([Reply(1)]) if kind is WSMsgType.BINARY else b""
        for _ in range(400):
            await socket.send_frame(payload, kind)
        await socket.close()
    assert breaths >= 10


class _Compared(str):
    """A name that counts how often it is compared with another one."""

    count = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        _Compared.count += 1
        return str(self) == str(other)


def test_whose_a_node_is_takes_no_look_at_all_nodes() -> None:
    """A Hello of 10,000 nodes with 200,000 attempts on the last one kept the daemon for 22 s."""
    nodes = [_Compared(f"n{i}") for i in range(1000)]
    link: Any = NeverTaken()
    session = Session(link, "liar", nodes, asyncio.Semaphore())
    _Compared.count = 0
    assert "n999" in session.nodes
    assert "elsewhere" not in session.nodes
    assert _Compared.count <= 10
    assert list(session.nodes) == nodes
