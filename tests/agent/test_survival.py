"""Agents and shepherds that are killed in the middle of things come back.

Long: agents and shepherds are killed and started again.
"""

from __future__ import annotations

import contextlib
import json
import signal
import time
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from rmsd_agent.shepherd.standalone.processes import boot_id
from rmsd_agent.state.files import read_record, write_record
from rmsd_agent.state.records import ClaimedUnit, UnitStatus
from rmsd_agent.units.leftovers import read_attempt
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport, WarnSignal
from tests.agent.kept_attempts import HELD, RUNNING, STATUS, leave_behind
from tests.agent.rig import sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig


def test_a_job_outlives_a_killed_agent_and_its_true_end_is_reported(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 5")
    launched = rig.peer.wait(LaunchedReport, 1)
    rig.end_agent()
    assert rig.start().held == HELD
    assert rig.peer.wait(LaunchedReport, 1, count=2).pid == launched.pid
    go.touch()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.exit_code) == (Cause.EXIT, 5)


def test_an_end_while_no_agent_was_there_is_reported(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 5")
    rig.peer.wait(LaunchedReport, 1)
    rig.end_agent()
    go.touch()
    wait_until(lambda: read_record(rig.jobs_dir / STATUS, UnitStatus))
    hello = rig.start()
    end = rig.peer.wait(ExitedReport, 1)
    assert [(one.job_id, one.over) for one in hello.held] == [(1, True)]
    assert (end.cause, end.exit_code) == (Cause.EXIT, 5)
    assert end.ago_s > 0
    # the end comes with the Hello, before the attempt counts as lost
    assert end in rig.peer.frames[-1]


def test_agents_come_and_go_while_many_jobs_end(rig: Rig) -> None:
    """Every job runs once and ends once with its own code, however often the agent is killed."""
    rig.start()
    count = 12
    for job_id in range(1, count + 1):
        rig.launch(job_id, f"echo ran >> {job_id}.runs; sleep 0.{job_id:02d}; exit {job_id}")
    for _ in range(4):
        wait_until(lambda: rig.peer.all(LaunchedReport))
        rig.end_agent()
        held = {h.job_id for h in rig.start().held} | {e.job_id for e in rig.peer.all(ExitedReport)}
        # the attempts that were not confirmed, as a daemon would see them
        for job_id in set(range(1, count + 1)) - held:
            rig.launch(job_id, f"echo ran >> {job_id}.runs; exit {job_id}")
    for job_id in range(1, count + 1):
        assert rig.peer.wait(ExitedReport, job_id).exit_code == job_id
        assert (rig.work / f"{job_id}.runs").read_text() == "ran\n"


def test_the_limit_holds_without_an_agent(rig: Rig) -> None:
    rig.peer.acknowledges = False  # the record of the end stays, if there was an agent yet
    rig.start()
    rig.launch(1, "sleep 60", time_limit_s=0.5)
    rig.peer.wait(LaunchedReport, 1)
    rig.end_agent()
    wait_until(lambda: read_record(rig.jobs_dir / STATUS, UnitStatus))
    rig.start()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.LIMIT


def test_a_stop_reaches_a_job_whose_shepherd_has_not_dialed_in_yet(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 60")
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    shepherd = rig.shepherd_of(pid)
    shepherd.suspend()
    rig.end_agent()
    rig.start()
    rig.stop(1)
    shepherd.resume()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.USER, signal.SIGTERM)


def test_a_killed_shepherd_costs_the_exit_status_but_not_the_job(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; echo done; exit 5")
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    rig.shepherd_of(pid).kill()
    go.touch()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.exit_code) == (Cause.UNKNOWN, None)
    assert "shepherd" in end.message
    assert rig.output(1) == "done\n"


def limit_files(process: psutil.Process, soft: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):  # idle ones come and go
        hard = process.rlimit(psutil.RLIMIT_NOFILE)[1]
        process.rlimit(psutil.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
def test_a_job_waits_while_the_agent_cannot_write_its_files(rig: Rig) -> None:
    rig.start()
    away = rig.jobs_dir.with_name("away")
    rig.jobs_dir.rename(away)
    rig.launch(1, "echo ran")
    rig.launch(2, "echo ran")
    wait_until(lambda: rig.log().count('"attempt-delayed"') >= 2)
    rig.stop(2)
    assert rig.peer.wait(ExitedReport, 2).cause is Cause.USER
    away.rename(rig.jobs_dir)
    assert rig.peer.wait(ExitedReport, 1).exit_code == 0
    assert rig.output(1) == "ran\n"


@pytest.mark.slow
def test_a_job_that_waited_has_its_time_from_its_start(rig: Rig) -> None:
    rig.peer.acknowledges = False  # the records stay
    rig.start()
    away = rig.jobs_dir.with_name("away")
    rig.jobs_dir.rename(away)
    warn = WarnSignal(int(signal.SIGUSR1), 50.0, batch=True)
    rig.launch(1, "sleep 60", warn_signal=warn)
    wait_until(lambda: '"attempt-delayed"' in rig.log())
    not_begun_s = time.monotonic()
    away.rename(rig.jobs_dir)
    rig.peer.wait(LaunchedReport, 1)
    running = read_record(rig.jobs_dir / RUNNING, ClaimedUnit)
    found = read_attempt(rig.jobs_dir / "1.1.n1", boot_id())  # the knowledge of a later agent
    assert running is not None
    assert found is not None
    assert running.warn is not None
    assert min(running.warn.at_s) >= not_begun_s + 10
    assert found[0].deadline_s == running.deadline_s


@pytest.mark.slow
def test_a_job_waits_when_its_shepherd_has_no_file_to_spare(rig: Rig) -> None:
    rig.start()
    job_ids = iter(range(1, 1000))
    started = []

    def launch_one() -> bool:
        for shepherd in rig.shepherds():
            limit_files(shepherd, 3)
        job_id = rig.launch(next(job_ids), "echo $RMS_JOB_START_TIME").job_id
        started.append(job_id)
        # Nothing is about to start when the next limits are set, which it would not survive.
        wait_until(lambda: rig.peer.all(ExitedReport, job_id) or '"unit-delayed"' in rig.log())
        return '"unit-delayed"' in rig.log()

    wait_until(launch_one)
    for shepherd in rig.shepherds():
        limit_files(shepherd, 256)
    for job_id in started:
        assert rig.peer.wait(ExitedReport, job_id).cause is Cause.EXIT
    for line in rig.log().splitlines():
        if '"unit-delayed"' in line:
            delayed = json.loads(line)
            delayed_at_s = datetime.fromisoformat(delayed["ts"]).timestamp()
            job_id = int(delayed["unit"].partition(".")[0])
            assert int(rig.output(job_id)) > delayed_at_s  # whole seconds; again after 2


def test_both_killed_and_the_limit_still_holds(rig: Rig) -> None:
    rig.start()
    marks = [rig.marker(), rig.marker()]
    rig.launch(1, f"trap '' TERM; sleep {marks[0]} & sleep {marks[1]}; wait", kill_grace_s=0.1)
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    wait_until(lambda: all(sleeping(mark) for mark in marks))
    shepherd = rig.shepherd_of(pid)
    rig.end_agent()
    shepherd.kill()
    assert rig.start().held == HELD
    rig.end_agent()
    running = read_record(rig.jobs_dir / RUNNING, ClaimedUnit)
    assert running is not None
    over = msgspec.structs.replace(running, deadline_s=time.monotonic())
    write_record(rig.jobs_dir / RUNNING, over)
    rig.start()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.LIMIT
    assert not [mark for mark in marks if sleeping(mark)]


@pytest.mark.slow
def test_a_job_that_kills_its_shepherd_at_once_is_under_its_limit_all_the_same(rig: Rig) -> None:
    """Often the job does so before its pid has been recorded."""
    rig.start()
    marks = {job_id: rig.marker() for job_id in range(1, 9)}
    for job_id, mark in marks.items():
        rig.launch(job_id, f"kill -9 $PPID; sleep {mark}", time_limit_s=0.5, kill_grace_s=0.1)
    for job_id, mark in marks.items():
        assert rig.peer.wait(ExitedReport, job_id).cause is Cause.LIMIT
        assert not sleeping(mark)
    assert len(rig.peer.all(LaunchedReport)) >= len(marks)


def test_what_left_the_session_and_the_tree_is_known_by_its_mark(rig: Rig) -> None:
    rig.start()
    marks = [rig.marker() for _ in range(3)]
    rig.launch(
        1,
        f"""
        setsid sleep {marks[0]} &
        (setsid setsid sleep {marks[1]} &)
        until [ -e go ]; do sleep 0.02; done
        kill -9 $PPID
        sleep {marks[2]}
        """,
        kill_grace_s=0.1,
    )
    wait_until(lambda: sleeping(marks[0]) and sleeping(marks[1]))
    (rig.work / "go").touch()
    wait_until(lambda: '"shepherd-killed"' in rig.log())
    assert all(sleeping(mark) for mark in marks[:2])
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not [mark for mark in marks if sleeping(mark)]


@pytest.mark.long  # waits for shepherds that stand still
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("by_limit", [False, True])
def test_a_job_that_stops_its_shepherd_is_ended(rig: Rig, again: bool, by_limit: bool) -> None:
    """A shepherd has 2 s more than was agreed, and 3 s after it has been continued."""
    rig.start()
    mark = rig.marker()
    body = "while :; do kill -STOP $PPID; done" if again else f"kill -STOP $PPID; sleep {mark}"

    def launch(job_id: int, time_limit_s: float) -> None:
        rig.launch(job_id, body, time_limit_s=time_limit_s if by_limit else None, kill_grace_s=0.1)

    def is_stopped(_: int) -> bool:
        return any(p.info["status"] == psutil.STATUS_STOPPED for p in rig.shepherds())

    job_id = rig.in_time(launch, is_stopped)
    if not by_limit:
        rig.stop(job_id)
    end = rig.peer.wait(ExitedReport, job_id)
    assert end.cause is (Cause.LIMIT if by_limit else Cause.USER)
    assert not sleeping(mark)
    assert rig.run(9, "exit 3").exit_code == 3


@pytest.mark.long  # waits for a shepherd that stands still
def test_a_stopped_shepherd_is_noticed_by_the_next_agent(rig: Rig) -> None:
    rig.start()

    def launch(job_id: int, time_limit_s: float) -> None:
        body = "trap '' TERM; echo up; while :; do sleep 0.05; done"
        rig.launch(job_id, body, time_limit_s=time_limit_s, kill_grace_s=0.1)

    def suspend(job_id: int) -> bool:
        pid = rig.peer.wait(LaunchedReport, job_id).pid
        assert pid is not None
        rig.shepherd_of(pid).suspend()
        return True

    job_id = rig.in_time(launch, rig.has_said("up"), suspend)
    rig.end_agent()
    rig.start()
    end = rig.peer.wait(ExitedReport, job_id)
    # the shepherd killed the job, and knows why
    assert (end.cause, end.signal) == (Cause.LIMIT, signal.SIGKILL)


def test_a_unit_that_a_dead_shepherd_claimed_and_never_started_is_unknown(rig: Rig) -> None:
    leave_behind(rig)
    (rig.jobs_dir / "9.1.n1/batch/running.json").touch()
    rig.start()
    assert rig.peer.wait(ExitedReport, 9).cause is Cause.UNKNOWN


def test_all_killed_is_unknown(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 60")
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    shepherd, job = rig.shepherd_of(pid), psutil.Process(pid)
    rig.end_agent()
    shepherd.kill()
    job.kill()
    rig.start()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.UNKNOWN


def test_what_never_started_is_dropped_and_can_be_launched_again(rig: Rig) -> None:
    leave_behind(rig)
    assert rig.start().held == []
    assert not rig.peer.all(ExitedReport)
    assert rig.run(9, "exit 4").exit_code == 4
