"""The simulation against an independent oracle, and what must hold of every schedule."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.job import SECOND_US
from rmsd_core.presets import PRESETS
from rmsd_core.recipe import Recipe
from rmsd_core.schedule import Scheduled
from rmsd_core.simulation import simulate
from rmsd_core.swf import TraceJob
from tests.core.oracle import schedule

MACHINE = 8

trace_jobs = st.builds(
    TraceJob,
    number=st.just(0),
    submit_s=st.integers(0, 60),
    run_s=st.integers(0, 120),
    size=st.integers(1, MACHINE),
    estimate_s=st.integers(1, 90),
    user=st.sampled_from(["a", "b"]),
    status=st.just(1),
)
traces = st.lists(trace_jobs, min_size=1, max_size=25).map(
    lambda jobs: [
        job._replace(number=at) for at, job in enumerate(sorted(jobs, key=lambda job: job.submit_s))
    ]
)
recipes = st.sampled_from(list(PRESETS.values()))


@given(traces, recipes)
def test_simulation_agrees_with_the_oracle(trace: list[TraceJob], recipe: Recipe) -> None:
    got = [
        (job.start_us // SECOND_US, job.end_us // SECOND_US)
        for job in simulate(trace, MACHINE, recipe)
    ]
    assert got == schedule(trace, MACHINE, recipe)


@given(traces, recipes)
def test_no_processor_is_given_twice_and_every_job_runs_once(
    trace: list[TraceJob], recipe: Recipe
) -> None:
    result = simulate(trace, MACHINE, recipe).jobs
    assert [job.job_id for job in result] == [job.number for job in trace]
    for job, asked in zip(result, trace, strict=True):
        assert job.start_us >= asked.submit_s * SECOND_US
        assert job.end_us - job.start_us == asked.run_s * SECOND_US
    for instant in {job.start_us for job in result}:
        assert sum(job.size for job in result if _holds(job, instant)) <= MACHINE


def _holds(job: Scheduled, instant_us: int) -> bool:
    return job.start_us <= instant_us < job.end_us


@given(traces, st.sampled_from(["easy", "easy-sjbf"]))
def test_easy_never_delays_the_head_beyond_its_reservation(
    trace: list[TraceJob], name: str
) -> None:
    """With run times that never exceed the estimates, the job at the head of the queue starts no
    later than if nothing were backfilled from the moment it became the head (thesis 1.1.2)."""
    trace = [job._replace(run_s=min(job.run_s, job.estimate_s)) for job in trace]
    result = simulate(trace, MACHINE, PRESETS[name]).jobs
    for at, head in enumerate(result):
        ahead = [job.start_us for job in result[:at]]
        became_head_us = max([head.submit_us, *ahead])
        if head.start_us <= became_head_us:
            continue
        held = [
            (job.start_us + trace[i].estimate_s * SECOND_US, job.size)
            for i, job in enumerate(result)
            if job.start_us < became_head_us < job.end_us
            or (job.start_us == became_head_us and i < at)
        ]
        free = MACHINE - sum(size for _, size in held)
        promised = became_head_us
        for end_us, size in sorted(held):
            if free >= head.size:
                break
            free += size
            promised = end_us
        assert head.start_us <= promised


@given(traces)
def test_fcfs_starts_in_arrival_order(trace: list[TraceJob]) -> None:
    starts = [job.start_us for job in simulate(trace, MACHINE, PRESETS["fcfs"])]
    assert starts == sorted(starts)


def test_an_exit_and_an_arrival_at_one_instant_are_applied_before_the_pass() -> None:
    """Processors are held over [start, end): the arrival takes what the exit gives back."""
    trace = [TraceJob(1, 0, 10, 8, 10, "a", 1), TraceJob(2, 10, 5, 8, 5, "a", 1)]
    assert [j.start_us for j in simulate(trace, MACHINE, PRESETS["fcfs"])] == [0, 10 * SECOND_US]


def test_a_job_of_no_length_frees_its_processors_at_once() -> None:
    trace = [TraceJob(n, 0, 0, 8, 5, "a", 1) for n in (1, 2, 3)]
    result = simulate(trace, MACHINE, PRESETS["easy"]).jobs
    assert [(job.start_us, job.end_us) for job in result] == [(0, 0)] * 3
