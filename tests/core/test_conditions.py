"""The conditions of hostile jobs: a thousand dependencies, and holds without end."""

from __future__ import annotations

import itertools
import tracemalloc

import pytest

from rmsd_core.jobs.conditions import Conditions, Dependency, Fate
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Hold, NodeUp, Release, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import HeldBy, Relation

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
    told: list[Fate] = [one if met is None else met for one, met in zip(_THREE, fates, strict=True)]
    found = given.after(told)
    come_true = any(fate is True for fate in fates) if any_of else all(fates)
    never = all(fate is False for fate in fates) if any_of else False in fates
    assert found.never == never
    assert found.stand == (not come_true)
    if not come_true and not never:
        assert found.dependencies == tuple(one for one in told if isinstance(one, Dependency))


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
