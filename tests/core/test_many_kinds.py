"""Jobs of many kinds cost a pass no look at the nodes for each kind, nor for each partition that
they name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.gres import Demands, Share
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import free_space
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe

_NODES = 20
_JOBS = 400
_FREE = 7
_KINDS = [
    (cores, mem_mib, spread)
    for cores, mem_mib in product((2, 3, 4, 5, 6, *range(8, 17)), (1, 2, 5, 17, 70, 150, 400))
    for spread in ([False] if cores < 8 else [False, True])
]
"""The cores, the memory, and whether each unit takes a node: kinds that fit on nodes which run
nothing."""

_WAITING: dict[str, Callable[[int], Component]] = {
    "nodes": lambda _: Component(2),
    "a feature": lambda at: Component(2, feature="fast" if at % 2 else "fast&big"),
    "other nodes": lambda at: Component(2, exclude=(f"n{at % _NODES:02}",)),
    "devices": lambda at: Component(2, needs=Demands(node_gres=(("gpu", 1 + at % 4),))),
    "memory of units": lambda _: Component(2, needs=Demands(unit_mem=True)),
    "whole nodes": lambda at: Component(2, needs=Demands(exclusive=True, all_mem=bool(at % 2))),
}


def _submit(job_id: int, components: tuple[Component, ...], limit_s: int) -> Submit:
    return Submit(Job(job_id, "eve", 0, Request(components), limit_s * SECOND_US))


def _busy_core(recipe: str, *partitions: Partition) -> Core:
    """Return a core of whose nodes each has seven cores and most of the memory free."""
    core = Core(parse_recipe(recipe), partitions=partitions)
    gpus = (Share("gpu", 4, (0, 1, 2, 3)),)
    nodes = [NodeUp(f"n{at:02}", 16, 1000, ("fast", "big"), gpus) for at in range(_NODES)]
    core.handle(0, [*nodes])
    where = partitions[0].name if partitions else None
    taken = Component(1, 9, 100, spread=True, partition=where)
    core.handle(1, [_submit(1 + at, (taken,), 9000 + at) for at in range(_NODES)])
    return core


@pytest.mark.parametrize("recipe", ["easy", "rmsd-gentle"])
@pytest.mark.parametrize("what", list(_WAITING))
def test_a_pass_looks_at_no_nodes_for_each_kind(
    what: str, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5,000 jobs that want one of 16 numbers of cores and of 17 sizes of memory each, and a
    feature, made each pass take 1.1 s on 1,000 nodes, and 0.4 s if they want devices instead."""
    looks = 0
    holders = FreeSpace.holders

    def counted(self: FreeSpace, *asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return holders(self, *asked)

    monkeypatch.setattr(FreeSpace, "holders", counted)
    monkeypatch.setattr(free_space, "FEW_NODES", 0)
    core = _busy_core(recipe)
    core.handle(50, [_submit(999, (Component(1, 16),), 100)])  # the head
    jobs = []
    for at in range(_JOBS):
        cores, mem_mib, spread = _KINDS[at % len(_KINDS)]
        units = 1 + _FREE // cores * _NODES  # one more than there is place for now
        component = _WAITING[what](at)._replace(units=units, cores=cores)
        component = component._replace(mem_mib=mem_mib, spread=spread)
        jobs.append(_submit(1000 + at, (component,), 50_000 + at))
    core.handle(100, [*jobs])
    looks = 0
    core.handle(200, [_submit(5000, (Component(1, 8),), 100)])
    assert looks < len(_KINDS) / 2
    assert not any(one.job.attempt for one in jobs)


@pytest.mark.parametrize("recipe", ["easy", "rmsd-gentle"])
@pytest.mark.parametrize("what", ["cores", "memory"])
def test_a_pass_looks_at_no_partition_of_jobs_that_fit_in_none(
    what: str, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each job was compared with each of the partitions that it names: 5,000 with 20 partitions
    each made a pass take 0.3 s."""
    looks = 0
    hopeless = FreeSpace.hopeless

    def counted(self: FreeSpace, *asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return hopeless(self, *asked)

    names = [f"p{at}" for at in range(_NODES)]
    core = _busy_core(recipe, Partition("all"), *[Partition(name) for name in names])
    kinds = [one for one in _KINDS if one[0] > _FREE]
    jobs = []
    for at in range(_JOBS):
        cores, mem_mib, spread = kinds[at % len(kinds)]
        if what == "memory":
            cores, mem_mib = 1, 901 + at % 99
        wanted = Component(2, cores, mem_mib, spread)
        own = tuple([wanted._replace(partition=name) for name in names])
        jobs.append(_submit(1000 + at, own, 50 + at))
    core.handle(100, [*jobs])
    monkeypatch.setattr(FreeSpace, "hopeless", counted)
    core.handle(200, [_submit(5000, (Component(1, 8, partition="all"),), 100)])
    assert looks < 2 * _JOBS
    assert not any(one.job.attempt for one in jobs)


_devices = st.sampled_from(
    [
        None,
        Demands(exclusive=True),
        Demands(all_mem=True),
        Demands(node_gres=(("gpu", 1),)),
        Demands(unit_gres=(("gpu:a", 1),)),
        Demands(unit_gres=(("gpu", 2),)),
        Demands(unit_mem=True),
        Demands(unit_mem=True),
    ]
)
_components = st.tuples(
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(0, 5),
    st.booleans(),
    st.sampled_from([None, None, "a", "b", "a&b", "a|b"]),
    st.sampled_from([None, "all", "few"]),
    st.just(()),
    st.just(()),
    _devices,
).map(lambda one: Component(*one))
_nodes = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(0, 5),
        st.sampled_from([(), ("a",), ("b",), ("a", "b")]),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=5,
)


class _Plain(NodeCapacity):
    """A capacity that looks at all nodes."""

    def _hopeless(self, free_space: FreeSpace, component: Component) -> bool:  # noqa: ARG002
        return False


def _filled(
    capacity: NodeCapacity, nodes: list[tuple[int, int, tuple[str, ...], int]]
) -> NodeCapacity:
    for at, (cores, mem_mib, features, gpus) in enumerate(nodes):
        gres = (Share("gpu:a", gpus, tuple(range(gpus))),) if gpus else ()
        capacity.set_node(f"n{at}", cores, mem_mib, features, gres)
        capacity.set_available(f"n{at}", True)
    capacity.set_partitions({"all": Partition("all"), "few": Partition("few", max_nodes=1)})
    return capacity


@pytest.mark.slow
@given(_nodes, st.lists(st.tuples(_components, st.booleans()), min_size=1, max_size=16))
def test_a_request_that_has_a_place_is_not_hopeless(
    nodes: list[tuple[int, int, tuple[str, ...], int]], asked: list[tuple[Component, bool]]
) -> None:
    """The nodes are counted by what is free on them from the first kind on."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(free_space, "FEW_KINDS", 0)
        patches.setattr(free_space, "FEW_NODES", 0)
        capacity, plain = _filled(NodeCapacity(), nodes), _filled(_Plain(), nodes)
        taken: list[Piece] = []
        for component, gives in asked:
            place = capacity.place(Request((component,)))
            assert place == plain.place(Request((component,)))
            for one in (capacity, plain):
                one.take(place or ())
            taken += place or ()
            if gives and taken:
                piece = taken.pop()
                for one in (capacity, plain):
                    one.give(piece)
