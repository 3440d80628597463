"""Tasks beside a script, and reading output."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from rmsd_wire.link_calls import ReadFile
from tests.agent.caller import Caller
from tests.agent.rig import sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live


@pytest.fixture
def job(rig: Rig) -> Caller:
    """Start job 1, which sleeps."""
    rig.start()
    rig.launch(1, "sleep 60", env={"COLOUR": "red", "SIZE": "1"})
    rig.peer.wait(LaunchedReport, 1)
    return Caller(rig)


def test_a_task_runs_beside_the_script(job: Caller) -> None:
    script = 'echo "$COLOUR $SIZE $RMS_JOB_END_TIME"; echo oops >&2; exit 3'
    assert job.start(0, "sh", "-c", script, env={"SIZE": "2"}).status == 200
    data, end = job.read_all(step="s0", task=0)
    assert data.startswith(b"red 2 1")
    assert (end.exit_code, end.running) == (3, False)
    assert job.read_all(step="s0", task=0, stream="stderr")[0] == b"oops\n"
    again = job.start(0, "sh", "-c", script)  # a repeat starts nothing
    assert (again.status, again.running, again.exit_code) == (200, False, 3)


def test_what_no_task_can_be(job: Caller) -> None:
    missing = job.start(0, "no-such-command-anywhere")
    assert (missing.status, missing.exit_code) == (422, 127)
    assert "no-such-command-anywhere: command not found" in missing.error
    assert job.start(1, "true", workdir="/nowhere").status == 422
    assert job.start(2, "true", step="../../etc").status == 400
    assert job.stop(7, signal.SIGINT).status == 404
    assert job.read(step="s0", task=7).status == 404


def test_output_is_followed_as_it_comes(job: Caller) -> None:
    go = job.rig.work / "go"
    job.start(0, "sh", "-c", f"echo one; until [ -e {go} ]; do sleep 0.02; done; echo two")
    first = job.read(step="s0", task=0)
    assert (first.data, first.eof, first.running) == (b"one\n", False, True)
    nothing = job.read(4, step="s0", task=0, wait_s=0.1)
    assert (nothing.data, nothing.eof) == (b"", False)
    go.touch()
    assert job.read_all(step="s0", task=0)[0] == b"one\ntwo\n"


def test_a_signal_reaches_the_whole_task(job: Caller) -> None:
    child = "trap 'echo child; exit' HUP; echo up; while :; do sleep 0.02; done"
    main = f"""
    trap 'echo main; told=1' HUP
    setsid sh -c "{child}" & echo up
    until [ "$told" ]; do sleep 0.02; done
    wait; exit 7
    """
    job.start(0, "sh", "-c", main)
    wait_until(lambda: job.read(step="s0", task=0).data == b"up\nup\n")
    assert job.stop(0, signal.SIGHUP).status == 200
    data, end = job.read_all(step="s0", task=0)
    assert sorted(data.split()) == [b"child", b"main", b"up", b"up"]
    assert (end.exit_code, end.signal) == (7, None)


@pytest.mark.parametrize("number", [0, 65, 999, 10**17])
def test_what_is_no_signal_does_not_end_the_shepherd(job: Caller, number: int) -> None:
    job.start(0, "sleep", "60")
    assert job.stop(0, number).status == 400
    assert job.stop(0, signal.SIGKILL).status == 200
    assert job.read_all(step="s0", task=0)[1].signal == signal.SIGKILL


def test_tasks_end_with_their_job(job: Caller) -> None:
    mark = job.rig.marker()
    job.start(0, "sleep", mark)
    wait_until(lambda: sleeping(mark))
    job.rig.stop(1)
    assert job.rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not sleeping(mark)
    assert job.start(1, "true").status == 404


def test_tasks_end_with_the_script_and_before_the_exit_is_reported(rig: Rig) -> None:
    rig.start()
    go, mark = rig.work / "go", rig.marker()
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 9")
    rig.peer.wait(LaunchedReport, 1)
    Caller(rig).start(0, "sleep", mark)
    go.touch()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.exit_code) == (Cause.EXIT, 9)
    assert not sleeping(mark)


def test_tasks_have_the_rest_of_the_limit_and_a_node_without_script_waits_for_stop(
    rig: Rig,
) -> None:
    rig.start()
    rig.launch(1, "", batch=False, time_limit_s=1.0)
    caller = Caller(rig)
    assert caller.start(0, "sleep", "60").status == 200
    assert caller.read_all(step="s0", task=0)[1].signal == signal.SIGTERM
    rig.end_agent()
    assert [(h.job_id, h.stopping) for h in rig.start().held] == [(1, False)]
    assert not rig.peer.all(LaunchedReport)
    assert not rig.peer.all(ExitedReport)
    rig.stop(1)
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.exit_code) == (Cause.USER, None)


def test_a_task_outlives_a_killed_agent(job: Caller) -> None:
    go = job.rig.work / "go"
    job.start(0, "sh", "-c", f"until [ -e {go} ]; do sleep 0.02; done; echo done; exit 4")
    job.rig.end_agent()
    job.rig.start()
    go.touch()
    data, end = job.read_all(step="s0", task=0)
    assert (data, end.exit_code) == (b"done\n", 4)


def test_output_of_a_script_while_it_runs_and_after_it_was_forgotten(rig: Rig) -> None:
    rig.start()
    caller = Caller(rig)
    rig.launch(1, "echo one; echo two >&2; exit 0", stderr=str(rig.work / "1.err"))
    rig.peer.wait(ExitedReport, 1)
    wait_until(lambda: not list(rig.jobs_dir.iterdir()))
    assert caller.read_all(path=str(rig.work / "1.out"))[0] == b"one\n"
    assert caller.read_all(stream="stderr", path=str(rig.work / "1.err"))[0] == b"two\n"
    gone = caller.read(path=str(rig.work / "none"))
    assert (gone.status, gone.eof) == (404, False)
    assert "none: No such file" in gone.error
    assert caller.read(path="/dev/zero").eof


def test_what_never_started_has_written_nothing(rig: Rig) -> None:
    """A file that is there is another job's. The daemon asks without a path before it knows of a
    start."""
    rig.start()
    (rig.work / "1.out").write_text("of another job\n")
    rig.launch(1, "true", script="#!/no/such/interpreter\n")
    assert Caller(rig).read().data == b""
    rig.launch(2, "echo begun; sleep 60")
    rig.peer.send(ReadFile(99, 2, 1, "n1", "stdout", 0, 100, 30.0))
    assert rig.peer.reply(99).data == b"begun\n"
