"""Partitions: each job sees its own nodes, and waits behind no job of others."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Found, NodeDead, NodeUp, SetPartitions, Submit
from rmsd_core.lifecycle.sanity import Insane
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.partitions import Partition, by_name
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import JobState
from rmsd_lab.workloads.swf import TraceJob
from tests.core.divided import NODES, Divided, recipes
from tests.core.strategies import traces
from tests.core.world import Cluster, World

EVERYWHERE = (Partition("all"),)
LEFT_AND_RIGHT = (Partition("left", ("n1", "n2")), Partition("right", ("n2", "n3"), tier=2))
APART = (Partition("left", ("n1",)), Partition("right", ("n2", "n3")))


def _divided(
    trace: list[TraceJob],
    recipe: str,
    partitions: Iterable[Partition],
    names: tuple[tuple[str, ...], ...],
) -> Divided:
    core = Core(parse_recipe(recipe), "nodes", partitions=tuple(partitions))
    world = Divided(trace, Cluster("nodes", NODES, 1), [core], names=names)
    world.feed(0, [("up", ())])
    return world


def _run(world: World) -> list[object]:
    """Run the world, and return all that its core has decided."""
    decided: list[object] = []
    for _ in range(3000):
        if world.next_us is None:
            break
        now_us = world.step()
        decided += [(now_us, one) for one in world.decided[0][:-1]]
    return decided


@pytest.mark.slow
@settings(max_examples=30)
@given(traces, recipes)
def test_one_partition_of_all_nodes_changes_no_decision(trace: list[TraceJob], recipe: str) -> None:
    undivided = _run(_divided(trace, recipe, (), ((),)))
    divided = _run(_divided(trace, recipe, EVERYWHERE, (("all",),)))
    assert divided == undivided


@pytest.mark.slow
@settings(max_examples=30)
@given(traces, recipes, st.sampled_from([LEFT_AND_RIGHT, APART]))
def test_every_job_runs_in_its_partition_and_all_come_to_their_end(
    trace: list[TraceJob], recipe: str, partitions: tuple[Partition, ...]
) -> None:
    """`sanity_check` looks at the nodes of each job after each call (`World.feed`)."""
    trace = [job._replace(size=min(job.size, 4)) for job in trace]
    world = _divided(trace, recipe, partitions, (("left",), ("right",), ("right", "left")))
    _run(world)
    [core] = world.cores
    assert not core.jobs
    assert {row["partition"] for row in world.stored.values()} <= {"left", "right"}


@pytest.mark.slow
@settings(max_examples=60)
@given(traces, st.sampled_from(["fcfs", "easy", "easy-sjbf", "conservative", "easy,reserve=2"]))
def test_partitions_apart_are_clusters_of_their_own(trace: list[TraceJob], recipe: str) -> None:
    """The jobs of one partition run as if the others were not there. The exception is a pass
    without news that decides otherwise: with priorities that grow, and once a job is longer than it
    said."""
    trace = [job._replace(run_s=min(job.run_s, job.estimate_s)) for job in trace]
    if recipe == "conservative":  # a pass may use the holes that the pass before it has made
        trace = [job._replace(run_s=job.estimate_s) for job in trace]
    trace = [job._replace(size=min(job.size, 4), user=f"u{at}") for at, job in enumerate(trace)]
    both = _divided(trace, recipe, APART, (("left",), ("right",)))
    both.refuses = False
    _run(both)
    for turn, name in enumerate(("left", "right")):
        alone = _divided(trace, recipe, APART, (("left",), ("right",)))
        alone.refuses = False
        alone.events = [one for one in alone.events if one[3][0] % 2 == turn]
        _run(alone)
        own = [job_id for job_id in both.stored if job_id % 2 == turn]
        assert own == list(alone.stored)
        for job_id in own:
            ours, theirs = both.stored[job_id], alone.stored[job_id]
            assert (ours["start_us"], ours["partition"]) == (theirs["start_us"], name)


def _job(job_id: int, cores: int, *names: str, estimate_s: int = 10) -> Submit:
    components = tuple([Component(1, cores, partition=name) for name in names])
    return Submit(Job(job_id, "ann", 0, Request(components), estimate_s * SECOND_US))


def _core(recipe: str, *partitions: Partition) -> Core:
    core = Core(parse_recipe(recipe), partitions=partitions)
    core.handle(0, [NodeUp(name, cores, 0) for name, cores in NODES.items()])
    return core


def test_the_reasons_of_jobs_that_their_partition_does_not_take() -> None:
    left, right = LEFT_AND_RIGHT
    core = _core("easy", left, right)
    core.handle(
        0,
        [
            SetPartitions(
                (
                    left._replace(max_time_us=5 * SECOND_US),
                    right._replace(state="down"),
                    Partition("small", max_cpus=1),
                )
            ),
            *[_job(1, 1, "left"), _job(2, 1, "right"), _job(3, 2, "small")],
            *[_job(4, 1, "gone"), _job(5, 1, "left", "right"), _job(6, 1, "right", "small")],
        ],
    )
    reasons = [core.reason(core.job(job_id)) for job_id in range(1, 6)]
    assert reasons == [
        "PartitionTimeLimit",
        "PartitionDown",
        "PartitionNodeLimit",
        "PartitionDown",
        "PartitionTimeLimit",
    ]
    assert core.job(6).state is JobState.CONFIGURING
    core.handle(1, [SetPartitions(LEFT_AND_RIGHT)])
    assert [core.job(job_id).partition for job_id in (1, 2, 5)] == ["left", "right", "left"]
    assert core.reason(core.job(3)) == "PartitionDown"


def test_a_head_of_each_partition_waits_for_resources() -> None:
    core = _core("easy", *APART)
    core.handle(0, [_job(at, 4, "left" if at % 2 else "right") for at in range(1, 9)])
    waiting = {
        job.id: core.reason(job) for job in core.jobs.values() if job.state is JobState.PENDING
    }
    assert waiting == {
        3: "Resources", 5: "Priority", 6: "Resources", 7: "Priority", 8: "Priority",
    }  # fmt: skip


def test_a_job_outside_its_partition_is_found() -> None:
    core = _core("easy", *APART)
    core.handle(0, [_job(1, 1, "left")])
    job = core.job(1)
    attempt = job.phase.attempt
    assert attempt is not None
    piece = attempt.allocation[0]
    moved = replace(attempt, allocation=(piece._replace(node="n3"),), open_nodes=frozenset({"n3"}))
    job.phase = copy(job.phase)._replace(attempt=moved)  # type: ignore[union-attr]
    with pytest.raises(Insane, match="partition"):
        core.sanity_check()


def test_a_run_that_a_restore_finds_is_in_the_partition_of_its_nodes() -> None:
    """The job had run in another one that it names, by the backup."""
    core = _core("easy", *APART)
    core.handle(0, [_job(1, 1, "left", "right")])
    assert core.job(1).partition == "left"
    core.handle(1, [NodeDead(name) for name in NODES])
    assert core.job(1).state is JobState.PENDING
    core.handle(2, [Found(1, 2, 2, (Piece("n3", 1),))])
    core.sanity_check()
    assert core.job(1).partition == "right"


def test_partitions_by_name() -> None:
    assert list(by_name(LEFT_AND_RIGHT)) == ["left", "right"]


@pytest.mark.parametrize("backfills", [False, True])
def test_hundreds_of_partitions_are_not_compared_with_each_other(
    monkeypatch: pytest.MonkeyPatch, *, backfills: bool
) -> None:
    """A job for each of 250 partitions whose nodes were taken made a pass take minutes, since each
    new head had what is left beside all heads found anew, for the first one, the first two, and so
    on; each pass that could backfill took half a second."""
    looks = 0
    follow = FreeSpace.follow

    def counted(self: FreeSpace, nodes: list[int], *asked: Any) -> None:
        nonlocal looks
        looks += len(nodes)
        follow(self, nodes, *asked)

    monkeypatch.setattr(FreeSpace, "follow", counted)
    count = 40
    partitions = [Partition(f"p{at}", (f"n{at}",)) for at in range(count)]
    core = Core(parse_recipe("easy"), "nodes", partitions=partitions)
    core.handle(0, [NodeUp(f"n{at}", 2, 1000) for at in range(count)])

    def job(job_id: int, at: int, cpus: int, limit_s: int) -> Job:
        request = Request((Component(1, cpus, partition=f"p{at % count}"),))
        return Job(job_id, "ann", 0, request, limit_s * SECOND_US)

    held = 1 if backfills else 2
    core.handle(1, [Submit(job(1 + at, at, held, 100 + at)) for at in range(count)])
    heads = [job(101 + at, at, 2, 60) for at in range(count)]
    core.handle(2, [Submit(one) for one in heads])
    behind = [job(201 + at, at, 1, 1000 - at) for at in range(2 * count)]
    core.handle(3, [Submit(one) for one in behind])
    assert all(one.record.reserved_us == 1 + (100 + at) * SECOND_US for at, one in enumerate(heads))
    assert not any(one.attempt for one in behind)
    assert looks <= 4 * count
