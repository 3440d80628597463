"""Deadlines of waiting jobs: no call starts a late job, however many are late at once, and a core
that takes up where another left off ends them as well."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    UNFOLDING,
    WAITING,
    Expired,
    Ineligible,
    OnTrial,
    Phase,
    Running,
    Stopping,
)
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import eligibility, late
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Claim, Commit, Effects, End, Start
from rmsd_core.lifecycle.eligibility import MOST_SETTLED
from rmsd_core.lifecycle.inputs import (
    Drain,
    Found,
    Hold,
    NodeUp,
    Release,
    Resume,
    Submit,
    Update,
)
from rmsd_core.lifecycle.late import MOST_SET_ASIDE
from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import HeldBy, JobState, Relation
from rmsd_lab.workloads.swf import TraceJob
from tests.core.strategies import traces
from tests.core.world import Cluster, World, clusters, conditions_of, drawn_conditions, recipe_texts

_REQUEST = Request((Component(1, 1, 0),))
_LIMIT_US = 50 * SECOND_US
_DEADLINE_US = 100 * SECOND_US
_LATE_US = _DEADLINE_US - _LIMIT_US + 1
_MANY = 2 * MOST_SET_ASIDE + 10


def _job(
    number: int,
    phase: Phase = WAITING,
    deadline_us: int | None = _DEADLINE_US,
    user: str = "eve",
) -> Job:
    return Job(number, user, 0, _REQUEST, _LIMIT_US, deadline_us=deadline_us, phase=phase)


def _busy_core(others: list[Job], recipe: str = "easy") -> tuple[Core, Effects]:
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp("n", 1, 0)])
    core.handle(0, [Submit(_job(1, deadline_us=None))])
    return core, core.handle(0, [Submit(one) for one in others])


def _ended(effects: Effects) -> set[int]:
    return {one.job_id for one in effects.decisions if isinstance(one, End)}


def _started(effects: Effects) -> set[int]:
    """Return the jobs that have started, or have claimed a place."""
    return {one.job_id for one in effects.decisions if isinstance(one, Start | Claim)}


def _walk(core: Core, effects: Effects) -> Iterator[Effects]:
    """Yield `effects` of a call, and those of the calls that follow at once."""
    yield effects
    while effects.wake_us is not None and effects.wake_us <= _LATE_US:
        effects = core.handle(_LATE_US, [])
        core.sanity_check()
        yield effects


_RECIPES = ["easy", "conservative", "fair-share", "lxfw", "timed-easy,trial=5,speculate=yes"]


@pytest.mark.parametrize("recipe", _RECIPES)
def test_others_start_before_thousands_of_late_jobs_are_over(recipe: str) -> None:
    """Some are still in the queue after the first call, and no call starts one of them."""
    core, _ = _busy_core([_job(number) for number in range(2, 2 + _MANY)], recipe)
    other = 2 + _MANY
    effects = core.handle(0, [Submit(_job(other, deadline_us=None, user="ann"))])
    assert effects.wake_us is not None
    assert effects.wake_us <= _LATE_US
    core.handle(_LATE_US - 1, [])
    left, late = 0, set(range(2, 2 + _MANY))
    calls = [core.handle(_LATE_US, [NodeUp("n2", 4, 0)])]
    assert not _started(calls[0])
    for effects in _walk(core, calls[0]):
        calls.append(effects)
        assert not _started(effects) & late
        if other in _started(effects):
            left = sum(one in core.jobs for one in late)
            assert core.reason(core.jobs[other - 1]) == "DeadLine"
    assert left > _MANY // 2
    ends = [one for one in chain(*(one.decisions for one in calls[1:])) if isinstance(one, End)]
    assert {one.job_id for one in ends} == late
    assert len(ends) == _MANY
    assert {one.state for one in ends} == {JobState.DEADLINE}


def test_others_start_before_a_late_array_is_over_that_is_ended_task_by_task() -> None:
    count = MOST_SETTLED + 10
    array = _job(10)
    array.array = Array(Indices([(0, count - 1, 1)]))
    array.phase = UNFOLDING
    core, _ = _busy_core([array])
    held = Conditions(held_by=HeldBy.USER)
    follows = [
        _job(10 + count + number, Ineligible(held._replace(dependencies=(one,))), None)
        for number in range(1, 1 + count)
        for one in [Dependency(Relation.AFTER_ANY, 10 + number)]
    ]
    core.handle(0, [Submit(one) for one in follows])
    other = _job(20_000, deadline_us=None)
    effects = core.handle(_LATE_US, [NodeUp("n2", 4, 0), Submit(other)])
    assert _started(effects) == {20_000}
    assert 10 in core.jobs
    for effects in _walk(core, core.handle(_LATE_US, [])):
        assert not _started(effects)
    assert 10 not in core.jobs


def _one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late, "MOST_SETTLED", 1)
    monkeypatch.setattr(late, "MOST_SET_ASIDE", 1)


def test_a_late_job_that_is_released_or_put_back_does_not_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Jobs 2 and 3 end first; the others come back to the queue meanwhile."""
    _one_at_a_time(monkeypatch)
    held = Ineligible(Conditions(held_by=HeldBy.USER))
    core, _ = _busy_core([_job(2), _job(3), _job(4, held), _job(5)])
    effects = core.handle(_LATE_US, [Release(4), Hold(5, HeldBy.USER), NodeUp("n2", 4, 0)])
    ended = _ended(effects)
    effects = core.handle(_LATE_US, [Release(5)])
    for one in _walk(core, effects):
        assert not _started(one)
        ended |= _ended(one)
    assert ended == {2, 3, 4, 5}


