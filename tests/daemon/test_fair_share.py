"""Fair shares of a live daemon: they sort the queue, are explained, and survive its death."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.live import Daemon

pytestmark = pytest.mark.live


def _submit(daemon: Daemon, user: str, run_s: float) -> int:
    spec: dict[str, Any] = {"emulate": {"run_s": run_s}, "user": user, "time_limit_s": 10_000}
    return int(daemon.client.submit([spec])[0]["job_id"])


def _wait(daemon: Daemon, job_id: int) -> dict[str, Any]:
    told: dict[str, Any] = daemon.client.explain(job_id)["wait"]
    return told


@pytest.mark.slow
def test_who_has_used_less_is_first_also_after_a_kill(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", "--recipe", "fair-share")
    holder = _submit(daemon, "ann", 5000)
    daemon.wait_for(holder, "RUNNING")
    hers, his = _submit(daemon, "ann", 5000), _submit(daemon, "bob", 5000)
    assert [_wait(daemon, job_id)["place"] for job_id in (hers, his)] == [2, 1]
    daemon.client.cancel(holder)
    daemon.wait(holder)
    daemon.wait_for(his, "RUNNING")
    before = _wait(daemon, hers)["priority"]
    assert before["used_s"] > 0
    assert before["total"] == before["age"] + before["size"] + before["share"]
    nicer = daemon.run("rsub", "--nice", "--wrap", "true", "--parsable", "-H")
    assert "has no effect" not in nicer.stderr
    nice_id = int(nicer.stdout)
    daemon.kill()
    daemon.start()
    after = _wait(daemon, hers)["priority"]
    assert after["used_s"] == pytest.approx(before["used_s"], rel=0.01)
    assert daemon.client.job(nice_id)["nice"] == 100
    daemon.client.change(nice_id, "release")
    assert _wait(daemon, nice_id)["priority"]["nice"] == -100
    assert "- 100 (nice)" in daemon.run("rstat", "--explain", str(nice_id)).stdout
    daemon.client.update(nice_id, {"nice": -1})
    assert _wait(daemon, nice_id)["priority"]["nice"] == 1
    assert "its user has used" in daemon.run("rstat", "--explain", str(hers)).stdout


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_another_recipe_keeps_the_usage(start_daemon: Callable[..., Daemon]) -> None:
    options = ("--no-local-node", "--emulate", "1x1", "--recipe")
    daemon = start_daemon(*options, "fair-share")
    daemon.wait(_submit(daemon, "ann", 0.5))
    daemon.stop()
    daemon.options = (*options, "easy")
    daemon.start()
    daemon.wait(_submit(daemon, "bob", 0.5))
    daemon.stop()
    daemon.options = (*options, "fair-share")
    daemon.start()
    daemon.wait_for(_submit(daemon, "bob", 5000), "RUNNING")
    used = {
        user: _wait(daemon, _submit(daemon, user, 1))["priority"]["used_s"]
        for user in ("ann", "eve")
    }
    assert used["ann"] > 0.4
    assert used["eve"] == 0
