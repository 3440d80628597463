"""Programs that wait for the start of the job that holds nodes for them, and daemons that are away
meanwhile."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import Unreachable
from rmsd_client.sessions.held_jobs import await_start, give_up


class _Daemon:
    """A client of a daemon that starts the job when it is asked for the second time, and is away
    afterwards."""

    def __init__(self) -> None:
        self.retry_for_s = 5.0
        self.waited_s: list[float] = []

    def job(self, _number: int) -> dict[str, Any]:
        self.waited_s.append(self.retry_for_s)
        return {"state": "RUNNING" if len(self.waited_s) > 1 else "PENDING"}

    def cancel(self, _number: int) -> None:
        self.waited_s.append(self.retry_for_s)
        raise Unreachable("it is away")


def test_a_program_that_owns_a_waiting_job_waits_for_the_daemon() -> None:
    """A program that ended after five seconds left a job that started with nobody at it."""
    daemon = _Daemon()
    job = await_start(cast("Client", daemon), 7, lambda _job: None)
    assert job["state"] == "RUNNING"
    assert daemon.waited_s == [float("inf")] * 2
    assert daemon.retry_for_s == 5.0


def test_one_who_gives_up_while_the_daemon_is_away_hears_that_the_job_stays() -> None:
    def interrupt(_job: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    daemon, said = _Daemon(), list[str]()
    with pytest.raises(KeyboardInterrupt):
        await_start(cast("Client", daemon), 7, interrupt)
    give_up(cast("Client", daemon), 7, said.append)
    assert daemon.waited_s[-1] == 5.0
    assert said == ["the daemon is away: job 7 is not cancelled, and may start without a program"]
