"""Agents, shepherds and servers that are killed in the middle of things come back.

Long: agents, shepherds and servers are killed and started again.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from rmsd_agent.shepherd.standalone.processes import boot_id
from rmsd_agent.state.files import read_record, write_record
from rmsd_agent.state.records import ClaimedUnit, SavedAttempt, UnitStatus
from rmsd_agent.units.leftovers import read_attempt
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import (
    ExitedReport,
    Goodbye,
    HeldAttempt,
    Hello,
    Launch,
    LaunchedReport,
    WarnSignal,
)
from rmsd_wire.link_calls import StartTask
from tests.agent.rig import sleeping
from tests.waiting import DEADLINE_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]


HELD = [HeldAttempt(1, 1, "n1", batch=True, cores=1)]
RUNNING, STATUS = (f"1.1.n1/batch/{name}.json" for name in ("running", "status"))


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


def test_sigterm_leaves_jobs_running(rig: Rig) -> None:
    """An idle shepherd without an agent leaves after 10 s."""
    rig.start()
    mark = rig.marker()
    rig.launch(1, f"sleep {mark}")
    wait_until(lambda: sleeping(mark))
    assert rig.end_agent(signal.SIGTERM) == 0
    wait_until(lambda: len(rig.shepherds()) == 1, "the idle shepherds leave, the other stays")
    assert sleeping(mark)
    assert rig.start().held == HELD


def test_an_agent_that_was_told_to_leave_hears_no_further_signal(rig: Rig) -> None:
    """Neither while it leaves nor in the interpreter's exit."""
    rig.start()
    assert rig.agent is not None
    while rig.agent.poll() is None:
        rig.agent.send_signal(signal.SIGTERM)
        rig.agent.send_signal(signal.SIGINT)
        time.sleep(0.001)
    assert rig.agent.returncode == 0


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


def test_a_job_that_kills_its_shepherd_at_once_is_under_its_limit_all_the_same(rig: Rig) -> None:
    """Often it does so before its pid has been recorded."""
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
    _left_behind(rig)
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


def _left_behind(rig: Rig) -> None:
    launch = Launch(9, 1, "n1", True, 0, None, 1.0, 1, workdir=str(rig.work), stdout="/dev/null")
    rig.jobs_dir.parent.mkdir(mode=0o700, exist_ok=True)
    directory = rig.jobs_dir / "9.1.n1"
    (directory / "batch").mkdir(parents=True)
    write_record(directory / "attempt.json", SavedAttempt(launch, 0.0, None, boot_id()))


def test_what_never_started_is_dropped_and_can_be_launched_again(rig: Rig) -> None:
    _left_behind(rig)
    assert rig.start().held == []
    assert not rig.peer.all(ExitedReport)
    assert rig.run(9, "exit 4").exit_code == 4


def test_reports_wait_for_a_server_that_comes_back(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 3")
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.stop()
    go.touch()
    wait_until(lambda: read_record(rig.jobs_dir / STATUS, UnitStatus))
    rig.peer.start()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.exit_code, end.seq) == (3, 1)
    wait_until(lambda: not list(rig.jobs_dir.iterdir()))


def test_an_end_between_hello_and_welcome_is_reported(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 3")
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.stop()
    rig.peer.hold = True
    rig.peer.start()
    wait_until(lambda: rig.peer.holding)
    go.touch()
    wait_until(lambda: read_record(rig.jobs_dir / STATUS, UnitStatus))
    rig.peer.hold = False
    assert rig.peer.wait(ExitedReport, 1).exit_code == 3
    assert len(rig.peer.all(Hello)) == 2


def test_what_was_not_acknowledged_is_reported_again(rig: Rig) -> None:
    rig.start()
    rig.peer.acknowledges = False
    first = rig.run(1, "exit 3")
    assert list(rig.jobs_dir.iterdir())
    rig.peer.stop()
    rig.peer.acknowledges = True
    rig.peer.start()
    again = rig.peer.wait(ExitedReport, 1, count=2)
    assert (again.exit_code, again.ago_s > first.ago_s) == (3, True)
    wait_until(lambda: not list(rig.jobs_dir.iterdir()))
    assert [m.epoch for _, m in rig.peer.received if hasattr(m, "epoch")] == [1, 2]


def test_a_silent_server_is_dialed_again(rig: Rig) -> None:
    rig.peer.heartbeat_s = 0.1
    rig.peer.mute = True
    rig.start()
    wait_until(lambda: rig.peer.sessions >= 3, "a third session")


def test_nodes_that_are_all_refused_are_offered_again(rig: Rig) -> None:
    rig.peer.refused = {"n1": "another agent has it"}
    rig.start()
    wait_until(lambda: rig.peer.sessions >= 2, "a second session")
    rig.peer.refused = {}
    wait_until(lambda: "link-up" in (rig.root / "agent.log").read_text())
    assert "another agent has it" in (rig.root / "agent.log").read_text()


@pytest.fixture
def small_disk(rig: Rig) -> Iterator[Rig]:
    """Yield a rig whose agent has its state on a file system of 256 KiB."""
    state = rig.root / "agent"
    state.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "none", str(state)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("may not mount a tmpfs here")
    yield rig
    rig.end_agent()
    subprocess.run(["umount", "-l", str(state)], check=True)


def test_a_full_disk_costs_no_exit_status_and_no_agent(small_disk: Rig) -> None:
    rig = small_disk
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 7")
    rig.peer.wait(LaunchedReport, 1)
    filler = rig.root / "agent/filler"
    subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True)
    rig.launch(2, "exit 2")
    wait_until(lambda: '-delayed"' in rig.log() and "No space left on device" in rig.log())
    go.touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 7
    rig.peer.stop()
    rig.peer.start()
    rig.peer.wait(Hello, count=2)
    filler.unlink()
    assert rig.run(3, "exit 3").exit_code == 3
    assert rig.peer.wait(ExitedReport, 2).exit_code == 2


