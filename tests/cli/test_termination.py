"""`rmsd_cli.termination`, in processes of their own: signals reach whole processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import DEADLINE_S

CLEANING = """
import signal, sys
from rmsd_cli.termination import ended_in_order
first, later = map(int, sys.argv[1:])
signal.signal(first, signal.default_int_handler)  # whatever these tests were begun with
try:
    with ended_in_order(), ended_in_order():
        try:
            signal.raise_signal(first)
        finally:
            signal.raise_signal(later)
            print("cleaned up")
except KeyboardInterrupt:
    signal.raise_signal(later)
    sys.exit(130)
"""

CLEANING_ANYWAY = """
import signal, sys
from rmsd_cli.termination import ended_in_order, undisturbed
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
try:
    with ended_in_order():
        with undisturbed():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            print("cleaned up")
        print("went on")
finally:
    signal.raise_signal(signal.SIGINT)
"""

WAITING = """
import signal, sys, time
from rmsd_cli.termination import ended_in_order
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
try:
    with ended_in_order():
        print("waits", flush=True)
        time.sleep(600)
except KeyboardInterrupt:
    sys.exit(130)
"""

IN_A_SCRATCH_DIRECTORY = """
import os, shutil, signal, sys, tempfile
from rmsd_cli.termination import ended_in_order, scratch_directory
when, make, remove = sys.argv[1], tempfile.mkdtemp, shutil.rmtree
signal.signal(signal.SIGTERM, signal.SIG_DFL)

def make_and_be_told(*arguments):
    name = make(*arguments)
    if when == "begin":
        signal.raise_signal(signal.SIGTERM)
    return name

def be_told_and_remove(*arguments, **options):
    if when == "end":
        signal.raise_signal(signal.SIGTERM)
    remove(*arguments, **options)

tempfile.mkdtemp, shutil.rmtree = make_and_be_told, be_told_and_remove
with ended_in_order(), scratch_directory("rt") as directory:
    os.mkdir(directory / "s")
"""

WITHOUT_A_SIGNAL = """
import signal
from rmsd_cli.termination import ended_in_order, undisturbed
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with ended_in_order():
    with undisturbed():
        signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGHUP)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
"""


@pytest.mark.parametrize(
    ("first", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("later", [signal.SIGINT, signal.SIGTERM])
def test_only_the_first_signal_counts_to_the_end_of_the_process(
    first: signal.Signals, later: signal.Signals, code: int
) -> None:
    ended = _python(CLEANING, str(int(first)), str(int(later)))
    assert (ended.returncode, ended.stdout) == (code, "cleaned up\n"), ended.stderr


def test_of_two_signals_that_come_at_one_instant_one_counts_and_nothing_is_said() -> None:
    command = [sys.executable, "-c", WAITING]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
            process.send_signal(number)
        assert process.communicate(timeout=DEADLINE_S) == ("", "")
    assert process.returncode in (130, 143)


def test_what_must_not_be_disturbed_comes_before_the_end() -> None:
    ended = _python(CLEANING_ANYWAY)
    assert (ended.returncode, ended.stdout) == (143, "cleaned up\n"), ended.stderr


@pytest.mark.parametrize("when", ["begin", "end"])
def test_a_scratch_directory_is_never_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ended = _python(IN_A_SCRATCH_DIRECTORY, when)
    assert (ended.returncode, ended.stderr) == (143, "")
    assert not list(tmp_path.iterdir())


def test_what_no_signal_disturbed_leaves_the_handlers_as_they_were() -> None:
    assert _python(WITHOUT_A_SIGNAL).returncode == 0


def _python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", *words], capture_output=True, text=True, check=False
    )
