"""The dynamics of backfilling against their definitions, word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.measures.dynamics import backfilling, dynamics, heel_and_toe
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from tests.core.schedules import MACHINE, scheduled, schedules


def real_shadow_us(jobs: list[Scheduled], rank: int, size: int, now: int) -> int:
    """Return the earliest instant at which `size` are free, if the jobs decided before `rank` run
    on."""
    running = [job for job in jobs if job.rank < rank and job.end_us > now]
    for instant in sorted({now, *(job.end_us for job in running)}):
        if MACHINE - sum(job.size for job in running if job.end_us > instant) >= size:
            return instant
    raise AssertionError("a job that never fits")


@given(schedules(25))
def test_wild_is_what_pushes_the_real_shadow_away(jobs: list[Scheduled]) -> None:
    found = dynamics(jobs, MACHINE)
    assert found is not None
    thefts = [0] * len(jobs)
    for at, job in enumerate(jobs):
        wild = False
        if job.backfilled:
            size = jobs[job.behind].size
            before = real_shadow_us(jobs, job.rank, size, job.start_us)
            wild = real_shadow_us(jobs, job.rank + 1, size, job.start_us) != before
            thefts[job.behind] += wild
        assert found.wild[at] == wild
    assert found.thefts == thefts


@given(schedules(25))
def test_the_real_shadow_is_that_of_the_first_promise(jobs: list[Scheduled]) -> None:
    found = dynamics(jobs, MACHINE)
    assert found is not None
    assert found.real_shadow_us == [
        real_shadow_us(jobs, job.reserved_rank, job.size, job.reserved_at_us)
        if job.reserved_at_us >= 0
        else -1
        for job in jobs
    ]


@given(schedules(25))
def test_the_shortest_is_chosen_among_those_that_wait(jobs: list[Scheduled]) -> None:
    found = dynamics(jobs, MACHINE)
    assert found is not None
    assert found.shortest == [
        job.run_us
        == min(
            other.run_us
            for other in jobs
            if other.submit_us <= job.start_us and other.rank >= job.rank
        )
        for job in jobs
    ]


def simulated(jobs: list[Scheduled], recipe: str) -> list[Scheduled]:
    """Return the same jobs, with exact estimates, under a recipe."""
    trace = [
        TraceJob(
            job.job_id,
            job.submit_us // SECOND_US,
            1 + job.run_us // SECOND_US,
            job.size,
            1 + job.run_us // SECOND_US,
            "ann",
            1,
        )
        for job in jobs
    ]
    return simulate(trace, MACHINE, parse_recipe(recipe)).jobs


@given(schedules(25), st.sampled_from(["easy", "easy-sjbf", "sjf-easy"]))
def test_nothing_is_wild_with_exact_estimates(jobs: list[Scheduled], recipe: str) -> None:
    """Thesis 3.4: the first real shadow is the last."""
    result = simulated(jobs, recipe)
    found = dynamics(result, MACHINE)
    assert found is not None
    assert not any(found.wild)
    if recipe == "sjf-easy":
        return  # a newcomer may take the head's place
    for job, real_shadow_us in zip(result, found.real_shadow_us, strict=True):
        assert real_shadow_us in (-1, job.start_us)


@given(schedules(25))
def test_shortest_first_without_backfilling_is_all_sjfness(jobs: list[Scheduled]) -> None:
    found = dynamics(simulated(jobs, "fcfs,order=shortest"), MACHINE)
    assert found is not None
    assert all(found.shortest)


HEEL_AND_TOE = [
    scheduled(1, 0, 0, 6, 2, rank=0),
    scheduled(2, 0, 0, 4, 2, rank=1),
    scheduled(
        3, 0, 10, 5, 4, rank=5, reserved_at_us=0, reserved_rank=2, reserved_us=12 * SECOND_US
    ),
    scheduled(4, 0, 4, 4, 2, rank=2, backfilled=True, behind=3),
    scheduled(5, 0, 6, 3, 2, rank=3, backfilled=True, behind=3),
    scheduled(6, 0, 8, 2, 2, rank=4, backfilled=True, behind=3),
]
"""Fig. 3.5 of the thesis: on four processors, job 3's real start goes from 6 to 8, 9 and 10."""


def test_the_example_of_the_thesis() -> None:
    found = dynamics(HEEL_AND_TOE, 4)
    assert found is not None
    assert found.wild == [False, False, False, True, True, True]
    assert found.thefts == [0, 0, 3, 0, 0, 0]
    assert found.real_shadow_us[2] == 6 * SECOND_US
    figures = heel_and_toe(HEEL_AND_TOE, found, range(6))
    assert figures.delayed_rate == pytest.approx(1 / 6)
    assert figures.stalled_rate == 1
    assert figures.stall_s is not None
    assert figures.stall_s.mean == 4
    assert figures.thefts_mean == 3
    assert figures.sjfness == pytest.approx(2 / 6)  # jobs 6 and, alone in the end, 3


def test_kinds_of_starts() -> None:
    kinds = backfilling(HEEL_AND_TOE, [False, False, False, True, False, True])
    assert kinds is not None
    assert {name: kind.rate for name, kind in kinds.items()} == {
        "backfilled": 0.5,
        "not_backfilled": 0.5,
        "wild": pytest.approx(2 / 6),
        "mild": pytest.approx(1 / 6),
    }
    assert kinds["wild"].run_mean_s == 3
    assert kinds["not_backfilled"].size_mean == pytest.approx(8 / 3)


def test_what_is_not_known_is_not_guessed() -> None:
    unknown = HEEL_AND_TOE[0]._replace(rank=-1, backfilled=None)
    assert dynamics([unknown, *HEEL_AND_TOE[1:]], 4) is None
    assert backfilling([unknown, *HEEL_AND_TOE[1:]]) is None
    killed = HEEL_AND_TOE[0]._replace(attempts=2, lost_us=1)
    assert dynamics([killed, *HEEL_AND_TOE[1:]], 4) is None
