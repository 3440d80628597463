"""Signals ahead of a limit, and what a job gets beyond it."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.warning import Warn, for_task, instants_s
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launched, StartTask, WarnSignal

from .conftest import wait_until

if TYPE_CHECKING:
    from .conftest import Rig

live = pytest.mark.live

USR1 = int(signal.SIGUSR1)
LOGS = """
trap 'echo script >> heard' USR1
(trap 'echo child >> heard' USR1; echo up >> heard; while :; do sleep 0.05; done) &
(trap 'echo other >> heard' USR1; echo up >> heard; while :; do sleep 0.05; done) &
while :; do wait; done
"""


def heard(rig: Rig, count: int) -> list[str]:
    """What has been heard of signals, as soon as there are `count` of them."""

    def lines() -> list[str]:
        path = rig.work / "heard"
        said = path.read_text().splitlines() if path.exists() else []
        return [line for line in said if line != "up"]

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
    assert for_task(both, [1.0, 3.0], 2.0) == Warn(USR1, "all", [3.0])
    assert for_task(both, [1.0], 2.0) is None
    assert for_task(WarnSignal(USR1, batch=True), [3.0], 2.0) is None


# ---------------------------------------------------------------- whom


@live
def test_the_script_alone_is_told(rig: Rig) -> None:
    rig.start()
    rig.launch(1, LOGS, limit_s=62.0, warn_signal=WarnSignal(USR1, 61.0, batch=True))
    assert heard(rig, 1) == ["script"]
    rig.stop(1)


@live
def test_all_but_the_script_are_told(rig: Rig) -> None:
    rig.start()
    end = rig.run(1, LOGS, limit_s=2.5, warn_signal=WarnSignal(USR1, 1.5))
    assert end.cause is Cause.LIMIT
    assert heard(rig, 2) == ["child", "other"]


@live
def test_tasks_are_told_on_every_node(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "", batch=False, limit_s=60.0, warn_signal=WarnSignal(USR1, 58.0))
    argv = ["sh", "-c", "trap 'echo task >> heard' USR1; while :; do sleep 0.05; done"]
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, argv, {}, str(rig.work)))
    assert rig.peer.reply(1).status == 200
    assert heard(rig, 1) == ["task"]
    rig.stop(1)


@live
def test_rrun_is_spared_as_its_tasks_hear_it_themselves(rig: Rig) -> None:
    relay = rig.work / "rrun"
    relay.write_text("#!/bin/sh\ntrap 'echo twice >> heard' USR1; while :; do sleep 0.05; done\n")
    relay.chmod(0o700)
    rig.start()
    rig.launch(1, f"./rrun & {LOGS}", limit_s=62.0, warn_signal=WarnSignal(USR1, 60.5))
    assert heard(rig, 2) == ["child", "other"]
    rig.stop(1)


@live
def test_it_comes_before_the_end_of_a_trial_and_before_the_limit(rig: Rig) -> None:
    rig.peer.rate = 10.0
    rig.start()
    rig.launch(
        1,
        LOGS,
        limit_s=5.0,
        trial_end_us=int(rig.peer.model_now_us()) + 30_000_000,  # 3 s of real time
        warn_signal=WarnSignal(USR1, 2.0, batch=True),
    )
    assert heard(rig, 1) == ["script"]
    assert heard(rig, 2) == ["script", "script"]
    rig.stop(1)


# ---------------------------------------------------------------- who tells


@live
def test_it_needs_no_agent(rig: Rig) -> None:
    rig.start()
    rig.launch(1, LOGS, limit_s=63.0, warn_signal=WarnSignal(USR1, 61.0, batch=True))
    rig.peer.wait(Launched, 1)
    rig.end_agent()
    assert heard(rig, 1) == ["script"]


@live
def test_the_agent_stands_in_for_a_shepherd(rig: Rig) -> None:
    rig.start()
    rig.launch(1, LOGS, limit_s=64.0, warn_signal=WarnSignal(USR1, 61.0))
    launched = rig.peer.wait(Launched, 1)
    assert launched.pid is not None
    wait_until(lambda: (rig.work / "heard").exists())
    rig.shepherd_of(launched.pid).kill()
    assert heard(rig, 2) == ["child", "other"]
    rig.stop(1)


# ---------------------------------------------------------------- beyond the limit


@live
def test_the_overrun_is_granted_and_the_cause_is_still_the_limit(rig: Rig) -> None:
    rig.start()
    times = "echo $((RMS_JOB_END_TIME - RMS_JOB_START_TIME))"
    end = rig.run(
        1,
        f"trap 'exit 0' TERM; {times}; sleep 0.7; echo beyond; while :; do sleep 0.05; done",
        limit_s=0.5,
        overrun_s=1.0,
    )
    assert (end.cause, end.exit_code) == (Cause.LIMIT, 0)
    told_s, beyond, *_ = rig.output(1).splitlines()
    assert (int(told_s) <= 1, beyond) == (True, "beyond")
    soon = rig.run(2, "sleep 0.6", limit_s=0.5, overrun_s=30.0)
    assert (soon.cause, soon.exit_code) == (Cause.EXIT, 0)
