"""The input of tasks, on its way from the daemon to a task."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.shepherd.standalone import feeding
from rmsd_wire.link_calls import Reply, StartTask, StopTask, WriteInput
from tests.agent.unanswered import READS_INTO_NOTHING
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live


def begin(rig: Rig, *argv: str) -> None:
    rig.start()
    rig.launch(1, "sleep 100", kill_grace_s=0.1)
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, list(argv), {}, str(rig.work), stdin=True))
    assert rig.peer.reply(1).status == 200


def output(rig: Rig) -> str:
    return (rig.jobs_dir / "1.1.n1/s.0/stdout").read_text()


def give(rig: Rig, call: int, data: bytes, eof: bool = False) -> Reply:
    rig.peer.send(WriteInput(call, 1, 1, "n1", "s", 0, data, eof))
    return rig.peer.reply(call)


def test_a_task_reads_what_it_is_given_up_to_the_end(rig: Rig) -> None:
    begin(rig, "sh", "-c", "read first; echo $first; cat /dev/stdin; echo over")
    assert give(rig, 2, b"one\n").offset == 4
    assert give(rig, 3, b"two\n", eof=True).eof
    wait_until(lambda: output(rig) == "one\ntwo\nover\n")
    wait_until(lambda: give(rig, 4, b"three\n").eof, "an ended task takes nothing")


def test_a_task_that_closes_its_input_takes_no_more(rig: Rig) -> None:
    begin(rig, "sh", "-c", "exec <&-; echo closed; sleep 100")
    calls = iter(range(2, 100_000))
    wait_until(lambda: give(rig, next(calls), b"x").eof)


def test_nothing_is_sent_to_the_agent_over_the_way_of_an_input(tmp_path: Path) -> None:
    """A file that was sent is closed with the agent's end, and a socket that lingers kept the agent
    in that close for as long as the task's user liked."""
    path = tmp_path / "input"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        connected = feeding.connect(str(path))
        assert connected is not None
        with connected, pytest.raises(BrokenPipeError):
            socket.send_fds(connected, [b"x"], [0])


def test_a_signal_to_a_task_ends_no_input(rig: Rig) -> None:
    begin(rig, "sh", "-c", "trap 'echo signal' USR1; echo ready; read word; read word; echo $word")
    wait_until(lambda: output(rig) == "ready\n")
    rig.peer.send(StopTask(2, 1, 1, "n1", "s", 0, 10))
    assert rig.peer.reply(2).status == 200
    wait_until(lambda: "signal" in output(rig))
    give(rig, 3, b"one\ntwo\nthree\n", eof=True)
    wait_until(lambda: output(rig).split()[-1] in ("one", "two"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_a_task_that_reads_where_nobody_answers_holds_up_nobody_else(rig: Rig) -> None:
    """The kernel keeps every other process that touches the pipe waiting, and cannot kill it."""
    where = rig.root / "hung"
    where.mkdir()
    begin(rig, sys.executable, "-c", READS_INTO_NOTHING, str(where))
    give(rig, 2, b"first\n")
    wait_until(lambda: output(rig))
    if "not here" in output(rig):
        pytest.skip("no FUSE here")
    rig.peer.send(WriteInput(3, 1, 1, "n1", "s", 0, b"second\n", False))
    assert rig.run(2, "echo two").exit_code == 0
    assert rig.end_agent() != 0
    rig.start()
    assert rig.run(3, "echo three").exit_code == 0
