"""The process that cancels the job of a program which is killed, where it cannot be begun or waited
for as usual."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

import pytest

from rmsd_client.sessions.guardian import guarded


def _connect() -> NoReturn:
    raise AssertionError("no job is cancelled here")


def test_without_a_process_for_it_the_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account with all the processes that it may have: the program ended in a traceback, and its
    job held the nodes until its limit."""
    before = os.listdir("/proc/self/fd")

    def refuse() -> NoReturn:
        raise BlockingIOError("no process left")

    went_on = False
    with monkeypatch.context() as patched:
        patched.setattr(os, "fork", refuse)
        with guarded(_connect, 1):
            went_on = True
    assert went_on
    assert os.listdir("/proc/self/fd") == before


_IGNORED = """
import signal, subprocess
from rmsd_client.sessions.guardian import guarded
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
with guarded(None, 1):
    print(subprocess.run(["sh", "-c", "exit 7"]).returncode)
"""


def test_a_program_whose_children_nobody_waited_for_knows_how_its_command_ended() -> None:
    """A program that ignores SIGCHLD has its children ignore it as well: `ralloc` told 0 for each
    command, and ended in a traceback."""
    done = subprocess.run([sys.executable, "-c", _IGNORED], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("7\n", "", 0)
