"""Emulated nodes: timers, processes in a timer's place, and real scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Emulation, ExitedReport, Hello, Launch, LaunchedReport, StopAttempt
from tests.agent.rig import sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

START_US = 1_000_000_000


def emulated(job_id: int, run_us: int, exec: str = "timer", **changes: object) -> Launch:
    fields: dict = {
        "job_id": job_id,
        "attempt": 1,
        "node": "e1",
        "batch": True,
        "model_start_us": START_US,
        "time_limit_s": None,
        "kill_grace_s": 1.0,
        "cores": 1,
        "emulation": Emulation(run_us, exec),  # type: ignore[arg-type]
    }
    return Launch(**(fields | changes))


@pytest.fixture
def fast(rig: Rig) -> Rig:
    """Return a rig on a clock a thousand times as fast, that starts at START_US with the
    session."""
    rig.peer.rate = 1000.0
    rig.peer.model_us = START_US
    return rig


def test_nodes_are_named_and_sized(rig: Rig) -> None:
    hello = rig.start("--emulate", "12x4", "--local-node")
    assert [n.name for n in hello.nodes] == ["n1", *(f"e{i:02d}" for i in range(1, 13))]
    assert {(n.kind, n.cores, n.mem_mib) for n in hello.nodes[1:]} == {("emulated", 4, 8192)}
    assert hello.nodes[0].kind == "real"


def test_timers_end_exactly_at_start_plus_run_time(fast: Rig) -> None:
    fast.start("--emulate", "1")
    runs_us = {job_id: 1_000_000 * (job_id % 50) for job_id in range(1, 201)}
    fast.peer.send(*(emulated(job_id, run_us) for job_id, run_us in runs_us.items()))
    ends = {job_id: fast.peer.wait(ExitedReport, job_id) for job_id in runs_us}
    assert {job_id: end.end_us for job_id, end in ends.items()} == {
        job_id: START_US + run_us for job_id, run_us in runs_us.items()
    }
    assert {(e.cause, e.exit_code, e.cpu_s) for e in ends.values()} == {(Cause.EXIT, 0, 0.0)}
    assert all(fast.peer.all(LaunchedReport, job_id) for job_id in runs_us)


def test_no_timer_ends_before_its_time(fast: Rig) -> None:
    fast.start("--emulate", "1")
    run_us = 300_000_000
    fast.peer.send(emulated(1, run_us))
    fast.peer.wait(ExitedReport, 1)
    assert fast.peer.model_now_us() >= START_US + run_us


def test_timers_that_end_together_share_a_frame(fast: Rig) -> None:
    fast.start("--emulate", "1")
    fast.peer.send(*(emulated(job_id, 200_000_000) for job_id in range(1, 11)))
    for job_id in range(1, 11):
        fast.peer.wait(ExitedReport, job_id)
    frames = [f for f in fast.peer.frames if any(isinstance(m, ExitedReport) for m in f)]
    assert len(frames) == 1


def test_a_timer_is_cut_at_its_limit(fast: Rig) -> None:
    fast.start("--emulate", "1")
    fast.peer.send(emulated(1, 10**12, time_limit_s=0.1))
    end = fast.peer.wait(ExitedReport, 1)
    assert (end.cause, end.end_us) == (Cause.LIMIT, START_US + 100_000_000)


def test_a_timer_can_be_stopped_and_a_silent_node_too(fast: Rig) -> None:
    fast.start("--emulate", "2")
    fast.peer.send(emulated(1, 10**12), emulated(1, 10**12, node="e2", batch=False))
    fast.peer.wait(LaunchedReport, 1)
    fast.peer.send(StopAttempt(1, 1, "e1", Cause.USER), StopAttempt(1, 1, "e2", Cause.USER))
    fast.peer.wait(ExitedReport, 1, count=2)
    assert {(e.node, e.cause, e.end_us) for e in fast.peer.all(ExitedReport)} == {
        ("e1", Cause.USER, None),
        ("e2", Cause.USER, None),
    }
    assert len(fast.peer.all(LaunchedReport)) == 1


def test_timers_stand_still_while_the_daemon_is_away(fast: Rig) -> None:
    """The daemon's clock goes on where it was, so a job that is over by the old clock is not over
    yet."""
    fast.start("--emulate", "1")
    fast.peer.acknowledges = False
    fast.peer.send(emulated(1, 50_000_000), emulated(2, 500_000_000))
    fast.peer.wait(ExitedReport, 1)
    fast.peer.stop()
    before = len(fast.peer.all(ExitedReport, 2))
    wait_until(lambda: fast.peer.model_now_us() > START_US + 550_000_000, "both would be over")
    fast.peer.acknowledges = True
    fast.peer.model_us = START_US + 30_000_000
    fast.peer.start()
    assert fast.peer.wait(ExitedReport, 1, count=2).end_us == START_US + 50_000_000
    assert fast.peer.wait(ExitedReport, 2, count=before + 1).end_us == START_US + 500_000_000
    assert fast.peer.model_now_us() >= START_US + 500_000_000
    hello = fast.peer.all(Hello)[-1]
    assert {h.job_id for h in hello.held} == {1, 2}


def test_a_timer_is_known_again_after_a_restart_of_the_agent(fast: Rig) -> None:
    fast.start("--emulate", "1")
    fast.peer.send(emulated(1, 10**12))
    fast.peer.wait(LaunchedReport, 1)
    fast.end_agent()
    assert fast.start("--emulate", "1").held == []
    fast.peer.send(emulated(1, 1_000_000))  # over since long
    assert fast.peer.wait(ExitedReport, 1).end_us == START_US + 1_000_000


def test_a_daemon_on_another_machine_has_another_monotonic_clock(fast: Rig) -> None:
    fast.peer.boot_id = "some other machine"
    fast.start("--emulate", "1")
    fast.peer.send(emulated(1, 100_000_000))
    assert fast.peer.wait(ExitedReport, 1).end_us == START_US + 100_000_000


def test_a_process_lives_for_run_over_rate(fast: Rig) -> None:
    fast.start("--emulate", "1")
    run_us = 300_000_000
    fast.peer.send(emulated(1, run_us, "process"))
    assert fast.peer.wait(LaunchedReport, 1).pid is not None
    end = fast.peer.wait(ExitedReport, 1)
    assert (end.cause, end.exit_code, end.end_us) == (Cause.EXIT, 0, None)
    assert fast.peer.model_now_us() >= START_US + run_us


def test_a_process_is_cut_at_its_limit(fast: Rig) -> None:
    fast.start("--emulate", "1")
    fast.peer.send(emulated(1, 10**12, "process", time_limit_s=0.2))
    assert fast.peer.wait(ExitedReport, 1).cause is Cause.LIMIT


def test_an_emulated_node_runs_scripts(fast: Rig) -> None:
    fast.start("--emulate", "1")
    mark = fast.marker()
    assert fast.run(1, f"sleep {mark} & echo hello; exit 2", node="e1").exit_code == 2
    assert fast.output(1) == "hello\n"
    wait_until(lambda: not sleeping(mark))
