"""Expected starts foresee preemption: a head that will take the place of others starts then."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.accounts import Policies, QosPolicy
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Claim
from rmsd_core.lifecycle.inputs import NodeUp, SetPolicies, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import JobState
from rmsd_lab.workloads.swf import TraceJob
from tests.core.asked import starts_s
from tests.core.divided import NAMES, NODES, PARTITIONS, Divided, recipes
from tests.core.strategies import traces
from tests.core.world import Cluster

QOS = (
    QosPolicy("low", preempt_exempt_us=60 * SECOND_US),
    QosPolicy("cheap", preempt="cancel"),
    QosPolicy("high", preempts=("low", "cheap")),
)
RECIPES = ("easy", "conservative", "fcfs", "rmsd-gentle")


def job_of(job_id: int, size: int, estimate_s: int, qos: str) -> Job:
    return Job(job_id, "ann", 0, processors(size), estimate_s * SECOND_US, qos=qos)


def machine(recipe: str, kind: CapacityKind, jobs: Sequence[Job]) -> Core:
    """Return a core with one node of four cores, to which jobs came at 0 s."""
    core = Core(parse_recipe(recipe), kind)
    core.handle(0, [NodeUp("n1", 4, 0, ("real",)), SetPolicies(Policies((), QOS))])
    core.handle(0, [Submit(job) for job in jobs])
    return core


@pytest.mark.parametrize("kind", ["counted", "nodes"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_head_is_told_when_it_will_preempt(recipe: str, kind: CapacityKind) -> None:
    """Job 1 is left alone for 60 seconds. Job 3 has its turn behind job 2."""
    core = machine(recipe, kind, [job_of(1, 4, 200, "low")])
    core.handle(20 * SECOND_US, [Submit(job_of(2, 4, 30, "high"))])
    core.handle(20 * SECOND_US, [Submit(job_of(3, 4, 10, "low"))])
    expected = starts_s(core, 20)
    assert expected[2] == (60, "preemption")
    # The plan stands until the preemption.
    assert expected[3][0] == (230 if recipe == "conservative" else 90)
    starts = whole(core.projection(20 * SECOND_US)).starts
    told = whole(core.why(core.jobs[2], starts))
    assert [one.id for one in told.holders] == [1]
    decided = core.handle(60 * SECOND_US, []).decisions
    assert [one.job_id for one in decided if isinstance(one, Claim)] == [2]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_job_that_ends_before_is_not_preempted(recipe: str) -> None:
    core = machine(recipe, "nodes", [job_of(1, 4, 50, "low")])
    core.handle(20 * SECOND_US, [Submit(job_of(2, 4, 30, "high"))])
    start_s, basis = starts_s(core, 20)[2]
    assert start_s == 50
    assert basis != "preemption"


@pytest.mark.parametrize("kind", ["counted", "nodes"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_job_that_is_not_submitted_would_preempt_at_once(recipe: str, kind: CapacityKind) -> None:
    core = machine(recipe, kind, [job_of(1, 2, 200, "low"), job_of(2, 2, 200, "cheap")])
    core.handle(10 * SECOND_US, [Submit(job_of(3, 4, 50, "cheap"))])
    for size, qos, start_s, basis in (
        (2, "high", 11, "preemption"),
        (4, "high", 60, "preemption"),
        (2, "cheap", None, ""),
    ):
        new = job_of(9, size, 30, qos)
        starts = whole(core.projection(10 * SECOND_US, new=new)).starts
        found = starts.expected[9]
        if start_s is None:
            assert found.start_us >= 200 * SECOND_US
            assert found.basis != "preemption"
        else:
            assert (round(found.start_us / SECOND_US), found.basis) == (start_s, basis)
    assert {job.id: job.state for job in core.jobs.values()} == {
        1: JobState.CONFIGURING,
        2: JobState.CONFIGURING,
        3: JobState.PENDING,
    }


@pytest.mark.slow
@settings(max_examples=10)
@given(traces, recipes, st.integers(0, 60))
def test_who_asks_disturbs_no_preemption(trace: list[TraceJob], recipe: str, later_s: int) -> None:
    if parse_recipe(recipe).why_not_live():
        return
    trace = [job._replace(size=min(job.size, 4)) for job in trace]
    cores = [Core(parse_recipe(recipe), partitions=PARTITIONS) for _ in range(2)]
    world = Divided(trace, Cluster("nodes", NODES, 3), cores, names=NAMES)
    world.feed(0, [("up", ())])
    for _ in range(60):
        if world.next_us is None:
            break
        now_us = world.step()
        assert world.decided[0] == world.decided[1]
        assert world.wakes_us[0] == world.wakes_us[1]
        starts = whole(cores[1].projection(now_us + later_s * SECOND_US)).starts
        for job_id, expected in starts.expected.items():
            assert expected.start_us >= starts.now_us
            job = cores[1].jobs[job_id]
            if expected.basis == "preemption":
                tiers = [one.tier for one in PARTITIONS if one.name in job.request.partitions]
                assert min(tiers) > 1


def test_a_partition_of_a_higher_tier_is_told_as_well() -> None:
    low = Partition("low", preempt="requeue", preempt_exempt_us=60 * SECOND_US)
    core = Core(parse_recipe("easy"), partitions=[low, Partition("high", tier=2)])
    core.handle(0, [NodeUp("n1", 4, 0, ("real",))])
    for job_id, name in ((1, "low"), (2, "high")):
        job = job_of(job_id, 4, 200, "normal")
        [component] = job.request.components
        job.request = type(job.request)((component._replace(partition=name),))
        core.handle(job_id * SECOND_US, [Submit(job)])
    assert starts_s(core, 2)[2] == (61, "preemption")
