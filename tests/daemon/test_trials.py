"""Trial runs and plans, live: real processes, emulated nodes, and kill -9 in the middle.

Long: daemons are started, and the ends of real jobs waited for.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from rmsd_client.errors import ApiError
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_wire.hostlist import expand
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.trials import TIMED, TWO_CORES, head_of_queue, let_go, waits_again
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

ONE_CORE = ("--no-local-node", "--emulate", "1x1")
LONG_AT_FIRST = 'echo "$RMS_ATTEMPT $RMS_TRIAL" >> ran; [ "$RMS_ATTEMPT" = 2 ] || sleep 600'


def causes(daemon: Daemon, job_id: int) -> list[str | None]:
    return [attempt["cause"] for attempt in daemon.client.attempts(job_id)]


def test_a_trial_is_killed_for_another_and_restarted(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    other = head_of_queue(daemon, 'echo "other $RMS_TRIAL_END" >> ran')
    restarted = daemon.submit(LONG_AT_FIRST, stdout="%r.out")
    wait_until(lambda: daemon.lines("ran"))
    let_go(daemon)
    tried = daemon.wait(other)
    assert tried["state"] == "COMPLETED"
    job = daemon.wait(restarted)
    assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
    assert job["lost_s"] >= 1
    assert causes(daemon, restarted) == ["trial", "exit"]
    first, between, second = daemon.lines("ran")
    assert (first, second) == ("1 1", "2 0")
    trial_end_us = int(between.split()[1]) * SECOND_US  # the answer is in whole seconds
    assert abs(trial_end_us - tried["start_us"] - SECOND_US) < 2 * SECOND_US
    assert (daemon.work / "1.out").exists()
    assert (daemon.work / "2.out").exists()
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


def test_what_a_trial_has_survived_is_stored_with_its_expiry(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Nothing is decided then, so the event is a `no-op`, and the job's row alone tells."""
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    head_of_queue(daemon)
    job_id = daemon.submit("sleep 600")
    query = (
        "SELECT survived_us, (SELECT kind FROM event ORDER BY id DESC LIMIT 1) FROM job "
        "WHERE id = ? AND survived_us > 0"
    )
    with contextlib.closing(sqlite3.connect(daemon.state / "rmsd.db")) as database:
        stored = wait_until(lambda: database.execute(query, (job_id,)).fetchone())
    assert stored == (SECOND_US, "no-op")


def test_a_script_that_is_refused_tasks_because_it_is_killed_has_not_failed(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The agent is held up, so that the script goes on for a while after the kill was decided."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x3", config=TIMED)
    head_of_queue(daemon, tasks=3)
    job_id = daemon.submit("while [ ! -e ask ]; do sleep 0.02; done; rrun true", tasks=2)
    daemon.wait_for(job_id, "RUNNING")
    wait_until(lambda: daemon.client.job(job_id)["reason"] == "TrialExpired")
    agent = psutil.Process(daemon.agent_pid)
    agent.suspend()
    try:
        daemon.submit("true", tasks=2)  # the job has its trial at once
        daemon.wait_for(job_id, "COMPLETING")
        (daemon.work / "ask").touch()
        wait_until(lambda: rrun_is_connected(daemon), "rrun asks the daemon")
    finally:
        agent.resume()
    let_go(daemon)
    job = daemon.wait(job_id)
    assert (job["state"], causes(daemon, job_id)) == ("COMPLETED", ["trial", "exit"])


def rrun_is_connected(daemon: Daemon) -> bool:
    for process in daemon.processes():
        with contextlib.suppress(psutil.Error):
            asks = any(Path(word).name == "rrun" for word in process.cmdline())
            if asks and process.net_connections("unix"):
                return True
    return False


