"""Tasks in terminals: the keeper, what is typed, sizes, hanging up."""

from __future__ import annotations

import os
import shlex
import signal
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from rmsd_wire.link_calls import ReadFile, Reply, SignalJob, StartTask, StopTask, WriteInput
from rmsd_wire.link_values import TerminalSpec
from tests.agent.keys import ADD_KEY, CALL, INVALIDATE, KEYCTL, SESSION, KeyringRig
from tests.agent.users import UID, MultiUserRig
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

CALLS = count(2)


def begin(rig: Rig, *argv: str, **terminal: Any) -> Reply:
    rig.start()
    rig.launch(1, "sleep 100", kill_grace_s=0.1)
    return start(rig, *argv, **terminal)


def start(rig: Rig, *argv: str, **terminal: Any) -> Reply:
    call, env = next(CALLS), {"TERM": "dumb", "PS1": "$ "}
    rig.peer.send(
        StartTask(
            call,
            1,
            1,
            "n1",
            "3-s",
            0,
            list(argv),
            env,
            str(rig.work),
            terminal=TerminalSpec(**terminal),
        )
    )
    return rig.peer.reply(call)


def output(rig: Rig) -> str:
    return (rig.jobs_dir / "1.1.n1/3-s.0/stdout").read_bytes().decode()


def give(rig: Rig, data: bytes = b"", step: str = "3", **more: Any) -> Reply:
    call = next(CALLS)
    rig.peer.send(WriteInput(call, 1, 1, "n1", step, 0, data, **more))
    return rig.peer.reply(call)


def read(rig: Rig) -> Reply:
    call = next(CALLS)
    rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 1 << 30, 100, 0.1, "3-s", 0))
    return rig.peer.reply(call)


def end(rig: Rig) -> Reply:
    """Return what is told of the task once it is over."""
    return wait_until(lambda: None if (reply := read(rig)).running else reply)


def come(rig: Rig) -> None:
    """Be at the terminal for a moment."""
    wait_until(lambda: give(rig).status == 200)


def test_a_shell_has_a_terminal_of_the_size_that_is_told(rig: Rig) -> None:
    assert begin(rig, "sh", "-i", rows=30, cols=100).status == 200
    assert give(rig, b"tty; stty size\n").offset == len(b"tty; stty size\n")
    wait_until(lambda: "/dev/pts/" in output(rig) and "30 100" in output(rig))
    give(rig, b"", rows=50, cols=132)
    give(rig, b"stty size; ps -o tty= -p $$ | grep -c pts\n")
    wait_until(lambda: "50 132\r\n1\r\n" in output(rig))
    give(rig, b"exit 7\n", step="3-s")
    assert end(rig).exit_code == 7
    assert give(rig, b"x").eof


def test_control_c_interrupts_what_is_in_front(rig: Rig) -> None:
    begin(
        rig, "sh", "-c", "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.05; done"
    )
    wait_until(lambda: "ready" in output(rig))
    give(rig, b"\x03")
    assert end(rig).exit_code == 3
    assert "caught" in output(rig)


def test_the_end_of_what_is_typed_ends_a_reader(rig: Rig) -> None:
    begin(rig, "sh", "-c", "cat; echo over")
    give(rig, b"one\n", eof=True)
    assert end(rig).exit_code == 0
    assert output(rig).endswith("over\r\n")


def test_all_that_was_written_is_kept_and_the_end_is_the_programs(rig: Rig) -> None:
    begin(rig, "sh", "-c", "seq 20000; kill -9 $$")
    come(rig)
    assert end(rig).signal == signal.SIGKILL
    assert output(rig).split() == [str(number) for number in range(1, 20001)]


def test_what_a_program_has_shown_that_is_over_at_once_waits_for_its_user(rig: Rig) -> None:
    begin(rig, "sh", "-c", "echo $$; exit 4")
    pid = wait_until(lambda: output(rig).strip())
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"))
    assert read(rig).running
    come(rig)
    assert end(rig).exit_code == 4


def test_a_terminal_with_nobody_at_it_is_hung_up(rig: Rig) -> None:
    begin(rig, "sh", "-c", "trap 'echo hung up > told; exit 5' HUP; while :; do sleep 0.05; done",
          hangup_s=1.0)  # fmt: skip
    assert end(rig).exit_code == 5
    assert (rig.work / "told").read_text() == "hung up\n"


