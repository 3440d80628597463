"""Signals ahead of a limit, and what a job gets beyond it."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.attempts.warning import for_task, instants_s
from rmsd_agent.shepherd.standalone.unit_spec import Warn
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport, WarnSignal
from rmsd_wire.link_calls import StartTask
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.agent.rig import Rig

live = pytest.mark.live

USR1 = int(signal.SIGUSR1)
BEFORE_S = 60.0
QUIET = {"stderr": "/dev/null"}  # a shell tells there of commands that a signal has ended
LOGS = """
trap 'echo script' USR1
(trap 'echo child' USR1; echo up; while :; do sleep 0.05; done) &
(trap 'echo other' USR1; echo up; while :; do sleep 0.05; done) &
while :; do wait; done
"""


def forewarned(
    rig: Rig, commands: str = LOGS, *steps: Callable[[int], object], batch: bool = False
) -> int:
    """Return the id of a job with a signal to come, once it was up and all the steps were taken."""

    def launch(job_id: int, lead_s: float) -> None:
        warn = WarnSignal(USR1, BEFORE_S, batch=batch)
        end_s = lead_s + BEFORE_S
        rig.launch(job_id, commands, time_limit_s=end_s, warn_signal=warn, **QUIET)

    return rig.in_time(launch, rig.has_said("up", commands.count("echo up")), *steps)


def heard(rig: Rig, job_id: int, count: int) -> list[str]:
    """Return what a job has heard of signals, as soon as there are `count` of them."""

    def lines() -> list[str]:
        return [line for line in rig.output(job_id).splitlines() if line != "up"]

    wait_until(lambda: len(lines()) >= count, f"{count} have heard it")
    return sorted(lines())


# ---------------------------------------------------------------- when


@pytest.mark.parametrize(
    ("before_s", "ends_s", "expected"),
    [
        (60.0, (700.0, None), [640.0]),
        (60.0, (700.0, 400.0), [340.0, 640.0]),
        (60.0, (None, None), []),
        (60.0, (150.0, 145.0), [101.0]),  # shorter than that: as soon as it has set its handlers
        (60.0, (101.0,), [100.5]),
        (60.0, (99.0,), [101.0]),  # over before it has begun
        (60.0, (99.0, 100.5), [100.25]),
        (60.0, (99.0, 700.0), [101.0, 640.0]),
        (0.0, (200.0,), [200.0]),
    ],
)
def test_the_instants(
    before_s: float, ends_s: tuple[float | None, ...], expected: list[float]
) -> None:
    assert instants_s(WarnSignal(USR1, before_s), 100.0, ends_s) == expected
    assert instants_s(None, 100.0, ends_s) == []


def test_a_task_hears_what_is_to_come() -> None:
    both = WarnSignal(USR1)
    told = for_task(both, [1.0, 3.0], 2.0)
    assert told is not None
    assert told.fields() == Warn(USR1, "all", [3.0]).fields()
    assert for_task(both, [1.0], 2.0) is None
    assert for_task(WarnSignal(USR1, batch=True), [3.0], 2.0) is None


# ---------------------------------------------------------------- whom


@live
def test_the_script_alone_is_told(rig: Rig) -> None:
    rig.start()
    job_id = forewarned(rig, batch=True)
    assert heard(rig, job_id, 1) == ["script"]


@live
def test_all_but_the_script_are_told(rig: Rig) -> None:
    rig.start()
    job_id = forewarned(rig)
    assert heard(rig, job_id, 2) == ["child", "other"]
    rig.stop(job_id)
    assert rig.peer.wait(ExitedReport, job_id).cause is Cause.USER
    assert heard(rig, job_id, 2) == ["child", "other"]


@live
def test_the_limit_comes_after_it_all_the_same(rig: Rig) -> None:
    rig.start()
    loop = "while :; do sleep 0.05; done"
    assert (
        rig.run(1, loop, time_limit_s=1.0, warn_signal=WarnSignal(USR1, 0.5)).cause is Cause.LIMIT
    )


@live
def test_tasks_are_told_on_every_node(rig: Rig) -> None:
    rig.start()

    def launch(job_id: int, lead_s: float) -> None:
        warn = WarnSignal(USR1, BEFORE_S)
        rig.launch(job_id, "", batch=False, time_limit_s=lead_s + BEFORE_S, warn_signal=warn)
        say = f"exec > {job_id}.out; trap 'echo task' USR1; echo up; while :; do sleep 0.05; done"
        argv = ["sh", "-c", say]
        rig.peer.send(StartTask(job_id, job_id, 1, "n1", "s", 0, argv, {}, str(rig.work)))
        assert rig.peer.reply(job_id).status == 200

    job_id = rig.in_time(launch, rig.has_said("up"))
    assert heard(rig, job_id, 1) == ["task"]


@live
def test_rrun_is_spared_as_its_tasks_hear_it_themselves(rig: Rig) -> None:
    relay = rig.work / "rrun"
    relay.write_text("#!/bin/sh\ntrap 'echo twice' USR1; while :; do sleep 0.05; done\n")
    relay.chmod(0o700)
    rig.start()
    job_id = forewarned(rig, f"./rrun & {LOGS}")
    assert heard(rig, job_id, 2) == ["child", "other"]


@pytest.mark.slow
@live
def test_it_comes_before_the_end_of_a_trial_and_before_the_limit(rig: Rig) -> None:
    rig.peer.rate = 10.0
    rig.start()

    def launch(job_id: int, lead_s: float) -> None:
        trial_s = lead_s / 3 + BEFORE_S
        rig.launch(
            job_id,
            LOGS,
            time_limit_s=lead_s + BEFORE_S,
            trial_end_us=int(rig.peer.model_now_us() + trial_s * rig.peer.rate * 1e6),
            warn_signal=WarnSignal(USR1, BEFORE_S, batch=True),
            **QUIET,
        )

    # The first has been heard before the second comes: the script could not tell two from one.
    job_id = rig.in_time(launch, rig.has_said("script"), leads_s=(3.0, 15.0, 45.0))
    assert heard(rig, job_id, 2) == ["script", "script"]


# ---------------------------------------------------------------- who tells


@live
def test_it_needs_no_agent(rig: Rig) -> None:
    rig.start()
    job_id = forewarned(rig, batch=True)
    rig.end_agent()
    assert heard(rig, job_id, 1) == ["script"]


@live
def test_the_agent_stands_in_for_a_shepherd(rig: Rig) -> None:
    rig.start()

    def kill_shepherd(job_id: int) -> bool:
        pid = rig.peer.wait(LaunchedReport, job_id).pid
        assert pid is not None
        rig.shepherd_of(pid).kill()
        return True

    def is_missed(job_id: int) -> bool:
        lines = rig.log().splitlines()
        return any('"shepherd-killed"' in line and f"/{job_id}.1.n1/" in line for line in lines)

    def is_planned(
        job_id: int,
    ) -> ExitedReport:  # the agent is past that when it does something else
        return rig.run(100 + job_id, "true")

    job_id = forewarned(rig, LOGS, kill_shepherd, is_missed, is_planned)
    assert heard(rig, job_id, 2) == ["child", "other"]


# ---------------------------------------------------------------- beyond the limit


@pytest.mark.slow
@live
def test_the_overrun_is_granted_and_the_cause_is_still_the_limit(rig: Rig) -> None:
    rig.start()
    times = "echo $((RMS_JOB_END_TIME - RMS_JOB_START_TIME))"
    script = f"trap 'exit 0' TERM; {times}; sleep 0.6; echo beyond; while :; do sleep 0.05; done"
    job_id = rig.in_time(
        lambda job_id, lead_s: rig.launch(job_id, script, time_limit_s=0.5, overrun_s=lead_s),
        rig.has_said("beyond"),
    )
    end = rig.peer.wait(ExitedReport, job_id)
    assert (end.cause, end.exit_code) == (Cause.LIMIT, 0)
    told_s, beyond, *_ = rig.output(job_id).splitlines()
    assert (int(told_s) <= 1, beyond) == (True, "beyond")
    soon = rig.run(9, "sleep 0.6", time_limit_s=0.5, overrun_s=30.0)
    assert (soon.cause, soon.exit_code) == (Cause.EXIT, 0)
