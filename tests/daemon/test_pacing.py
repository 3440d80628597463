"""A paced clock: when it goes on, and in which order the core is told what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Stop
from rmsd_core.lifecycle.inputs import Exited, Launched, NodeSuspect, NodeUp, Submit
from rmsd_core.model_time import NEVER_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.vocabulary import Cause
from rmsd_daemon.loop.mailbox import Arrival, ReadyInputs, Report, Work
from rmsd_daemon.loop.pacing import ClockStep, Known, Pacing, next_step
from rmsd_daemon.setup.clock import PacedClock
from tests.daemon.scheduling import NoLinks

NOW = 100
KNOWN = Known(NOW, end_us=130, submit_us=120, wake_us=None)


@pytest.mark.parametrize(
    ("changes", "step"),
    [
        ({}, 120),
        ({"submit_us": 150}, 130),
        ({"wake_us": 110}, 110),
        ({"end_us": None}, ClockStep.WAIT),
        ({"end_us": None, "confirmed": True}, ClockStep.WAIT),
        ({"submit_us": None}, ClockStep.WAIT),
        ({"submit_us": None, "ended": True}, ClockStep.WAIT),
        ({"submit_us": None, "wake_us": NOW}, ClockStep.WAIT),
        ({"submit_us": None, "confirmed": True, "ended": True}, ClockStep.CONFIRM),
        ({"ended": True}, ClockStep.APPLY),
        ({"submit_us": NOW}, ClockStep.APPLY),
        ({"submit_us": NOW - 1}, ClockStep.APPLY),
        ({"wake_us": NOW}, ClockStep.APPLY),
        ({"wake_us": 0}, ClockStep.APPLY),
        ({"submit_us": NEVER_US}, 130),
        ({"submit_us": NEVER_US, "end_us": NEVER_US}, ClockStep.OVER),
        ({"submit_us": NEVER_US, "end_us": NEVER_US, "wake_us": 140}, 140),
    ],
    ids=str,
)
def test_the_clock_goes_on_once_everybody_has_answered(
    changes: dict[str, Any], step: ClockStep | int
) -> None:
    assert next_step(KNOWN._replace(**changes)) == step


class Agents(NoLinks):
    """The links to agents whose next end is `end_us`; None while one has not answered. An end that
    has come is asked for."""

    def __init__(self, end_us: int | None = NEVER_US) -> None:
        self.end_us = end_us

    def next_end_us(self, now_us: int) -> int | None:
        return None if self.end_us is None or self.end_us <= now_us else self.end_us


def report(job_id: int, cause: Cause, node: str = "n1") -> Report:
    return Report(NoLinks(), job_id, Exited(job_id, 1, node, NOW, Outcome(cause, 0)))


def running(*ids: int) -> Core:
    """Return a core with these jobs on all of three nodes, n3 being the first in each."""
    core = Core(PRESETS["easy"])
    core.handle(0, [NodeUp(name, 8, 0) for name in ("n3", "n1", "n2")])
    core.handle(1, [Submit(Job(at, "ann", 1, processors(20), 500)) for at in ids])
    return core


def next_works(
    pacing: Pacing, works: Sequence[Work], core: Core, agents: Agents | None = None
) -> tuple[list[Work] | None, list[Work]]:
    return pacing.next_works(works, agents or Agents(), core, None)


def jobs_of(works: Iterable[Work] | None) -> list[int | None]:
    assert works is not None
    return [work.input and work.input.job_id for work in works if isinstance(work, Report)]


async def arrival(at_us: int | None) -> Arrival:
    return Arrival([], None, "", asyncio.get_running_loop().create_future(), None, at_us)


async def test_ordered_ends_come_first_in_the_order_of_the_orders() -> None:
    pacing, core = Pacing(PacedClock(NOW)), running(1)
    pacing.decided([Stop(7, 1, ("n1",), Cause.TRIAL), Stop(4, 1, ("n2", "n1"), Cause.TRIAL)])
    launched = Report(NoLinks(), 9, Launched(1, 1))
    by_itself, later = report(1, Cause.EXIT), await arrival(NOW)
    ordered = [report(4, Cause.TRIAL), report(7, Cause.TRIAL), report(4, Cause.TRIAL, "n2")]
    now, waiting = next_works(pacing, [by_itself, launched, later, *ordered], core)
    assert now == [ordered[1], ordered[2], ordered[0], launched]
    assert waiting == [by_itself, later]
    now, waiting = next_works(pacing, waiting, core)
    assert (now, waiting) == ([by_itself, later], [])


async def test_ends_come_by_job_and_by_the_place_of_the_node_before_what_arrives() -> None:
    core = running(1)
    [job] = core.jobs.values()
    first, second, third = (piece.node for piece in job.allocation)
    works = [await arrival(NOW), report(2, Cause.LIMIT)]
    works += [report(1, Cause.EXIT, node) for node in (third, first, second)]
    now, waiting = next_works(Pacing(PacedClock(NOW)), works, core)
    assert now == [works[3], works[4], works[2], works[1], works[0]]
    assert not waiting


async def test_jobs_wait_for_their_instant_and_the_clock_for_the_agents() -> None:
    clock = PacedClock(NOW)
    pacing, core, agents = Pacing(clock), running(), Agents(None)
    early, late = await arrival(150), await arrival(200)
    assert next_works(pacing, [late, early], core, agents) == (None, [late, early])
    assert clock.now_us() == NOW
    agents.end_us = 250
    assert next_works(pacing, [late, early], core, agents) == ([early], [late])
    assert clock.now_us() == 150
    assert next_works(pacing, [late], core, agents) == ([late], [])
    assert clock.now_us() == 200
    assert next_works(pacing, [], core, agents) == (None, [])  # the driver may submit again
    assert clock.now_us() == 200
    pacing.run_out()
    assert next_works(pacing, [], core, agents) == (None, [])
    assert clock.now_us() == 250  # the agents are asked for that end
    agents.end_us = NEVER_US
    assert not pacing.over.is_set()
    next_works(pacing, [], core, agents)
    assert pacing.over.is_set()


async def test_nothing_happens_while_a_node_is_not_linked_except_what_is_done_at_once() -> None:
    clock = PacedClock(NOW)
    pacing, core = Pacing(clock), running()
    core.handle(NOW, [NodeSuspect("n2")])
    due, cancel, asked = await arrival(NOW), ReadyInputs([]), await arrival(None)
    assert next_works(pacing, [due, cancel, asked], core) == ([cancel, asked], [due])
    assert next_works(pacing, [due], core) == (None, [due])
    core.handle(NOW, [NodeUp("n2", 8, 0)])
    assert next_works(pacing, [due], core) == ([due], [])
