"""Starvation thresholds from a conservative run (Selective, 4.1, 4.3)."""

from __future__ import annotations

from statistics import fmean

import pytest

from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.measures.thresholds import with_thresholds
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceJob

MACHINE = 16
TRACE = sample_trace(200, MACHINE, seed=3)


def values(text: str, trace: list[TraceJob] = TRACE) -> tuple[float, ...]:
    recipe = with_thresholds(parse_recipe(text), trace, MACHINE)
    assert recipe.name == text
    assert recipe.why_not_live() is None
    assert recipe.starvation.scale == 1
    return recipe.starvation.values


def slowdowns(trace: list[TraceJob] = TRACE) -> list[tuple[TraceJob, float]]:
    """Return the slowdowns of a conservative run."""
    schedule = simulate(trace, MACHINE, parse_recipe("conservative"))
    return [(job, done.bounded_slowdown) for job, done in zip(trace, schedule, strict=True)]


def test_the_threshold_is_the_mean_slowdown_of_all_jobs() -> None:
    mean = fmean(slowdown for _, slowdown in slowdowns())
    assert mean > 1.5
    assert values("selective") == pytest.approx((mean,))
    assert values("selective,scale=1.5") == pytest.approx((1.5 * mean,))


def test_well_estimated_jobs_ran_half_their_estimate_or_more() -> None:
    counted = [slow for job, slow in slowdowns() if 2 * job.run_s >= job.estimate_s]
    assert 0 < len(counted) < len(TRACE)
    assert values("selective,threshold=well-estimated") == pytest.approx((fmean(counted),))


def test_categories_are_by_the_real_run_time() -> None:
    kinds: list[list[float]] = [[], [], [], []]
    for job, slowdown in slowdowns():
        kinds[2 * (job.run_s > 600) + (job.size > 2)].append(slowdown)
    assert all(kinds)
    assert values("selective-d,long=600,wide=2") == pytest.approx(tuple(map(fmean, kinds)))


def test_a_category_without_jobs_gets_the_mean_of_all() -> None:
    mean = fmean(slowdown for _, slowdown in slowdowns())
    assert values(f"selective-d,long=600,wide={MACHINE}")[1::2] == pytest.approx((mean, mean))
    alone = [TraceJob(1, 0, 10, 1, 100, "a", 1)]
    assert values("selective,threshold=well-estimated", alone) == (1.0,)


def test_other_recipes_are_left_as_they_are() -> None:
    for text in (
        "easy",
        "selective,threshold=5",
        "selective-a",
        "easy,threshold=5,reserve=starved",
    ):
        recipe = parse_recipe(text)
        assert with_thresholds(recipe, TRACE, MACHINE) is recipe


def test_the_recipe_runs_with_them() -> None:
    recipe = with_thresholds(parse_recipe("timed-selective-d"), TRACE, MACHINE)
    assert len(simulate(TRACE, MACHINE, recipe)) == len(TRACE)
