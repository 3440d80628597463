"""The most memory that all processes of an attempt held at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.guarding import usage
from rmsd_agent.guarding.guard import Guarded, Look
from rmsd_agent.guarding.measuring import Measurements, Unmeasurable
from rmsd_agent.guarding.memory_files import MemoryFiles
from rmsd_agent.shepherd.standalone import processes
from rmsd_agent.state.records import read_used
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from tests.waiting import DEADLINE_S

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

KEY = (1, 1, "n1")
PARENT_OF_TWO = """
import os, sys
for _ in range(2):
    if not os.fork():
        held = bytearray(80 << 20)
        held[::4096] = b"x" * (len(held) // 4096)
        os.write(1, b"held\\n")
        sys.stdin.read()
        os._exit(0)
sys.stdin.read()
"""
FORKED_WITH_80_MIB = """
import os, sys
held = bytearray(80 << 20)
held[::4096] = b"x" * (len(held) // 4096)
for _ in range(2):
    if not os.fork():
        os.write(1, b"held\\n")
        sys.stdin.read()
        os._exit(0)
sys.stdin.read()
"""


def peak_mib(code: str, known_mib: int = 0, limit_mib: int | None = None) -> int | None:
    """Return what a look tells of a program with two children, once both have their memory. If its
    measurement takes long, the next look tells."""
    argv = [sys.executable, "-c", code]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert [parent.stdout.readline() for _ in range(2)] == [b"held\n"] * 2
        roots = {os.getpid()}
        guarded = [Guarded(KEY, limit_mib, None, roots, roots, known_mib)]
        measurements = Measurements()
        look = Look(guarded, measurements)
        look.run()
        if (slow := measurements.answers_apart.get(KEY)) is not None:
            slow.result(DEADLINE_S)
            look = Look(guarded, measurements)
            look.run()
        parent.kill()
        for child in processes.children(parent.pid):
            os.kill(child, signal.SIGKILL)
    assert not look.excesses
    return look.peaks_mib.get(KEY)


@pytest.mark.parametrize("limit_mib", [None, 10_000])
def test_two_processes_of_80_mib_each_have_their_sum(limit_mib: int | None) -> None:
    found = peak_mib(PARENT_OF_TWO, limit_mib=limit_mib)
    assert found is not None
    assert 160 <= found < 260


def test_memory_that_forked_processes_share_counts_once() -> None:
    found = peak_mib(FORKED_WITH_80_MIB)
    assert found is not None
    assert 80 <= found < 160


def test_less_than_the_peak_is_told_no_more() -> None:
    assert peak_mib(PARENT_OF_TWO, known_mib=10_000) is None


def test_no_walk_is_made_while_memory_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "held_mib", lambda *_: pytest.fail("page tables were looked at"))
    with subprocess.Popen(["sleep", "60"]) as child:
        assert not usage.may_hold_more([child.pid], 10)
        one = Guarded(KEY, None, None, {child.pid}, set(), 10)
        Look([one], Measurements()).run()
        child.kill()


def test_what_cannot_be_measured_ends_no_job_without_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> int:
        raise Unmeasurable

    monkeypatch.setattr(Measurements, "measure", fail)
    limited = Look([Guarded(KEY, 10, None, {os.getpid()}, set())], Measurements())
    free = Look([Guarded(KEY, None, None, {os.getpid()}, set())], Measurements())
    limited.run()
    free.run()
    assert [one.cause for one in limited.excesses] == [Cause.MEMORY]
    assert not free.excesses


def test_a_job_has_the_peak_of_its_tree_also_after_its_agent_was_restarted(rig: Rig) -> None:
    """The agent ends again and again until a look of its has seen both processes."""
    rig.start()
    hold = (
        "import time, os; held = bytearray(80 << 20); held[::4096] = b'x' * (len(held) // 4096); "
        f"any(iter(lambda: os.path.exists('{rig.work}/go') or time.sleep(0.01), True))"
    )
    rig.launch(1, f'for n in 1 2; do python3 -c "{hold}" & done; wait')
    rig.peer.wait(LaunchedReport, 1)
    directory = rig.jobs_dir / "1.1.n1"
    while True:
        rig.end_agent(signal.SIGTERM)
        seen_mib = read_used(directory).max_rss_mib
        rig.start()
        if seen_mib is not None and seen_mib >= 150:
            break
    (rig.work / "go").touch()
    end = rig.peer.wait(ExitedReport, 1)
    assert end.cause is Cause.EXIT
    assert end.max_rss_mib is not None
    assert 150 <= end.max_rss_mib < 260


def test_a_job_that_no_look_has_seen_has_its_largest_process(rig: Rig) -> None:
    rig.start()
    end = rig.run(1, "python3 -c \"held = b'x' * (64 << 20)\"")
    assert end.max_rss_mib is not None
    assert end.max_rss_mib >= 64


def test_held_memory_is_that_of_memory_files_as_well() -> None:
    held = os.memfd_create("held")
    os.write(held, bytes(64 << 20))
    try:
        assert usage.held_mib([os.getpid()], MemoryFiles()) >= 64
    finally:
        os.close(held)
