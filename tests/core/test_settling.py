"""Conditions are settled in parts: a call of the core settles a thousand at most, and a restart
between two calls knows what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from rmsd_core.jobs.array import Array, Counterpart, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, WAITING, Ineligible, Phase
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, End
from rmsd_core.lifecycle.eligibility import MOST_SETTLED
from rmsd_core.lifecycle.followers import Followers
from rmsd_core.lifecycle.inputs import Cancel, Exited, Input, NodeUp, Submit, Update
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, HeldBy, JobState, Relation

_REQUEST = Request((Component(1, 1, 0),))
_FIRST = 1
_MANY = 5 * MOST_SETTLED // 2
_OTHERS = range(100, 100 + _MANY)
_HELD = Ineligible(Conditions(held_by=HeldBy.USER))


def _job(number: int, phase: Phase = WAITING, array: Array[Job] | None = None) -> Job:
    return Job(number, "eve", 0, _REQUEST, SECOND_US, phase=phase, array=array)


def _awaiting(number: int, relation: Relation, other: int = _FIRST) -> Job:
    awaits = (Dependency(relation, other),)
    return _job(number, Ineligible(Conditions(dependencies=awaits, ends_if_never=True)))


def _core(first: Job, others: Sequence[Job]) -> Core:
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp("n", 1, 0)])
    core.handle(0, [Submit(first)])
    effects = core.handle(0, [Submit(one) for one in others])
    while effects.wake_us == 0:
        effects = core.handle(0, [])
    return core


def _anew(core: Core) -> Core:
    """Return a core that takes up where this one is, from what is stored."""
    jobs = list(core.jobs.values())
    for job in jobs:
        if job.array is not None:
            kept = job.array.kept()
            job.array = Array(job.array.indices, None, job.array.corresponds)
            job.array.take_up(**kept)  # type: ignore[arg-type]
    again = Core(core.recipe)
    again.restore([replace(node) for node in core.nodes.values()], jobs, [], core.memory())
    again.pass_over_seqs(core.next_seq)
    return again


def _in_parts(core: Core, inputs: list[Input], *, restarts: bool) -> list[Effects]:
    """Let the core hear these inputs, and return the effects of all calls until it is done."""
    told = []
    while True:
        told.append(core.handle(SECOND_US, inputs))
        core.sanity_check()
        if told[-1].wake_us != SECOND_US:
            assert not core.memory().unsettled
            return told
        if restarts and core.memory().unsettled:  # jobs join the queue in parts as well
            core = _anew(core)
            core.handle(SECOND_US, [NodeUp("n", 1, 0)])
        inputs = []


def _ended(told: list[Effects]) -> dict[int, Cause]:
    return {
        one.job_id: one.outcome.cause
        for effects in told
        for one in effects.decisions
        if isinstance(one, End)
    }


def _dependents(relation: Relation) -> Callable[[], Core]:
    return lambda: _core(_job(_FIRST, _HELD), [_awaiting(number, relation) for number in _OTHERS])


def _following_arrays() -> Core:
    """Return a core with arrays of one task each, which follow the tasks of one array."""
    indices = Indices([(0, _MANY - 1, 1)])
    first = _job(_FIRST, _HELD, Array(indices))
    others = []
    for at in range(_MANY):
        follows = Counterpart(_FIRST, indices, ends_if_never=True)
        array = Array[Job](Indices([(at, at, 1)]), None, follows)
        others.append(_job(100_000 + 2 * at, UNFOLDING, array))
    return _core(first, others)


def _awaited_tasks() -> Core:
    """Return a core with an array that awaits a job, and of which each task is awaited by one."""
    gate = (Dependency(Relation.AFTER_OK, _FIRST),)
    conditions = Conditions(dependencies=gate, ends_if_never=True)
    array = _job(1000, Ineligible(conditions), Array(Indices([(0, _MANY - 1, 1)])))
    others = [_awaiting(100_000 + at, Relation.AFTER_OK, 1001 + at) for at in range(_MANY)]
    return _core(_job(_FIRST, _HELD), [array, *others])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "ends"),
    [
        (_dependents(Relation.AFTER_OK), _MANY),
        (_following_arrays, _MANY),
        (_awaited_tasks, 2 * _MANY),
    ],
    ids=["jobs", "arrays", "tasks"],
)
def test_what_can_never_start_is_cancelled_in_parts(make: Callable[[], Core], ends: int) -> None:
    """All of 20,000 jobs were cancelled in one call, which kept the daemon for 1.9 s."""
    told = _in_parts(make(), [Cancel(_FIRST)], restarts=False)
    assert len(told) > 2
    for effects in told:
        assert len(effects.decisions) <= 4 * MOST_SETTLED
        assert len(effects.changed) <= 3 * MOST_SETTLED
    causes = list(_ended(told).values())
    assert len(causes) >= ends


@pytest.mark.parametrize("relation", [Relation.AFTER_ANY, Relation.AFTER_NOT_OK, Relation.AFTER])
def test_dependents_join_the_queue_in_parts_and_in_order(relation: Relation) -> None:
    core = _dependents(relation)()
    told = _in_parts(core, [Cancel(_FIRST)], restarts=False)
    assert len(told) == 3
    assert [core.jobs[one].seq for one in _OTHERS] == sorted(core.jobs[one].seq for one in _OTHERS)
    assert not any(core.jobs[one].conditions.stand for one in _OTHERS)


def test_jobs_that_may_begin_at_the_same_time_join_the_queue_in_parts() -> None:
    begins = Ineligible(Conditions(begin_us=SECOND_US))
    core = _core(_job(_FIRST, _HELD), [_job(number, begins) for number in _OTHERS])
    told = _in_parts(core, [], restarts=False)
    assert len(told) == 3
    assert not any(core.jobs[one].conditions.stand for one in _OTHERS)


@pytest.mark.parametrize("code", [0, 1])
def test_a_restart_between_two_parts_knows_how_the_awaited_job_has_ended(code: int) -> None:
    others = [_awaiting(number, Relation.AFTER_OK) for number in _OTHERS]
    core = _core(_job(_FIRST), others)
    exited = Exited(_FIRST, 1, "n", SECOND_US, Outcome(Cause.EXIT, code))
    core.handle(SECOND_US, [exited])
    assert core.memory().unsettled[_FIRST].succeeded == (code == 0)
    last = core.jobs[_OTHERS[-1]]
    assert core.reason(last) == "Dependency"
    again = _anew(core)
    again.handle(SECOND_US, [NodeUp("n", 1, 0)])
    ended = _ended(_in_parts(again, [], restarts=True))
    if code == 0:
        assert not ended
        assert last.state is JobState.PENDING
        assert not last.conditions.stand
    else:
        assert set(ended.values()) == {Cause.DEPENDENCY}
        assert last.state is JobState.CANCELLED


def test_an_update_after_a_restart_forgets_no_end_that_is_not_settled() -> None:
    """The update has conditions settled, before all were looked at."""
    core = _dependents(Relation.AFTER_ANY)()
    core.handle(SECOND_US, [Cancel(_FIRST)])
    assert core.memory().unsettled
    again = _anew(core)
    again.handle(SECOND_US, [Update(job_id=_OTHERS[-1], name="other")])
    again.sanity_check()
    _in_parts(again, [], restarts=False)
    assert not any(again.jobs[one].conditions.stand for one in _OTHERS)


def test_what_is_held_between_two_parts_is_told_of_the_end() -> None:
    core = _dependents(Relation.AFTER_ANY)()
    core.handle(SECOND_US, [Cancel(_FIRST)])
    last = core.jobs[_OTHERS[-1]]
    assert last.conditions.dependencies
    # The end is known, though the record of the job is not in the core any more.
    core.handle(SECOND_US, [Cancel(_OTHERS[-2])])
    _in_parts(core, [], restarts=True)
    assert not last.conditions.never


def test_the_end_of_a_task_looks_only_at_the_arrays_that_await_it() -> None:
    """Each end looked at all arrays that followed: 4 us for each, of which 50,000 have place."""
    core = _following_arrays()
    followers = Followers()
    for job in core.arrays():
        followers.add(job)
    assert [job.id for job in followers.of(_FIRST, [(7, 9)])] == [100_014, 100_016]
    for at in range(10):
        core.handle(SECOND_US, [Cancel(_FIRST + 1 + at)])
        assert 100_000 + 2 * at not in core.jobs
    for job in core.arrays():
        followers.remove(job)
    for at in range(10):
        assert [job.id for job in followers.of(_FIRST, [(at, at + 1)])] == [100_000 + 2 * at]