def test_an_agent_starts_on_a_full_disk_and_jobs_go_on(small_disk: Rig) -> None:
    """One of them ends before; the only one who knows how is its shepherd."""
    rig = small_disk
    rig.start()
    gone, go = rig.work / "gone", rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 7")
    rig.launch(2, f"until [ -e {gone} ]; do sleep 0.02; done; exit 8")
    launched = [rig.peer.wait(LaunchedReport, job_id) for job_id in (1, 2)]
    _left_behind(rig)
    rig.end_agent()
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={rig.root / 'agent/filler'}", "bs=4k"], capture_output=True
    )
    gone.touch()
    assert launched[1].pid is not None
    wait_until(lambda: not psutil.pid_exists(launched[1].pid or 0))
    rig.start()
    assert rig.peer.wait(ExitedReport, 2).exit_code == 8
    assert rig.peer.wait(LaunchedReport, 1, count=2).pid == launched[0].pid
    assert not rig.peer.all(ExitedReport, 1)
    assert not (rig.jobs_dir / "9.1.n1").exists()  # an attempt that never started is dropped
    go.touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 7


def test_a_task_waits_for_room_as_a_job_does(small_disk: Rig) -> None:
    """Also on a node whose part of the job could not be prepared yet."""
    rig = small_disk
    rig.start()
    filler = rig.root / "agent/filler"
    subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True)
    rig.launch(1, "", batch=False)
    wait_until(lambda: '"attempt-delayed"' in rig.log())
    task = StartTask(1, 1, 1, "n1", "s", 0, ["sh", "-c", "echo ran >> ran"], {}, str(rig.work))
    rig.peer.send(task)
    refused = rig.peer.reply(1)
    assert (refused.status, "No such file" in refused.error) == (503, True)
    filler.unlink()

    def starts() -> bool:
        nonlocal task
        task = msgspec.structs.replace(task, call=task.call + 1)
        rig.peer.send(task)
        return rig.peer.reply(task.call).status == 200

    wait_until(starts)
    wait_until((rig.work / "ran").exists)


def test_one_agent_to_a_state_directory(rig: Rig) -> None:
    rig.start()
    assert rig.agent is not None
    second = subprocess.run(rig.command(), capture_output=True, text=True, timeout=DEADLINE_S)
    assert second.returncode == 1
    assert f"in use by another agent (pid {rig.agent.pid})" in second.stderr


def test_goodbye_for_good_ends_the_agent(rig: Rig) -> None:
    rig.peer.goodbye = Goodbye("speaks another language", retry=False)
    told = subprocess.run(rig.command(), capture_output=True, text=True, timeout=DEADLINE_S)
    assert told.returncode == 1
    assert "speaks another language" in told.stderr


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--emulate", "0"], "N or NxCORES"),
        (["--emulate", "3x"], "N or NxCORES"),
        (["--no-local-node"], "no node at all"),
        (["--mem", "lots"], "memory size"),
        (["--emulate-prefix", "e"], "add --emulate"),
        (["--emulate", "1", "--no-local-node", "--name", "n2"], "--emulate-prefix"),
        (["--server", "head:1234"], "neither https://"),
        (["--server", "http://head:1234"], "neither https://"),
        (["--token-file", "/nowhere"], "is for https"),
        (["--server", "https://h:1", "--ca-file", "/nowhere"], "/nowhere: No such file"),
        (["--name", "a/b"], "no name of a node"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_wrong_usage_is_told(rig: Rig, options: list[str], expected: str) -> None:
    told = subprocess.run(rig.command(*options), capture_output=True, text=True, timeout=DEADLINE_S)
    assert told.returncode == 2
    assert expected in told.stderr
    assert told.stderr.startswith("rmsd-agent: error: ")
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_an_agent_leaves_in_order_by_the_signals_of_a_terminal(rig: Rig, number: int) -> None:
    before = signal.signal(number, signal.SIG_DFL)
    try:
        rig.start()
        assert rig.end_agent(number) == 0
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_an_agent_goes_on_where_these_signals_were_ignored(rig: Rig, number: int) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        rig.start()
    finally:
        signal.signal(number, before)
    assert rig.agent is not None
    rig.agent.send_signal(number)
    assert rig.run(1, "true").exit_code == 0
    assert rig.end_agent(signal.SIGTERM) == 0
