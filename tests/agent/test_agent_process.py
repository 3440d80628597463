"""The agent as a process: its options, its signals, and its state directory.

Long: agents are started as processes.
"""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.agent.kept_attempts import HELD
from tests.agent.rig import sleeping
from tests.waiting import DEADLINE_S, wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]


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
    """The agent hears none while it leaves, and none in the interpreter's exit."""
    rig.start()
    assert rig.agent is not None
    while rig.agent.poll() is None:
        rig.agent.send_signal(signal.SIGTERM)
        rig.agent.send_signal(signal.SIGINT)
        time.sleep(0.001)
    assert rig.agent.returncode == 0


def test_one_agent_to_a_state_directory(rig: Rig) -> None:
    rig.start()
    assert rig.agent is not None
    second = subprocess.run(rig.command(), capture_output=True, text=True, timeout=DEADLINE_S)
    assert second.returncode == 1
    assert f"in use by another agent (pid {rig.agent.pid})" in second.stderr


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--emulate", "0"], "N or NxCORES"),
        (["--emulate", "3x"], "N or NxCORES"),
        (["--no-local-node"], "no node at all"),
        (["--mem", "lots"], "memory size"),
        (["--mem", "4"], "4 has no unit; say 4M"),
        (["--program-timeout", "5"], "5 has no unit; say 5s or 5m"),
        (["--local-node", "--prolog", "/etc/passwd"], "/etc/passwd is not executable"),
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
