"""Parts of the agent that need no agent."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from aiohttp import WSMessage, WSMsgType

from rmsd_agent.attempts import specs
from rmsd_agent.link import link
from rmsd_agent.link.link import LinkError
from rmsd_agent.reports import Reports
from rmsd_agent.state.records import status_now
from rmsd_agent.state.state_dir import AgentStateDir, StateError
from rmsd_core.vocabulary import Cause
from rmsd_process.model_clock import ModelClock, boot_id
from rmsd_wire.link import Ack, ExitedReport, LaunchedReport, Report, encoder
from tests.agent.parts import KEY


async def test_a_server_that_answers_pings_is_not_silent() -> None:
    pong = WSMessage(WSMsgType.PONG, b"", None)
    ack = WSMessage(WSMsgType.BINARY, encoder.encode([Ack(7)]), None)

    ping = AsyncMock()

    async def hear(*heard: WSMessage | type[TimeoutError]) -> list[Any]:
        ws: Any = SimpleNamespace(receive=AsyncMock(side_effect=heard), ping=ping)
        return list(await link.receive(ws, 5.0))

    assert await hear(TimeoutError, pong, TimeoutError, pong, ack) == [Ack(7)]
    assert ping.await_count == 2
    with pytest.raises(LinkError, match="nothing heard for 10 s"):
        await hear(TimeoutError, TimeoutError)


def test_the_model_clock_goes_on_from_where_the_daemon_was() -> None:
    now_ns = time.monotonic_ns()
    clock = ModelClock(5000.0, 10**15, now_ns - 10**9, boot_id())
    assert clock.now_us() >= 10**15 + 5000 * 10**6
    assert clock.monotonic_ns(10**15 + 5000 * 10**6) == now_ns
    elsewhere = ModelClock(5000.0, 10**15, 0, "there")
    assert elsewhere.now_us() < 10**15 + 5000 * 10**6 * 60


def test_reports_are_numbered_anew_in_every_session_and_kept_until_acknowledged() -> None:
    sent: list[Report] = []
    reports = Reports(sent.append)
    reports.launched(KEY, 42)
    reports.launched(KEY, 42)  # not acknowledged: said already
    reports.exited(KEY, status_now(Cause.EXIT))
    assert [(type(r), r.seq) for r in sent] == [(LaunchedReport, 1), (ExitedReport, 2)]
    assert [type(r) for r in reports.acknowledge(1)] == [LaunchedReport]
    assert [(type(r), r.seq) for r in reports.open_session()] == [(ExitedReport, 1)]
    reports.launched(KEY, 42)
    assert sent[-1].seq == 2
    assert len(reports.acknowledge(2)) == 2
    assert reports.open_session() == []


def test_an_end_is_said_once_while_it_is_not_acknowledged() -> None:
    sent: list[Report] = []
    reports = Reports(sent.append)
    for _ in range(2):  # a daemon may ask twice for the end of what was never here
        reports.exited(KEY, status_now(Cause.USER))
    assert [r.seq for r in sent] == [1]
    assert len(reports.acknowledge(1)) == 1
    reports.exited(KEY, status_now(Cause.USER))
    assert [r.seq for r in reports.pending()] == [2]


def test_our_commands_are_found_behind_the_users(tmp_path: Path) -> None:
    """The search looks at none of the user's directories, which may be on a server that is away."""
    ours = os.path.dirname(sys.executable)
    theirs = tmp_path / "rrun"
    theirs.touch(mode=0o700)
    assert specs.with_rrun(f"/bin:{tmp_path}") == f"/bin:{tmp_path}:{ours}"
    assert specs.with_rrun(f"{ours}:/bin") == f"{ours}:/bin"


def test_a_state_directory_without_room_for_our_pid_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    state = AgentStateDir(tmp_path / "agent")
    with pytest.raises(StateError, match="in use by another agent"):
        AgentStateDir(tmp_path / "agent")
    state.close()
