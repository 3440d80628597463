"""Models of workloads: Lublin and Feitelson's, and users of a trace that come again."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_lab.workloads.models.gamma import gamma_cdf
from rmsd_lab.workloads.models.lublin import BATCH, INTERACTIVE, UNDIVIDED, LublinKind, lublin_jobs
from rmsd_lab.workloads.models.resampling import WEEK_S, TooSparse, resampled
from rmsd_lab.workloads.models.sessions import SESSION_GAP_S
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import MOST, TraceJob
from rmsd_lab.workloads.workload import offered_load

seeds = st.integers(0, 2**32)
kinds = st.sampled_from([(BATCH,), (INTERACTIVE,), (UNDIVIDED,), (BATCH, INTERACTIVE)])

JOBS = sample_trace(1200, 16, seed=2, load=0.3)
"""Three weeks."""


def test_the_gamma_distribution_is_right_where_it_is_known_otherwise() -> None:
    for x in (0.01, 0.5, 1.0, 3.0, 20.0, 60.0):
        assert math.isclose(gamma_cdf(x, 1, 2), 1 - math.exp(-x / 2), abs_tol=1e-12)
        assert math.isclose(gamma_cdf(x, 0.5, 1), math.erf(math.sqrt(x)), abs_tol=1e-12)
        erlang = 1 - sum(math.exp(-x) * x**n / math.factorial(n) for n in range(6))
        assert math.isclose(gamma_cdf(x, 6, 1), erlang, abs_tol=1e-12)
    assert gamma_cdf(0, 2, 3) == 0


@pytest.mark.slow
@given(number=st.integers(1, 200), procs=st.integers(2, 5000), kinds=kinds, seed=seeds)
def test_lublin_jobs_fit_the_machine_and_come_in_order(
    number: int, procs: int, kinds: tuple[LublinKind, ...], seed: int
) -> None:
    generated = lublin_jobs(number, procs, kinds, seed)
    assert generated == lublin_jobs(number, procs, kinds, seed)
    jobs = [job for job, _ in generated]
    assert [job.number for job in jobs] == list(range(1, number + 1))
    assert all(1 <= job.size <= procs for job in jobs)
    assert all(0 <= job.run_s <= math.exp(12) for job in jobs)
    assert jobs == sorted(jobs, key=lambda job: job.submit_s)
    assert all(kind in kinds for _, kind in generated)


@pytest.mark.parametrize("kind", [BATCH, INTERACTIVE, UNDIVIDED])
def test_lublin_sizes_have_their_shares(kind: LublinKind) -> None:
    jobs = [job for job, _ in lublin_jobs(20_000, 128, [kind], seed=1)]
    serial = sum(job.size == 1 for job in jobs) / len(jobs)
    assert math.isclose(serial, kind.serial, abs_tol=0.01)
    powers = sum(job.size > 1 and job.size.bit_count() == 1 for job in jobs) / len(jobs)
    assert kind.power_of_two - 0.01 < powers < kind.power_of_two + 0.12, "and some by chance"
    assert max(job.size for job in jobs) <= math.ceil(2**kind.high)
    large = sum(job.size > 2**kind.middle for job in jobs) / len(jobs)
    assert large < (1 - kind.serial) * (1 - kind.lower) + 0.05


@pytest.mark.slow
def test_lublin_run_times_are_long_and_short_and_longer_on_more_nodes() -> None:
    """The second gamma of batch jobs has its mean at e ** (639.1 * 0.0156), 6 h, and hardly any
    spread; its share grows by 0.003 with every node."""
    jobs = [job for job, _ in lublin_jobs(20_000, 128, [BATCH], seed=1)]

    def near_six_hours(size: int) -> float:
        runs_s = [job.run_s for job in jobs if job.size == size]
        return sum(8_000 < run_s < 55_000 for run_s in runs_s) / len(runs_s)

    assert near_six_hours(1) > 0.3
    assert near_six_hours(64) > near_six_hours(1) + 0.1
    serial_s = sorted(job.run_s for job in jobs if job.size == 1)
    assert serial_s[len(serial_s) // 2] < 3600


@pytest.mark.slow
def test_kinds_of_lublin_jobs_come_as_often_together_as_alone() -> None:
    together = lublin_jobs(20_000, 128, [BATCH, INTERACTIVE], seed=1)
    span_s = together[-1][0].submit_s
    for kind in (BATCH, INTERACTIVE):
        number = sum(of is kind for _, of in together)
        alone = [job for job, _ in lublin_jobs(number, 128, [kind], seed=2)]
        assert number > 1000
        assert math.isclose(alone[-1].submit_s, span_s, rel_tol=0.3)


def test_lublin_arrivals_have_a_daily_cycle() -> None:
    jobs = [job for job, _ in lublin_jobs(20_000, 128, [UNDIVIDED], seed=1)]
    hours = Counter(job.submit_s // 3600 % 24 for job in jobs)
    assert max(hours, key=hours.__getitem__) in range(12, 18)
    assert min(hours, key=hours.__getitem__) in range(3, 7)
    assert max(hours.values()) > 5 * min(hours.values())


def test_lublin_says_what_it_needs() -> None:
    for number, procs, chosen in ((0, 8, [BATCH]), (1, 1, [BATCH]), (1, 8, [])):
        with pytest.raises(ValueError, match="at least 1 job, 1 kind of jobs and 2 processors"):
            lublin_jobs(number, procs, chosen, seed=1)


@pytest.mark.slow
@settings(max_examples=12)
@given(weeks=st.integers(1, 8), seed=seeds, load=st.none() | st.floats(0.1, 1.5))
def test_resampled_jobs_are_those_of_the_trace_at_their_times_of_the_week(
    weeks: int, seed: int, load: float | None
) -> None:
    generated = resampled(JOBS, 16, weeks, seed, load)
    assert generated == resampled(JOBS, 16, weeks, seed, load)
    assert [job.number for job in generated] == list(range(1, len(generated) + 1))
    assert generated == sorted(generated, key=lambda job: job.submit_s)
    shapes = {(job.submit_s % WEEK_S, job.run_s, job.size, job.estimate_s) for job in JOBS}
    for job in generated:
        assert (job.submit_s % WEEK_S, job.run_s, job.size, job.estimate_s) in shapes
        assert job.preceding == -1
    if load is not None and weeks > 1:
        assert math.isclose(offered_load(generated, 16), load, rel_tol=0.01)


def test_sessions_stay_whole() -> None:
    def sessions(jobs: list[TraceJob]) -> set[tuple[tuple[int, int, int], ...]]:
        """Return the sessions of jobs without their user, as (time of the week, run time, size)."""
        of_user: dict[str, list[list[TraceJob]]] = {}
        for job in jobs:
            own = of_user.setdefault(job.user, [])
            if not own or job.submit_s - own[-1][-1].submit_s > SESSION_GAP_S:
                own.append([])
            own[-1].append(job)
        return {
            tuple((job.submit_s % WEEK_S, job.run_s, job.size) for job in session)
            for own in of_user.values()
            for session in own
        }

    known = sessions(JOBS)
    again = sessions(resampled(JOBS, 16, 6, seed=1))
    assert len(again & known) / len(again) > 0.9, "but where two of a user come to lie together"


@pytest.mark.slow
def test_without_a_load_it_is_about_that_of_the_trace() -> None:
    loads = [offered_load(resampled(JOBS, 16, 12, seed), 16) for seed in range(40)]
    weeks = JOBS[-1].submit_s // WEEK_S + 1
    work_s = sum(job.size * job.run_s for job in JOBS)
    assert math.isclose(sum(loads) / 40, work_s / (16 * weeks * WEEK_S), rel_tol=0.1)


def test_resampling_says_what_it_needs() -> None:
    nobody = [job._replace(user="-1") for job in JOBS]
    for jobs, weeks, load, reason in (
        ([], 1, None, "at least one job"),
        (JOBS, 0, None, "one week"),
        (nobody, 1, None, "knows its users"),
        (JOBS, 1, 0.0, "above zero"),
    ):
        with pytest.raises(ValueError, match=reason):
            resampled(jobs, 16, weeks, 1, load)


def test_a_trace_of_which_hardly_a_week_has_jobs_is_not_resampled() -> None:
    """A single wrong submit time makes its users come once in a century."""
    far = JOBS[-1]._replace(submit_s=MOST)
    with pytest.raises(TooSparse, match=r"of the 7,102 weeks .* 4294967296 s.* submit time wrong"):
        resampled([*JOBS, far], 16, 3, seed=1)
    assert resampled([*JOBS, far._replace(submit_s=10 * WEEK_S)], 16, 3, seed=1)
