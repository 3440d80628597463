"""Whatever is said on the socket of the shepherds, the agent goes on."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from rmsd_core.vocabulary import Cause

if TYPE_CHECKING:
    from .conftest import Rig

pytestmark = pytest.mark.live


@pytest.mark.parametrize(
    "said",
    [
        b'{"op":"refused","unit":"\xff"}\n',
        b'{"op":"refused","x":' + b"[" * 100_000 + b"\n",
        b"x" * (2 << 20),
    ],
    ids=["no UTF-8", "nested without end", "a line without end"],
)
def test_who_says_what_no_shepherd_says_is_hung_up_on(rig: Rig, said: bytes) -> None:
    rig.start()
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(rig.root / "agent" / "control.sock"))
        try:
            stranger.sendall(said)
            assert stranger.recv(1) == b""
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has hung up before it had heard all
    assert rig.run(1, "true").cause is Cause.EXIT
    assert "shepherd-malformed" in (rig.root / "agent.log").read_text()
