"""The shadows of several heads from releases that are gathered once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Running
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import node_releases
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_releases import NodeReleases
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.recipe import Extra
from rmsd_core.recipes.text import parse_recipe

_PARTITIONS = {
    one.name: one
    for one in (
        Partition("left", ("n0", "n1")),
        Partition("right", ("n1", "n2", "n3")),
        Partition("few", ("n0", "n1", "n2", "n3"), max_nodes=1),
    )
}
_components = st.builds(
    lambda units, cores, spread, feature, partition: Component(
        units, cores, spread=spread, feature=feature, partition=partition
    ),
    st.integers(1, 4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([None, "fast"]),
    st.sampled_from(["left", "right", "few"]),
)
_requests = st.lists(_components, min_size=1, max_size=2).map(lambda one: Request(tuple(one)))
_runs = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 9)), max_size=8)


def _running(capacity: NodeCapacity, runs: list[tuple[int, int, int]]) -> list[Release]:
    """Start the runs that fit: (units, cores of each, expected end). Return their releases."""
    releases: list[Release] = []
    for seq, (units, cores, end_us) in enumerate(runs):
        request = Request((Component(units, cores),))
        allocation = capacity.place(request)
        if allocation is not None:
            capacity.take(allocation)
            attempt = Attempt(allocation, 0, frozenset(piece.node for piece in allocation))
            job = Job(1 + seq, "ann", 0, request, end_us, phase=Running(attempt))
            releases.append((end_us, seq, job))
    return sorted(releases)


def _shadow_us(
    capacity: NodeCapacity, releases: list[Release], head: Request, earliest_us: int, extra: Extra
) -> int:
    """Return when the head fits as the releases are given back one after the other. Those that are
    given back by then are given back to the capacity."""
    found = capacity.fits(head)
    time_us = earliest_us if found else NEVER_US
    for release in releases:
        if found and (release[0] > time_us or extra == "needed"):
            break
        for piece in release[2].releasing():
            capacity.give(piece)
        if not found and capacity.fits(head):
            found, time_us = True, max(release[0], earliest_us)
    return time_us


@given(
    st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=4, max_size=4),
    _runs,
    st.lists(st.tuples(_requests, st.sampled_from([0, 4, NEVER_US])), min_size=1, max_size=4),
    st.sampled_from(["instant", "needed"]),
    st.sampled_from([1, 2, 64]),
)
def test_the_releases_are_those_of_a_walk_for_each_head(
    nodes: list[tuple[int, bool]],
    runs: list[tuple[int, int, int]],
    heads: list[tuple[Request, int]],
    extra: Extra,
    step: int,
) -> None:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(node_releases, "STEP", step)
        capacity, releases = _made(nodes, runs)
        gathered = capacity.gathered(releases)
        for head, not_before_us in heads:
            for component in head.components:  # each of several has a shadow of its own
                one = Request((component,))
                found = capacity.shadow(one, gathered, 2, not_before_us, extra)
                plain, again = _made(nodes, runs)
                time_us = _shadow_us(plain, again, one, max(2, not_before_us), extra)
                assert found.time_us == time_us
                expected = plain.place(one)
                if expected is not None:
                    plain.take(expected)
                now, _ = _made(nodes, runs)
                assert found.extra == _beside(now, plain)


def _made(
    nodes: list[tuple[int, bool]], runs: list[tuple[int, int, int]]
) -> tuple[NodeCapacity, list[Release]]:
    capacity = NodeCapacity()
    for at, (cores, fast) in enumerate(nodes):
        capacity.set_node(f"n{at}", cores, 100, ("fast",) if fast else ())
        capacity.set_available(f"n{at}", True)
    capacity.set_partitions(_PARTITIONS)
    return capacity, _running(capacity, runs)


def _beside(now: NodeCapacity, later: NodeCapacity) -> int:
    """Return how many cores are free on the nodes both now and later."""
    return sum(min(now.left(f"n{at}")[0], later.left(f"n{at}")[0]) for at in range(4))


def test_a_pass_looks_at_each_running_job_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a head in each of 100 partitions, 64 jobs running in each, a pass took 4 s: each head
    had all running jobs given back one after the other."""
    looks = 0
    pieces = NodeReleases.pieces

    def counted(self: NodeReleases, at: int) -> object:
        nonlocal looks
        looks += 1
        return pieces(self, at)

    monkeypatch.setattr(NodeReleases, "pieces", counted)
    count, each = 20, 16
    partitions = [Partition(f"p{at}", (f"n{at}",)) for at in range(count)]
    core = Core(parse_recipe("easy"), "nodes", partitions=partitions)
    core.handle(0, [NodeUp(f"n{at}", each, 1000) for at in range(count)])

    def job(job_id: int, at: int, cpus: int, limit_s: int) -> Submit:
        request = Request((Component(1, cpus, partition=f"p{at % count}"),))
        return Submit(Job(job_id, "ann", 0, request, limit_s * SECOND_US))

    core.handle(1, [job(1 + at, at, 1, 100 + at) for at in range(count * each)])
    heads = [job(1001 + at, at, each, 60) for at in range(count)]
    core.handle(2, [*heads])
    last = [100 + at + count * (each - 1) for at in range(count)]
    assert [one.job.record.reserved_us for one in heads] == [1 + s * SECOND_US for s in last]
    # once to sort them by node, once for the head of their node, and some near its shadow time
    assert looks < count * each * 8
