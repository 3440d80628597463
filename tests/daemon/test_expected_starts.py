"""Expected starts, and why jobs wait, on a real daemon."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands import BIN
from tests.daemon.trials import TIMED, waits_again
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_S = 1_000_000
_ONE_NODE = ("--no-local-node", "--emulate", "1x4")


def rstat(daemon: Daemon, *args: str) -> str:
    """Return what the command prints, into a pipe."""
    done = subprocess.run(
        [BIN / "rstat", *args], env=daemon.env, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def starts(daemon: Daemon) -> dict[int, dict[str, Any]]:
    return {start["job_id"]: start for start in daemon.client.plan()["starts"]}


@pytest.mark.long  # each starts a daemon and waits for real jobs
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
    assert plan["recipe"].partition(",")[0] == recipe  # a live plan has a depth
    assert plan["left_out"] == 0
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
    assert f"Expected:   {lines[1].split()[4]}, reserved (plan" in rstat(daemon, str(second))
    # The plan follows what happens: the queue goes on without the cancelled job.
    daemon.client.cancel(second)
    daemon.wait(second)
    assert starts(daemon)[third]["start_us"] == begun_us + 600 * _S


@pytest.mark.long  # a daemon is started, and its plan takes a while
def test_jobs_far_behind_have_expected_starts_of_an_earlier_plan(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Only the first 200 jobs of the queue had expected starts. A job that fits nowhere now is not
    far behind."""
    daemon = start_daemon(*_ONE_NODE)
    daemon.submit("sleep 600", tasks=4, time_limit_s=600)
    job = {"emulate": {"run_s": 60.0}, "tasks": 4, "time_limit_s": 60.0}
    ids = [one["job_id"] for one in daemon.client.submit([job] * 450)]

    def told() -> dict[str, Any]:
        plan = daemon.client.plan()
        assert plan["left_out"] == 450 - len(plan["starts"])
        return plan

    def all_told() -> dict[str, Any] | None:
        """Return a plan that has all jobs, those far behind from an earlier one."""
        plan = told()
        return plan if plan["left_out"] == 0 and plan["far_made_us"] is not None else None

    plan = wait_until(all_told)
    assert [start["job_id"] for start in plan["starts"]] == ids
    starts_us = [start["start_us"] for start in plan["starts"]]
    assert [(at - starts_us[0]) // _S for at in starts_us] == [60 * at for at in range(450)]
    assert plan["far_made_us"] < plan["made_us"]
    wait_until(lambda: "Far behind in the queue: of " in rstat(daemon, "--start").splitlines()[-1])
    told_last, text = explained(daemon, ids[-1])
    assert told_last["start"]["start_us"] == starts_us[-1]
    assert "Expected: 20" in text
    daemon.client.cancel(ids[300])
    assert daemon.client.plan()["left_out"] == 0
    assert ids[300] not in starts(daemon)


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


@pytest.mark.slow
def test_what_waits_for_its_trial_says_so(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_ONE_NODE, config='recipe = "timed-easy,trial=60"\nkill_grace = "1s"\n')
    runs = daemon.submit("sleep 600", tasks=4, time_limit_s=600)
    daemon.wait_for(runs, "RUNNING")
    assert "(on trial until " in rstat(daemon, str(runs))
    waits = daemon.submit("sleep 600", tasks=4, time_limit_s=600)
    begun_us = daemon.client.job(runs)["start_us"]
    start = starts(daemon)[waits]
    assert (start["basis"], start["start_us"]) == ("trial", begun_us + 60 * _S)
    assert ", for its trial (plan of " in rstat(daemon, str(waits))
    told, text = explained(daemon, runs)
    assert (told["job"]["reason"], told["expected_end_us"]) == ("Trial", begun_us + 60 * _S)
    assert "State: RUNNING (on trial until " in text
    assert f"Holds up: {waits} " in text
    told, text = explained(daemon, waits)
    assert "and 0 cpus are free now; its trial run starts as soon as it fits" in text


@pytest.mark.slow
def test_a_job_that_waits_after_its_trial_shows_it(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_ONE_NODE, config=TIMED)
    tried, _ = waits_again(daemon, "echo begun; sleep 600", tasks=4)
    assert ": killed after its trial run\n" in rstat(daemon, str(tried))
    assert "Attempts: 1: " in explained(daemon, tried)[1]


# ---------------------------------------------------------------- explained


def explained(daemon: Daemon, job_id: int) -> tuple[dict[str, Any], str]:
    """Return the explanation as JSON, and as text on one line."""
    told = json.loads(rstat(daemon, "--explain", str(job_id), "--json"))
    return told, " ".join(rstat(daemon, "--explain", str(job_id)).split())


@pytest.mark.slow
def test_why_jobs_wait_and_for_whom(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_ONE_NODE, config='recipe = "easy"\nkill_grace = "1s"\n')
    runs = daemon.submit("sleep 600", name="big", tasks=3, time_limit_s=600)
    daemon.wait_for(runs, "RUNNING")
    first = daemon.submit("sleep 600", name="wide", tasks=4, time_limit_s=300)
    second = daemon.submit("sleep 600", name="long", tasks=1, time_limit_s=1200)
    user = daemon.client.job(runs)["user"]

    told, text = explained(daemon, runs)
    assert [other["job_id"] for other in told["held_up"]] == [first, second]
    assert told["expected_end_us"] == told["job"]["start_us"] + 600 * _S
    assert "Predicted: 00:10:00, the user's estimate" in text
    assert f"Holds up: {first} wide ({user}), expected " in text

    told, text = explained(daemon, first)
    assert (told["start"]["basis"], told["promised_us"]) == (
        "reservation", told["start"]["start_us"],
    )  # fmt: skip
    assert [change["kind"] for change in told["changes"]] == ["promise"]
    assert "Why: it needs 4 cpus, and 1 cpu is free now " in text
    assert f"Waits for: {runs} big ({user}), 3 cpus, runs until " in text

    told, text = explained(daemon, second)
    assert (told["wait"]["place"], told["wait"]["fits_now"]) == (2, True)
    assert [other["job_id"] for other in told["wait"]["before"]] == [first]
    assert f"there is space for it, but job {first} wide ({user}) is first in the queue" in text
    assert "to run 00:20:00 and 0 cpus are left beside it" in text
    for line in rstat(daemon, "--explain", str(second)).splitlines():
        assert len(line) <= 80, line

    daemon.client.drain("e1", "a fan is broken")
    told, text = explained(daemon, first)
    assert told["start"] is None
    assert "Why: no set of nodes that are up could hold it" in text
    assert "Nodes: e1 is draining: a fan is broken" in text


@pytest.mark.slow
def test_corrections_and_where_predictions_come_from(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Timers at 50 times the speed: the user's runs of 10 s have the third predicted to run so."""
    daemon = start_daemon(
        *_ONE_NODE, "--rate", "50", config='recipe = "easy++"\ncapacity = "counted"\n'
    )
    learnt = [daemon.emulate(10, tasks=1, time_limit_s=3600) for _ in range(2)]
    for job_id in learnt:
        daemon.wait(job_id)
    specs: list[dict[str, Any]] = [
        {"emulate": {"run_s": run_s}, "tasks": 4, "time_limit_s": 3600} for run_s in (4000, 10)
    ]
    outlives, waits = (new["job_id"] for new in daemon.client.submit(specs))
    # The job would tell a moment sooner, before that is stored.
    wait_until(lambda: daemon.client.explain(outlives)["changes"])

    told, text = explained(daemon, outlives)
    assert [run["job_id"] for run in told["prediction"]["used"]] == learnt[::-1]
    [change] = told["changes"]
    begun_us = told["job"]["start_us"]
    assert change["kind"] == "correct"
    assert change["was_end_us"] >= begun_us + 10 * _S
    assert change["end_us"] == told["expected_end_us"] == begun_us + 3600 * _S
    assert "Since then: expected end " in text
    assert f"the average of the user's jobs {learnt[1]} (00:00:10), {learnt[0]} (00:00:10)" in text
    # The correction has moved the reservation: later than was promised.
    [other] = told["held_up"]
    assert (other["job_id"], other["start_us"]) == (waits, begun_us + 3600 * _S)
    assert other["promised_us"] == begun_us + 10 * _S
    told, text = explained(daemon, waits)
    assert told["promised_us"] == begun_us + 10 * _S
    assert " at first (at " in text


def test_a_job_that_is_over_is_explained(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_ONE_NODE)
    over = daemon.submit("exit 3", time_limit_s=60)
    daemon.wait(over)
    told, text = explained(daemon, over)
    assert (told["start"], told["wait"], told["expected_end_us"]) == (None, None, None)
    assert "State: FAILED: exited with 3 Request: 1 x 1 cpu Estimate: 00:01:00, the limit" in text
    assert "Attempts: 1: " in text
    done = subprocess.run(
        [BIN / "rstat", "--explain", "99"], env=daemon.env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (1, "rstat: error: there is no job 99\n")