def test_a_late_job_that_gets_a_later_deadline_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    _one_at_a_time(monkeypatch)
    core, _ = _busy_core([_job(number) for number in range(2, 6)])
    core.handle(_LATE_US, [NodeUp("n2", 4, 0)])
    core.handle(_LATE_US, [])
    assert core.reason(core.jobs[5]) == "DeadLine"
    started, ended = set[int](), set[int]()
    put_off = Update(job_id=5, deadline_us=2 * _DEADLINE_US)
    for effects in _walk(core, core.handle(_LATE_US, [put_off])):
        started |= _started(effects)
        ended |= _ended(effects)
    assert started == {5}
    assert 5 not in ended


def test_a_restart_amid_the_ends_goes_on_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    _one_at_a_time(monkeypatch)
    core, _ = _busy_core([_job(number) for number in range(2, 8)])
    ended = set[int]()
    for _ in range(4):
        ended |= _ended(core.handle(_LATE_US, []))
    assert 0 < len(ended) < 6
    again = _taken_up(core, of_backup=False)
    for effects in _walk(again, again.handle(_LATE_US, [NodeUp("n", 4, 0)])):
        assert not _started(effects)
        ended |= _ended(effects)
    assert ended == set(range(2, 8))


@pytest.mark.parametrize("restarts", [False, True])
def test_a_trial_that_began_in_time_is_committed_after_the_latest_start(restarts: bool) -> None:
    """The node is drained when the trial expires, and the job is in no queue until the resume."""
    core = Core(parse_recipe("timed-easy,trial=5"))
    job = _job(1)
    core.handle(0, [NodeUp("n", 1, 0)])
    begun_us = _LATE_US - 2 * SECOND_US
    core.handle(begun_us, [Submit(job)])
    core.handle(begun_us, [Drain("n", "test")])
    core.handle(begun_us + 5 * SECOND_US, [])
    assert core.reason(core.jobs[1]) == "TrialExpired"
    if restarts:
        core = _taken_up(core, of_backup=False)
        core.handle(begun_us + 5 * SECOND_US, [])
    effects = core.handle(begun_us + 5 * SECOND_US, [NodeUp("n", 1, 0), Resume("n")])
    core.sanity_check()
    assert Commit(1) in effects.decisions
    assert not _started(effects)


