"""A pass starts no more jobs than a bound says, and the next one goes on at the same instant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.small_cluster import exited
from tests.core.strategies import MACHINE, traces
from tests.core.world import Cluster, World, recipe_texts

_KINDS = ("Start(", "Commit(", "Claim(", "Stop(", "Requeue(", "End(")


def _schedule(recipe: str, cluster: Cluster, trace: list[TraceJob], bound: int) -> list[str]:
    """Return what is decided, with times; decisions of an instant in alphabetical order."""
    core = Core(parse_recipe(recipe), cluster.capacity, most_starts=bound)
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
