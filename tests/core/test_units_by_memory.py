"""Jobs that want more memory than is free cost a pass nothing, however much each wants."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Exited, NodeUp, Submit
from rmsd_core.machine import free_space
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.units_by_memory import UnitsByMemory
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause

_NODES = 20
_JOBS = 300


def _submit(job_id: int, component: Component, limit_s: int) -> Submit:
    return Submit(Job(job_id, "ann", 0, Request((component,)), limit_s * SECOND_US))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=8),
    st.none() | st.integers(1, 4),
    st.integers(0, 10),
)
def test_the_units_are_those_of_a_look_at_each_node(
    units: list[tuple[int, int]], most_nodes: int | None, mem_mib: int
) -> None:
    fit = sorted([count for free_mib, count in units if free_mib >= mem_mib], reverse=True)
    assert UnitsByMemory(units, most_nodes).most(mem_mib) == sum(fit[:most_nodes])


@pytest.mark.parametrize("recipe", ["easy", "rmsd-gentle"])
@pytest.mark.parametrize("spread", [False, True])
def test_a_pass_looks_at_no_nodes_for_jobs_that_want_more_memory(
    spread: bool, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory was compared by its highest bit alone, so that each job was compared with all nodes in
    each pass: 20,000 jobs and 1,000 nodes took 0.5 s."""
    looks = 0
    holders = FreeSpace.holders

    def counted(self: FreeSpace, *asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return holders(self, *asked)

    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp(f"n{at:02}", 8, 1000) for at in range(_NODES)])
    for at in range(_NODES):
        core.handle(at, [_submit(1 + at, Component(6, mem_mib=450), 9000 + at)])
    jobs = [
        _submit(1000 + at, Component(1, mem_mib=600 + at, spread=spread), 50 + at)
        for at in range(_JOBS)
    ]
    core.handle(100, [*jobs])
    monkeypatch.setattr(FreeSpace, "holders", counted)
    for at in range(5):
        core.handle(200 + at, [_submit(5000 + at, Component(1, mem_mib=999), 100)])
    assert looks < 50
    ended = core.job(1)
    core.handle(1000, [Exited(1, 1, ended.allocation[0].node, 1000, Outcome(Cause.EXIT, 0))])
    core.handle(1001, [])
    assert [one.job.attempt for one in jobs].count(1) == 1
    assert looks < 150


@pytest.mark.parametrize("recipe", ["easy", "rmsd-gentle"])
def test_a_pass_puts_no_nodes_in_order_for_each_number_of_cores(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each of 64 numbers of processors the nodes were looked at and put in order by their
    memory: each end of a job took 0.35 s on 10,000 nodes."""
    looks = 0
    holders = FreeSpace.holders

    def counted(self: FreeSpace, *asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return holders(self, *asked)

    kinds = 40
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp(f"n{at:02}", 64, 1000) for at in range(_NODES)])
    core.handle(0, [_submit(1 + at, Component(1, mem_mib=500), 9000 + at) for at in range(_NODES)])
    jobs = [
        _submit(1000 + at, Component(1, 1 + at % kinds, 501 + at % 11), 50 + at)
        for at in range(_JOBS)
    ]
    core.handle(100, [*jobs])
    monkeypatch.setattr(free_space, "FEW_NODES", 0)
    monkeypatch.setattr(FreeSpace, "holders", counted)
    ended = core.job(1)
    core.handle(1000, [Exited(1, 1, ended.allocation[0].node, 1000, Outcome(Cause.EXIT, 0))])
    core.handle(1001, [_submit(5000, Component(1, mem_mib=999), 100)])
    assert looks < 2 * kinds
    assert [one.job.attempt for one in jobs].count(1) >= 1
