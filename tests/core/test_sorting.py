"""When nodes or partitions change, the waiting jobs are looked at in parts, and decisions are what
they would be if all were looked at at once."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Running
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import sorting
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision
from rmsd_core.lifecycle.inputs import (
    Drain,
    Input,
    NodeSuspect,
    NodeUp,
    Resume,
    SetPartitions,
    Submit,
)
from rmsd_core.machine import shapes
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe

_NAMES = ("n1", "n2", "n3")
_LEFT, _RIGHT = Partition("left", ("n1", "n2")), Partition("right", ("n2", "n3"), tier=2)
_DIVISIONS = ((), (_LEFT, _RIGHT), (_LEFT._replace(tier=3), _RIGHT._replace(state="down")))


def _core(recipe: str = "easy") -> Core:
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(name, 4, 1000, ("real",)) for name in _NAMES])
    return core


def _job(job_id: int, component: Component, limit_s: int = 60, user: str = "ann") -> Job:
    return Job(job_id, user, 0, Request((component,)), limit_s * SECOND_US)


def _until_idle(core: Core, now_us: int, inputs: list[Input]) -> tuple[list[Decision], int]:
    """Return all decisions of an instant, and the number of calls that they took."""
    effects = core.handle(now_us, inputs)
    decisions, calls = list(effects.decisions), 1
    while effects.wake_us is not None and effects.wake_us <= now_us:
        effects = core.handle(now_us, [])
        decisions += effects.decisions
        calls += 1
        core.sanity_check()
    return decisions, calls


def test_a_call_compares_a_bounded_number_of_requests_with_the_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """60,000 jobs that each excluded other nodes were compared with the nodes in one call whenever
    a node came or went, which took 0.7 s."""
    looks = 0
    possible = NodeCapacity.possible

    def counted(self: NodeCapacity, request: Request) -> bool:
        nonlocal looks
        looks += 1
        return possible(self, request)

    core = _core()
    core.handle(1, [Submit(_job(1, Component(3, 4, spread=True)))])  # the job takes all nodes
    waiting = [_job(at, Component(1, 4, at)) for at in range(2, 302)]
    core.handle(2, [Submit(job) for job in waiting])
    monkeypatch.setattr(NodeCapacity, "possible", counted)
    effects = core.handle(3, [NodeSuspect("n1")])
    assert looks <= sorting.MOST_JUDGED
    assert effects.wake_us == 3
    core.sanity_check()
    _, calls = _until_idle(core, 3, [])
    assert calls >= len(waiting) // sorting.MOST_JUDGED - 1
    assert looks <= len(waiting) + 1


def test_jobs_that_ask_for_the_same_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restart all waiting jobs join the queue again. Each was compared with the nodes
    twice: once for all that are alike, and once more when it joined."""
    looked_at: list[Request] = []
    possible = NodeCapacity.possible

    def noted(self: NodeCapacity, request: Request) -> bool:
        looked_at.append(request)
        return possible(self, request)

    core = _core("rmsd")
    core.handle(1, [NodeSuspect(name) for name in _NAMES])
    jobs = [_job(at, Component(1 + at % 2, 4)) for at in range(1, 101)]
    core.handle(2, [Submit(job) for job in jobs])
    monkeypatch.setattr(NodeCapacity, "possible", noted)
    core.handle(3, [NodeUp("n1", 8, 1000, ("real",))])
    assert sorted(looked_at, key=repr) == [jobs[1].request, jobs[0].request]
    assert jobs[0].start_us == 3


