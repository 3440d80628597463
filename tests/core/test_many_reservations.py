"""Many advance reservations of many nodes, and jobs of many lengths, cost a pass little."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, Input, NodeSuspect, NodeUp, Submit
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.counted_profile import Steps
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_features import NodeFeatures
from rmsd_core.machine.node_shadow import NodeShadow
from rmsd_core.machine.shapes import Shapes
from rmsd_core.model_time import DAY_US, SECOND_US
from rmsd_core.planning.counted_windows import CountedWindows
from rmsd_core.planning.start_windows import NodeWindows
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.queries import reservations

_NODES = tuple(f"n{at:04}" for at in range(100))
_MOST_BYTES = 20 << 20


def _weekly(at: int) -> AdvanceReservation:
    start_us = at * 7 * DAY_US + 5000 * SECOND_US
    return AdvanceReservation(
        f"m{at}", start_us, start_us + 3600 * SECOND_US, _NODES, is_maintenance=True
    )


def _job(job_id: int, length_s: int) -> Submit:
    return Submit(Job(job_id, "ann", 0, Request((Component(8),)), length_s * SECOND_US))


@pytest.mark.parametrize("recipe", ["easy", "conservative,depth=50"])
def test_maintenances_of_a_year_and_jobs_of_many_lengths_take_little_memory(recipe: str) -> None:
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp(name, 8, 0) for name in _NODES])
    core.handle(1, [AddReservation(_weekly(at)) for at in range(52)])
    assert len(core.reservations) == 52
    jobs: list[Input] = [_job(at, 6000 + at) for at in range(1, 400)]
    tracemalloc.start()
    try:
        core.handle(2, jobs)
        core.handle(3, [NodeSuspect(_NODES[0])])
        assert {core.reason(job) for job in core.jobs.values()} == {"ReservedForMaintenance"}
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < _MOST_BYTES


def test_a_job_that_is_longer_than_all_gaps_is_placed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shadow of the head was found anew between all maintenances, of which each left no node
    to it: with 90 of 1,000 nodes in 0.3 s."""
    shadows: list[Request] = []
    shadow = NodeCapacity.shadow

    def counted(self: NodeCapacity, request: Request, *rest: Any) -> NodeShadow:
        shadows.append(request)
        return shadow(self, request, *rest)

    monkeypatch.setattr(NodeCapacity, "shadow", counted)
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(name, 8, 0) for name in _NODES])
    core.handle(1, [AddReservation(_weekly(at)) for at in range(52)])
    core.handle(2, [_job(1, 700_000), _job(2, 700_000)])
    assert {core.reason(job) for job in core.jobs.values()} == {"ReservedForMaintenance"}
    assert len(shadows) <= 2


_names = st.lists(st.sampled_from("abcd"), min_size=1, unique=True).map(tuple)
_reservation = st.tuples(st.integers(0, 30), st.integers(1, 15), _names)


@pytest.mark.slow
@given(st.lists(_reservation, max_size=5), st.integers(1, 20), st.integers(0, 40), st.booleans())
def test_windows_are_those_of_a_look_at_each_reservation(
    made: list[tuple[int, int, tuple[str, ...]]], length_us: int, now_us: int, has_own: bool
) -> None:
    known = {
        f"r{at}": AdvanceReservation(f"r{at}", start_us, start_us + long_us, nodes)
        for at, (start_us, long_us, nodes) in enumerate(made)
    }
    own = known.get("r0") if has_own else None
    job = Job(1, "ann", 0, Request((Component(1),)), length_us, reservation="r0" if own else "")
    windows = NodeWindows(known, lambda _, __: True, "abcde")
    found = list(windows.of(job, now_us))
    for at_us in range(now_us, 80):
        inside = [one.request for one in found if one.from_us <= at_us < one.before_us]
        assert windows.request_at(job, at_us) == next(iter(inside), None)
        if own is not None and not own.start_us <= at_us <= own.end_us - length_us:
            assert inside == []
            continue
        others = [one for one in known.values() if one is not own]
        closed = set(() if own is None else {*"abcde"} - {*own.nodes})
        for one in others:
            closed |= {*one.nodes} if one.meets(at_us, at_us + length_us) else set()
        expected = [closed] if closed < {*"abcde"} else []
        assert [request.avoid for request in inside] == expected


class _Counted(dict[str, int]):
    """The numbers of nodes, and how often one was looked up."""

    looks = 0

    def get(self, name: str, default: int = -1) -> int:  # type: ignore[override]
        self.looks += 1
        return super().get(name, default)


