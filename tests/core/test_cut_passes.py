"""A pass starts no more jobs than a bound says, and plans with no more looks than another bound
says. The next pass goes on at the same instant."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Promise, Start
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_search import NodeSearch
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.planning.reservations import Reservations
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.small_cluster import exited
from tests.core.strategies import MACHINE, traces
from tests.core.world import Cluster, World, recipe_texts

_KINDS = ("Start(", "Commit(", "Claim(", "Stop(", "Requeue(", "End(")


def _schedule(
    recipe: str, cluster: Cluster, trace: list[TraceJob], bound: int, looks: int = NEVER_US
) -> list[str]:
    """Return what is decided, with times; decisions of an instant in alphabetical order."""
    core = Core(parse_recipe(recipe), cluster.capacity, most_starts=bound, most_looks=looks)
    world = World(trace, cluster, [core], refuses=False)
    world.feed(0, [("up", ())])
    told = world.told()
    return sorted(
        [f"{at_us:020} {one}" for at_us, all_ in told for one in all_ if one.startswith(_KINDS)]
    )


@pytest.mark.slow
@settings(max_examples=20)
@given(traces, recipe_texts.filter(lambda text: "perfect" not in text))
def test_the_schedule_is_the_same_whatever_the_bound(trace: list[TraceJob], recipe: str) -> None:
    # Nothing happens between two parts of a pass: no job is over at the instant of its start, and
    # no kill is confirmed at once.
    cluster = Cluster("counted", {"n1": MACHINE}, 1)
    trace = [one._replace(run_s=max(1, one.run_s)) for one in trace]
    at_once = _schedule(recipe, cluster, trace, NEVER_US)
    assert _schedule(recipe, cluster, trace, 2) == at_once


def _without_long_runs(trace: list[TraceJob]) -> list[TraceJob]:
    """Return the jobs, none of which runs for long after its limit: beside such a job each second
    has a pass, of many parts."""
    return [one._replace(run_s=max(1, min(one.run_s, one.estimate_s + 3))) for one in trace]


_plans = st.sampled_from(
    [
        *("conservative", "conservative,depth=2", "sjf-conservative", "ljf-conservative,depth=3"),
        *("selective,threshold=2", "easy,reserve=3,backfill=shortest", "dynp", "lxfw,reserve=4"),
    ]
)


@pytest.mark.slow
@settings(max_examples=30)
@given(traces, _plans, st.sampled_from(["counted", "nodes"]))
def test_the_schedule_is_the_same_with_whatever_looks(
    trace: list[TraceJob], recipe: str, capacity: CapacityKind
) -> None:
    """Each call plans one job, or starts those whose time has come."""
    nodes = {"n1": MACHINE} if capacity == "counted" else {"n1": 5, "n2": 3}
    cluster = Cluster(capacity, nodes, 1)
    trace = _without_long_runs(trace)
    at_once = _schedule(recipe, cluster, trace, NEVER_US)
    assert _schedule(recipe, cluster, trace, NEVER_US, 1) == at_once
    assert _schedule(recipe, cluster, trace, 2, 7) == at_once


class _Busy(World):
    """A world in which a core is often called for what happens, and not when it wants to be."""

    random = Random(1)

    @property
    def next_us(self) -> int | None:
        if self.events and self.random.random() < 0.6:
            return self.events[0][0]
        return super().next_us


@pytest.mark.slow
@settings(max_examples=30)
@given(traces, _plans, st.sampled_from([0, 1_050_000]))
def test_all_jobs_run_if_much_happens_between_the_parts_of_passes(
    trace: list[TraceJob], recipe: str, slip_us: int
) -> None:
    cluster = Cluster("nodes", {"n1": 5, "n2": 3}, 1)
    core = Core(parse_recipe(recipe), "nodes", slip_us=slip_us, most_starts=2, most_looks=3)
    world = _Busy(_without_long_runs(trace), cluster, [core], refuses=False)
    world.random.seed(len(trace))
    world.feed(0, [("up", ())])
    ends = [one for _, all_ in world.told() for one in all_ if one.startswith("End(")]
    assert len(ends) == len(trace)


@pytest.mark.parametrize("capacity", ["counted", "nodes"])
def test_a_plan_that_goes_on_has_no_step_in_the_past(
    capacity: CapacityKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place of a start that was missed between two parts was given back in the past: what was
    free long ago was taken for what is free now."""
    begins: list[tuple[int, int]] = []
    passed = Reservations.passed

    def noted(reservations: Reservations, now_us: int) -> None:
        profile: Any = reservations.profile
        steps = profile if capacity == "counted" else profile.racks[0]
        begins.append((steps.times[0], now_us))
        passed(reservations, now_us)

    monkeypatch.setattr(Reservations, "passed", noted)
    core = Core(parse_recipe("conservative"), capacity, slip_us=SECOND_US, most_looks=1)
    core.handle(0, [NodeUp("n1", 4, 0)])
    request = Request((Component(4),))
    jobs = [Submit(Job(at, "eve", 0, request, 9 * SECOND_US)) for at in range(1, 5)]
    wake_us: int | None = SECOND_US
    inputs: list[Any] = [*jobs]
    while wake_us == SECOND_US:
        wake_us, inputs = core.handle(SECOND_US, inputs).wake_us, []
    core.handle(5 * SECOND_US, [NodeUp("n2", 1, 0)])  # one start is placed again, for 10 s
    core.handle(12 * SECOND_US, [])  # the first job is late
    assert [at_us for at_us, now_us in begins if at_us != now_us] == []