def test_no_job_starts_before_others_that_nodes_have_come_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last one to arrive is the first by its order."""
    monkeypatch.setattr(sorting, "MOST_SORTED", 1)
    core = _core("sjf")
    for name in _NAMES:
        core.handle(1, [NodeSuspect(name)])
    long, short = (_job(at, Component(3, 4), limit_s) for at, limit_s in ((1, 90), (2, 60)))
    _until_idle(core, 2, [Submit(long), Submit(short)])
    effects = core.handle(3, [NodeUp(name, 4, 1000, ("real",)) for name in _NAMES])
    assert effects.wake_us == 3
    assert not effects.decisions
    _until_idle(core, 3, [])
    assert isinstance(short.phase, Running)
    assert not isinstance(long.phase, Running)


_news = st.one_of(
    st.builds(NodeSuspect, st.sampled_from(_NAMES)),
    st.builds(SetPartitions, st.sampled_from(_DIVISIONS)),
    st.builds(Drain, st.sampled_from(_NAMES), st.just("test")),
    st.builds(Resume, st.sampled_from(_NAMES)),
    st.builds(
        NodeUp,
        st.sampled_from(_NAMES),
        st.integers(1, 6),
        st.sampled_from([100, 1000]),
        st.just(("real",)),
    ),
)


def _component(
    units: int, cores: int, mem_mib: int, spread: bool, exclude: list[str], partition: str | None
) -> Component:
    return Component(units, cores, mem_mib, spread, exclude=tuple(exclude), partition=partition)


_asked = st.builds(  # `builds` of a Component itself would make up the fields that are not named
    _component,
    st.integers(1, 3),
    st.integers(1, 5),
    st.sampled_from([0, 100, 600]),
    st.booleans(),
    st.lists(st.sampled_from(_NAMES), max_size=2, unique=True),
    st.sampled_from([None, None, "left", "right"]),
)
_steps = st.lists(st.one_of(_news, _asked), min_size=1, max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["easy", "rmsd", "conservative", "dynp,bounds=5/50,min-queue=2"])
@given(steps=_steps)
def test_parts_decide_what_one_look_at_all_decides(recipe: str, steps: list[Any]) -> None:
    told = []
    for most in (1, 10_000):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sorting, "MOST_SORTED", most)
            patched.setattr(sorting, "MOST_JUDGED", most)
            core = _core(recipe)
            decisions = []
            for at, step in enumerate(steps, 1):
                item = Submit(_job(at, step, 10 * at)) if isinstance(step, Component) else step
                decisions.append(_until_idle(core, at * SECOND_US, [item])[0])
            told.append(decisions)
    assert told[0] == told[1]


def test_nodes_that_come_and_go_without_end_do_not_keep_jobs_from_their_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A node changes in each call, and each call looks at one of three jobs."""
    monkeypatch.setattr(sorting, "MOST_SORTED", 1)
    core = _core()
    for name in _NAMES:
        core.handle(1, [NodeSuspect(name)])
    jobs = [_job(at, Component(1, 4)) for at in (1, 2, 3)]
    _until_idle(core, 2, [Submit(job) for job in jobs])
    core.handle(3, [NodeUp("n1", 4, 1000, ("real",))])
    for at in range(4, 12):
        core.handle(at, [NodeUp("n2", 4, 1000 + at, ("real",))])
    assert isinstance(jobs[0].phase, Running)


def test_nodes_that_all_differ_are_summed_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent may tell of 10,000 nodes, each with another size of memory. Each job of a submit was
    compared with each of them: a thousand jobs for 4 s."""
    sums = 0

    def counted(*units: Any) -> Any:
        nonlocal sums
        sums += 1
        return accumulate(*units)

    monkeypatch.setattr(shapes, "accumulate", counted)
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp(f"n{at}", 4, 1000 + at, ("real",)) for at in range(200)])
    asked = [Component(1, 4, 900 + at, feature="real") for at in range(250)]
    core.handle(1, [Submit(_job(at, one)) for at, one in enumerate(asked, 1)])
    assert 0 < sums <= 5
    assert core.capacity.possible(Request((Component(200, 4, 1000),)))
    assert not core.capacity.possible(Request((Component(200, 4, 1001),)))


def test_a_node_of_another_size_changes_no_virtual_job_that_it_does_not_concern() -> None:
    """All jobs waited anew in the virtual queue, and were stored: 100,000 of them for 1.1 s."""
    core = _core("rmsd")
    core.handle(1, [Submit(_job(1, Component(3, 4, spread=True)))])
    core.handle(2, [Submit(_job(at, Component(1, 4), 300)) for at in range(2, 12)])
    whole = _job(20, Component(12), 300)
    core.handle(3, [Submit(whole)])
    core.take_changed_virtual()
    core.handle(4, [NodeUp("n1", 5, 1000, ("real",))])
    assert not core.take_changed_virtual()
    core.handle(5, [NodeUp("n1", 2, 1000, ("real",))])
    assert set(core.take_changed_virtual()) == {whole.id}
