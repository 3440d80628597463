"""A closed loop: jobs that arrive a think time after the end of another."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob, format_swf, parse_swf
from rmsd_lab.workloads.workload import predecessors
from tests.core.strategies import MACHINE, any_recipes, traces


def job(number: int, submit_s: int, preceding: int = -1, think_s: int = -1) -> TraceJob:
    return TraceJob(number, submit_s, 10, MACHINE, 10, "a", 1, preceding, think_s)


@st.composite
def chained(draw: st.DrawFn) -> list[TraceJob]:
    """Draw jobs of which many follow an earlier one. Nobody submits within the second of an end:
    then the open loop would bring exit and arrival together."""
    jobs = draw(traces)
    return [
        one._replace(preceding=draw(st.integers(-1, at)), think_s=draw(st.integers(1, 40)))
        for at, one in enumerate(jobs)
    ]


@pytest.mark.slow
@given(chained(), any_recipes)
def test_it_is_the_open_loop_of_the_arrivals_that_it_leads_to(
    trace: list[TraceJob], recipe: Recipe
) -> None:
    """These arrivals are what fields 17 and 18 say."""
    closed = simulate(trace, MACHINE, recipe, closed_loop=True).jobs
    ends_us = {one.job_id: one.end_us for one in closed}
    submits_us = {one.job_id: one.submit_us for one in closed}
    for one, before in zip(trace, predecessors(trace), strict=True):
        due_us = one.submit_s * SECOND_US
        if before >= 0:
            due_us = ends_us[trace[before].number] + one.think_s * SECOND_US
        assert submits_us[one.number] == due_us
    assume(all(one.submit_us % SECOND_US == 0 for one in closed))
    by_number = {one.number: one for one in trace}
    arrivals = [
        by_number[one.job_id]._replace(submit_s=one.submit_us // SECOND_US) for one in closed
    ]
    assert simulate(arrivals, MACHINE, recipe).jobs == closed


def test_who_is_followed_is_an_earlier_job_that_takes_part() -> None:
    jobs = [job(7, 0), job(3, 1, preceding=7), job(4, 2, preceding=9), job(9, 3, preceding=9)]
    assert predecessors(jobs) == [-1, 0, -1, -1]
    assert predecessors([job(0, 0), job(1, 0, preceding=0)]) == [-1, -1]
    with pytest.raises(ValueError, match="two jobs have the number 7"):
        predecessors([job(7, 0), job(7, 1)])


def test_no_think_time_is_none_and_chains_are_followed_to_their_end() -> None:
    jobs = [job(1, 0), job(2, 5, 1), job(3, 6, 2, 0), job(4, 7, 3, 30)]
    result = simulate(jobs, MACHINE, PRESETS["easy"], closed_loop=True).jobs
    assert [one.submit_us // SECOND_US for one in result] == [0, 10, 20, 60]
    assert all(one.wait_us == 0 for one in result)


def test_the_fields_are_read_and_written() -> None:
    jobs = [job(1, 0), job(2, 5, 1, 60)]
    assert parse_swf(format_swf(jobs, {})).jobs == jobs
