"""The jobs that may become urgent, among which those that are over take neither memory nor time."""

from __future__ import annotations

import gc

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Cancel, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.starvation import Promotions
from rmsd_core.planning.timed_jobs import TimedJobs
from rmsd_core.recipes.text import parse_recipe

_WHOLE = Request((Component(1, 4),))


def _job(job_id: int, at_us: int) -> Submit:
    return Submit(Job(job_id, "ann", at_us, _WHOLE, 3600 * SECOND_US))


@pytest.mark.parametrize("recipe", ["rmsd-gentle", "rmsd"])
def test_jobs_that_come_and_go_leave_nothing_behind(recipe: str) -> None:
    """Each was kept for a day and more, and all that had come together were looked at in one call
    then: 100,000 took 1.3 s."""
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp("n1", 4, 1 << 15)])
    core.handle(0, [_job(1, 0)])
    for turn in range(1, 11):
        jobs = range(1000 * turn, 1000 * turn + 300)
        core.handle(turn * SECOND_US, [_job(job_id, turn * SECOND_US) for job_id in jobs])
        core.handle(turn * SECOND_US + 1, [Cancel(job_id) for job_id in jobs])
    assert len(core.owned()) < 10


def test_jobs_past_thresholds_take_nothing_once_they_are_over() -> None:
    """Each hold and release left an entry: 8,000 jobs that were held three times took a call of
    0.5 s when they were due."""
    promotions = Promotions(parse_recipe("selective,threshold=2").starvation)
    long_us = 3600 * SECOND_US
    jobs = [
        Job(job_id, "ann", 0, _WHOLE, long_us, seq=job_id, prediction_us=long_us)
        for job_id in range(300)
    ]
    for turn in range(20):
        for job in jobs:
            job.eligible_us = 1000 * turn + job.id
            promotions.watch(job)
            promotions.forget(job)
    promotions.watch(jobs[7])
    assert _entries(promotions) < 1500
    due_us = promotions.next_us()
    assert promotions.due(due_us - 1) == []
    assert promotions.due(due_us + 2 * SECOND_US) == [jobs[7]]


def test_the_jobs_whose_time_has_come_are_taken_once() -> None:
    jobs = [Job(job_id, "ann", 0, _WHOLE, SECOND_US) for job_id in range(6)]
    timed = TimedJobs()
    for job in jobs:
        timed.put(job, job.id // 2)
    timed.put(jobs[0], 5)
    timed.discard(jobs[2])
    timed.discard(jobs[2])
    assert (timed.first_us(), timed.time_of(jobs[0]), timed.time_of(jobs[2])) == (0, 5, None)
    assert timed.take_until(1) == [jobs[1], jobs[3]]
    assert timed.first_us() == 2
    assert timed.take_until(9) == [jobs[4], jobs[5], jobs[0]]
    assert (timed.first_us(), list(timed.known)) == (None, [])


def _entries(*roots: object) -> int:
    """Return how many entries the dictionaries, lists and helpers of these objects have."""
    seen: dict[int, object] = {}
    rest = list(roots)
    while rest:
        one = rest.pop()
        if id(one) not in seen and isinstance(one, dict | list | tuple | Promotions | TimedJobs):
            seen[id(one)] = one
            rest += gc.get_referents(one)
    return sum(len(one) for one in seen.values() if isinstance(one, dict | list))
