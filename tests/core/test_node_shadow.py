"""Free space beside the heads is found anew on the nodes of a start alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import changed_nodes, node_shadow
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe


def test_a_start_beside_the_heads_of_many_partitions_is_a_look_at_its_own_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pass that started 193 jobs beside 50 heads took 2 s on 1,000 nodes: for each start and each
    head, what is free beside the heads was found anew on all nodes."""
    heads, each, starts = 10, 20, 60
    looks = 0
    follow, least_of = FreeSpace.follow, node_shadow.least_of

    def counted(self: FreeSpace, nodes: list[int], *asked: Any) -> None:
        nonlocal looks
        looks += len(nodes)
        follow(self, nodes, *asked)

    def of_all(*asked: Any) -> Any:
        nonlocal looks
        looks += heads * each
        return least_of(*asked)

    monkeypatch.setattr(FreeSpace, "follow", counted)
    monkeypatch.setattr(node_shadow, "least_of", of_all)
    names = [f"n{at:03}" for at in range(heads * each)]
    partitions = [
        Partition(f"p{at}", tuple(names[at * each : (at + 1) * each])) for at in range(heads)
    ]
    core = Core(parse_recipe("easy"), partitions=partitions)
    core.handle(0, [NodeUp(name, 4, 0) for name in names])
    next_id = 0

    def job(at: int, units: int, limit_s: int) -> Submit:
        nonlocal next_id
        next_id += 1
        request = Request((Component(units, 1, partition=f"p{at % heads}"),))
        return Submit(Job(next_id, "eve", 0, request, limit_s * SECOND_US))

    core.handle(1, [job(at, 3 * each, 100 + at) for at in range(heads)])
    core.handle(2, [job(at, 3 * each, 100) for at in range(heads)])
    others = [job(at, 1, 50_000) for at in range(starts)]
    core.handle(3, [*others])
    assert all(one.job.attempt for one in others)
    # once on the nodes that each head will have, and for each start on its node beside each head
    assert looks <= heads * each + starts * heads


_pieces = st.tuples(st.integers(0, 3), st.integers(1, 2), st.integers(0, 2))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=4, max_size=4),
    st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=4),
    st.lists(st.tuples(_pieces, st.booleans(), st.integers(0, 3)), max_size=8),
    st.sampled_from([2, 4096]),
)
def test_what_is_free_beside_the_heads_follows_what_starts_and_ends(
    nodes: list[tuple[int, int]],
    heads: list[tuple[int, bool]],
    changes: list[tuple[tuple[int, int, int], bool, int]],
    kept: int,
) -> None:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(changed_nodes, "MOST_KEPT", kept)
        capacity = NodeCapacity()
        for at, (cores, mem_mib) in enumerate(nodes):
            capacity.set_node(f"n{at}", cores, mem_mib, ())
            capacity.set_available(f"n{at}", at != 3 or cores > 1)
        together, spaces = [], []
        for units, spread in heads:
            request = Request((Component(units, 1, 1, spread),))
            shadow = capacity.shadow(request, [], 0)
            together.append(together[-1].with_later(shadow) if together else shadow)
            now = [list(capacity.left(f"n{at}")) for at in range(4)]
            for piece in capacity.place(request) or ():
                now[int(piece.node[1:])][0] -= piece.cores
                now[int(piece.node[1:])][1] -= piece.mem_mib
            spaces.append(now)
        for (at, cores, mem_mib), starts, looked in changes:
            piece = Piece(f"n{at}", cores, mem_mib)
            first = looked % len(together)
            if starts:
                together[first].take((piece,))
                for one in spaces[: first + 1]:
                    one[at][0] -= cores
                    one[at][1] -= mem_mib
                capacity.take((piece,))
            else:
                capacity.give(piece)
            count = looked % len(together) + 1
            _compare(capacity, together[count - 1], spaces[:count])
        for count in range(1, len(together) + 1):
            _compare(capacity, together[count - 1], spaces[:count])


def _compare(
    capacity: NodeCapacity, shadow: node_shadow.NodeShadow, spaces: list[list[list[int]]]
) -> None:
    """Compare a shadow with what is free now and in all of the spaces."""
    least = []
    for at in range(4):
        own = [capacity.left(f"n{at}"), *[tuple(one[at]) for one in spaces]]
        least.append((min(one[0] for one in own), min(one[1] for one in own)))
    usable = [at for at in range(4) if capacity.takes_work(at)]
    assert shadow.extra == sum(least[at][0] for at in usable)
    for at in range(4):
        cores, mem_mib = least[at]
        piece = Piece(f"n{at}", max(cores, 0), max(mem_mib, 0))
        assert shadow.holds((piece,)) == (cores >= 0 and mem_mib >= 0)
        assert not shadow.holds((piece._replace(cores=piece.cores + 1),))
