"""The points of QOS and partitions in the order `priority`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rmsd_core.jobs.accounts import JobLimits, Policies, QosPolicy
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Exited, NodeUp, SetPartitions, SetPolicies, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import NORMAL_QOS, Cause

_NODE = "n1"
_RECIPES = (
    "fair-share,age=0",
    "conservative,order=priority,age=0",
    "fair-share,backfill=shortest,age=0",
)
every_recipe = pytest.mark.parametrize("recipe", _RECIPES)


def qos(**points: int) -> Policies:
    return Policies(qos=tuple([QosPolicy(name, priority=one) for name, one in points.items()]))


def partitions(**points: int) -> tuple[Partition, ...]:
    return tuple([Partition(name, priority=one) for name, one in points.items()])


def machine(recipe: str, policies: Policies | None = None, named: Sequence[Partition] = ()) -> Core:
    """Return a core whose four processors a job of root has for long."""
    core = Core(parse_recipe(recipe), "nodes", partitions=named, policies=policies or Policies())
    core.handle(0, [NodeUp(_NODE, 4, 0)])
    submit(core, 1, "root", named[0].name if named else None)
    return core


def submit(
    core: Core, job_id: int, user: str, partition: str | None = None, of_qos: str = NORMAL_QOS
) -> None:
    request = Request((Component(1, 4, partition=partition),))
    job = Job(job_id, user, job_id * SECOND_US, request, 1000 * SECOND_US, qos=of_qos)
    core.handle(job_id * SECOND_US, [Submit(job)])


def end(core: Core, job_id: int, at_s: int) -> None:
    outcome = Outcome(Cause.EXIT, 0)
    at_us = at_s * SECOND_US
    core.handle(at_us, [Exited(job_id, core.job(job_id).attempt, _NODE, at_us, outcome)])


def started(core: Core) -> list[int]:
    """Return the jobs that run."""
    return sorted(job.id for job in core.holders())


@every_recipe
def test_the_job_of_a_qos_with_more_points_starts_first(recipe: str) -> None:
    core = machine(recipe, qos(low=10, high=20_000))
    submit(core, 2, "ann", of_qos="low")
    submit(core, 3, "ann", of_qos="high")
    priority = core.priority(core.job(3), 4 * SECOND_US)
    assert priority is not None
    assert (priority[0].qos, priority[0].partition) == (20_000, 0)
    assert priority[0].total == priority[0].share + 20_000
    end(core, 1, 100)
    assert started(core) == [3]


@every_recipe
def test_the_job_of_a_partition_with_more_points_starts_first(recipe: str) -> None:
    core = machine(recipe, named=partitions(slow=0, fast=20_000))
    submit(core, 2, "ann", "slow")
    submit(core, 3, "ann", "fast")
    priority = core.priority(core.job(3), 4 * SECOND_US)
    assert priority is not None
    assert priority[0].partition == 20_000
    end(core, 1, 100)
    assert started(core) == [3]


@pytest.mark.parametrize("names", [("fast", "slow"), ("slow", "fast")])
def test_a_job_that_names_several_partitions_has_the_fewest_points_of_these(
    names: Sequence[str],
) -> None:
    """No job gets the points of a partition in which it cannot run by naming it first."""
    core = machine(_RECIPES[0], named=partitions(slow=10, fast=20_000))
    components = tuple([Component(1, 4, partition=name) for name in names])
    job = Job(2, "ann", 2 * SECOND_US, Request(components), 1000 * SECOND_US)
    core.handle(2 * SECOND_US, [Submit(job)])
    submit(core, 3, "ann", "fast")
    priority = core.priority(job, 4 * SECOND_US)
    assert priority is not None
    assert priority[0].partition == 10
    end(core, 1, 100)
    assert started(core) == [3]


@every_recipe
def test_other_points_count_for_the_jobs_that_wait(recipe: str) -> None:
    core = machine(recipe, qos(a=20_000, b=0), partitions(slow=1, fast=0))
    submit(core, 2, "ann", "slow", "a")
    submit(core, 3, "ann", "fast", "b")
    core.handle(50 * SECOND_US, [SetPolicies(qos(a=0, b=20_000))])
    assert core.rank(core.job(3)) < core.rank(core.job(2))
    core.handle(60 * SECOND_US, [SetPolicies(qos(a=0, b=0))])
    assert core.rank(core.job(2)) < core.rank(core.job(3))
    core.handle(70 * SECOND_US, [SetPartitions(partitions(slow=1, fast=30_000))])
    end(core, 1, 100)
    assert started(core) == [3]


def test_points_change_while_a_limit_holds_jobs_back() -> None:
    one_each = JobLimits(max_running_per_user=1)
    policies = Policies(qos=(QosPolicy("night", one_each),))
    core = machine(_RECIPES[0], policies, partitions(slow=0, fast=0))
    core.handle(1 * SECOND_US, [NodeUp("n2", 4, 0)])
    submit(core, 2, "ann", "slow", "night")
    submit(core, 3, "ann", "slow", "night")
    submit(core, 4, "ann", "fast", "night")
    assert started(core) == [1, 2]
    core.handle(50 * SECOND_US, [SetPartitions(partitions(slow=0, fast=5))])
    outcome = Outcome(Cause.EXIT, 0)
    core.handle(60 * SECOND_US, [Exited(2, 1, "n2", 60 * SECOND_US, outcome)])
    assert started(core) == [1, 4]


def test_a_restart_goes_on_with_the_points() -> None:
    policies = qos(low=10, high=20_000)
    core = machine(_RECIPES[0], policies)
    submit(core, 2, "ann", of_qos="low")
    submit(core, 3, "ann", of_qos="high")
    later = Core(parse_recipe(_RECIPES[0]), "nodes", policies=policies)
    jobs = [job.copied() for job in core.jobs.values()]
    later.restore(core.nodes.values(), jobs, (), core.memory())
    later.handle(50 * SECOND_US, [NodeUp(_NODE, 4, 0)])
    end(later, 1, 100)
    assert started(later) == [3]
