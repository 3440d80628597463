"""Changes to the jobs of a trace: estimates, loads, shaking, and sets to dynP's Table 1."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.workloads.dynp_sets import NODES, SET_1, SET_2, Characteristics, dynp_set
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.workload import (
    divided,
    exempted,
    offered_load,
    shaken,
    with_estimates_times,
    with_estimates_up_to,
    with_exact_estimates,
    with_random_estimates,
)

JOBS = sample_trace(400, 32, seed=5)

factors = st.floats(0.1, 1000)
seeds = st.integers(0, 2**32)


@given(badness=st.floats(0, 1000), seed=seeds)
def test_random_estimates_are_between_the_run_time_and_its_multiple(
    badness: float, seed: int
) -> None:
    changed = with_random_estimates(JOBS, badness, seed)
    assert changed == with_random_estimates(JOBS, badness, seed)
    for job in changed:
        assert max(1, job.run_s) <= job.estimate_s <= max(1, job.run_s * (1 + badness) + 0.5)


def test_random_estimates_are_uniform_and_exact_without_badness() -> None:
    assert with_random_estimates(JOBS, 0, 1) == with_exact_estimates(JOBS)
    long = [job for job in JOBS if job.run_s > 100] * 20
    shares = [
        (job.estimate_s / job.run_s - 1) / 4 for job in with_random_estimates(long, 4, seed=3)
    ]
    assert math.isclose(sum(shares) / len(shares), 0.5, abs_tol=0.02)
    assert min(shares) < 0.02
    assert max(shares) > 0.98


@given(factor=factors)
def test_multiplied_estimates_are_whole_seconds(factor: float) -> None:
    for before, after in zip(JOBS, with_estimates_times(JOBS, factor), strict=True):
        assert after.estimate_s >= 1
        assert abs(after.estimate_s - before.estimate_s * factor) <= 0.5 or after.estimate_s == 1


@given(share=st.floats(0, 1), more=st.floats(0, 1), seed=seeds)
def test_a_larger_share_exempts_the_same_jobs_and_more(
    share: float, more: float, seed: int
) -> None:
    few, many = (exempted(JOBS, part, seed) for part in sorted((share, more)))
    assert few <= many
    assert len(few) == round(min(share, more) * len(JOBS))
    assert many <= {job.number for job in JOBS}


def test_who_is_exempt_depends_on_the_seed() -> None:
    assert exempted(JOBS, 0.5, 1) == exempted(JOBS, 0.5, 1) != exempted(JOBS, 0.5, 2)
    for share in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="from 0 to 1"):
            exempted(JOBS, share, 1)


def test_estimates_and_runs_are_cut_at_the_longest() -> None:
    assert max(job.run_s for job in JOBS) > 600
    cut = with_estimates_up_to(JOBS, 600)
    assert max(job.estimate_s for job in cut) == max(job.run_s for job in cut) == 600
    assert [job for job in JOBS if job.estimate_s <= 600] == [
        job for job, before in zip(cut, JOBS, strict=True) if before.estimate_s <= 600
    ]


@given(divisor=factors)
def test_dividing_arrival_times_multiplies_the_load(divisor: float) -> None:
    changed = divided(JOBS, divisor)
    assert [job.number for job in changed] == [job.number for job in JOBS]
    span_s = changed[-1].submit_s - changed[0].submit_s
    assert math.isclose(span_s, (JOBS[-1].submit_s - JOBS[0].submit_s) / divisor, abs_tol=0.5)
    if divisor <= 10:
        ratio = offered_load(changed, 32) / offered_load(JOBS, 32)
        assert math.isclose(ratio, divisor, rel_tol=0.01)


@given(seed=seeds, most_s=st.integers(0, 100))
def test_shaking_moves_every_job_a_little_and_keeps_all_else(seed: int, most_s: int) -> None:
    moved = shaken(JOBS, seed, most_s)
    assert moved == shaken(JOBS, seed, most_s)
    assert all(a.submit_s <= b.submit_s for a, b in pairwise(moved))
    before = {job.number: job for job in JOBS}
    assert sorted(job.number for job in moved) == sorted(before)
    for job in moved:
        assert abs(job.submit_s - before[job.number].submit_s) <= most_s
        assert job._replace(submit_s=0) == before[job.number]._replace(submit_s=0)


def test_shaking_depends_on_the_seed() -> None:
    assert shaken(JOBS, 1) != shaken(JOBS, 2)


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan])
def test_impossible_factors_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="factor"):
        with_estimates_times(JOBS, value)
    with pytest.raises(ValueError, match="divisor"):
        divided(JOBS, value)


def test_other_impossible_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="badness"):
        with_random_estimates(JOBS, -1, 1)
    with pytest.raises(ValueError, match="longest"):
        with_estimates_up_to(JOBS, 0)
    with pytest.raises(ValueError, match="shaken"):
        shaken(JOBS, 1, -1)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [SET_1, SET_2])
@pytest.mark.parametrize("seed", [1, 2])
def test_dynp_sets_have_the_characteristics_of_table_1(wanted: Characteristics, seed: int) -> None:
    jobs = dynp_set(wanted, seed)
    assert len(jobs) == wanted.jobs
    means = {
        "nodes": sum(job.size for job in jobs) / len(jobs),
        "run_s": sum(job.run_s for job in jobs) / len(jobs),
        "estimate_s": sum(job.estimate_s for job in jobs) / len(jobs),
        "gap_s": (jobs[-1].submit_s - jobs[0].submit_s) / (len(jobs) - 1),
    }
    for name, mean in means.items():
        assert math.isclose(mean, getattr(wanted, name), rel_tol=0.005), name
    assert all(1 <= job.run_s <= job.estimate_s for job in jobs)
    assert all(1 <= job.size <= NODES for job in jobs)
    # at the lowest load of the paper, 0.75 times as far apart, 55% of the machine is used
    assert math.isclose(offered_load(divided(jobs, 1 / 0.75), NODES), 0.55, rel_tol=0.01)


@pytest.mark.slow
def test_dynp_sets_depend_on_the_seed_alone() -> None:
    assert dynp_set(SET_1, 1) == dynp_set(SET_1, 1)
    assert dynp_set(SET_1, 1) != dynp_set(SET_1, 2)
