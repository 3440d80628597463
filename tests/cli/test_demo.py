"""`rmsd demo`, ended before its time.

Long: the demo is run, with a daemon of its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from rmsd_cli.errors import CommandError
from rmsd_lab_cli import demo
from rmsd_lab_cli.demo import Demo
from tests.command_lines import words_of
from tests.commands import BIN
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

TOLD_TO_END_WHILE_A_COMMAND_BEGINS = """
import signal, subprocess
from pathlib import Path
from rmsd_lab_cli.demo import Demo
from rmsd_cli.termination import ended_in_order
signal.signal(signal.SIGTERM, signal.SIG_DFL)
execute = subprocess.Popen._execute_child

def execute_and_be_told(self, *arguments):
    execute(self, *arguments)
    print(self.pid, flush=True)
    signal.raise_signal(signal.SIGTERM)

subprocess.Popen._execute_child = execute_and_be_told
with ended_in_order():
    Demo(Path("/")).run("sleep", "600", shown=False)
"""


@pytest.mark.parametrize(
    ("number", "code", "line"),
    [(signal.SIGINT, 130, b"$ rdel"), (signal.SIGTERM, 143, b"$ rmsd replay")],
)
def test_a_demo_that_is_ended_leaves_nothing_behind(
    short_dir: Path, number: signal.Signals, code: int, line: bytes
) -> None:
    """Ctrl-C, which goes to every process of the terminal's foreground, leaves nothing behind
    either."""

    def of_the_demo() -> list[psutil.Process]:
        return [
            one for one in psutil.process_iter() if any(str(short_dir) in w for w in words_of(one))
        ]

    with subprocess.Popen(
        [BIN / "rmsd", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(short_dir)},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith(line):
            assert process.poll() is None
        wait_until(of_the_demo)
        os.killpg(process.pid, number)
        _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == code, said
    assert said == b""
    wait_until(lambda: not of_the_demo())
    assert not list(short_dir.iterdir())


def test_a_daemon_that_does_not_stop_leaves_no_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: Demo, *command: str) -> None:
        if command == ("rmsd", "stop"):
            raise CommandError("it is still there")

    monkeypatch.setattr(Demo, "run", run)
    monkeypatch.setattr(demo, "running_pid", lambda _: os.getpid())
    job = [sys.executable, "-c", "import time; time.sleep(600)", f"{tmp_path}/state/agent"]
    with subprocess.Popen(job) as left:
        try:
            with pytest.raises(CommandError, match="still there"), demo.demo_daemon(Demo(tmp_path)):
                pass
            assert left.wait(DEADLINE_S) == -signal.SIGKILL
        finally:
            left.kill()


def test_a_command_that_begins_when_a_demo_is_ended_is_ended_too() -> None:
    program = [sys.executable, "-c", TOLD_TO_END_WHILE_A_COMMAND_BEGINS]
    done = subprocess.run(program, capture_output=True, text=True, timeout=DEADLINE_S)
    command = int(done.stdout)
    try:
        assert (done.returncode, done.stderr) == (143, "")
        assert not psutil.pid_exists(command)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(command, signal.SIGKILL)
