"""The orders of other papers, and the aged one, by numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.planner import Planner
from rmsd_core.recipes.extensions import Order
from rmsd_core.recipes.registration import register, unregister
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_wire.nice import MOST_NICE


def waiting_job(seq: int, submit_s: int, size: int, prediction_s: int) -> Job:
    prediction_us = prediction_s * SECOND_US
    job = Job(seq, "u", submit_s * SECOND_US, processors(size), prediction_us)
    job.seq, job.prediction_us = seq, prediction_us
    return job


def rank(text: str, job: Job, now_s: int) -> float:
    """Return the key of the queue's order: the smallest comes first."""
    planner = Planner(parse_recipe(text), CountedCapacity())
    return float(planner.rank(job, now_s * SECOND_US)[0])


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("saf", 100 * 16 * SECOND_US),
        ("f1", 2 * 16 + 870 * 3),
        ("f2", 10 * 16 + 25_600 * 3),
        ("f3", 100 * 16 + 6_860_000 * 3),
        ("f4", 100 * 4 + 530_000 * 3),
        ("wfp3", -(400 / 100 * 16 ** (1 / 3))),
        ("unicef", -(400 / (4 * 100))),
        ("aged-area", -(400 + 600) / (100 * 2)),
        ("aged-area,exponent=0,constant=0", -400 / 100),
        ("aged-area,exponent=1,constant=100", -500 / 1600),
    ],
)
def test_the_rank_of_a_job_of_16_processors_and_100_s(order: str, expected: float) -> None:
    """The job was submitted at 1,000 s, whose logarithm is 3, and has waited for 400 s."""
    got = rank(f"easy,order={order}", waiting_job(1, 1000, 16, 100), 1400)
    assert got == pytest.approx(expected)


def test_a_serial_job_counts_as_one_of_two_processors_under_unicef() -> None:
    serial, pair = waiting_job(1, 0, 1, 100), waiting_job(2, 0, 2, 100)
    assert rank("easy,order=unicef", serial, 50) == rank("easy,order=unicef", pair, 50)


def test_a_job_that_is_submitted_at_time_0_has_no_logarithm_added() -> None:
    assert rank("easy,order=f4", waiting_job(1, 0, 4, 100), 0) == pytest.approx(200)


def started(recipe: str, jobs: list[tuple[int, int, int]]) -> list[int]:
    """Return the numbers of the jobs (submit, size, run time) by start, on 4 processors."""
    trace = [
        TraceJob(at, submit_s, run_s, size, run_s, "u", 1)
        for at, (submit_s, size, run_s) in enumerate(jobs)
    ]
    schedule = simulate(trace, 4, parse_recipe(recipe))
    return [job.job_id for job in sorted(schedule, key=lambda job: job.start_us)]


def test_priorities_differ_by_a_microsecond_of_waiting_however_large_they_are() -> None:
    """A compiled core made floats of the sums, which have more digits: job 1 came first, as if both
    had waited for as long."""
    planner = Planner(parse_recipe("fair-share"), CountedCapacity())
    first, second = waiting_job(2, 0, 1, 100), waiting_job(1, 0, 1, 100)
    second.eligible_us, second.user = 1, "v"
    for job in (second, first):
        job.nice = -MOST_NICE
        planner.enqueue(job)
    assert planner.waiting(SECOND_US) == [first, second]


@pytest.mark.parametrize("growth", [None, lambda _: 0.0])
def test_a_priority_of_a_third_party_is_a_float(growth: Callable[[Job], float] | None) -> None:
    """In Python an int remained one, though a float is declared; a compiled core made a float of
    it, and started other jobs."""
    order = Order("whole", "numbers", priority=lambda job, _: (1 << 53) + job.seq, growth=growth)
    text = register(order)
    try:
        planner = Planner(parse_recipe(f"easy,{text}"), CountedCapacity())
    finally:
        unregister(text)
    jobs = [waiting_job(seq, 0, size, 100) for seq, size in ((0, 1), (1, 2))]
    for job in jobs:
        planner.enqueue(job)
    assert planner.waiting(SECOND_US) == jobs
    assert type(planner.rank(jobs[0], SECOND_US)[0]) is float


def test_an_order_of_backfilling_need_not_be_that_of_the_queue() -> None:
    """Job 1 is the head. Jobs 2 and 3 fit before its start, one after the other."""
    jobs = [(0, 2, 100), (1, 4, 100), (2, 2, 60), (2, 2, 20)]
    assert started("easy", jobs) == [0, 2, 3, 1]
    assert started("easy,backfill=saf", jobs) == [0, 3, 2, 1]


def test_a_large_job_prevails_by_waiting_under_aged_area_alone() -> None:
    """Small jobs come every 10 s and leave no time for the large one under SAF."""
    small = [(10 * at, 4, 10) for at in range(300)]
    jobs = sorted([*small, (5, 4, 20)])
    at = jobs.index((5, 4, 20))
    assert started("easy,order=saf", jobs)[-1] == at
    assert started("easy,order=aged-area", jobs)[-1] != at
