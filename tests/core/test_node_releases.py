"""The shadows of several heads from releases that are gathered once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import WAITING, Running
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, NodeUp, Submit
from rmsd_core.machine import first_fits, node_releases
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_releases import NodeReleases
from rmsd_core.machine.partitions import Partition
from rmsd_core.machine.released_units import ReleasedUnits
from rmsd_core.model_time import DAY_US, NEVER_US, SECOND_US
from rmsd_core.recipes.recipe import Extra
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import handle_all

_PARTITIONS = {
    one.name: one
    for one in (
        Partition("left", ("n0", "n1")),
        Partition("right", ("n1", "n2", "n3")),
        Partition("few", ("n0", "n1", "n2", "n3"), max_nodes=1),
        Partition("pairs", ("n0", "n1", "n2", "n3"), max_nodes=2),
    )
}
_components = st.builds(
    lambda units, cores, spread, feature, partition, require: Component(
        units,
        cores,
        spread=spread or bool(require),
        feature=feature,
        partition=partition,
        require=require,
    ),
    st.integers(1, 4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([None, "fast"]),
    st.sampled_from(["left", "right", "few", "pairs"]),
    st.sampled_from([(), (), (), ("n1",), ("n1", "n2")]),
)
_requests = st.lists(_components, min_size=1, max_size=2).map(lambda one: Request(tuple(one)))
_runs = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 9)), max_size=8)


def _running(capacity: NodeCapacity, runs: list[tuple[int, int, int]]) -> list[Release]:
    """Start the runs that fit: (units, cores of each, expected end). Return their releases."""
    started = [
        _started(capacity, seq, Request((Component(units, cores),)), end_us)
        for seq, (units, cores, end_us) in enumerate(runs)
    ]
    return sorted([one for one in started if one is not None])


def _started(capacity: NodeCapacity, seq: int, request: Request, end_us: int) -> Release | None:
    """Start a job if it fits. Return its release."""
    allocation = capacity.place(request)
    if allocation is None:
        return None
    capacity.take(allocation)
    attempt = Attempt(allocation, 0, frozenset(piece.node for piece in allocation))
    return end_us, seq, Job(1 + seq, "ann", 0, request, end_us, phase=Running(attempt))


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


@pytest.mark.slow
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
            ones = [Request((component,)) for component in head.components]
            times = [
                capacity.shadow(one, releases, 2, not_before_us, extra).time_us for one in ones
            ]
            shadow = capacity.shadow(head, gathered, 2, not_before_us, extra)
            assert shadow.time_us == min(times)
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

    handle_all(core, 1, [job(1 + at, at, 1, 100 + at) for at in range(count * each)])
    heads = [job(1001 + at, at, each, 60) for at in range(count)]
    core.handle(2, [*heads])
    last = [100 + at + count * (each - 1) for at in range(count)]
    assert [one.job.record.reserved_us for one in heads] == [1 + s * SECOND_US for s in last]
    # once to read them, once for the head of their node, and some near its shadow time
    assert looks < count * each * 9


def test_a_head_of_many_partitions_is_compared_with_the_releases_of_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 50 heads that name 20 partitions each, a pass took 0.25 s on 1,000 nodes: all running
    jobs of each of these partitions were given back, also after the time at which the head starts
    in another one."""
    searches = 0

    class _Counted(ReleasedUnits):
        def __init__(self, *asked: Any) -> None:
            nonlocal searches
            searches += 1
            super().__init__(*asked)

    monkeypatch.setattr(first_fits, "ReleasedUnits", _Counted)
    monkeypatch.setattr(node_releases, "STEP", 1)
    count = 16
    partitions = [Partition(f"p{at}", (f"n{at}",)) for at in range(count)]
    core = Core(parse_recipe("easy"), partitions=partitions)
    core.handle(0, [NodeUp(f"n{at}", 1, 0) for at in range(count)])

    def job(job_id: int, limit_s: int, first: int, names: int) -> Submit:
        parts = [Component(1, partition=f"p{(first + at) % count}") for at in range(names)]
        return Submit(Job(job_id, "ann", 0, Request(tuple(parts)), limit_s * SECOND_US))

    core.handle(1, [job(1 + at, 100 + at * 7 % count, at, 1) for at in range(count)])
    heads = [job(101 + at, 60, at, count) for at in range(count)]
    core.handle(2, [*heads])
    assert all(one.job.record.reserved_us == 1 + 100 * SECOND_US for one in heads)
    assert 0 < searches < 4 * count


@given(
    st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=4, max_size=4),
    _runs,
    st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(1, 9)), max_size=12),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 4]),
)
def test_what_is_kept_of_releases_follows_what_begins_and_ends(
    nodes: list[tuple[int, bool]],
    runs: list[tuple[int, int, int]],
    changes: list[tuple[bool, int, int]],
    step: int,
    most_marks: int,
) -> None:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(node_releases, "STEP", step)
        patches.setattr(node_releases, "MOST_MARKS", most_marks)
        capacity, releases = _made(nodes, runs)
        kept = capacity.kept_along(releases)
        for seq, (begins, at, end_us) in enumerate(changes, 100):
            kept.after(at % (len(releases) + 1))  # makes marks
            if begins:
                started = _started(capacity, seq, Request((Component(1 + at % 2),)), end_us)
                if started is not None:
                    releases.append(started)
                    releases.sort()
                    kept.begin(started)
            elif releases:
                gone = releases.pop(at % len(releases))
                for piece in gone[2].releasing():
                    capacity.give(piece)
                gone[2].phase = WAITING
                kept.end(gone)
            fresh = capacity.gathered(releases)
            assert list(kept) == list(fresh) == releases
            for count in range(len(releases) + 1):
                assert kept.after(count).cores == fresh.after(count).cores


