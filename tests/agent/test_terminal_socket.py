"""The socket of a terminal's keeper appears once it can be connected to."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from rmsd_agent.attempts.terminals import TERMINAL, is_there
from rmsd_agent.shepherd.standalone import terminal


def test_the_socket_is_there_once_it_listens(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that was refused told the person that the terminal was over for good."""
    usual, seen = socket.socket.listen, []

    def listen(self: socket.socket, backlog: int) -> None:
        seen.append(is_there(short_dir))
        usual(self, backlog)

    (short_dir / TERMINAL).touch()  # an earlier try to start the unit has left it
    monkeypatch.setattr(socket.socket, "listen", listen, raising=False)
    with terminal.listen(str(short_dir / TERMINAL)):
        assert seen == [False]
        assert [one.name for one in short_dir.iterdir()] == [TERMINAL]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as agent:
            agent.connect(str(short_dir / TERMINAL))