def test_a_killed_trial_ended_when_it_did_though_its_job_is_cancelled_later(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    restarted, _ = waits_again(daemon, "echo begun; sleep 600")
    before = daemon.client.attempts(restarted)
    assert before[0]["cause"] == "trial"
    daemon.client.cancel(restarted)
    assert daemon.wait(restarted)["state"] == "CANCELLED"
    assert daemon.client.attempts(restarted) == before
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


@pytest.mark.parametrize("trial_output", ["truncate", "keep"])
def test_the_output_of_a_killed_trial(
    start_daemon: Callable[..., Daemon], trial_output: str
) -> None:
    daemon = start_daemon(*TWO_CORES, config=f'{TIMED}trial_output = "{trial_output}"\n')
    (daemon.work / "elsewhere").mkdir()
    (daemon.work / "out").symlink_to("elsewhere/file")
    writes = f"echo out $RMS_ATTEMPT; echo err $RMS_ATTEMPT >&2; {LONG_AT_FIRST}"
    other = head_of_queue(daemon)
    restarted = daemon.submit(writes, stdout="out", stderr="%j.err")
    wait_until(lambda: daemon.lines("ran"))
    let_go(daemon)
    assert daemon.wait(other)["state"] == "COMPLETED"
    assert daemon.wait(restarted)["attempt"] == 2
    assert daemon.lines("elsewhere/file") == daemon.lines("out") == ["out 2"]
    assert daemon.lines(f"{restarted}.err") == ["err 2"]
    kept = trial_output == "keep"
    assert daemon.lines("elsewhere/file.attempt1") == ["out 1"] * kept
    assert daemon.lines(f"{restarted}.err.attempt1") == ["err 1"] * kept


def test_the_output_of_a_job_that_starts_again_is_read_by_attempt(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    client = daemon.client
    until_end = "while [ ! -e end ]; do sleep 0.02; done"
    job_id, other = waits_again(
        daemon, f'[ "$RMS_ATTEMPT" = 1 ] && echo one of two && sleep 600; echo two; {until_end}'
    )
    parts = [client.output(job_id, attempt=attempt) for attempt in (None, 1, 7)]
    told = [(part.data, part.offset, part.attempt, part.eof) for part in parts]
    assert told == [(b"one of two\n", 11, 1, False)] * 3
    for wait_s in (0.0, 0.3):  # the unit has ended, and the job has not
        part = client.output(job_id, offset=11, attempt=1, wait_s=wait_s)
        assert (part.data, part.offset, part.attempt, part.eof) == (b"", 11, 1, False)
    client.cancel(other)
    part = client.output(job_id, offset=11, attempt=1, wait_s=DEADLINE_S)
    assert (part.data, part.offset, part.attempt, part.eof) == (b"two\n", 4, 2, False)
    for attempt in (None, 2):
        part = client.output(job_id, offset=2, attempt=attempt)
        assert (part.data, part.attempt) == (b"o\n", 2)
    (daemon.work / "end").touch()
    part = client.output(job_id, offset=4, attempt=2, wait_s=DEADLINE_S)
    assert (part.data, part.offset, part.eof) == (b"", 4, True)
    assert client.job(job_id)["state"] == "COMPLETED"
    part = client.output(job_id, offset=11, attempt=1)
    assert (part.data, part.offset, part.attempt, part.eof) == (b"two\n", 4, 2, True)


def test_the_output_of_a_killed_trial_whose_file_is_gone(
    start_daemon: Callable[..., Daemon],
) -> None:
    """A caller that can wait hears of what comes next, and one that cannot is told so."""
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    job_id, other = waits_again(daemon, 'echo $RMS_ATTEMPT; [ "$RMS_ATTEMPT" = 2 ] || sleep 600')
    (daemon.work / f"rms-{job_id}.out").unlink()
    with pytest.raises(ApiError, match="No such file") as failed:
        daemon.client.output(job_id)
    assert failed.value.status == 404
    part = daemon.client.output(job_id, wait_s=0.3)
    assert (part.data, part.attempt, part.eof) == (b"", 1, False)
    daemon.client.cancel(other)
    part = daemon.client.output(job_id, attempt=1, wait_s=DEADLINE_S)
    assert (part.data, part.attempt) == (b"2\n", 2)


def test_who_follows_a_job_that_is_cancelled_while_it_waits_is_told_its_end(
    start_daemon: Callable[..., Daemon],
) -> None:
    """What the job wrote before cannot be read any more."""
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    job_id, _ = waits_again(daemon, "echo begun; sleep 600")
    (daemon.work / f"rms-{job_id}.out").unlink()
    daemon.client.cancel(job_id)
    part = daemon.client.output(job_id, attempt=1, wait_s=DEADLINE_S)
    assert (part.data, part.attempt, part.eof) == (b"", 1, True)


@pytest.mark.parametrize(
    ("config", "spec"), [("restartable = false\n", {}), ("", {"requeue": False})]
)
def test_what_may_not_be_restarted_is_not_tried(
    start_daemon: Callable[..., Daemon], config: str, spec: dict[str, bool]
) -> None:
    daemon = start_daemon(*ONE_CORE, config=TIMED + config)
    holds = daemon.submit("while [ ! -e go ]; do sleep 0.05; done; echo $RMS_TRIAL >> ran", **spec)
    willing = daemon.submit("true", restartable=True)
    daemon.wait_for(holds, "RUNNING")
    job = daemon.client.job(holds)
    assert (job["reason"], job["restartable"]) == ("None", False)
    assert daemon.client.job(willing)["restartable"]
    (daemon.work / "go").touch()
    assert daemon.wait(holds)["attempt"] == daemon.wait(willing)["attempt"] == 1
    assert daemon.lines("ran") == ["0"]


def test_an_expired_trial_runs_on_while_nobody_needs_its_place(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*TWO_CORES, config=TIMED)
    runs = daemon.submit("while [ ! -e go ]; do sleep 0.05; done; exit 3")
    wait_until(lambda: daemon.client.job(runs)["reason"] == "None")  # the trial was committed
    assert daemon.client.job(runs)["trial_end_us"] is None
    (daemon.work / "go").touch()
    assert daemon.wait(runs)["exit_code"] == 3
    assert causes(daemon, runs) == ["exit"]


@pytest.mark.parametrize("recipe", ["timed-easy,trial=1", "easy"])
def test_what_fails_is_known_within_its_trial(
    start_daemon: Callable[..., Daemon], recipe: str
) -> None:
    """The machine is full and has a queue, and a script fails at once: this is the demo of the
    README."""
    daemon = start_daemon(*TWO_CORES, config=f'recipe = "{recipe}"\n')
    head = head_of_queue(daemon)  # no trial is killed for a job that has had its own
    held = [head, *(daemon.submit("sleep 600") for _ in range(2))]
    fails = daemon.submit("exit 3")
    if recipe == "easy":
        job = daemon.client.job(fails)
        assert (job["state"], job["reason"]) == ("PENDING", "Priority")
    else:
        assert daemon.wait(fails)["exit_code"] == 3
        assert causes(daemon, fails) == ["exit"]
    live = {daemon.state_of(job_id) for job_id in held}
    assert live <= {"RUNNING", "PENDING", "CONFIGURING", "COMPLETING"}


@pytest.mark.parametrize("when", ["in the trial", "after the kill"])
def test_the_daemon_is_killed(start_daemon: Callable[..., Daemon], when: str) -> None:
    """The kill comes in the middle of a trial, and between a kill of a trial and its confirmation.
    Two daemons start, one after the other, and trials of 1 s expire."""
    daemon = start_daemon(*TWO_CORES, config=TIMED.replace('"1s"', '"60s"'))
    other = head_of_queue(daemon, "echo other >> ran")
    until_end = "while [ ! -e end$RMS_ATTEMPT ]; do sleep 0.02; done"
    # The script sets its trap first: the kill may come right after it has written.
    writes = 'echo "$RMS_ATTEMPT $RMS_TRIAL" >> ran'
    stubborn = daemon.submit(f"trap 'echo term >> ran' TERM; {writes}; {until_end}")
    wait_until(lambda: daemon.lines("ran"))
    if when == "after the kill":
        let_go(daemon)
        daemon.wait_for(stubborn, "COMPLETING")
        assert daemon.client.job(other)["reason"] == "Claimed"
    daemon.kill()
    daemon.start()
    let_go(daemon)
    wait_until(lambda: "term" in daemon.lines("ran"))
    (daemon.work / "end1").touch()
    assert daemon.wait(other)["attempt"] == 1
    daemon.wait_for(stubborn, "RUNNING")
    wait_until(lambda: len(daemon.lines("ran")) >= 4)
    assert daemon.lines("ran") == ["1 1", "term", "other", "2 0"]
    daemon.client.cancel(stubborn)
    # the job must not end before the test says so
    wait_until(lambda: daemon.lines("ran").count("term") == 2)
    (daemon.work / "end2").touch()
    assert daemon.wait(stubborn)["state"] == "CANCELLED"
    assert causes(daemon, stubborn) == ["trial", "user"]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    with contextlib.closing(sqlite3.connect(daemon.state / "rmsd.db")) as database:
        runs = database.execute(
            "SELECT start_us, end_us FROM attempt WHERE job_id IN (?, ?) ORDER BY start_us",
            (stubborn, other),
        )
        times = [us for run in runs for us in run]
    assert times == sorted(times)  # no attempt started before the earlier one was gone


# ---------------------------------------------------------------- as simulated

RATES = (40, 10, 4)
"""The next one where the machine was too slow for the one before."""
WORKLOAD = [
    (38, 6, 600),
    (175, 6, 176),
    (168, 3, 600),
    (45, 5, 46),
    (151, 6, 302),
    (166, 2, 600),
    (54, 6, 55),
]
"""(run time, size, estimate), all submitted at once; in the simulation no two events of different
instants are closer than 38 s."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "recipe",
    [
        "conservative",
        "selective,threshold=2",
        "dynp,bounds=250/400,min-queue=3",
        "timed-easy,trial=100",
        "timed-conservative,trial=100",
    ],
)
def test_emulated_jobs_run_as_simulated(start_daemon: Callable[..., Daemon], recipe: str) -> None:
    """A machine that is held up for a second by something else changes the order. The test then
    runs once more and slower, which makes no wrong schedule right. At the first rate the jobs take
    15 s to 22 s."""
    trace = [
        TraceJob(at, 0, run_s, size, estimate_s, "a", 1)
        for at, (run_s, size, estimate_s) in enumerate(WORKLOAD)
    ]
    simulated = simulate(trace, 8, parse_recipe(recipe)).jobs
    expected = [(job.start_us, job.attempts, job.backfilled) for job in simulated]
    for rate in RATES:
        live = run_live(start_daemon, recipe, rate)
        if in_order(live) == in_order(expected):
            break
    assert in_order(live) == in_order(expected)


Outcome = tuple[int, int, bool]
"""When a job started for good, in which attempt, and whether it was backfilled."""


def in_order(outcomes: list[Outcome]) -> list[tuple[int, int, bool]]:
    """Return the jobs by start, those of one instant as they were submitted; live there is none
    such."""
    by_start = sorted(range(len(outcomes)), key=lambda at: (outcomes[at][0], at))
    return [(at, *outcomes[at][1:]) for at in by_start]


def run_live(start_daemon: Callable[..., Daemon], recipe: str, rate: int) -> list[Outcome]:
    """Run the workload through a daemon of its own, whose jobs run exactly as long as they
    should."""
    daemon = start_daemon(
        "--no-local-node", "--emulate", "1x8", "--rate", str(rate),
        config=f'recipe = "{recipe}"\ncapacity = "counted"\n',
    )  # fmt: skip
    specs: list[dict[str, Any]] = [
        {"emulate": {"run_s": run_s}, "tasks": size, "time_limit_s": estimate_s}
        for run_s, size, estimate_s in WORKLOAD
    ]
    ids = [told["job_id"] for told in daemon.client.submit(specs)]
    jobs = [daemon.client.wait(job_id) for job_id in ids]  # longer than a minute at the last rate
    for job, (run_s, _, _) in zip(jobs, WORKLOAD, strict=True):
        assert job["end_us"] - job["start_us"] == run_s * SECOND_US
        assert causes(daemon, job["job_id"]) == ["trial"] * (job["attempt"] - 1) + ["exit"]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    return [(job["start_us"], job["attempt"], job["backfilled"]) for job in jobs]


def test_a_step_of_an_earlier_attempt_starts_nothing(start_daemon: Callable[..., Daemon]) -> None:
    """The request of the step may have been under way while the daemon did not answer."""
    daemon = start_daemon(*ONE_CORE)
    job_id = daemon.submit("while [ ! -e go ]; do sleep 0.02; done")
    daemon.wait_for(job_id, "RUNNING")
    [node] = expand(daemon.client.job(job_id)["nodelist"])
    task = {"node": node, "step": "s", "task": 0, "argv": ["sh", "-c", "echo ran >> ran"]}
    with pytest.raises(ApiError, match=f"attempt 2 of job {job_id} is over"):
        daemon.client.start_task(job_id, {**task, "attempt": 2})
    daemon.client.start_task(job_id, {**task, "attempt": 1})
    wait_until(lambda: daemon.lines("ran"))
    assert daemon.lines("ran") == ["ran"]
    (daemon.work / "go").touch()
    assert daemon.wait(job_id)["state"] == "COMPLETED"
