"""A small request finds its node among thousands without a look at all of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import node_capacity, nodes_by_cores
from rmsd_core.machine.free_space import FEW_NODES, FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe

_requests = st.builds(
    lambda units, cores, mem_mib, spread, partition: Request(
        (Component(units, cores, mem_mib, spread, partition=partition),)
    ),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 4),
    st.booleans(),
    st.sampled_from([None, "all", "some"]),
)
_events = st.lists(
    st.tuples(
        st.sampled_from(["place", "place", "give", "close", "open"]), _requests, st.integers(0)
    ),
    max_size=12,
)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=2, max_size=5), _events)
def test_the_node_is_the_one_that_a_look_at_all_finds(
    nodes: list[tuple[int, int]], events: list[tuple[str, Request, int]]
) -> None:
    told: list[list[Allocation | None]] = []
    for few in (0, 1000):
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(node_capacity, "FEW_NODES", few)
            patches.setattr(nodes_by_cores, "MOST_LOOKS", 1)
            told.append(_placed(nodes, events))
    assert told[0] == told[1]


def _placed(
    nodes: list[tuple[int, int]], events: list[tuple[str, Request, int]]
) -> list[Allocation | None]:
    capacity = NodeCapacity()
    names = [f"n{at * 7 % 5}" for at in range(len(nodes))]  # not in the order of their numbers
    for name, (cores, mem_mib) in zip(names, nodes, strict=True):
        capacity.set_node(name, cores, mem_mib, ())
        capacity.set_available(name, True)
    everywhere = Partition("all", tuple(names))
    capacity.set_partitions({"all": everywhere, "some": Partition("some", tuple(names[:1]))})
    found: list[Allocation | None] = []
    held: list[Allocation] = []
    for kind, request, at in events:
        if kind == "place":
            found.append(place := capacity.place(request))
            if place is not None:
                capacity.take(place)
                held.append(place)
        elif kind == "give" and held:
            for piece in held.pop(at % len(held)):
                capacity.give(piece)
        elif kind in ("close", "open"):
            capacity.set_available(names[at % len(names)], kind == "open")
    return found


def test_a_start_is_no_look_at_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A submit of 500 jobs that all started took 1 s on 10,000 nodes."""
    looks = 0
    holders = FreeSpace.holders

    def counted(self: FreeSpace, *asked: Any) -> list[int]:
        nonlocal looks
        found = holders(self, *asked)
        looks += len(found)
        return found

    count = FEW_NODES + 50
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp(f"n{at:03}", 8, 1000) for at in range(count)])
    jobs = [
        Submit(Job(1 + at, "eve", 0, Request((Component(1, 1 + at % 4, 10),)), 60 * SECOND_US))
        for at in range(200)
    ]
    monkeypatch.setattr(FreeSpace, "holders", counted)
    core.handle(1, [*jobs])
    assert all(one.job.start_us == 1 for one in jobs)
    assert looks < 20 * count
