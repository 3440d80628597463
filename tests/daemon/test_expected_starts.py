"""Expected starts, and why jobs wait, on a real daemon."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.live import BIN, Daemon

pytestmark = pytest.mark.live

_S = 1_000_000
_ONE_NODE = ("--no-local-node", "--emulate", "1x4")


def rstat(daemon: Daemon, *args: str) -> str:
    """What the command prints, into a pipe."""
    done = subprocess.run(
        [BIN / "rstat", *args], env=daemon.env, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def starts(daemon: Daemon) -> dict[int, dict[str, Any]]:
    return {start["job_id"]: start for start in daemon.client.plan()["starts"]}


@pytest.mark.parametrize(
    ("recipe", "bases"),
    [("easy", ["reservation", "projection"]), ("conservative", ["reservation", "reservation"])],
)
def test_the_waiting_jobs_are_expected_one_after_the_other(
    start_daemon: Callable[..., Daemon], recipe: str, bases: list[str]
) -> None:
    daemon = start_daemon(*_ONE_NODE, config=f'recipe = "{recipe}"\nkill_grace = "1s"\n')
    runs = daemon.submit("sleep 600", tasks=4, time_limit_s=600)
    daemon.wait_for(runs, "RUNNING")
    second = daemon.submit("sleep 600", tasks=4, time_limit_s=300)
    third = daemon.submit("sleep 600", tasks=3, time_limit_s=900)
    plan = daemon.client.plan()
    assert (plan["recipe"], plan["left_out"]) == (recipe, 0)
    assert [start["job_id"] for start in plan["starts"]] == [second, third]
    assert [start["basis"] for start in plan["starts"]] == bases
    begun_us = daemon.client.job(runs)["start_us"]
    assert [start["start_us"] - begun_us for start in plan["starts"]] == [600 * _S, 900 * _S]
    [first, *_] = json.loads(rstat(daemon, "--start", "--json"))["jobs"]
    assert (first["job_id"], first["expected_basis"]) == (second, "reservation")
    assert first["expected_start_us"] == begun_us + 600 * _S
    lines = rstat(daemon, "--start").splitlines()
    assert lines[0].split()[4:6] == ["START_TIME", "NODES"]
    assert [line.split()[0] for line in lines[1:]] == [str(second), str(third), "Plan"]
    assert f"Expected:   {lines[1].split()[4]}, which is reserved for it" in rstat(
        daemon, str(second)
    )
    # The plan follows what happens: the queue goes on without the cancelled job.
    daemon.client.cancel(second)
    daemon.wait(second)
    assert starts(daemon)[third]["start_us"] == begun_us + 600 * _S


def test_who_cannot_start_is_not_expected_to(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_ONE_NODE)
    daemon.client.drain("e1", "maintenance")
    waits = daemon.submit("true", tasks=2, time_limit_s=60)
    assert daemon.client.job(waits)["reason"] == "ReqNodeNotAvail"
    assert starts(daemon) == {}
    assert rstat(daemon, "--start", "-h", "-o", "%i %S") == f"{waits} N/A\n"
    assert "Expected:   cannot be told" in rstat(daemon, str(waits))
    daemon.client.resume("e1")
    assert daemon.wait(waits)["state"] == "COMPLETED"


def test_what_waits_for_its_trial_says_so(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_ONE_NODE, config='recipe = "timed-easy,trial=60"\nkill_grace = "1s"\n')
    runs = daemon.submit("sleep 600", tasks=4, time_limit_s=600)
    daemon.wait_for(runs, "RUNNING")
    assert "(on trial until " in rstat(daemon, str(runs))
    waits = daemon.submit("sleep 600", tasks=4, time_limit_s=600)
    begun_us = daemon.client.job(runs)["start_us"]
    start = starts(daemon)[waits]
    assert (start["basis"], start["start_us"]) == ("trial", begun_us + 60 * _S)
    assert ", its trial run; a projection (plan of " in rstat(daemon, str(waits))
