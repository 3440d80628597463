"""Sessions at terminals on nodes, by people who type: rsub --interactive, rattach, rrun --pty."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.sessions import interactive
from rmsd_client.sessions.session import Escape
from tests.commands import BIN
from tests.live import Daemon
from tests.typist import Typist
from tests.waiting import wait_until


def test_what_leaves_a_session() -> None:
    escape = Escape()
    assert escape.passed(b"echo ~. ~~\r~") == b"echo ~. ~~\r"
    assert escape.passed(b"~x\r") == b"~x\r"
    assert escape.passed(b"~a\r") == b"~a\r"
    assert not escape.leaves
    assert escape.passed(b"ls\r~.more") == b"ls\r"
    assert escape.leaves


class _Answers:
    """A daemon whose job has begun its step, and is over with 127."""

    retry_for_s = 5.0

    def job(self, _job_id: int) -> dict[str, Any]:
        return {"state": "RUNNING", "attempt": 1}

    def steps(self, _job_ids: list[int]) -> tuple[list[dict[str, Any]], None]:
        return [{"number": 0, "attempt": 1, "end_us": None}], None

    def wait(self, _job_id: int) -> dict[str, Any]:
        ended = {"state": "FAILED", "exit_code": 127, "signal": 0, "cause": "exit", "message": ""}
        return {**ended, "time_limit_s": 60, "start_us": 1, "attempt": 1}


def test_a_terminal_that_was_there_for_a_moment_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """About one run of sixteen met the step of a command that could not be run, and was silent."""
    monkeypatch.setattr(interactive, "attach", lambda *_, **_more: 127)
    client = cast("Client", _Answers())
    interactive.attend(client, lambda: client, 5)
    assert "job 5 exited with 127: its command cannot be run" in capsys.readouterr().err


def at(daemon: Daemon, *command: str) -> Typist:
    env = {**daemon.env, "PS1": "$ ", "SHELL": "/bin/sh", "TERM": "dumb"}
    return Typist([str(BIN / command[0]), *command[1:]], env, cwd=daemon.work)


@pytest.mark.live
class TestLive:
    def test_what_a_program_shows_that_is_over_at_once_is_shown(self, daemon: Daemon) -> None:
        """The job was over before its user was at the terminal, and nothing was shown."""
        with at(daemon, "rsub", "--interactive", "-t", "5", "--", "seq", "3000") as person:
            person.wait_for("1\r\n2\r\n")
            person.wait_for("2999\r\n3000")
            assert person.end() == 0

    def test_an_interactive_job_is_a_shell_on_a_node(self, daemon: Daemon) -> None:
        with at(daemon, "rsub", "--interactive", "-t", "5", "-J", "here") as person:
            person.wait_for("$ ")
            person.type("stty size; echo job $((RMS_JOB_ID)) on $RMS_NODENAME\r")
            person.wait_for("30 100")
            [job] = daemon.client.jobs()
            assert (job["name"], job["state"], job["time_limit_s"]) == ("here", "RUNNING", 300)
            person.wait_for(f"job {job['job_id']} on {job['nodelist']}")
            person.resize(40, 120)
            person.type("stty size\r")
            person.wait_for("40 120")
            person.type("sleep 100\r")
            person.wait_for("sleep 100")
            person.type("\x03")
            person.wait_for("^C")
            person.type("echo $((40 + 2))\r")
            person.wait_for("42")
            person.type("exit 3\r")
            assert person.end() == 3
        ended = daemon.wait(job["job_id"])
        assert (ended["state"], ended["exit_code"]) == ("FAILED", 3)

    @pytest.mark.slow
    def test_one_who_leaves_comes_back_also_after_the_daemon_was_killed(
        self, daemon: Daemon
    ) -> None:
        with at(daemon, "rsub", "--interactive") as person:
            person.wait_for("$ ")
            person.type("word=kept\r")
            person.type("\r~.")
            assert person.end() == 0
            assert "'rattach 1' comes back" in person.seen()
        daemon.kill()
        daemon.start()
        with at(daemon, "rattach", "1") as person:
            person.type("echo the word is $word\r")
            person.wait_for("the word is kept")
            daemon.kill()
            daemon.start()
            person.type("echo $((6 * 7))\r")
            person.wait_for("42")
            person.type("exit\r")
            assert person.end() == 0
        assert daemon.wait(1)["state"] == "COMPLETED"

    @pytest.mark.long  # waits for the shortest time with nobody at a terminal
    def test_a_job_ends_when_its_user_is_gone(self, daemon: Daemon) -> None:
        with at(daemon, "rsub", "--interactive", "--hangup", "10s") as person:
            person.wait_for("$ ")
            person.process.kill()
        assert daemon.wait(1)["state"] == "FAILED"
        assert daemon.client.job(1)["exit_code"] == 128 + signal.SIGHUP

    def test_a_closed_window_hangs_up_at_once(self, daemon: Daemon) -> None:
        with at(daemon, "rsub", "--interactive") as person:
            person.wait_for("$ ")
            person.process.send_signal(signal.SIGHUP)
            assert person.end() == 128 + signal.SIGHUP
        assert daemon.wait(1)["state"] == "FAILED"

    def test_ctrl_c_before_the_start_cancels(self, daemon: Daemon) -> None:
        holder = daemon.submit("sleep 100", tasks=2, cpus_per_task=4)
        with at(daemon, "rsub", "--interactive", "-c", "4") as person:
            person.wait_for("Ctrl-C cancels it")
            os.killpg(person.process.pid, signal.SIGINT)
            assert person.end() == 130
        assert daemon.wait(2)["state"] == "CANCELLED"
        daemon.client.cancel(holder)

    def test_a_kill_before_the_start_cancels(self, daemon: Daemon) -> None:
        holder = daemon.submit("sleep 100", tasks=2, cpus_per_task=4)
        with at(daemon, "rsub", "--interactive", "-c", "4") as person:
            person.wait_for("Ctrl-C cancels it")
            person.process.kill()
        assert daemon.wait(2)["state"] == "CANCELLED"
        daemon.client.cancel(holder)

    def test_a_command_and_its_input_without_a_terminal(self, daemon: Daemon) -> None:
        asked = ["--interactive", "--", "sh", "-c", "read a; tty; echo got $a; exit 4"]
        done = subprocess.run([BIN / "rsub", *asked], env=daemon.env, cwd=daemon.work, text=True,
                              input="one\n", capture_output=True, check=False)  # fmt: skip
        assert done.returncode == 4
        assert "/dev/pts/" in done.stdout
        assert "got one" in done.stdout

    def test_rrun_in_a_script_gives_a_terminal(self, daemon: Daemon) -> None:
        job_id = daemon.submit("rrun --pty --detached sh -c 'tty; read a; echo got $a'")
        wait_until(lambda: daemon.client.steps([job_id])[0])
        with at(daemon, "rattach", f"{job_id}.0") as person:
            person.wait_for("/dev/pts/")
            person.type("it\r")
            person.wait_for("got it")
            assert person.end() == 0
        assert daemon.wait(job_id)["state"] == "COMPLETED"

    def test_of_a_step_without_a_terminal_the_output_is_shown(self, daemon: Daemon) -> None:
        job_id = daemon.submit("rrun sh -c 'echo one; echo two; exec sleep 600' < /dev/null")
        wait_until(lambda: daemon.client.steps([job_id])[0])
        with at(daemon, "rattach", str(job_id)) as person:
            person.wait_for("one\r\ntwo\r\n")
            os.killpg(person.process.pid, signal.SIGINT)
            assert person.end() == 130
        assert daemon.client.job(job_id)["state"] == "RUNNING"
        daemon.client.cancel(job_id)

    def test_a_command_that_is_not_there_is_told(self, daemon: Daemon) -> None:
        told = daemon.run("rsub", "--interactive", "--", "/no/such")
        assert told.returncode == 127
        assert "exited with 127" in told.stderr

    def test_errors_say_what_to_do(self, daemon: Daemon) -> None:
        job_id = daemon.submit("sleep 100")
        daemon.wait_for(job_id, "RUNNING")
        told = daemon.run("rattach", str(job_id))
        assert (told.returncode, told.stderr) == (
            1, f"rattach: error: job {job_id} has no step that runs; 'rlog -f {job_id}' follows "
               "the script's output\n",
        )  # fmt: skip
        assert daemon.run("rattach", "99").returncode == 1
        told = daemon.run("rsub", "--interactive", "job.sh")
        assert told.returncode == 2
        assert "say -- job.sh" in told.stderr
        told = daemon.run("rsub", "--hangup", "9m", "--wrap", "true")
        assert (told.returncode, "--interactive, which is not given" in told.stderr) == (2, True)
        daemon.client.cancel(job_id)