def _units(number: Mapping[str, int], component: Component) -> tuple[bool, bool]:
    """Return whether the units of a component are known not to fit on free nodes, and whether they
    fit on nodes that run nothing."""
    free = FreeSpace([8] * len(number), [0] * len(number), range(len(number)))
    features = NodeFeatures([()] * len(number))
    reach = free.reach(None, features)
    shapes = Shapes(list(number.values()), free, features)
    found = False, False
    for _ in range(100):
        found = reach.excludes(component, number), shapes.hold(component, number)
    return found


@pytest.mark.parametrize(("open_nodes", "expected"), [(0, (True, False)), (1, (False, True))])
def test_nodes_to_avoid_are_looked_at_once(open_nodes: int, expected: tuple[bool, bool]) -> None:
    number = _Counted({name: at for at, name in enumerate(_NODES)})
    avoid = frozenset(_NODES[open_nodes:])
    assert _units(number, Component(1, 8, avoid=avoid)) == expected
    assert number.looks <= 2 * len(_NODES)


def test_the_nodes_to_avoid_beside_a_hundred_reservations_are_looked_at_once() -> None:
    """20,000 jobs of one user that waited inside of a hundred reservations made a pass take 2 s."""
    number = _Counted({name: at for at, name in enumerate(_NODES)})
    free = FreeSpace([8] * len(_NODES), [0] * len(_NODES), range(len(_NODES)))
    features = NodeFeatures([()] * len(_NODES))
    reach = free.reach(None, features)
    inside = [Component(1, 8, avoid=frozenset(_NODES) - {name}) for name in _NODES]
    for _ in range(3):
        assert not any(reach.excludes(one, number) for one in inside)
    assert number.looks <= len(_NODES) ** 2
    free.change(0, -8, 0)
    reach = free.reach(None, features)
    assert [reach.excludes(one, number) for one in inside] == [True, *[False] * 99]


