"""The core gives jobs nodes that hold them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeSuspect, NodeUp, Submit
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import cluster, job


def test_a_small_job_goes_to_the_tightest_node_that_holds_it() -> None:
    core, first, second = cluster(), job(1, 2), job(2, 2)
    core.handle(0, [Submit(first), Submit(second)])
    assert first.allocation[0].node == second.allocation[0].node


def test_emulated_nodes_are_taken_when_asked_for_or_when_the_others_cannot() -> None:
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp("e1", 1, 0, ("emulated",)), NodeUp("e2", 4, 0, ("emulated",))])
    core.handle(0, [NodeUp("n1", 4, 0, ("real",))])
    small, asks, wide, spread = job(1), job(2, feature="emulated"), job(3, 4), job(4, 2, 1)
    core.handle(0, [Submit(small), Submit(asks), Submit(wide), Submit(spread)])
    hosts = [[piece.node for piece in one.allocation] for one in (small, asks, wide, spread)]
    assert hosts == [["n1"], ["e1"], ["e2"], ["n1"]]


def test_tasks_without_a_node_count_pack_and_with_one_spread() -> None:
    core, packed = cluster(), job(1, 6)
    core.handle(0, [Submit(packed)])
    assert [(p.node, p.cores) for p in packed.allocation] == [("n1", 4), ("n2", 2)]
    core, spread = cluster(), job(1, 2, 3, spread=True)
    core.handle(0, [Submit(spread)])
    assert [(p.node, p.cores) for p in spread.allocation] == [("n1", 3), ("n2", 3)]


def test_memory_and_features_are_respected() -> None:
    core = cluster()
    core.handle(0, [NodeUp("e1", 4, 8000, ("emulated",))])
    big, marked, other = job(1, mem_mib=700), job(2, feature="emulated"), job(3, mem_mib=700)
    core.handle(0, [Submit(big), Submit(marked), Submit(other)])
    assert marked.allocation[0].node == "e1"
    assert {big.allocation[0].node, other.allocation[0].node} <= {"n1", "n2", "e1"}
    assert all(core.used_on(name).mem_mib <= node.mem_mib for name, node in core.nodes.items())


def test_what_can_never_fit_is_said_with_the_numbers() -> None:
    core = cluster()
    message = core.never_fits(job(1, 9).request)
    assert message is not None
    assert "9 x 1 core" in message
    assert "8 cores" in message
    assert core.never_fits(job(1, 8).request) is None
    assert core.never_fits(job(1, 1, 5).request) is not None
    assert core.never_fits(job(1, mem_mib=1001).request) is not None
    assert core.never_fits(job(1, feature="gpu").request) is not None
    core.handle(1, [NodeSuspect("n1")])
    assert core.never_fits(job(1, 8).request) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(1, 8)), max_size=60))
def test_what_is_free_is_that_of_the_nodes_that_are_up(
    changes: list[tuple[int, bool, int]],
) -> None:
    capacity = NodeCapacity()
    up: dict[str, bool] = {}
    cores: dict[str, int] = {}
    for number, available, count in changes:
        name = f"n{number}"
        cores[name], up[name] = count, available
        capacity.set_node(name, count, 0, ("real",))
        capacity.set_available(name, available)
        assert capacity.free == sum(cores[name] for name in up if up[name])
        placed = capacity.place(Request((Component(capacity.free or 1),)))
        assert (placed is not None) == any(up.values())
        if placed is not None:
            assert {piece.node for piece in placed} == {name for name in up if up[name]}
