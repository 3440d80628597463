"""Requests for features and nodes by name are judged by sums, as a look at all nodes would."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeSuspect, NodeUp, Submit
from rmsd_core.machine import free_space, node_features
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.partitions import Partition
from rmsd_core.machine.reach import Reach
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe

_NAMES = ("n1", "n2", "n3", "n4", "n5")
_feature_sets = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=3).map(tuple)
_nodes = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), _feature_sets, st.booleans()),
    min_size=1,
    max_size=len(_NAMES),
)
_ASKED = (None, None, "a", "a&b", "a|b", "a&b|c", "b&c&d|z", "z|d", "a&", "z")
_some_names = st.lists(st.sampled_from([*_NAMES, "other"]), max_size=2, unique=True).map(tuple)


@st.composite
def components(draw: st.DrawFn) -> Component:
    require = draw(st.just(()) | _some_names)
    spread = bool(require) or draw(st.booleans())
    return Component(
        draw(st.integers(max(1, len(require)), 6)),
        draw(st.integers(1, 3)),
        draw(st.integers(0, 4)),
        spread,
        draw(
            st.sampled_from([None, None, "a", "a&b", "a|b", "a&b|c", "b&c&d|z", "z|d", "a&", "z"])
        ),
        partition=draw(st.sampled_from([None, None, "some", "all", "few"])),
        require=require,
        exclude=draw(_some_names),
        avoid=frozenset(draw(_some_names)),
    )


def _capacity(nodes: list[tuple[int, int, tuple[str, ...], bool]]) -> NodeCapacity:
    capacity = NodeCapacity()
    for name, (cores, mem_mib, features, is_available) in zip(_NAMES, nodes, strict=False):
        capacity.set_node(name, cores, mem_mib, features)
        capacity.set_available(name, is_available)
    parts = [Partition("some", nodes=("n1", "n3")), Partition("all"), Partition("few", max_nodes=1)]
    capacity.set_partitions({part.name: part for part in parts})
    return capacity


class _Plain(NodeCapacity):
    """A capacity that looks at all nodes."""

    def _hopeless(self, free_space: FreeSpace, component: Component) -> bool:  # noqa: ARG002
        return False

    def _possible(self, component: Component) -> bool:
        return self.place_in(self._total, component) is not None


def test_a_node_that_a_job_excludes_and_avoids_is_left_out_once() -> None:
    """A node has refused the job, and then its user has excluded the node."""
    capacity = NodeCapacity()
    for name in ("n1", "n2"):
        capacity.set_node(name, 1, 0, ())
        capacity.set_available(name, True)
    request = Request((Component(1, 1, 0, exclude=("n1",), avoid=frozenset({"n1"})),))
    assert capacity.place(request) == (Piece("n2", 1, 0),)


@pytest.mark.slow
@given(_nodes, st.lists(st.tuples(components(), st.booleans()), max_size=12))
def test_what_sums_say_is_what_all_nodes_say(
    nodes: list[tuple[int, int, tuple[str, ...], bool]], asked: list[tuple[Component, bool]]
) -> None:
    capacity = _capacity(nodes)
    plain = _capacity(nodes)
    plain.__class__ = _Plain
    taken: list[Piece] = []
    for component, gives in asked:
        request = Request((component,))
        assert capacity.possible(request) == plain.possible(request)
        allocation = capacity.place(request)
        assert allocation == plain.place(request)
        if allocation is not None:
            capacity.take(allocation)
            plain.take(allocation)
            taken += allocation
        if gives and taken:
            piece = taken.pop()
            capacity.give(piece)
            plain.give(piece)


@pytest.mark.parametrize("kind", ["features", "exclude", "require"])
def test_jobs_for_other_nodes_are_not_compared_with_all_nodes(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """5,000 jobs of one user, each with another feature or other excluded nodes, were compared with
    all of 1,000 nodes in each pass, which took 3.5 s, and again whenever a node came or went."""
    looks = 0

    holders = FreeSpace.holders

    def counted(self: FreeSpace, *asked: Any) -> list[int]:
        nonlocal looks
        looks += 1
        return holders(self, *asked)

    monkeypatch.setattr(FreeSpace, "holders", counted)
    core = Core(parse_recipe("easy"), "nodes")
    names = [f"n{at}" for at in range(100)]
    nodes = [NodeUp(name, 1, 0, ("b",) if name == "n0" else ("a",)) for name in names]
    core.handle(0, nodes)
    first = Request((Component(99, 1, exclude=("n50",)),))
    core.handle(1, [Submit(Job(1, "ann", 1, first, 1000 * SECOND_US))])
    assert core.capacity.left("n50")[0] == 1
    made = {
        "features": lambda at: Component(1, 1, feature=f"b|z{at}"),
        "exclude": lambda at: Component(1, 1, exclude=("n50", f"other{at}")),
        "require": lambda at: Component(1, 1, spread=True, require=(names[at % 50],)),
    }[kind]
    head = Job(2, "ann", 1, Request((Component(100, 1),)), 10 * SECOND_US)
    others = [Job(at, "eve", 1, Request((made(at),)), SECOND_US) for at in range(3, 503)]
    looks = 0
    core.handle(2, [Submit(job) for job in [head, *others]])
    core.handle(3, [NodeSuspect("n7")])
    core.handle(4, [NodeUp("n7", 1, 0, ("a",))])
    assert not any(job.attempt for job in others)
    assert looks < len(others)


def test_a_start_on_a_required_node_is_not_tried_before_the_node_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """200 jobs that each required another node were placed in a projection, and each looked at all
    nodes for each time at which any node was given back: `rsub --test-only` and `rstat --explain`
    occupied the daemon for 7 s."""
    looks = 0
    place_in = NodeCapacity.place_in

    def counted(self: NodeCapacity, *asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return place_in(self, *asked)

    core = Core(parse_recipe("easy"), "nodes")
    names = [f"n{at}" for at in range(60)]
    core.handle(0, [NodeUp(name, 1, 0) for name in names])
    holders = [Job(at, "ann", 0, Request((Component(1),)), at * SECOND_US) for at in range(1, 61)]
    core.handle(0, [Submit(job) for job in holders])
    made = Component(2, 1, spread=True, require=(holders[-1].allocation[0].node,))
    behind = [Job(100 + at, "eve", 1, Request((made,)), SECOND_US * at) for at in range(1, 31)]
    core.handle(1, [Submit(job) for job in behind])
    monkeypatch.setattr(NodeCapacity, "place_in", counted)
    expected = whole(core.projection(1)).starts.expected
    assert expected[behind[0].id].start_us == 60 * SECOND_US
    assert len(expected) == len(behind)
    assert looks <= 3 * len(behind)


def test_a_start_on_few_nodes_is_not_tried_before_few_nodes_can_hold_the_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a partition that gives a job one node, 200 jobs of whole nodes occupied the daemon in the
    same way for 9 s, while the nodes had some free cores each."""
    looks = 0
    place_in = NodeCapacity.place_in

    def counted(self: NodeCapacity, *asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return place_in(self, *asked)

    core = Core(parse_recipe("easy"), "nodes", partitions=[Partition("p", max_nodes=1)])
    core.handle(0, [NodeUp(f"n{at}", 2, 0) for at in range(30)])
    half = Request((Component(1, partition="p"),))
    running = [Job(1 + at, "ann", 0, half, (100 + at * 37 % 60) * SECOND_US) for at in range(60)]
    core.handle(0, [Submit(job) for job in running])
    nodes = Request((Component(2, partition="p"),))
    behind = [Job(100 + at, "eve", 1, nodes, SECOND_US * at) for at in range(1, 31)]
    core.handle(1, [Submit(job) for job in behind])
    monkeypatch.setattr(NodeCapacity, "place_in", counted)
    expected = whole(core.projection(1)).starts.expected
    assert len(expected) == len(behind)
    assert looks <= 3 * len(behind)


@pytest.mark.parametrize("starts", [False, True])
def test_an_expression_is_compared_once_with_the_sets_of_features(
    monkeypatch: pytest.MonkeyPatch, *, starts: bool
) -> None:
    """500 jobs with different expressions of features took 0.6 s on 2,000 nodes that had a feature
    for each rack: each expression was compared with all sets of features twice. 4 s passed if many
    of the jobs started beside a head, since the sums were made anew after each start."""
    made = matched = 0
    alternatives = node_features.alternatives

    class _Counted(Reach):
        def __init__(self, *asked: Any) -> None:
            nonlocal made
            made += 1
            super().__init__(*asked)

    def counted(text: str) -> tuple[frozenset[str], ...]:
        nonlocal matched
        matched += 1
        return alternatives(text)

    monkeypatch.setattr(free_space, "Reach", _Counted)
    monkeypatch.setattr(node_features, "alternatives", counted)
    count = 100
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp(f"n{at:02}", 4, 0, (f"rack{at // 4}",)) for at in range(count)])
    full = Request((Component(count, 2 if starts else 4, spread=True),))
    core.handle(1, [Submit(Job(1, "ann", 1, full, 1000 * SECOND_US))])
    head = Job(2, "ann", 1, Request((Component(count, 3, spread=True),)), 10 * SECOND_US)
    others = []
    for at in range(count):
        text = f"rack{at // 4}|rack{(at // 4 + 1 + at % 4) % 25}"
        component = Component(1, 1, feature=text)
        others.append(Job(10 + at, "eve", 1, Request((component,)), 9000 * SECOND_US))
    core.handle(2, [Submit(job) for job in [head, *others]])
    core.handle(3, [Submit(Job(3, "ann", 1, full, 1000 * SECOND_US))])
    started = len([job for job in others if job.attempt])
    assert started >= count / 2 if starts else not started
    assert made <= 4
    assert matched <= count