@pytest.mark.parametrize("recipe", ["easy", "lxfw", "timed-easy", "rmsd", "conservative,depth=5"])
@pytest.mark.parametrize("partition", [None, "p"])
def test_a_call_starts_no_more_jobs_than_the_bound(recipe: str, partition: str | None) -> None:
    """When a job of 1,000 nodes ended, 6,900 waiting ones started in one call of 2 s."""
    bound, count = 6, 32
    partitions = [Partition("p")] if partition else []
    core = Core(parse_recipe(recipe), "nodes", partitions=partitions, most_starts=bound)
    core.handle(0, [NodeUp(f"n{at}", 8, 0) for at in range(4)])

    def job(job_id: int, units: int, cores: int) -> Submit:
        request = Request((Component(units, cores, spread=cores == 8, partition=partition),))
        return Submit(Job(job_id, "eve", 0, request, 900 * SECOND_US, restartable=job_id != 1))

    core.handle(1, [wide := job(1, 4, 8)])
    core.handle(2, [job(10 + at, 1, 1) for at in range(count)])
    now_us = 5 * SECOND_US
    ends = [exited(wide.job, f"n{at}", 5) for at in range(4)]
    started: list[int] = []
    for call in range(count):
        effects = core.handle(now_us, ends if call == 0 else [])
        started.append(sum([isinstance(one, Start) for one in effects.decisions]))
        if effects.wake_us != now_us:
            break
    assert sum(started) == count
    assert max(started) <= bound


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["easy", "lxfw", "rmsd-gentle", "fair-share"])
def test_a_call_that_starts_jobs_looks_at_few_nodes(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each second job takes the node that the next one would have had: a submit of 500 jobs took
    0.4 to 1 s on 10,000 nodes, in one call."""
    looks, holders = [0], FreeSpace.holders

    def counted(*asked: Any) -> Any:
        looks[-1] += 1
        return holders(*asked)

    monkeypatch.setattr(FreeSpace, "holders", counted)
    started, most, count = [], [], 120
    for bound in (NEVER_US, 20):
        core = Core(parse_recipe(recipe), most_looks=bound)
        core.handle(0, [NodeUp(f"n{at:03}", 4, 1000) for at in range(600)])

        def submit(job_id: int, component: Component, limit_s: int) -> Submit:
            return Submit(Job(job_id, "eve", 0, Request((component,)), limit_s * SECOND_US))

        core.handle(1, [submit(at, Component(1, 3, at), 9000) for at in range(1, 601)])
        core.handle(2, [submit(601, Component(600, 4, spread=True), 9000)])
        inputs: list[Any] = [
            submit(700 + at, Component(1, 1, 999 - at // 2), 60) for at in range(count)
        ]
        starts: set[int] = set()
        wake_us: int | None = SECOND_US
        looks[:] = [0]
        while wake_us == SECOND_US:
            looks.append(0)
            effects = core.handle(SECOND_US, inputs)
            wake_us, inputs = effects.wake_us, []
            starts.update(one.job_id for one in effects.decisions if isinstance(one, Start))
        started.append(starts)
        core.sanity_check()
        most.append(max(looks))
    assert len(started[0]) >= count // 2
    assert started[0] == started[1]
    assert most[1] <= 15 < 60 < most[0]


@pytest.mark.parametrize("recipe", ["conservative", "sjf-conservative", "selective,threshold=1"])
def test_a_call_makes_few_searches(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submit of 500 jobs took 7 to 22 s on 10,000 nodes, in one call."""
    searches, first = [0], NodeSearch.first

    def counted(*asked: Any) -> Any:
        searches[-1] += 1
        return first(*asked)

    monkeypatch.setattr(NodeSearch, "first", counted)
    plans, most = [], []
    for looks in (NEVER_US, 40):
        core = Core(parse_recipe(recipe), slip_us=SECOND_US, most_looks=looks)
        core.handle(0, [NodeUp(f"n{at}", 4, 0) for at in range(600)])
        wide = [Request((Component(at, 4, spread=True),)) for at in range(400, 440)]
        jobs = [Job(at, "eve", 0, one, (10 + at) * SECOND_US) for at, one in enumerate(wide, 1)]
        # The second half of the jobs comes late: the plan is made anew.
        decided: dict[tuple[type[object], int], Promise | Start] = {}
        for now_us, part in ((SECOND_US, jobs[:20]), (600 * SECOND_US, jobs[20:])):
            inputs = [Submit(job) for job in part]
            wake_us: int | None = now_us
            while wake_us == now_us:
                searches.append(0)
                effects = core.handle(now_us, inputs)
                core.sanity_check()
                wake_us, inputs = effects.wake_us, []
                # A job that is promoted in one part may be promised its start in another.
                for one in effects.decisions:
                    assert isinstance(one, Promise | Start)
                    decided[type(one), one.job_id] = one
        plans.append(decided)
        most.append(max(searches))
        searches.clear()
    assert plans[0] == plans[1] != {}
    assert most[1] <= 20 < most[0]
