"""The conditions of hostile jobs: a thousand dependencies, and holds without end."""

from __future__ import annotations

import itertools
import tracemalloc

import pytest

from rmsd_core.jobs.array import Array, Counterpart, Indices
from rmsd_core.jobs.conditions import Conditions, Dependency, Fate, Unmet
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, Ineligible
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Cancel, Hold, NodeUp, Release, Submit, Update
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import HeldBy, JobState, Relation

_THREE = tuple(Dependency(Relation.AFTER_OK, at) for at in (1, 2, 3))
_STORM = 10_000


class _Counting(Dependency):
    """A dependency that counts how often it is compared with others."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        _Counting.compared += 1
        return super().__eq__(other)

    __hash__ = Dependency.__hash__


def test_a_thousand_fates_are_told_in_one_walk() -> None:
    """Each fate was a walk over all dependencies: 10 ms for a job, and 13 s for a user's jobs."""
    _Counting.compared = 0
    given = Conditions(dependencies=tuple(_Counting(Relation.AFTER_OK, at) for at in range(1000)))
    left = given.after(True if at % 2 else one for at, one in enumerate(given.dependencies))
    assert [one.job_id for one in left.dependencies] == list(range(0, 1000, 2))
    assert _Counting.compared == 0


@pytest.mark.parametrize("fates", list(itertools.product([True, False, None], repeat=3)))
@pytest.mark.parametrize("any_of", [True, False])
def test_all_dependencies_must_come_true_or_one(
    fates: tuple[bool | None, ...], any_of: bool
) -> None:
    given = Conditions(dependencies=_THREE, any_of=any_of)
    failed = [Unmet(one.relation, one.job_id, JobState.FAILED) for one in _THREE]
    told: list[Fate] = [
        one if met is None else met or unmet
        for one, met, unmet in zip(_THREE, fates, failed, strict=True)
    ]
    found = given.after(told)
    come_true = any(fate is True for fate in fates) if any_of else all(fates)
    never = all(fate is False for fate in fates) if any_of else False in fates
    assert found.never == never
    assert found.stand == (not come_true)
    ended = tuple(one for one in told if isinstance(one, Unmet))
    assert found.unmet == (() if come_true else ended if any_of else ended[:1])
    if not come_true and not never:
        assert found.dependencies == tuple(one for one in told if isinstance(one, Dependency))


@pytest.mark.slow
def test_holds_and_releases_without_end_leave_nothing() -> None:
    """Each release noted the job's begin time once more, for as long as the job waited."""
    core = Core(parse_recipe("easy"))
    begins = Ineligible(Conditions(begin_us=1 << 55))
    request = Request((Component(1, 1, 0),))
    job = Job(1, "eve", 0, request, SECOND_US, phase=begins)
    core.handle(0, [NodeUp("n", 1, 0), Submit(job)])
    tracemalloc.start()
    try:
        for at in range(_STORM):
            core.handle(at, [Hold(1, HeldBy.USER)])
            core.handle(at, [Release(1)])
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept_bytes < 40 * _STORM  # two times each, of 100 bytes, before
    assert core.handle(_STORM, []).wake_us == 1 << 55


class _Number(int):
    """A number that counts how often it is compared with others."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        _Number.compared += 1
        return int(self) < other

    def __gt__(self, other: int) -> bool:
        _Number.compared += 1
        return int(self) > other

    def __le__(self, other: int) -> bool:
        _Number.compared += 1
        return int(self) <= other

    def __ge__(self, other: int) -> bool:
        _Number.compared += 1
        return int(self) >= other


def test_a_job_that_is_renamed_puts_no_others_in_order() -> None:
    """All jobs of the name were put in order: 35 ms of the daemon for each rename among 50,000."""
    core = Core(parse_recipe("easy"))
    waits = Ineligible(Conditions(dependencies=(Dependency(Relation.SINGLETON),)))
    jobs = [
        Job(_Number(at), "eve", 0, Request((Component(1, 1, 0),)), SECOND_US, name="x", phase=waits)
        for at in range(1, 2001)
    ]
    core.handle(0, [Submit(job) for job in jobs])
    _Number.compared = 0
    for name in ("y", "x") * 5:
        core.handle(1, [Update(job_id=1000, name=name)])
    assert _Number.compared < 1000
    core.handle(2, [Cancel(1)])
    assert not jobs[1].conditions.stand  # the next one of the name, by its number


def test_tasks_that_others_await_are_found_by_their_places() -> None:
    """Each piece of a cancel was compared with all tasks: 0.5 s for 500 pieces of 50,000."""
    count, pieces = 2000, 100
    core = Core(parse_recipe("easy"))
    indices = Indices([(0, count - 1, 1)])
    held = Ineligible(Conditions(held_by=HeldBy.USER))
    request = Request((Component(1, 1, 0),))
    first = Job(1, "eve", 0, request, SECOND_US, array=Array(indices), phase=held)
    follows = Array[Job](indices, None, Counterpart(1, indices))
    second = Job(5000, "eve", 0, request, SECOND_US, array=follows, phase=UNFOLDING)
    core.handle(0, [Submit(first), Submit(second)])
    _Number.compared = 0
    named = tuple((_Number(at), _Number(at + 1)) for at in range(0, 2 * pieces, 2))
    core.handle(1, [Cancel(1, named)])
    assert first.array is not None
    assert first.array.failed == pieces
    assert _Number.compared < 100 * pieces
