"""No recipe starts a job that would reach into an advance reservation, and all jobs come to their
end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Lapse, Start
from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation, NodeUp, Submit
from rmsd_core.machine.advance_reservations import AdvanceReservation, day_of_week
from rmsd_core.model_time import DAY_US, SECOND_US
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.oracle.reserved import Beside, Block, Kind
from tests.core.reserved import violations
from tests.core.reserved_world import NAMES, Reserved, reserving, world_of
from tests.core.strategies import MACHINE, OF_EACH_PLAN, traces
from tests.core.world import Cluster, clusters, recipe_texts


@pytest.mark.slow
@settings(max_examples=150)
@given(traces, recipe_texts.filter(lambda text: "perfect" not in text), clusters, reserving)
def test_no_start_reaches_into_a_reservation_and_others_come_to_their_end(
    trace: list[TraceJob], recipe: str, cluster: Cluster, asked: list[tuple[str, int, Any]]
) -> None:
    world = world_of(trace, recipe, cluster, asked)
    for _ in range(4000):
        if world.next_us is None:
            break
        world.step()
        assert world.seen == []
    core = world.cores[0]
    assert not core.reservations
    assert all(job.reservation for job in core.jobs.values())
    reasons = {core.reason(job) for job in core.jobs.values()}
    assert reasons <= {"ReservationDeleted"}


@pytest.mark.slow
@settings(max_examples=80)
@given(traces, st.sampled_from(OF_EACH_PLAN), clusters, reserving)
def test_every_expected_start_keeps_off_the_reservations(
    trace: list[TraceJob], recipe: str, cluster: Cluster, asked: list[tuple[str, int, Any]]
) -> None:
    """On nodes, of which there is one that all jobs could have, each start can be judged alone."""
    if cluster.capacity != "nodes" or len(cluster.nodes) > 1:
        return
    world = world_of(trace, recipe, cluster, asked)
    for _ in range(4000):
        if world.next_us is None:
            break
        now_us = world.step()
        core = world.cores[0]
        starts = whole(core.projection(now_us)).starts
        for job_id, expected in starts.expected.items():
            job = core.jobs.get(job_id)
            if job is None or expected.basis == "claim":
                continue
            assert violations(job, {"n1"}, expected.start_us, world.live.values()) == []


@pytest.mark.slow
@settings(max_examples=60)
@given(traces, st.sampled_from(OF_EACH_PLAN), clusters)
def test_a_reservation_that_is_never_reached_changes_no_start(
    trace: list[TraceJob], recipe: str, cluster: Cluster
) -> None:
    """Without a reservation, repeated passes are skipped, and jobs may then get other nodes."""
    if len(cluster.nodes) > 1:
        return
    far = ("reserve", 0, ("r1", 10**7, 10, MACHINE, True))
    free, reserved = (world_of(trace, recipe, cluster, asked) for asked in ([], [far]))
    for world in (free, reserved):
        while world.next_us is not None and world.next_us < 10**6 * SECOND_US:
            world.step()
    ids = {job_id for job_id in free.stored if job_id % 3 != 1}
    assert {at: free.stored[at] for at in ids} == {at: reserved.stored[at] for at in ids}


# ---------------------------------------------------------------- the oracle

_maintenances = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 80), st.integers(1, MACHINE)), max_size=3
)


@pytest.mark.slow
@settings(max_examples=150)
@given(traces, st.sampled_from(["fcfs", "easy", "conservative"]), _maintenances)
def test_the_oracle_agrees_about_counted_processors(
    trace: list[TraceJob], kind: Kind, asked: list[tuple[int, int, int]]
) -> None:
    trace = [
        job._replace(run_s=max(1, min(job.run_s, job.estimate_s)), submit_s=job.submit_s + 1)
        for job in trace
    ]
    core = Core(parse_recipe(kind), "counted")
    cluster = Cluster("counted", {"n1": MACHINE}, 0)
    world = Reserved(trace, cluster, [core], refuses=False, jobs_name_some=False)
    world.feed(0, [("up", ())])
    made = [
        ("reserve", (name, start_s, length_s, cores, True))
        for name, (start_s, length_s, cores) in zip(NAMES, asked, strict=False)
    ]
    world.feed(0, made)
    blocks = [
        Block(one.start_us // SECOND_US, one.end_us // SECOND_US, one.cores)
        for one in world.live.values()
    ]
    starts: dict[int, int] = {}
    while world.next_us is not None:
        now_us = world.step()
        for decision in world.decided[0]:
            if isinstance(decision, Start):
                starts[decision.job_id] = now_us // SECOND_US
    assert starts == Beside(trace, MACHINE, blocks, kind).run()


# ---------------------------------------------------------------- step by step


def _job(
    job_id: int, *, cores: int = 1, limit_s: int = 100, user: str = "ann", name: str = ""
) -> Job:
    request = Request((Component(1, cores),))
    return Job(job_id, user, 0, request, limit_s * SECOND_US, reservation=name)


def _core(recipe: str = "easy") -> Core:
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp("n1", 4, 0), NodeUp("n2", 4, 0)])
    return core


def _of(
    name: str, start_s: int, end_s: int, *, replaces: bool = False, **more: Any
) -> AddReservation:
    more = {"nodes": ("n1", "n2"), **more}
    one = AdvanceReservation(name, start_s * SECOND_US, end_s * SECOND_US, **more)
    return AddReservation(one, replaces=replaces)


@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
def test_a_job_of_a_reservation_waits_for_it_and_then_starts_inside(recipe: str) -> None:
    core = _core(recipe)
    course = _of("course", 100, 300, nodes=("n2",), users=("bob",))
    jobs = [
        Submit(_job(1, user="bob", name="course")),
        Submit(_job(2, user="ann", name="course")),
        Submit(_job(3, user="bob", name="other")),
        Submit(_job(4, user="bob", name="course", limit_s=201)),
    ]
    core.handle(0, [course, *jobs])
    reasons = [core.reason(core.job(at)) for at in (1, 2, 3, 4)]
    assert reasons == ["Reservation", "Reservation", "ReservationDeleted", "Reservation"]
    effects = core.handle(100 * SECOND_US, [])
    starts = [one for one in effects.decisions if isinstance(one, Start)]
    assert [(one.job_id, one.allocation[0].node) for one in starts] == [(1, "n2")]


@pytest.mark.parametrize(
    ("every_us", "asked"),
    [
        (DAY_US, DeleteReservation("r")),
        (DAY_US, _of("r", 300, 400, replaces=True)),
        (0, _of("r", 300, 400)),
    ],
)
def test_what_is_deleted_or_made_anew_as_it_ends_neither_ends_nor_repeats(
    every_us: int, asked: AddReservation | DeleteReservation
) -> None:
    """The log has what was asked before what was decided at the same instant."""
    core = _core()
    core.handle(0, [_of("r", 100, 200, every_us=every_us), _of("other", 500, 600, nodes=("n1",))])
    effects = core.handle(200 * SECOND_US, [asked])
    assert effects.decisions == ()
    assert effects.refused == ()
    starts_us = {name: one.start_us // SECOND_US for name, one in core.reservations.items()}
    made = {} if isinstance(asked, DeleteReservation) else {"r": 300}
    assert starts_us == {"other": 500} | made


def test_a_restored_core_goes_on_with_its_reservations() -> None:
    core = _core()
    core.handle(0, [_of("repair", 50, 100, is_maintenance=True), Submit(_job(1))])
    again = Core(parse_recipe("easy"))
    again.restore(
        core.nodes.values(),
        core.jobs.values(),
        [],
        core.memory(),
        reservations=core.reservations.values(),
    )
    ups = [NodeUp("n1", 4, 0), NodeUp("n2", 4, 0)]
    assert not any(isinstance(one, Start) for one in again.handle(60 * SECOND_US, ups).decisions)
    effects = again.handle(100 * SECOND_US, [])
    assert [type(one) for one in effects.decisions] == [Lapse, Start]


def test_a_job_waits_for_no_reservation_of_nodes_that_cannot_hold_it() -> None:
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(f"n{at}", 4, 0, ("big",) * (at == 3)) for at in (1, 2, 3)])
    course = _of("course", 50, 90, nodes=("n1",), users=("bob",))
    repair = _of("repair", 40, 90, nodes=("n3",), is_maintenance=True)

    def on(*nodes: str, feature: str | None = None) -> Component:
        return Component(max(1, len(nodes)), 1, spread=True, require=nodes, feature=feature)

    wanted = {1: on("n1"), 2: on("n3"), 3: on(feature="big"), 4: on("n1", "n2"), 5: on("n1", "n3")}
    jobs = [Job(at, "ann", 0, Request((one,)), 100 * SECOND_US) for at, one in wanted.items()]
    core.handle(0, [course, repair, *map(Submit, jobs)])
    assert {at: core.reason(core.job(at)) for at in wanted} == {
        1: "ReservedForOthers",
        2: "ReservedForMaintenance",
        3: "ReservedForMaintenance",
        4: "ReservedForOthers",
        5: "ReservedForMaintenance",
    }
    starts = whole(core.projection(0)).starts
    closing = {
        at: [one.name for one in whole(core.why(core.job(at), starts)).closing] for at in wanted
    }
    assert closing == {
        1: ["course"], 2: ["repair"], 3: ["repair"], 4: ["course"], 5: ["repair", "course"],
    }  # fmt: skip


def test_a_job_whose_reservation_got_another_time_counts_outside_of_it() -> None:
    core = Core(parse_recipe("easy"), "counted")
    core.handle(0, [NodeUp("n1", 5, 0)])
    course = _of("course", 0, 40, nodes=(), cores=1, users=("bob",))
    inside = _job(1, user="bob", name="course", limit_s=30)
    core.handle(1, [course, Submit(inside)])
    assert inside.attempt == 1
    again = _of("course", 50, 60, nodes=(), cores=1, users=("bob",))
    repair = _of("repair", 0, 100, nodes=(), cores=2, is_maintenance=True)
    core.handle(10 * SECOND_US, [DeleteReservation("course"), again, repair])
    others = [Submit(_job(at, limit_s=5)) for at in (2, 3, 4)]
    effects = core.handle(12 * SECOND_US, [*others])
    starts = [one.job_id for one in effects.decisions if isinstance(one, Start)]
    assert starts == [2, 3]


def test_what_jobs_hold_beyond_a_reservation_that_got_smaller_is_not_given_to_others() -> None:
    core = Core(parse_recipe("easy"), "counted")
    core.handle(0, [NodeUp("n1", 6, 0)])
    course = _of("course", 0, 40, nodes=(), cores=3, users=("bob",))
    inside = _job(1, user="bob", name="course", limit_s=30, cores=3)
    core.handle(1, [course, Submit(inside)])
    assert inside.attempt == 1
    smaller = _of("course", 0, 40, nodes=(), cores=1, users=("bob",), replaces=True)
    repair = _of("repair", 0, 100, nodes=(), cores=2, is_maintenance=True)
    core.handle(10 * SECOND_US, [smaller, repair])
    assert core.reservations["course"].cores == 1
    effects = core.handle(12 * SECOND_US, [Submit(_job(at, limit_s=5)) for at in (2, 3)])
    assert [one.job_id for one in effects.decisions if isinstance(one, Start)] == [2]


# ---------------------------------------------------------------- days of the week

_HOUR_US, _WEEK_US = 3600 * SECOND_US, 7 * DAY_US


@st.composite
def _repeating(draw: st.DrawFn) -> AdvanceReservation:
    """Return a reservation that begins in the first week. Its first instance is on a right day."""
    every_us = draw(st.sampled_from([0, _HOUR_US, DAY_US, DAY_US, _WEEK_US]))
    start_us = draw(st.integers(0, 7 * 24 - 1)) * _HOUR_US
    length_us = draw(st.integers(1, 24)) * _HOUR_US
    weekdays = draw(st.integers(0, 127)) if every_us == DAY_US else 0
    if weekdays:
        weekdays |= 1 << day_of_week(start_us)
    length_us = min(length_us, every_us or length_us)
    return AdvanceReservation(
        "r", start_us, start_us + length_us, ("n1",), every_us=every_us, weekdays=weekdays
    )


def _instances(one: AdvanceReservation, until_us: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    following: AdvanceReservation | None = one
    while following is not None and following.start_us < until_us:
        found.append((following.start_us, following.end_us))
        following = following.first_at(following.end_us)
    return found


@settings(max_examples=300)
@given(_repeating(), _repeating())
def test_reservations_collide_if_any_of_their_instances_do(
    one: AdvanceReservation, other: AdvanceReservation
) -> None:
    """Three weeks have all combinations: the first is that of the starts."""
    both = [_instances(each, 3 * _WEEK_US) for each in (one, other)]
    meet = any(a[0] < b[1] and b[0] < a[1] for a in both[0] for b in both[1])
    assert one.collides(other) == other.collides(one) == meet


@given(_repeating())
def test_instances_are_on_the_days_of_their_reservation(one: AdvanceReservation) -> None:
    """Model time begins on day 0; a later instance is found in one step as in many."""
    starts = [start_us for start_us, _ in _instances(one, 3 * _WEEK_US)]
    if one.weekdays:
        days = {start_us // DAY_US for start_us in starts}
        wanted = range(one.start_us // DAY_US, 3 * 7)
        assert days == {day for day in wanted if one.weekdays >> day % 7 & 1}
    for start_us in starts[1:]:
        found = one.first_at(start_us)
        assert found is not None
        assert found.start_us <= start_us < found.end_us
