"""Memory that is taken for each unit: a node gives as much as the units on it need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import free_space, tallies
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.machine.tallies import Alike, Free, Tally
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import exited

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
    """The oracle counts the free processors and memory of each node in every second."""
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


# ---------------------------------------------------------------- without a look at each node

_JOBS = 400
_frees = st.tuples(st.integers(0, 6), st.integers(0, 20), st.integers(0, 3))


def _free(at: int, has: tuple[int, int, int]) -> Free:
    cores, mem_mib, gpus = has
    gres = (("gpu", gpus),) if gpus else ()
    return Alike(cores, True, True, gres), (mem_mib, at)


@given(
    st.lists(_frees, min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), _frees, st.booleans()), max_size=8),
    st.tuples(st.integers(1, 3), st.integers(1, 9), st.booleans(), st.booleans()),
    st.none() | st.integers(1, 3),
    st.sampled_from([1, 2, 1024]),
)
def test_sums_tell_how_many_units_have_memory(
    nodes: list[tuple[int, int, int]],
    moves: list[tuple[int, tuple[int, int, int], bool]],
    unit: tuple[int, int, bool, bool],
    most_nodes: int | None,
    most_units: int,
) -> None:
    cores, mem_mib, has_gpu, spread = unit
    needs = Demands(unit_gres=(("gpu", 1),) if has_gpu else (), unit_mem=True)
    component = Component(1, cores, mem_mib, spread, needs=needs)
    now = list(nodes)

    def looked_at() -> int:
        fit = [min(one // cores, free_mib // mem_mib) for one, free_mib, _ in now]
        if has_gpu:
            fit = [min(units, gpus) for units, (_, _, gpus) in zip(fit, now, strict=True)]
        if spread:
            fit = [min(units, 1) for units in fit]
        return sum(sorted(fit, reverse=True)[:most_nodes])

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(tallies, "MOST_UNITS", most_units)
        patches.setattr(tallies, "MOST_MOVES", 3)
        tally = Tally([_free(at, has) for at, has in enumerate(now)])
        for at, has, copies in [(0, now[0], False), *moves]:
            number = at % len(now)
            tally.remove(_free(number, now[number]))
            now[number] = has
            tally.add(_free(number, has))
            tally = tally.copy() if copies else tally
            found = tally.units(component, mem_mib, most_nodes)
            if most_units == 1024 or most_nodes is None:
                assert found == looked_at()
            else:
                assert found >= looked_at()


def test_devices_are_compared_once_for_all_sizes_of_memory_and_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory by processor with devices for each task had all kinds of nodes asked for these, for
    each number of cores and each size: a pass took 0.3 to 0.5 s on 10,000 nodes."""
    asked: list[Demands] = []
    most_units = Alike.most_units

    def counted(alike: Alike, needs: Demands) -> int:
        asked.append(needs)
        return most_units(alike, needs)

    monkeypatch.setattr(Alike, "most_units", counted)
    kinds = [(cores, 900, gpus) for cores in range(1, 40) for gpus in range(5)]
    tally = Tally([_free(at, has) for at, has in enumerate(kinds)])
    needs = Demands(unit_gres=(("gpu", 2),), unit_mem=True)
    for cores in range(1, 20):
        for mem_mib in range(100, 1000, 90):
            tally.units(Component(1, cores, mem_mib, needs=needs), mem_mib)
    assert len(asked) == len(kinds)
    tally.remove(_free(0, kinds[0]))
    assert tally.units(Component(1, 39, 900, needs=needs), 900) == 3
    assert len(asked) < 2 * len(kinds)


@pytest.mark.parametrize("recipe", ["easy", "rmsd-gentle"])
@pytest.mark.parametrize(
    "wanted",
    [
        lambda at: Component(1, 1, 451 + at, needs=_BY_UNIT),
        lambda at: Component(2 + at % 7, 1, 451 + at, needs=_BY_UNIT),
    ],
)
def test_a_pass_looks_at_no_nodes_for_each_size_of_memory(
    recipe: str, wanted: Callable[[int], Component], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All nodes were looked at for each other size: when a job ended, 5,000 waiting ones took 3.6 s
    on 10,000 nodes."""
    looks = 0

    def noted(plain: Any) -> Any:
        def counted(*asked: Any) -> Any:
            nonlocal looks
            looks += 1
            return plain(*asked)

        return counted

    count = 30
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp(f"n{at:02}", 8, 1000) for at in range(count)])
    taking = [
        Job(1 + at, "ann", 0, _asked(Component(1, 4, 550)), 900 * SECOND_US) for at in range(count)
    ]
    core.handle(1, [Submit(one) for one in taking])
    waiting = [
        Job(100 + at, "eve", 0, _asked(wanted(at)), (50 + at) * SECOND_US) for at in range(_JOBS)
    ]
    core.handle(2, [Submit(one) for one in waiting])
    monkeypatch.setattr(free_space, "FEW_NODES", 0)
    monkeypatch.setattr(tallies, "units_beside", noted(tallies.units_beside))
    monkeypatch.setattr(FreeSpace, "holders", noted(FreeSpace.holders))
    ending = taking[0]
    core.handle(5 * SECOND_US, [exited(ending, ending.allocation[0].node, 5)])
    assert looks < _JOBS / 4
    assert 1 <= [one.attempt for one in waiting].count(1) <= 2


def _asked(component: Component) -> Request:
    return Request((component,))
