"""Memory that is taken for each unit: a node gives as much as the units on it need."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe

_BY_UNIT = Demands(unit_mem=True)
_END_S = 60


def _core(recipe: str = "easy", nodes: int = 4) -> Core:
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(f"n{at}", 4, 8192) for at in range(nodes)])
    return core


def _units(count: int, cores: int, mem_mib: int) -> Component:
    return Component(count, cores, mem_mib, needs=_BY_UNIT)


@pytest.mark.parametrize("recipe", ["easy", "conservative", "fcfs", "rmsd-gentle"])
@pytest.mark.parametrize(
    ("component", "held"),
    [
        (_units(16, 1, 1024), [(4, 4096)] * 4),
        (_units(6, 1, 1024), [(4, 4096), (2, 2048)]),
        (_units(3, 1, 1024), [(3, 3072)]),
        (_units(4, 1, 3000), [(2, 6000), (2, 6000)]),  # memory is for fewer units than cores are
        (_units(4, 2, 5000), [(2, 5000)] * 4),
    ],
)
def test_a_node_gives_memory_for_the_units_on_it(
    recipe: str, component: Component, held: list[tuple[int, int]]
) -> None:
    core = _core(recipe)
    request = Request((component,))
    assert core.never_fits(request) is None
    core.handle(0, [Submit(Job(1, "ann", 0, request, SECOND_US))])
    assert [(piece.cores, piece.mem_mib) for piece in core.job(1).allocation] == held


def test_a_request_is_refused_if_memory_is_for_too_few_units() -> None:
    """Each node has cores for four units, and memory for two."""
    why = _core().never_fits(Request((_units(9, 1, 3072),)))
    assert why is not None
    assert why.startswith("9 x 1 core, 3 GiB of memory for each asked for; the cluster has 4 such")
    assert _core().never_fits(Request((_units(8, 1, 3072),))) is None


_places = st.lists(
    st.tuples(
        st.integers(1, 9), st.integers(1, 3), st.integers(1, 5), st.integers(1, 9), st.booleans()
    ),
    min_size=1,
    max_size=10,
)


@given(_places, st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9)), min_size=1, max_size=4))
def test_a_plan_finds_the_first_start_at_which_memory_is_for_all_units(
    asked: list[tuple[int, int, int, int, bool]], nodes: list[tuple[int, int]]
) -> None:
    """What is free is counted for every second and node apart."""
    capacity = NodeCapacity()
    for at, has in enumerate(nodes):
        capacity.set_node(f"n{at}", *has, ())
        capacity.set_available(f"n{at}", True)
    profile = capacity.profile([], 0)
    assert isinstance(profile, NodeProfile)
    free = [[list(has) for has in nodes] for _ in range(_END_S * 3)]
    for count, cores, mem_mib, length_s, by_unit in asked:
        component = Component(count, cores, mem_mib, needs=_BY_UNIT if by_unit else None)

        def fits(start_s: int, of: Component = component, length_s: int = length_s) -> bool:
            units = 0
            for at in range(len(nodes)):
                span = free[start_s : start_s + length_s]
                has_cores, has_mib = (min(one[at][what] for one in span) for what in (0, 1))
                most = has_mib // of.mem_mib
                units += min(has_cores // of.cores, most if of.needs else 99 * most)
            return units >= of.units

        first = next((at for at in range(_END_S * 2) if fits(at)), None)
        request = Request((component,))
        found = profile.earliest(request, length_s * SECOND_US, 0)
        assert capacity.possible(request) is (first is not None)
        assert (None if found is None else found[0]) == (
            None if first is None else first * SECOND_US
        )
        if found is None or first is None:
            continue
        profile.take(found[1], found[0], length_s * SECOND_US)
        _take(free[first : first + length_s], profile.allocation(request, found[1]))


def _take(seconds: list[list[list[int]]], pieces: tuple[Piece, ...]) -> None:
    for second in seconds:
        for piece in pieces:
            node = second[int(piece.node[1:])]
            node[0] -= piece.cores
            node[1] -= piece.mem_mib
            assert min(node) >= 0
