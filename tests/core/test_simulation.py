"""Single instants of the simulation; what holds of every schedule is in test_properties.py."""

from __future__ import annotations

import pytest

from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.simulation.virtual import TooLong
from rmsd_lab.workloads.swf import MOST, TraceJob

MACHINE = 8


def test_an_exit_and_an_arrival_at_one_instant_are_applied_before_the_pass() -> None:
    """Processors are held over [start, end): the arrival takes what the exit gives back."""
    trace = [TraceJob(1, 0, 10, 8, 10, "a", 1), TraceJob(2, 10, 5, 8, 5, "a", 1)]
    assert [j.start_us for j in simulate(trace, MACHINE, PRESETS["fcfs"])] == [0, 10 * SECOND_US]


def test_a_job_of_no_length_frees_its_processors_at_once() -> None:
    trace = [TraceJob(n, 0, 0, 8, 5, "a", 1) for n in (1, 2, 3)]
    result = simulate(trace, MACHINE, PRESETS["easy"]).jobs
    assert [(job.start_us, job.end_us) for job in result] == [(0, 0)] * 3


def test_perfect_predictions_are_a_second_at_least_before_they_are_multiplied() -> None:
    """What runs for no time and what runs for a second are both predicted 2 s: arrival order."""
    waits = [TraceJob(2, 1, 0, 8, 9, "a", 1), TraceJob(3, 2, 1, 8, 9, "a", 1)]
    trace = [TraceJob(1, 0, 10, 8, 10, "a", 1), *waits]
    recipe = parse_recipe("easy,order=ljf,predict=perfect,times=2")
    starts = [job.start_us // SECOND_US for job in simulate(trace, MACHINE, recipe)]
    assert starts == [0, 10, 10]


RECIPES = ["fcfs", "easy", "easy++", "conservative", "timed-easy"]


@pytest.mark.parametrize("recipe", RECIPES)
def test_one_node_is_as_good_as_counted_processors(recipe: str) -> None:
    trace = [
        TraceJob(n, 7 * n, 40 + 37 * n % 300, 1 + 5 * n % MACHINE, 400, f"u{n % 3}", 1)
        for n in range(1, 60)
    ]
    counted = simulate(trace, MACHINE, parse_recipe(recipe)).jobs
    one = simulate(trace, MACHINE, parse_recipe(recipe), nodes=[NodeUp("e1", MACHINE, 0)]).jobs
    assert one == counted
    several = [NodeUp(f"e{at}", MACHINE // 4, 0) for at in range(4)]
    placed = simulate(trace, MACHINE, parse_recipe(recipe), nodes=several).jobs
    assert [job.job_id for job in placed] == [job.job_id for job in counted]


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_would_last_for_centuries_is_refused(recipe: str) -> None:
    """Each job is in range, and one after the other they are not."""
    jobs = [TraceJob(number, number, MOST, 4, MOST, "ann", 1) for number in range(10)]
    assert len(simulate(jobs[:4], 4, parse_recipe(recipe)).jobs) == 4
    with pytest.raises(TooLong, match="571 years"):
        simulate(jobs, 4, parse_recipe(recipe))
