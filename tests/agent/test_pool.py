"""The pool of shepherds by itself."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_agent.units.pool import Pool
from tests.waiting import DEADLINE_S, until

pytestmark = pytest.mark.live


async def test_what_ends_after_the_close_is_no_news() -> None:
    """Idle shepherds leave then, while the event loop is being closed."""
    with tempfile.TemporaryDirectory(prefix="rmsd-", dir="/tmp") as root:
        state = AgentStateDir(Path(root, "agent"))
        try:
            shepherds = Pool(state)
            await shepherds.open(cast("Any", SimpleNamespace()))
            assert signal.getsignal(signal.SIGCHLD) is not signal.SIG_DFL
            await until(lambda: shepherds.idle)
            await shepherds.close()
            assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL
        finally:
            state.close()


async def test_what_has_connected_and_said_nothing_is_closed_as_well() -> None:
    """The link of a shepherd that has just begun would outlive the event loop."""
    with tempfile.TemporaryDirectory(prefix="rmsd-", dir="/tmp") as root:
        state = AgentStateDir(Path(root, "agent"))
        try:
            shepherds = Pool(state)
            await shepherds.open(cast("Any", SimpleNamespace()))
            silent, keeps_it = await asyncio.open_unix_connection(state.control)
            second, says = await asyncio.open_unix_connection(state.control)
            says.write(b"nothing that a shepherd says\n")
            assert await asyncio.wait_for(second.read(), DEADLINE_S) == b"", "both are connected"
            await shepherds.close()
            assert await asyncio.wait_for(silent.read(), DEADLINE_S) == b""
            for writer in (keeps_it, says):
                writer.close()
        finally:
            state.close()


async def test_the_control_socket_is_private_before_it_listens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that connects to the socket speaks as a shepherd, and users can pass through the
    socket's directory."""
    modes: list[int] = []
    listen = socket.socket.listen

    def look(sock: socket.socket, backlog: int) -> None:
        modes.append(os.stat(sock.getsockname()).st_mode & 0o777)
        listen(sock, backlog)

    monkeypatch.setattr(socket.socket, "listen", look)
    umask = os.umask(0)
    try:
        with tempfile.TemporaryDirectory(prefix="rmsd-", dir="/tmp") as root:
            state = AgentStateDir(Path(root, "agent"))
            try:
                shepherds = Pool(state)
                await shepherds.open(cast("Any", SimpleNamespace()))
                await until(lambda: shepherds.idle)
                await shepherds.close()
            finally:
                state.close()
    finally:
        os.umask(umask)
    assert modes == [0o600]
