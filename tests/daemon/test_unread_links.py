"""Links whose agents do not read what they are sent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rmsd_daemon import sessions
from rmsd_daemon.links import _pump
from rmsd_daemon.sessions import Session
from rmsd_wire.link import Ack
from tests.live import DEADLINE_S


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


def test_a_link_that_is_never_read_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """What people ask of its jobs would gather in the daemon's memory: 2 MB a second of a user."""
    monkeypatch.setattr(sessions, "_TAKEN_S", 0.01)

    async def pump() -> bool:
        link: Any = NeverTaken()
        session = Session(link, "liar", ["n1"], asyncio.Semaphore())
        session.send(Ack(1))
        await asyncio.wait_for(_pump(session, link), DEADLINE_S)
        return bool(link.aborted)

    assert asyncio.run(pump())