@pytest.mark.slow
def test_somebody_who_says_nothing_is_there(rig: Rig) -> None:
    """The program asks for more time than a terminal has without anybody."""
    begin(rig, "sh", "-c", "sleep 3; echo done", hangup_s=1.0)
    wait_until(lambda: give(rig).eof or "done" in output(rig))
    assert output(rig) == "done\r\n"


@pytest.mark.slow
def test_the_time_for_which_a_job_is_suspended_is_no_time_with_nobody_there(rig: Rig) -> None:
    """The program stops its keeper for longer than a terminal has without anybody."""
    stopped = "kill -STOP $PPID; sleep 2.5; kill -CONT $PPID; sleep 0.2"
    begin(rig, "sh", "-c", f"trap 'exit 5' HUP; read word; {stopped}; exit 0", hangup_s=2.0)
    give(rig, b"\n")
    assert end(rig).exit_code == 0


def test_a_shell_that_ignores_the_signal_of_the_end_is_hung_up(rig: Rig) -> None:
    begin(rig, "sh", "-c", "trap '' TERM; echo ready; read word")
    wait_until(lambda: "ready" in output(rig))
    call = next(CALLS)
    rig.peer.send(StopTask(call, 1, 1, "n1", "3-s", 0, signal.SIGTERM))
    assert rig.peer.reply(call).status == 200
    assert end(rig).signal == signal.SIGHUP


def test_other_signals_are_the_programs(rig: Rig) -> None:
    begin(rig, "sh", "-c", "trap 'echo told' USR1; echo ready; while :; do sleep 0.05; done")
    wait_until(lambda: "ready" in output(rig))
    call = next(CALLS)
    rig.peer.send(SignalJob(call, 1, 1, "n1", signal.SIGUSR1, "steps"))
    assert rig.peer.reply(call).status == 200
    wait_until(lambda: "told" in output(rig))
    assert not give(rig).eof


def test_a_terminal_outlives_its_agent(rig: Rig) -> None:
    begin(rig, "sh", "-i")
    give(rig, b"echo $((6 * 7))\n")
    wait_until(lambda: "42\r\n" in output(rig))
    rig.end_agent()
    rig.start()
    give(rig, b"echo $((7 * 11))\n")
    wait_until(lambda: "77\r\n" in output(rig))


def test_a_program_that_is_not_there_is_told(rig: Rig) -> None:
    reply = begin(rig, "/no/such/program")
    assert (reply.status, reply.exit_code) == (422, 127)
    assert "No such file" in reply.error


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start jobs of others")
class TestOfAnotherUser:
    @pytest.fixture
    def rig_type(self) -> type[MultiUserRig]:
        return MultiUserRig

    def test_terminal_and_keeper_are_the_users_and_nothing_of_roots_is_seen(
        self, rig: MultiUserRig
    ) -> None:
        asked = "stat -c %u $(tty); ls /proc/$PPID/fd; cat /proc/$PPID/environ; echo over"
        begin(rig, "sh", "-c", f"id -u; {asked}")
        come(rig)
        assert end(rig).exit_code == 0
        first, owner, *refused, over = output(rig).splitlines()
        assert first == owner == str(UID)
        assert ["Permission denied" in line for line in refused] == [True, True]
        assert over == "over"


FILL = f"""{CALL}
made = 0
while call({ADD_KEY}, b"user", b"key %d" % made, b"s", 1, {SESSION}) > 0:
    made += 1
call({KEYCTL}, {INVALIDATE}, call({ADD_KEY}, b"user", b"key 1", b"s", 1, {SESSION}))
while "200/200" in open("/proc/key-users").read():
    time.sleep(0.01)
print("full", flush=True)
time.sleep(300)
"""
"""A program that leaves its user one key: enough for one process with a session keyring."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start jobs of others")
@pytest.mark.skipif(not KEYCTL, reason="the number of keyctl(2) is not known here")
@pytest.mark.skipif(not os.path.exists("/proc/keys"), reason="this kernel has no keyrings")
class TestOfAnotherUserWithKeys:
    @pytest.fixture
    def rig_type(self) -> type[KeyringRig]:
        return KeyringRig

    def test_no_program_runs_without_its_keeper(self, rig: KeyringRig) -> None:
        rig.start()
        rig.launch(1, f"exec python3 -I -S -c {shlex.quote(FILL)}", kill_grace_s=0.1)
        wait_until(lambda: rig.output(1) == "full\n")
        start(rig, "sh", "-c", "echo begun >> begun; echo shown")
        come(rig)
        assert end(rig).exit_code == 0
        assert output(rig) == "shown\r\n"
        assert (rig.work / "begun").read_text() == "begun\n"