def test_a_held_job_is_ended_too_and_a_job_that_comes_too_late_never_starts() -> None:
    held = _job(2, Ineligible(Conditions(held_by=HeldBy.USER)))
    core, effects = _busy_core([held])
    assert effects.wake_us == _LATE_US
    effects = core.handle(_LATE_US, [Submit(_job(3))])
    assert _ended(effects) == {2, 3}


def _taken_up(core: Core, *, of_backup: bool) -> Core:
    again = Core(core.recipe)
    nodes = [Node(one.name, one.cores, one.mem_mib) for one in core.nodes.values()]
    again.restore(nodes, core.jobs.values(), [], core.memory(), of_backup=of_backup)
    return again


def test_a_restart_ends_what_has_become_late_meanwhile() -> None:
    core, _ = _busy_core([_job(2)])
    again = _taken_up(core, of_backup=False)
    assert _ended(again.handle(_LATE_US, [])) == {2}


def test_in_a_restored_backup_a_late_job_may_be_found_to_run() -> None:
    core, _ = _busy_core([_job(2), _job(3)])
    again = _taken_up(core, of_backup=True)
    assert _ended(again.handle(_LATE_US, [])) == set()
    place = core.jobs[1].allocation
    effects = again.handle(_LATE_US + 1, [NodeUp("n", 2, 0), Found(2, 1, SECOND_US, place)])
    assert _ended(effects) == {3}
    assert again.jobs[2].state is JobState.RUNNING


@pytest.mark.slow
@settings(max_examples=60)
@given(
    traces,
    drawn_conditions,
    clusters,
    recipe_texts,
    st.lists(
        st.tuples(
            st.integers(0, 100),
            st.sampled_from(["hold", "release", "put-back", "update"]),
            st.integers(0, 30),
        ),
        max_size=8,
    ),
    st.lists(st.sampled_from([30, 60, None]), min_size=30, max_size=30),
)
def test_no_late_job_starts_or_stays_while_a_call_ends_two(
    trace: list[TraceJob],
    conditions: list[Any],
    cluster: Cluster,
    text: str,
    disturbed: list[tuple[int, str, int]],
    latest_s: list[int | None],
) -> None:
    """Many latest starts are at two instants."""
    recipe = parse_recipe(text)
    if recipe.why_not_live():
        return
    core = Core(recipe, cluster.capacity)
    may_wait_s = {
        job.number: max(0, latest - job.submit_s)
        for job, latest in zip(trace, latest_s, strict=False)
        if latest is not None
    }
    world = World(trace, cluster, [core], conditions_of(conditions), may_wait_s)
    for at_s, kind, which in disturbed:
        world.expect(at_s * SECOND_US, kind, which % len(trace))
    for at in range(len(trace)):
        world.expect(200 * SECOND_US, "release", at)
    ended = list[int]()
    with pytest.MonkeyPatch.context() as patch:
        for module in (late, eligibility):
            patch.setattr(module, "MOST_SETTLED", 2)
        patch.setattr(late, "MOST_SET_ASIDE", 2)
        world.feed(0, [("up", ())])
        while world.next_us is not None:
            now_us = world.step()
            for one in world.decided[0]:
                if isinstance(one, Start):
                    assert core.job(one.job_id).latest_start_us >= now_us
                elif isinstance(one, End):
                    ended.append(one.job_id)
            if world.next_us != now_us:
                assert not [job for job in core.jobs.values() if _is_late(job, now_us)]
    assert sorted(ended) == list(range(len(trace)))


def _is_late(job: Job, now_us: int) -> bool:
    has_started = isinstance(job.phase, Running | OnTrial | Expired | Stopping)
    return not has_started and job.latest_start_us < now_us
