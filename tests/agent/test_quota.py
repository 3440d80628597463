"""Jobs that write more to their output files than they may.

Long: agents are started, with jobs that write until they are ended.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.shepherd.standalone import outputs
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from rmsd_wire.link_calls import ReadFile, StartTask
from tests.waiting import DEADLINE_S, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]

MAX_BYTES = 1 << 20
FLOOD = "while :; do head -c 300000 /dev/zero; sleep 0.05; done"


def test_a_job_that_writes_too_much_is_killed_for_it(rig: Rig) -> None:
    rig.start()
    end = rig.run(1, f"trap '' TERM; {FLOOD}", max_output_bytes=MAX_BYTES)
    assert end.cause is Cause.QUOTA
    assert f"to its output files; {MAX_BYTES} are allowed" in end.message
    assert (rig.work / "1.out").stat().st_size > MAX_BYTES


def test_a_job_writes_no_more_than_that_while_it_is_being_ended(rig: Rig) -> None:
    """The grace would last for longer than this test waits."""
    rig.start()
    script = f"trap '{FLOOD}' TERM; echo ready; while :; do sleep 0.05; done"
    rig.launch(1, script, max_output_bytes=MAX_BYTES, kill_grace_s=1e6)
    wait_until(lambda: "ready" in rig.output(1))
    rig.stop(1)
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.USER, signal.SIGKILL)


def test_both_files_count_and_a_removed_one_still_does(rig: Rig) -> None:
    rig.start()
    script = f"rm {rig.work}/2.err; {FLOOD} >&2"
    end = rig.run(2, script, max_output_bytes=MAX_BYTES, stderr=str(rig.work / "2.err"))
    assert end.cause is Cause.QUOTA


def test_a_job_within_its_quota_and_one_without_are_left_alone(rig: Rig) -> None:
    rig.start()
    rig.launch(1, f"head -c {MAX_BYTES} /dev/zero; sleep 60", max_output_bytes=MAX_BYTES)
    rig.launch(2, f"head -c {2 * MAX_BYTES} /dev/zero; sleep 60")
    rig.launch(3, FLOOD, max_output_bytes=MAX_BYTES, stdout="/dev/null")
    for job_id in (1, 2, 3):
        rig.peer.wait(LaunchedReport, job_id)
    wait_until(lambda: (rig.work / "2.out").stat().st_size == 2 * MAX_BYTES)
    for job_id in (4, 5):  # looked at since
        assert rig.run(job_id, FLOOD, max_output_bytes=MAX_BYTES).cause is Cause.QUOTA
    assert {end.job_id for end in rig.peer.all(ExitedReport)} == {4, 5}


def test_a_task_that_writes_too_much_is_killed_and_its_job_goes_on(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 60", max_output_bytes=MAX_BYTES)
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, ["sh", "-c", FLOOD], {}, str(rig.work)))
    assert rig.peer.reply(1).status == 200

    def over(call: int) -> bool:
        rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 1 << 40, 1, 1.0, step="s"))
        return not rig.peer.reply(call).running

    calls = iter(range(2, 100))
    wait_until(lambda: over(next(calls)), "the task is over")
    assert not rig.peer.all(ExitedReport)


def test_a_file_that_was_removed_on_another_machine_ends_no_shepherd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS answers ESTALE for such a file, though it is open here."""
    with (tmp_path / "gone").open("wb", 0) as gone, (tmp_path / "here").open("wb", 0) as here:
        files = [gone.fileno(), here.fileno()]
        quota = outputs.Quota.of(files, None, 10)
        stale = os.fstat(gone.fileno()).st_ino
        fstat = os.fstat

        def fstat_of_nfs(fd: int) -> os.stat_result:
            if fstat(fd).st_ino == stale:
                raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
            return fstat(fd)

        monkeypatch.setattr(os, "fstat", fstat_of_nfs)
        assert quota.excess() == ""
        here.write(b"more than 10 bytes")
        assert "10 are allowed" in quota.excess()
        quota.close()


def test_a_file_system_that_does_not_answer_keeps_no_shepherd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the file system is known to hold counts, and the rest as soon as it answers."""
    answers = threading.Event()
    fstat = os.fstat

    def fstat_in_time(fd: int) -> os.stat_result:
        assert answers.wait(DEADLINE_S)
        return fstat(fd)

    with (tmp_path / "out").open("wb", 0) as file:
        quota = outputs.Quota.of([file.fileno()], None, 10)
        monkeypatch.setattr(os, "fstat", fstat_in_time)
        file.write(b"more than 10 bytes")
        assert [quota.excess() for _ in range(3)] == [""] * 3
        answers.set()
        wait_until(lambda: "10 are allowed" in quota.excess())
        quota.close()


def test_a_file_that_takes_long_to_close_keeps_no_shepherd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing, closed = threading.Event(), threading.Event()
    close = os.close

    def close_in_time(fd: int) -> None:
        assert closing.wait(DEADLINE_S)
        close(fd)
        closed.set()

    with (tmp_path / "out").open("wb", 0) as file:
        quota = outputs.Quota.of([file.fileno()], None, 10)
        with monkeypatch.context() as patched:
            patched.setattr(os, "close", close_in_time)
            quota.close()
            closing.set()
            assert closed.wait(DEADLINE_S)
