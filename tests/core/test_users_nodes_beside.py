"""Jobs that share their nodes with jobs of their user alone, beside preemption, reservations,
arrays and limits."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, Policies
from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, Running
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import (
    AddReservation,
    Input,
    NodeUp,
    SetPartitions,
    SetPolicies,
    Update,
)
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import cluster, exited
from tests.core.users_jobs import by_user, submit

LOW = Partition("low", preempt="requeue", preempt_exempt_us=30 * SECOND_US)
HIGH = Partition("high", tier=2)


def in_partition(
    job_id: int, name: str, units: int = 1, *, user: str = "bob", estimate_s: int = 60
) -> Job:
    needs = Demands(by_user=True) if user == "ann" else None
    request = Request((Component(units, partition=name, needs=needs),))
    return Job(job_id, user, 0, request, estimate_s * SECOND_US)


def divided(*partitions: Partition, recipe: str = "easy") -> Core:
    core = Core(parse_recipe(recipe), "nodes", partitions=partitions)
    core.handle(0, [NodeUp(name, 4, 1000, ("real",)) for name in ("n1", "n2")])
    return core


# ---------------------------------------------------------------- preemption


@pytest.mark.parametrize("recipe", ["easy", "conservative"])
def test_a_head_that_joins_others_of_its_user_preempts_nobody(recipe: str) -> None:
    core = divided(LOW, HIGH, recipe=recipe)
    assert submit(core, 0, in_partition(1, "low", 4)) == [1]
    ours = [in_partition(number, "high", user="ann") for number in (2, 3)]
    assert submit(core, 40, *ours) == [2, 3]
    assert [job.allocation[0].node for job in ours] == ["n2", "n2"]
    assert isinstance(core.jobs[1].phase, Running)


def test_jobs_that_share_a_node_make_way_for_nobody_under_new_rules() -> None:
    """The pass is over while another job may be preempted later."""
    core = divided(LOW._replace(preempt="off"), HIGH)
    ours = [in_partition(number, "low", user="ann") for number in (1, 2)]
    assert submit(core, 0, *ours) == [1, 2]
    core.handle(SECOND_US, [SetPartitions((LOW, HIGH))])
    assert submit(core, 20, in_partition(3, "low", 4, estimate_s=90)) == [3]
    assert submit(core, 35, in_partition(4, "high", 4)) == []
    assert core.handle(35 * SECOND_US, []).wake_us == 50 * SECOND_US
    submit(core, 50)
    assert {job.id for job in core.jobs.values() if type(job.phase) is Running} == {1, 2}


# ---------------------------------------------------------------- advance reservations


def reserve(core: Core, now_s: int, start_s: int) -> tuple[Input, ...]:
    """Set node n1 aside for others. Return what is refused."""
    start_us, end_us = start_s * SECOND_US, 900 * SECOND_US
    one = AdvanceReservation("others", start_us, end_us, ("n1",), users=("eve",))
    return core.handle(now_s * SECOND_US, [AddReservation(one)]).refused


def test_a_job_on_a_node_that_another_keeps_grows_into_no_reservation() -> None:
    core = cluster("easy", nodes=1)
    assert submit(core, 0, by_user(1, estimate_s=100), by_user(2, estimate_s=50)) == [1, 2]
    assert core.jobs[2].keeping() == ()
    assert not reserve(core, 1, 200)
    longer = Update(job_id=2, estimate_us=250 * SECOND_US)
    assert core.handle(2 * SECOND_US, [longer]).refused == (longer,)


def test_a_node_is_set_aside_before_no_job_that_another_keeps_it_for() -> None:
    """The second job ends with the first by its prediction, and much later by its limit."""
    core = cluster("easy++", nodes=1)
    for number, start_s in ((1, 0), (2, 10)):
        earlier = by_user(number, estimate_s=20)
        submit(core, start_s, earlier)
        core.handle((start_s + 10) * SECOND_US, [exited(earlier, "n1", start_s + 10)])
    submit(core, 20, by_user(3, estimate_s=20))
    submit(core, 20, by_user(4, estimate_s=100))
    assert core.jobs[4].keeping() == ()
    assert reserve(core, 21, 60)
    assert not reserve(core, 22, 120)


# ---------------------------------------------------------------- arrays, limits and parts


@pytest.mark.parametrize("recipe", ["easy", "fcfs", "conservative"])
def test_the_tasks_of_an_array_fill_a_node_of_their_user(recipe: str) -> None:
    core = cluster(recipe, nodes=1)
    submit(core, 0, by_user(1, estimate_s=100))
    tasks = Array[Job](Indices([(0, 19, 1)]))
    request = by_user(10).request
    array = Job(10, "ann", 0, request, 10 * SECOND_US, array=tasks, phase=UNFOLDING)
    assert submit(core, 1, array) == [11, 12, 13]
    ended = [exited(core.jobs[number], "n1", 5) for number in (11, 12, 13)]
    core.handle(5 * SECOND_US, ended)
    core.sanity_check()
    assert {job.id for job in core.jobs.values() if job.open_nodes} == {1, 14, 15, 16}


def test_a_job_that_passes_a_limit_keeps_no_other_from_joining() -> None:
    core = cluster("easy", nodes=1)
    submit(core, 0, by_user(1, estimate_s=100))
    one = JobLimits(max_running=1)
    core.handle(SECOND_US, [SetPolicies(Policies(accounts=(AccountPolicy("one", limits=one),)))])
    jobs = [by_user(number, estimate_s=10 * number) for number in (2, 3, 4)]
    jobs[0].account = jobs[1].account = "one"
    assert submit(core, 2, *jobs) == [2, 4]


@pytest.mark.parametrize("nodes", ["n1", "n1 n2"])
def test_a_pass_in_parts_decides_what_a_whole_one_does(nodes: str) -> None:
    """The last job in the queue joins the first one if there is no node of its own."""
    for most_starts in (1, 250):
        core = Core(parse_recipe("easy"), "nodes", most_starts=most_starts)
        core.handle(0, [NodeUp(name, 4, 1000, ("real",)) for name in nodes.split()])
        longer = by_user(2, estimate_s=200)
        assert submit(core, 0, by_user(1, estimate_s=100), longer) == [1, 2]
        assert longer.allocation[0].node == nodes.split()[-1]
