"""Limits, what comes before them and what comes after.

Long: daemons are started, and real jobs waited for until they reach a limit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from tests.daemon.trials import TIMED, TWO_CORES, head_of_queue, let_go
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

LOOP = "while :; do sleep 0.05; done"
BEFORE_S = (58, 45)
"""Ahead of a limit of a minute; earlier in a job where the machine was too slow to set a trap."""


@pytest.mark.parametrize("overrun", ["0s", "1s"])
@pytest.mark.parametrize(
    ("kill_grace", "ended"),
    [
        ("30s", {"trap 'exit 0' TERM": (0, None), "trap 'exit 7' TERM": (7, None), "": (None, 15)}),
        ("0.5s", {"trap '' TERM": (None, 9)}),
    ],
)
def test_timeout_is_timeout_whatever_the_job_makes_of_it(
    start_daemon: Callable[..., Daemon],
    overrun: str,
    kill_grace: str,
    ended: dict[str, tuple[int | None, int | None]],
) -> None:
    daemon = start_daemon(config=f'kill_grace = "{kill_grace}"\noverrun = "{overrun}"\n')
    for time_limit_s in (1, 5, 25):  # longer where the machine was too slow to set the traps
        ids = [
            daemon.submit(f"{trap}\necho $RMS_JOB_ID >> up\n{LOOP}", time_limit_s=time_limit_s)
            for trap in ended
        ]
        jobs = [daemon.wait(job_id) for job_id in ids]
        if {*map(str, ids)} <= {*daemon.lines("up")}:
            break
    assert {(job["state"], job["reason"], job["cause"]) for job in jobs} == {
        ("TIMEOUT", "TimeLimit", "limit")
    }
    assert [(job["exit_code"], job["signal"]) for job in jobs] == list(ended.values())


def test_who_ends_within_the_overrun_has_completed(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(config='overrun = "1m"\n')
    job = daemon.wait(daemon.submit("sleep 0.3", time_limit_s=0.1))
    assert (job["state"], job["elapsed_s"] > job["time_limit_s"]) == ("COMPLETED", True)


def test_the_signal_comes_while_the_daemon_is_down(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon()
    for before_s in BEFORE_S:
        job_id = daemon.submit(
            f"trap 'echo saved > state; exit 3' USR1; echo > up; {LOOP}",
            time_limit_s=60,
            warn_signal={"number": 10, "before_s": before_s, "batch": True},
        )
        wait_until(lambda job_id=job_id: daemon.lines("up") or daemon.state_of(job_id) == "FAILED")
        if daemon.lines("up"):
            break
    daemon.kill()
    wait_until(lambda: daemon.lines("state") == ["saved"])
    daemon.start()
    job = daemon.wait(job_id)
    assert (job["state"], job["exit_code"]) == ("FAILED", 3)


@pytest.mark.parametrize("batch", [True, False])
def test_rsub_asks_and_rstat_tells(start_daemon: Callable[..., Daemon], batch: bool) -> None:
    daemon = start_daemon()
    colon = "B:" if batch else ""
    trap = "trap 'echo $0 >> heard; exit 4' USR1"
    (daemon.work / "child").write_text(f"#!/bin/sh\n{trap}\n{LOOP}\n")
    for before_s in BEFORE_S:
        (daemon.work / "job").write_text(
            f"#!/bin/sh\n#SBATCH --signal={colon}USR1@{before_s}\n#SBATCH -t 1\n"
            f"{trap}\nsh child & wait $!\n"
        )
        asked: dict[str, Any] = json.loads(daemon.run("rsub", "--json", "job", expect=0).stdout)
        [told] = asked["jobs"]
        whom = "the script alone" if batch else "all processes but the script's own"
        shown = daemon.run("rstat", str(told["job_id"]), expect=0).stdout
        assert f"10 (SIGUSR1) {before_s} s before the limit, to {whom}" in shown
        ended = daemon.client.wait(told["job_id"])  # at its limit if nobody was there to hear it
        if daemon.lines("heard"):
            break
    assert ended["exit_code"] == 4
    [who] = daemon.lines("heard")
    assert who.endswith("script" if batch else "child")


def test_a_trial_is_told_before_its_end(start_daemon: Callable[..., Daemon]) -> None:
    def told(trial_s: int, before_s: int) -> bool:
        """Return whether the text that the trial wrote when it was told was there before the next
        job began."""
        config = TIMED.replace("trial=1", f"trial={trial_s}")
        daemon = start_daemon(*TWO_CORES, config=config)
        second = head_of_queue(daemon, "cat state > seen")
        first = daemon.submit(
            f'[ "$RMS_ATTEMPT" = 2 ] && exit 0; trap "echo saved > state" USR1; {LOOP}',
            warn_signal={"number": 10, "before_s": before_s, "batch": True},
        )
        let_go(daemon)  # the next one waits for the end of the trial
        daemon.wait(second)
        return (daemon.lines("seen"), daemon.wait(first)["attempt"]) == (["saved"], 2)

    assert told(3, 1) or told(30, 15), "also where the machine had time"


def test_what_is_no_signal_is_refused(daemon: Daemon) -> None:
    for warn, detail in (
        ({"number": 0}, "'warn_signal.number' is 0; it must be 1 to 64"),
        ({"number": 65}, "'warn_signal.number' is 65"),
        ({"number": 10, "before_s": -1}, "'warn_signal.before_s' is -1.0; it must be 0 to 65535"),
        ({"number": 10, "whom": "all"}, "unknown field `whom`"),
    ):
        with pytest.raises(ApiError, match=detail):
            daemon.submit("true", warn_signal=warn)
    with pytest.raises(ApiError, match="there is no script to be told"):
        daemon.emulate(1, warn_signal={"number": 10})