def test_the_releases_are_gathered_once_however_many_heads_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A submit of 500 jobs after whose starts other jobs waited at the heads of 50 partitions took
    1.2 s on 1,000 nodes: all 6,500 running jobs were gathered again for each such head."""
    made = 0
    begin = NodeReleases.__init__

    def counted(self: NodeReleases, *asked: Any) -> None:
        nonlocal made
        made += 1
        begin(self, *asked)

    monkeypatch.setattr(NodeReleases, "__init__", counted)
    count = 20
    partitions = [Partition(f"p{at}", (f"n{at}",)) for at in range(count)]
    core = Core(parse_recipe("easy"), "nodes", partitions=partitions)
    core.handle(0, [NodeUp(f"n{at}", 8, 1000) for at in range(count)])

    def job(job_id: int, at: int, cpus: int, limit_s: int) -> Submit:
        request = Request((Component(1, cpus, partition=f"p{at % count}"),))
        return Submit(Job(job_id, "ann", 0, request, limit_s * SECOND_US))

    core.handle(1, [job(1 + at, at, 4, 9000 + at) for at in range(count)])
    both = [(job(100 + at, at, 1, 90_000), job(200 + at, at, 8, 100)) for at in range(count)]
    core.handle(2, [one for pair in both for one in pair])
    assert all(one.job.start_us == 2 for one, _ in both)
    expected = [2 + 90_000 * SECOND_US] * count
    assert [one.job.record.reserved_us for _, one in both] == expected
    core.handle(3, [job(300, 1, 1, 100)])
    assert made == 1


def _on(name: str, cores: int) -> Component:
    return Component(1, cores, spread=True, require=(name,))


@pytest.mark.parametrize("kind", ["required", "few nodes"])
def test_a_head_is_placed_once_however_many_jobs_run(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a job at the head that required a busy node, or that had to fit on one node of its
    partition, a pass took 6 s beside 7,000 running jobs on 1,000 nodes: all nodes were looked at
    after each release."""
    places = 0
    has_place = NodeCapacity.has_place

    def counted(self: NodeCapacity, *arguments: Any) -> Any:
        nonlocal places
        places += 1
        return has_place(self, *arguments)

    names = tuple(f"n{at}" for at in range(20))
    partitions = [Partition("all", names, max_nodes=1)] if kind == "few nodes" else []
    where = "all" if partitions else None
    core = Core(parse_recipe("easy"), "nodes", partitions=partitions)
    core.handle(0, [NodeUp(name, 8, 1000) for name in names])

    def job(job_id: int, limit_s: int, component: Component) -> Submit:
        request = Request((component._replace(partition=where),))
        return Submit(Job(job_id, "ann", 0, request, limit_s * SECOND_US))

    core.handle(1, [job(1 + at, 9000, _on(name, 4)) for at, name in enumerate(names)])
    core.handle(2, [job(101, 9000, _on("n0", 4))])
    core.handle(2, [job(102 + at, 100 + at, Component(4)) for at in range(19)])
    wanted = Component(8) if partitions else _on("n0", 1)
    monkeypatch.setattr(NodeCapacity, "has_place", counted)
    head = job(1001, 60, wanted)
    core.handle(3, [head])
    assert head.job.record.reserved_us == 1 + 9000 * SECOND_US
    assert 0 < places < 10


def test_a_head_beside_many_reservations_waits_for_each_release_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between each two of a hundred reservations that repeat, a head that is longer had all running
    jobs given back anew: with 7,000 of these on 1,000 nodes a pass took SECONDS s."""
    looks = 0
    pieces = NodeReleases.pieces

    def counted(self: NodeReleases, at: int) -> object:
        nonlocal looks
        looks += 1
        return pieces(self, at)

    names = [f"n{at:02}" for at in range(40)]
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp(name, 8, 1000) for name in names])
    for at, name in enumerate(names):
        start_us = (50_000 + 700 * at) * SECOND_US
        one = AdvanceReservation(
            f"r{at}", start_us, start_us + 600 * SECOND_US, (name,), every_us=7 * DAY_US
        )
        core.handle(1, [AddReservation(one)])

    def job(job_id: int, units: int, limit_s: int) -> Submit:
        request = Request((Component(units, 8, spread=True),))
        return Submit(Job(job_id, "ann", 0, request, limit_s * SECOND_US))

    core.handle(2, [job(1 + at, 1, 20_000 + at) for at in range(40)])
    monkeypatch.setattr(NodeReleases, "pieces", counted)
    head = job(1001, 40, 100_000)
    core.handle(3, [head])
    assert head.job.record.reserved_us == 77_900 * SECOND_US
    assert looks < 10 * len(names)
