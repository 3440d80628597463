"""Averages, percentiles, trimming, both definitions of utilization, and metrics by kind of job."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.measures.categories import Boundaries, by_category, by_failure, short_among_failing
from rmsd_lab.measures.metrics import distribution, load, percentile, trimmed, utilization, waits
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob, takes_part
from rmsd_lab_cli.workload import read_trace
from tests.core.schedules import MACHINE, scheduled, schedules

DATA = os.environ.get("RMSD_TEST_DATA")


def test_a_distribution_by_hand() -> None:
    values = distribution([4, 1, 3, 2])
    assert values is not None
    assert (values.mean, values.median, values.maximum) == (2.5, 2.5, 4)
    assert values.std_dev == pytest.approx(1.25**0.5)
    assert distribution([]) is None


@given(st.lists(st.integers(-9, 9), min_size=1), st.integers(1, 100))
def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed(
    values: list[int], percent: int
) -> None:
    found = percentile(sorted(values), percent)
    enough = [v for v in values if 100 * sum(w <= v for w in values) >= percent * len(values)]
    assert found == min(enough)


def test_a_killed_attempt_counts_as_waiting() -> None:
    job = scheduled(1, 10, 100, 50)._replace(attempts=2, lost_us=30 * SECOND_US)
    found = waits([job])
    assert found.wait_s is not None
    assert found.wait_s.mean == 90
    assert found.response_s is not None
    assert found.response_s.mean == 140
    assert found.bounded_slowdown is not None
    assert found.bounded_slowdown.mean == pytest.approx(140 / 50)


@given(schedules(30))
def test_load_is_what_is_held_between_warm_up_and_last_arrival(jobs: list[Scheduled]) -> None:
    """The test counts second by second."""
    first = min(job.submit_us for job in jobs) // SECOND_US
    last = max(job.submit_us for job in jobs) // SECOND_US
    found = load(jobs, MACHINE)
    if last == first:
        assert found is None
        return
    held = sum(
        job.size
        for second in range(first, last)
        for job in jobs
        if job.start_us <= second * SECOND_US < job.end_us
    )
    assert found == pytest.approx(held / (MACHINE * (last - first)))


def test_load_begins_with_the_last_end_of_the_first_hundredth() -> None:
    """The first hundredth of 200 jobs is two: the second ends at 30, and from then to 199 two of
    ten are held."""
    early = [scheduled(1, 0, 0, 20, 5), scheduled(2, 0, 0, 30, 5)]
    late = [scheduled(at, at, at, 1000, 2) for at in (29, 199)]
    none = [scheduled(at, 100, 100, 0) for at in range(196)]
    ends_in_order = [*early, *late, *none]
    assert load(ends_in_order, 10) == pytest.approx(0.2)
    assert load([scheduled(1, 5, 5, 10)], 10) is None
    at_once = [scheduled(at, at, at, 10) for at in range(200)]
    assert utilization(at_once, 10) == pytest.approx(200 * 10 / (10 * 209))


def test_what_killed_trials_held_is_utilization() -> None:
    """Two processors are held without a gap by jobs whose trials are killed for each other."""
    jobs = [
        TraceJob(number, submit_s, 1000, 2, 1000, "1", 1)
        for number, submit_s in ((1, 0), (2, 0), (3, 500))
    ]
    schedule = simulate(jobs, 2, parse_recipe("timed-easy"))
    assert any(job.lost_us for job in schedule.jobs)
    assert utilization(schedule.jobs, 2) == pytest.approx(1.0)
    unknown = [job._replace(lost_us=-1) for job in schedule.jobs]
    assert utilization(unknown, 2) == pytest.approx(3000 / 3270)


def test_trimmed_jobs_are_in_arrival_order() -> None:
    jobs = [scheduled(1, 0, 0, 50), scheduled(2, 1, 1, 5), scheduled(3, 60, 60, 5)]
    assert [job.job_id for job in trimmed(jobs)] == [1, 2]


def test_categories_are_by_run_time_and_size_bounds_included() -> None:
    """Selective, Table 1: up to an hour is short, up to 8 processors narrow."""
    jobs = [
        scheduled(1, 0, 0, 3600, 8),
        scheduled(2, 0, 20, 3600, 9),
        scheduled(3, 0, 30, 3601, 8),
        scheduled(4, 0, 40, 3601, 9),
        scheduled(5, 0, 60, 3601, 9),
    ]
    kinds = by_category(jobs, Boundaries())
    assert {name: kind.jobs for name, kind in kinds.items()} == {
        "SN": 1,
        "SW": 1,
        "LN": 1,
        "LW": 2,
        "all": 5,
    }
    assert kinds["LW"].share == 0.4
    assert (kinds["LW"].wait_mean_s, kinds["LW"].wait_max_s) == (50, 60)
    assert kinds["SW"].response_mean_s == 3620
    assert kinds["SW"].bounded_slowdown_max == pytest.approx(3620 / 3600)
    wide = by_category(jobs, Boundaries(long_us=10**12, wide=9))
    assert (wide["SN"].jobs, wide["LW"].jobs, wide["LW"].wait_mean_s) == (5, 0, None)


def test_failing_and_short_jobs() -> None:
    jobs = [
        scheduled(1, 0, 10, 90, failed=True),
        scheduled(2, 0, 20, 91, failed=True),
        scheduled(3, 0, 30, 5),
        scheduled(4, 0, 40, 500),
    ]
    kinds = by_failure(jobs, Boundaries())
    waits_s = {name: (kind.jobs, kind.wait_mean_s) for name, kind in kinds.items()}
    assert waits_s == {
        "all": (4, 25),
        "failing": (2, 15),
        "short": (2, 20),
        "failed_short": (1, 10),
    }
    assert short_among_failing(jobs, Boundaries()) == 0.5
    assert short_among_failing(jobs[2:], Boundaries()) is None


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/ and golden/")
def test_short_jobs_of_ctc_are_as_many_as_published() -> None:
    """Timed, Figs. 1 and 7: CTC-SP2-1996 has 16,669 failed, 16,699 short, 2,507 failed short."""
    trace = read_trace(Path(DATA or "") / "traces" / "CTC-SP2-1996-3.1-cln.swf.gz")
    jobs = [
        scheduled(job.number, 0, 0, job.run_s, job.size, failed=job.status == 0)
        for job in trace.jobs
        if takes_part(job, 430)
    ]
    kinds = by_failure(jobs, Boundaries())
    assert {name: kind.jobs for name, kind in kinds.items()} == {
        "all": 77222,
        "failing": 16669,
        "short": 16699,
        "failed_short": 2507,
    }


@pytest.mark.slow
@pytest.mark.golden
@pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/ and golden/")
def test_easy_on_kth_waits_as_published() -> None:
    """The thesis has 114 min and a slowdown of 90 in Table 4.1, and a load of 69% in Table 2.1."""
    trace = read_trace(Path(DATA or "") / "traces" / "KTH-SP2-1996-2.1-cln.swf.gz")
    known = {job.number: job for job in trace.jobs}
    jobs = []
    with gzip.open(Path(DATA or "") / "golden" / "kth.easy.csv.gz", "rt") as lines:
        for line in list(lines)[1:]:
            number, submit, start, end = map(int, line.split(","))
            jobs.append(scheduled(number, submit, start, end - start, known[number].size))
    found = waits(trimmed(jobs))
    assert found.wait_s is not None
    assert found.bounded_slowdown is not None
    assert found.wait_s.mean / 60 == pytest.approx(114, rel=0.06)
    assert found.bounded_slowdown.mean == pytest.approx(90, rel=0.06)
    assert load(jobs, 100) == pytest.approx(0.69, rel=0.06)