class _Name(str):
    """The name of a node; all of them count how often two are compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        _Name.compared += 1
        return super().__eq__(other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("is_maintenance", [False, True])
def test_two_reservations_of_many_nodes_are_compared_at_once(is_maintenance: bool) -> None:
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(name, 8, 0) for name in _NODES])
    day = AdvanceReservation("day", 10, 20, tuple(map(_Name, _NODES)), users=("ann",))
    core.handle(1, [AddReservation(day)])
    same = AdvanceReservation(
        "same", 10, 20, tuple(map(_Name, _NODES)), is_maintenance=is_maintenance
    )
    _Name.compared = 0
    why = core.why_not_reserved(AddReservation(same))
    assert _Name.compared < 10 * len(_NODES)
    if is_maintenance:
        assert why is None
    else:
        assert why is not None
        assert why.endswith("n0008, n0009 and others at that time")


def test_the_host_list_of_a_reservation_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    compress = reservations.compress

    def counted(names: list[str]) -> str:
        made.append(len(names))
        return compress(names)

    monkeypatch.setattr(reservations, "compress", counted)
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(name, 8, 0) for name in _NODES])
    one = _weekly(1)
    found = [reservations.reservation_view(one, core, 0, is_told=True) for _ in range(3)]
    assert {view.nodelist for view in found} == {"n[0000-0099]"}
    assert len(made) <= 1


# ---------------------------------------------------------------- counted processors

_held = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 40), st.booleans()), max_size=5)


def _counted_job(job_id: int, size: int, length_us: int, reservation: str = "") -> Job:
    return Job(job_id, "ann", 0, processors(size), length_us, reservation=reservation)


def _left_beside(
    known: Mapping[str, AdvanceReservation],
    spans: list[tuple[Job, int, int]],
    us: int,
    processors_there: int,
) -> int:
    """Return how many processors are left at an instant for jobs of no reservation; all there are
    if no reservation has a part of them then. Jobs hold what `spans` says: since when, until when.
    """
    active = {name: one for name, one in known.items() if one.meets(us, us + 1)}
    held: Counter[str] = Counter()
    for one, since, to in spans:
        if since <= us < to:
            held[one.reservation if one.reservation in active else ""] += one.size
    taken = [max(one.cores, held[name]) for name, one in active.items()]
    return processors_there - held[""] - sum(taken) if active else processors_there


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 15), st.integers(1, 4)), max_size=4),
    _held,
    st.tuples(st.integers(1, 6), st.integers(1, 20), st.booleans()),
    st.lists(st.tuples(st.integers(1, 3), st.integers(10, 40), st.integers(1, 20)), max_size=3),
)
def test_windows_on_counted_processors_are_those_of_a_look_at_each_instant(
    made: list[tuple[int, int, int]],
    held: list[tuple[int, int, bool]],
    asked: tuple[int, int, bool],
    planned: list[tuple[int, int, int]],
) -> None:
    now_us, processors_there = 10, 8
    known = {
        f"r{at}": AdvanceReservation(f"r{at}", start_us, start_us + long_us, cores=cores)
        for at, (start_us, long_us, cores) in enumerate(made)
    }
    known = {name: one for name, one in known.items() if one.end_us > now_us}
    own = known.get("r0")
    size, length_us, has_own = asked
    if has_own and own is None:
        return
    holders = [
        _counted_job(at, count, long_us, "r0" if inside and own else "")
        for at, (count, long_us, inside) in enumerate(held)
    ]
    spans = [(one, now_us, now_us + one.estimate_us) for one in holders]
    windows = CountedWindows(known, lambda _, __: True, processors_there, holders, now_us)
    for at, (count, start_us, long_us) in enumerate(planned):
        later = _counted_job(100 + at, count, long_us)
        windows.take(later, start_us)
        spans.append((later, start_us, start_us + long_us))

    def fits(at_us: int) -> bool:
        until_us = at_us + length_us
        if has_own:
            assert own is not None
            inside = [(one, since, to) for one, since, to in spans if one.reservation]
            return (
                own.start_us <= at_us
                and until_us <= own.end_us
                and all(
                    sum([one.size for one, since, to in inside if since <= us < to]) + size
                    <= own.cores
                    for us in range(at_us, until_us)
                )
            )
        return all(
            _left_beside(known, spans, us, processors_there) >= size
            for us in range(at_us, until_us)
        )

    job = _counted_job(1000, size, length_us, "r0" if has_own else "")
    found = list(windows.of(job, now_us))
    for at_us in range(now_us, 90):
        assert any(one.from_us <= at_us < one.before_us for one in found) == fits(at_us)
        assert (windows.request_at(job, at_us) is not None) == fits(at_us)
    assert all(one.before_us < after.from_us for one, after in pairwise(found))


def test_jobs_on_counted_processors_are_not_compared_with_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each job that waited was compared with all that ran at each time at which one ends, and each
    job of a reservation had windows of its own made: 1,000 beside 1,000 took 38 s."""
    core = Core(parse_recipe("easy"), "counted")
    core.handle(0, [NodeUp("n1", 1000, 0)])
    course = AdvanceReservation("course", 0, 400, cores=1, users=("ann",))
    repair = AdvanceReservation("repair", 500, 600, cores=1000, is_maintenance=True)
    core.handle(0, [AddReservation(course), AddReservation(repair)])
    core.handle(1, [Submit(_counted_job(at, 1, 100 + at)) for at in range(1, 101)])
    looks: list[str] = []
    for name in ("holds", "take"):
        monkeypatch.setattr(Steps, name, _told(name, getattr(Steps, name), looks))
    jobs = [_counted_job(200 + at, 1, 1000 + at) for at in range(100)]
    inside = [_counted_job(400 + at, 1, 100 + at, "course") for at in range(100)]
    core.handle(2, [Submit(job) for job in (*jobs, *inside)])
    reasons = {core.reason(job) for job in core.jobs.values()}
    assert reasons == {"None", "ReservedForMaintenance", "Priority"}
    assert len(looks) < 1000


def _told(name: str, method: Callable[..., Any], looks: list[str]) -> Callable[..., Any]:
    """Return the method, which notes its calls."""

    def noted(*arguments: Any) -> Any:
        looks.append(name)
        return method(*arguments)

    return noted


def test_there_are_no_more_reservations_than_a_pass_can_look_at() -> None:
    """The API alone kept the bound: requests that came together could pass it."""
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(name, 8, 0) for name in _NODES])
    refused = core.handle(1, [AddReservation(_weekly(at)) for at in range(102)]).refused
    assert [item.reservation.name for item in refused if isinstance(item, AddReservation)] == [
        "m100",
        "m101",
    ]
    again = AddReservation(_weekly(7), replaces=True)
    assert core.handle(2, [again]).refused == ()
    assert len(core.reservations) == 100
