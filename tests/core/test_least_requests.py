"""Jobs whose kinds of requests fit nowhere, or not beside the job at the head, cost a pass nothing,
however many wait."""

from __future__ import annotations

from collections.abc import Callable
from operator import ge
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Input, NodeUp, SetPartitions, Submit, Update
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning import queue
from rmsd_core.planning.least_requests import LeastRequests, RefusedKinds, may_start
from rmsd_core.planning.queue import BLOCK, Block
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.reserved_world import Reserved, reserving
from tests.core.strategies import traces
from tests.core.world import Cluster, recipe_texts

_RECIPES = ("easy", "easy++", "lxfw", "fair-share", "timed-easy", "rmsd", "conservative,depth=20")
_JOBS = 600
_MOST_LOOKS = 180


def _job(job_id: int, component: Component, limit_s: int) -> Submit:
    return Submit(Job(job_id, f"u{job_id % 3}", 0, Request((component,)), limit_s * SECOND_US))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Return the requests for which a pass has looked, for a place or whether there may be one."""
    found: list[Request] = []
    for where, name, at in (
        (NodeCapacity, "place_request", 1),
        (NodeCapacity, "may_place_in", 1),
        (NodeProfile, "may_hold", 0),
    ):
        plain: Any = getattr(where, name)

        def noted(self: Any, *asked: Any, plain: Any = plain, at: int = at) -> Any:
            found.append(asked[at])
            return plain(self, *asked)

        monkeypatch.setattr(where, name, noted)
    return found


_A_LITTLE_MORE = "a little more memory than is free"
_WAITING: dict[str, Callable[[int], Component]] = {
    "units of two processors": lambda at: Component(1 + at % 7, 2),
    "a feature of busy nodes": lambda at: Component(1 + at % 3, feature="fast"),
    "memory": lambda at: Component(1 + at % 3, mem_mib=600 + at),
    _A_LITTLE_MORE: lambda at: Component(1 + at % 3, mem_mib=501 + at % 11),
}


@pytest.mark.parametrize(
    ("recipe", "what"),
    [
        (recipe, what)
        for recipe in (*_RECIPES, "rmsd-gentle")
        for what in _WAITING
        if what != _A_LITTLE_MORE or not recipe.startswith("conservative")
    ],
)
def test_a_pass_looks_at_no_jobs_that_fit_nowhere(
    recipe: str, what: str, looks: list[Request]
) -> None:
    """Each node has a free processor: 20,000 jobs that want two on one took 0.1 s a pass under
    `easy`, and 0.7 s under `rmsd`. 100,000 that want 41 GB where 40 are free took 0.3 s under
    `rmsd-gentle`."""
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp(f"n{at}", 8, 1000, ()) for at in range(10)])
    core.handle(0, [NodeUp("f1", 8, 1000, ("fast",))])
    taking = [_job(1 + at, Component(1, 7, 500, spread=True), 100_000) for at in range(10)]
    core.handle(0, [_job(20, Component(1, 8, feature="fast"), 100_000)])
    core.handle(1, [*taking])
    core.handle(400 * SECOND_US, [_job(30, Component(10, 8, spread=True), 100_000)])  # the head
    waiting = [_job(100 + at, _WAITING[what](at), 200 + at) for at in range(_JOBS)]
    core.handle(401 * SECOND_US, [*waiting])
    core.handle(900 * SECOND_US, [])
    looks.clear()
    core.handle(901 * SECOND_US, [_job(5000, _WAITING[what](1), 30_000)])
    assert len(looks) < _MOST_LOOKS
    core.handle(902 * SECOND_US, [_job(5001, Component(1), 100)])
    job = core.job(5001)
    assert job.start_us == 902 * SECOND_US or job.claim is not None


_MIXED = "some that would end before, and fit nowhere"


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("what", ["all as long", _MIXED])
@pytest.mark.parametrize("recipe", [one for one in _RECIPES if one != "lxfw"])
def test_a_pass_looks_at_no_jobs_that_do_not_fit_beside_the_head(
    recipe: str, what: str, partitioned: bool, looks: list[Request]
) -> None:
    """Each node has two free processors, and one of them at the start of the head: 20,000 jobs that
    want both for longer took 0.07 s a pass under `easy`, and 0.14 s under `fair-share`."""
    core = Core(parse_recipe(recipe))
    where = "p1" if partitioned else None
    if partitioned:
        core.handle(0, [SetPartitions((Partition("p1"), Partition("p2")))])
    core.handle(0, [NodeUp(f"n{at}", 8, 1000, ()) for at in range(10)])

    def submit(job_id: int, units: int, cores: int, limit_s: int, spread: bool = False) -> Submit:
        return _job(job_id, Component(units, cores, spread=spread, partition=where), limit_s)

    core.handle(1, [submit(1 + at, 1, 6, 1000, spread=True) for at in range(10)])
    core.handle(2 * SECOND_US, [submit(20, 10, 7, 100_000, spread=True)])  # the head
    waiting = [submit(100 + at, 1 + at % 5, 2, 2000 + at) for at in range(_JOBS)]
    if what == _MIXED:
        waiting[::2] = [submit(100 + at, 11 + at % 7, 2, 500) for at in range(0, _JOBS, 2)]
    core.handle(400 * SECOND_US, [*waiting])
    core.handle(600 * SECOND_US, [])
    looks.clear()
    core.handle(601 * SECOND_US, [submit(5000, 12, 2, 30_000)])
    assert core.job(20).start_us is None
    # Under `rmsd` the head may fit for all that is known, and is in a block with others.
    assert len(looks) < _MOST_LOOKS + (BLOCK if recipe == "rmsd" else 0)
    core.handle(602 * SECOND_US, [submit(5001, 1, 1, 100)])
    job = core.job(5001)
    assert job.start_us == 602 * SECOND_US or job.claim is not None


class _Shaped(Reserved):
    """A world whose jobs want several processors on a node, or nodes."""

    def inputs(self, kind: str, what: tuple[Any, ...], now_us: int) -> list[Input]:
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if isinstance(item, Submit):
                size = item.job.size
                kinds = (
                    Component(size),
                    Component(1, size),
                    Component(max(1, size // 2), 2),
                    Component(2, size, spread=True),
                )
                item.job.request = Request((kinds[item.job.id % 4],))
                item.job.size = item.job.request.size
        return inputs


@pytest.mark.slow
@settings(max_examples=30)
@given(
    traces,
    recipe_texts.filter(lambda text: "perfect" not in text),
    st.just([]) | reserving,
    st.sampled_from([0, 1, 7]),
)
def test_what_is_passed_over_would_not_start(
    trace: list[TraceJob], recipe: str, asked: list[tuple[str, int, Any]], exit_s: int
) -> None:
    """All that is decided is the same if each job is looked at."""
    cluster = Cluster("nodes", {"n1": 5, "n2": 3}, exit_s)
    decided = []
    for looks_at_all in (False, True):
        with pytest.MonkeyPatch.context() as patches:
            if looks_at_all:
                patches.setattr(Block, "has_place", lambda *_: True)
            core = Core(parse_recipe(recipe), cluster.capacity, slip_us=0)
            jobs = [job._replace(size=min(job.size, 3)) for job in trace]
            world = _Shaped(jobs, cluster, [core])
            world.feed(0, [("up", ())])
            for kind, at_s, what in asked:
                world.expect(at_s * SECOND_US, kind, *what)
            decided.append(world.told())
    assert decided[0] == decided[1]


_components = st.tuples(  # `builds` of a Component would make up the fields that are not named
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(0, 5),
    st.booleans(),
    st.sampled_from([None, "fast"]),
).map(lambda fields: Component(*fields))
_several = st.lists(_components, min_size=1, max_size=2).map(tuple)
_partitions = ("p0", "p1", "p2", "p3", "p4")
_in_many = st.tuples(
    _components, st.lists(st.sampled_from(_partitions), min_size=4, unique=True), st.booleans()
).map(
    lambda one: tuple(
        [one[0]._replace(partition=name, closed=one[2] and name == "p0") for name in one[1]]
    )
)
_requests = (_several | _in_many).map(Request)


@pytest.mark.slow
@settings(max_examples=50)
@given(
    st.lists(st.tuples(_requests, st.integers(1, 5)), min_size=1, max_size=12),
    st.lists(
        st.tuples(st.integers(1, 6), st.integers(0, 8), st.booleans()), min_size=1, max_size=4
    ),
    st.integers(0, 12),
    st.lists(st.integers(0, 11), max_size=4, unique=True),
)
def test_a_request_that_fits_has_a_least_one_that_may(
    jobs: list[tuple[Request, int]], nodes: list[tuple[int, int, bool]], first: int, gone: list[int]
) -> None:
    """The jobs after the `first` ones join later, and then those at `gone` leave. Jobs of a length
    of 3 or more are kept off the fast nodes."""
    capacity = NodeCapacity()
    capacity.set_partitions(
        {name: Partition(name, (f"n{at}", "short")) for at, name in enumerate(_partitions)}
    )
    for at, (cores, mem_mib, fast) in enumerate(nodes):
        capacity.set_node(f"n{at}", cores, mem_mib, ("fast",) if fast else ())
        capacity.set_available(f"n{at}", True)
    capacity.set_node("short", 8, 8, ("fast",))
    capacity.set_available("short", True)
    later = capacity.without(Request((Component(1, feature="fast"),)))

    def may_place(request: Request, length_us: int) -> bool:
        return (capacity if length_us < 3 else later).may_place(request)

    least = LeastRequests(jobs[:first])
    least.may_start(lambda *_: False, RefusedKinds())
    for one in jobs[first:]:
        least.add(*one)
    for at in gone:
        if at < len(jobs):
            least.leave(*jobs[at])
    assert not least.is_stale
    jobs = [one for at, one in enumerate(jobs) if at not in gone]
    asked: list[tuple[Request, int]] = []
    least.may_start(lambda *one: bool(asked.append(one)), RefusedKinds())
    assert len(asked) <= len(jobs)
    may_start = [(capacity if us < 3 else later).place(one) is not None for one, us in jobs]
    if any(may_start):
        assert least.may_start(may_place, RefusedKinds())
    assert least.differ or len({tuple(map(_kind_of, one.components)) for one, _ in jobs}) <= 1


def _kind_of(component: Component) -> Component:
    """Return what jobs have in common of which the least request says as much as a look at each."""
    return component._replace(units=1, mem_mib=0)


def test_jobs_of_many_partitions_are_of_few_kinds(looks: list[Request]) -> None:
    """After their run times were predicted again, 5,000 jobs that name 20 partitions each had what
    they want at least found anew, job by job: a pass took 0.5 to 0.9 s under `rmsd`."""
    core = Core(parse_recipe("easy"))
    names = [f"p{at}" for at in range(20)]
    core.handle(0, [SetPartitions((Partition("all"), *[Partition(one) for one in names]))])
    core.handle(0, [NodeUp(f"n{at}", 8, 1000, ()) for at in range(10)])
    taking = Component(1, 7, 500, spread=True, partition="all")
    core.handle(1, [_job(1 + at, taking, 100_000) for at in range(10)])
    core.handle(2, [_job(30, Component(10, 8, spread=True, partition="all"), 100_000)])
    waiting = []
    for at in range(_JOBS):
        own = [Component(1, 2 + at % 3, partition=names[(at * k) % 20]) for k in range(1, 9)]
        request = Request(tuple(own))
        waiting.append(Submit(Job(100 + at, "eve", 0, request, (200 + at) * SECOND_US)))
    core.handle(3, [*waiting])
    looks.clear()
    core.handle(4, [_job(5000, Component(1, 8, partition="all"), 30_000)])
    assert not any(one.job.attempt for one in waiting)
    assert len(looks) < 10 * len(names)
    predicted = [Update(job_id=one.job.id, estimate_us=one.job.estimate_us + 1) for one in waiting]
    with pytest.MonkeyPatch.context() as patches:
        made = 0

        class _Counted(LeastRequests):
            def __init__(self, *asked: Any) -> None:
                nonlocal made
                made += 1
                super().__init__(*asked)

        patches.setattr(queue, "LeastRequests", _Counted)
        core.handle(5, [*predicted])
        assert not made


def test_a_kind_that_was_refused_is_not_asked_again_block_by_block(looks: list[Request]) -> None:
    """A pass beside 5,000 jobs asked all kinds of each block of 256 jobs, up to 50 of them."""
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(f"n{at}", 8, 1 << 12, ()) for at in range(10)])
    core.handle(1, [_job(1 + at, Component(1, 7, 100, spread=True), 100_000) for at in range(10)])
    core.handle(2, [_job(30, Component(10, 8, spread=True), 100_000)])
    kinds = 20
    waiting = [
        _job(100 + at, Component(1 + at % 3, 2 + at % 4, 1 << (at % 5 + 3)), 200)
        for at in range(6 * BLOCK)
    ]
    core.handle(3, [*waiting])
    looks.clear()
    core.handle(4, [_job(5000, Component(1, 8), 30_000)])
    assert not any(one.job.attempt for one in waiting)
    assert len(looks) < 2 * kinds


@pytest.mark.parametrize("shorter", [True, False])
def test_refusals_of_a_kind_tell_of_all_that_want_more(*, shorter: bool) -> None:
    """Each block has a job that might fit, so that all others are looked at; each of these is
    shorter, and wants more memory, than the one before. All were compared with sums."""
    asked: list[int] = []

    def may_place(_: Request, length_us: int) -> bool:
        asked.append(length_us)
        return not shorter and length_us < 5

    refused = RefusedKinds()
    for at in range(1000):
        units, mem_mib = 1 + at % 3, 40_000 + at
        request = Request((Component(units, mem_mib=mem_mib),))
        assert not may_start(request, 2000 - at if shorter else 2000 + at, may_place, refused)
    assert len(asked) <= 4


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(512, 520), st.integers(1, 9)), max_size=30),
    st.lists(st.tuples(st.integers(1, 4), st.integers(512, 520), st.integers(0, 9)), max_size=6),
)
def test_refusals_say_nothing_of_jobs_that_want_less(
    jobs: list[tuple[int, int, int]], bounds: list[tuple[int, int, int]]
) -> None:
    def may_place(request: Request, length_us: int) -> bool:
        [component] = request.components
        wants = component.units, component.mem_mib, length_us
        return not any(all(map(ge, wants, bound)) for bound in bounds)

    refused = RefusedKinds()
    for units, mem_mib, length_us in jobs:
        request = Request((Component(units, mem_mib=mem_mib),))
        found = may_start(request, length_us, may_place, refused)
        assert found == may_place(request, length_us)
