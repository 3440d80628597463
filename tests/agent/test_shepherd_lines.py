"""The agent goes on, whatever is said on the socket of the shepherds."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from tests.waiting import DEADLINE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.agent.rig import Rig

pytestmark = pytest.mark.live


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        b'{"op":"refused","unit":"\xff"}\n',
        b'{"op":"refused","x":' + b"[" * 100_000 + b"\n",
        b"x" * (2 << 20),
        b'{"op":"started","unit":"9.1.n1/batch","pid":4194304}\n',
        b'{"op":"refused","unit":"9.1.n1/batch"}\n',
        b'{"op":"unable","unit":"9.1.n1/batch","message":""}\n',
        b'{"op":"ended","unit":"9.1.n1/batch","status":{"cause":"exit"}}\n',
        b'{"op":"here","shepherd":[4194304,1],"unit":null,"pid":null}\n' * 2,
    ],
    ids=[
        "no UTF-8",
        "nested without end",
        "a line without end",
        "started by nobody",
        "refused by nobody",
        "unable by nobody",
        "ended by nobody",
        "here twice",
    ],
)
def test_who_says_what_no_shepherd_says_is_hung_up_on(rig: Rig, said: bytes) -> None:
    rig.start()
    with stranger(rig) as sock:
        is_hung_up_on(sock, said)
    assert rig.run(1, "true").cause is Cause.EXIT
    assert "shepherd-malformed" in rig.log()


def test_the_unit_of_a_shepherd_that_is_connected_is_nobody_elses(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 1000")
    rig.peer.wait(LaunchedReport, 1)
    with stranger(rig) as sock:
        is_hung_up_on(
            sock, b'{"op":"here","shepherd":[4194304,1],"unit":"1.1.n1/batch","pid":null}\n'
        )
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER


@contextmanager
def stranger(rig: Rig) -> Iterator[socket.socket]:
    """Yield a connection to the socket of the shepherds."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(DEADLINE_S)
        sock.connect(str(rig.root / "agent" / "control.sock"))
        yield sock


def is_hung_up_on(sock: socket.socket, said: bytes) -> None:
    """Say it, and wait until the agent hangs up; what the agent says before does not matter."""
    try:
        sock.sendall(said)
        while sock.recv(65536):
            pass
    except (BrokenPipeError, ConnectionResetError):
        pass  # the agent has hung up before it had heard all
