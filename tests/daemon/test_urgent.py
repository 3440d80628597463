"""Urgent jobs of a live daemon: they precede others, are explained, and survive its death."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands import rmsd
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_OPTIONS = ("--no-local-node", "--emulate", "1x4", "--recipe")
_RECIPE = "rmsd-gentle,fraction=0.5,floor=0"


def _submit(daemon: Daemon, tasks: int, run_s: float = 5000) -> int:
    spec: dict[str, Any] = {"emulate": {"run_s": run_s}, "tasks": tasks, "time_limit_s": 10_000}
    return int(daemon.client.submit([spec])[0]["job_id"])


def _kinds(daemon: Daemon, job_id: int) -> list[str]:
    return [change["kind"] for change in daemon.client.explain(job_id)["changes"]]


def _place(daemon: Daemon, job_id: int) -> int:
    return int(daemon.client.explain(job_id)["wait"]["place"])


@pytest.mark.slow
def test_a_wide_job_that_waits_becomes_urgent_for_good(start_daemon: Callable[..., Daemon]) -> None:
    """The job is the head of the virtual queue as well. Soon no wait is longer than twice its own.
    The first job may have waited for a moment, too, until the daemon came to it."""
    daemon = start_daemon(*_OPTIONS, _RECIPE)
    daemon.wait_for(holder := _submit(daemon, 4), "RUNNING")
    wide = _submit(daemon, 4)

    def is_urgent() -> bool:
        """Return whether `wide` is urgent after the pass for one more job, which cannot start."""
        _submit(daemon, 1, run_s=1)
        return "urgent" in _kinds(daemon, wide)

    wait_until(is_urgent)
    assert _place(daemon, wide) == 1
    assert "it became urgent, since" in daemon.run("rstat", "--explain", str(wide)).stdout
    daemon.kill()
    daemon.start()
    assert _place(daemon, wide) == 1
    daemon.client.cancel(holder)
    daemon.wait_for(wide, "RUNNING")
    daemon.stop()
    report = json.loads(rmsd("verify", daemon.state, "--json").stdout)
    assert (report["starts"], report["difference"]) == (2, None)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_other_recipes_in_between(start_daemon: Callable[..., Daemon]) -> None:
    """Without urgent jobs the virtual queue is forgotten; it begins anew with what is live."""
    daemon = start_daemon(*_OPTIONS, _RECIPE)
    daemon.wait_for(holder := _submit(daemon, 4), "RUNNING")
    waiting = [_submit(daemon, 4) for _ in range(3)]
    for recipe in ("easy", _RECIPE):
        daemon.stop()
        daemon.options = (*_OPTIONS, recipe)
        daemon.start()
        waiting.append(_submit(daemon, 2))
    daemon.client.cancel(holder)
    daemon.wait_for(waiting[0], "RUNNING")
    daemon.stop()
    report = json.loads(rmsd("verify", daemon.state, "--json").stdout)
    assert (report["starts"], report["difference"]) == (3, None)
