"""The sessions that the daemon knows by their nodes."""

from __future__ import annotations

from dataclasses import dataclass

from rmsd_daemon.loop.mailbox import Register
from rmsd_daemon.loop.put_off import PutOff
from rmsd_daemon.loop.waiters import Waiters


@dataclass(eq=False)
class _Session:
    agent_id: str = "agent"
    closed: bool = False

    def acknowledge(self, seq: int) -> None:
        raise AssertionError(f"nothing was reported, and {seq} is acknowledged")


def test_an_agent_that_tells_of_other_nodes_at_each_hello_leaves_nothing_behind() -> None:
    """Each name was kept until the daemon ended, with the session that had told of it."""
    waiters, quiet = Waiters(), _Session("quiet")
    waiters.settle([Register(quiet, [{"name": "q1"}], ["q2"], [])], (), PutOff())
    before = _Session()
    for hello in range(100):
        session = _Session()
        rows = [{"name": f"n{hello}-{number}"} for number in range(500)]
        before.closed = True
        waiters.settle([Register(session, rows, [], [])], (), PutOff())
        before = session
        assert len(waiters.sessions) < 4000
    assert waiters.sessions["q1"] is waiters.sessions["q2"] is quiet
    assert waiters.sessions["n99-0"] is before
