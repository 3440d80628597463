"""Fair starts against one simulation per job, and what is made of them."""

from __future__ import annotations

import pytest
from hypothesis import given

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.categories import Boundaries
from rmsd_lab.measures.fairness import fair_starts_us, treatment, treatment_by_length, unfairness
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab.simulation.references import references
from tests.core.schedules import MACHINE, scheduled, schedules


def fair_start_us(reference: list[Scheduled], at: int) -> int:
    """Return FST(J) word by word: the state at J's arrival, and strict FCFS from there, event by
    event."""
    now = reference[at].submit_us
    running = [(job.end_us, job.size) for job in reference if job.start_us < now < job.end_us]
    queue = [other for other in range(at) if reference[other].start_us >= now] + [at]
    while True:
        running = [(end, size) for end, size in running if end > now]
        while queue and sum(size for _, size in running) + reference[queue[0]].size <= MACHINE:
            first = queue.pop(0)
            if first == at:
                return now
            if reference[first].run_us:
                running.append((now + reference[first].run_us, reference[first].size))
        now = min(end for end, _ in running)


@given(schedules(25))
def test_fair_starts_are_those_of_one_simulation_per_job(reference: list[Scheduled]) -> None:
    expected = [fair_start_us(reference, at) for at in range(len(reference))]
    assert fair_starts_us(reference, MACHINE) == expected


@given(schedules(25))
def test_conservative_with_exact_estimates_treats_everybody_fairly(jobs: list[Scheduled]) -> None:
    """By Selective, section 5, no job starts later than without backfilling from its arrival on. An
    estimate is a second at least, and so all jobs last one here."""
    lasting = [
        job._replace(end_us=job.end_us + SECOND_US, run_us=job.run_us + SECOND_US) for job in jobs
    ]
    exact = references(Schedule(lasting, MACHINE)).exact.jobs
    fair_us = fair_starts_us(exact, MACHINE)
    assert unfairness(exact, fair_us).unfairness_s == 0
    assert treatment(exact, fair_us).histogram["<=1"] == 1


@given(schedules(25))
def test_references_are_of_the_same_jobs(jobs: list[Scheduled]) -> None:
    known = [job._replace(estimate_us=job.run_us + 30 * SECOND_US) for job in jobs]
    schedule, conservative, exact = references(Schedule(known, MACHINE))
    assert schedule.jobs == known
    assert conservative is not None
    for reference, longer_us in ((conservative, 30 * SECOND_US), (exact, 0)):
        assert [(job.submit_us, job.run_us, job.size) for job in reference] == [
            (job.submit_us, job.run_us, job.size) for job in known
        ]
        for job in reference:
            assert job.estimate_us == max(SECOND_US, job.run_us + longer_us)
    assert references(Schedule(jobs, MACHINE)).conservative is None


def test_a_history_is_rounded_to_whole_seconds_for_fairness() -> None:
    """A job that started at once but for 3 ms is treated fairly; one that waited 0.6 s is not."""
    started, waited = scheduled(1, 0, 0, 100, MACHINE), scheduled(2, 200, 200, 100)
    live = [
        started._replace(start_us=3000, end_us=100 * SECOND_US + 3000),
        waited._replace(start_us=200_600_000, end_us=300_600_000),
    ]
    schedule, _, exact = references(Schedule(live, MACHINE))
    fair_us = fair_starts_us(exact.jobs, MACHINE)
    assert [job.wait_us for job in schedule] == [0, SECOND_US]
    assert unfairness(schedule.jobs, fair_us).unfairness_s == 0.5


def test_a_backfilled_start_is_no_example_for_later_jobs() -> None:
    """The third job passes the second in the reference; a fair start would not."""
    reference = [
        scheduled(1, 0, 0, 100, 4),
        scheduled(2, 10, 100, 100, 8),
        scheduled(3, 20, 20, 50, 4),
        scheduled(4, 30, 200, 10, 1),
    ]
    fair_s = [start // SECOND_US for start in fair_starts_us(reference, MACHINE)]
    assert fair_s == [0, 100, 200, 200]


def test_a_reference_out_of_order_or_too_large_is_refused() -> None:
    jobs = [scheduled(1, 10, 10, 5), scheduled(2, 0, 0, 5)]
    with pytest.raises(ValueError, match="arrival order"):
        fair_starts_us(jobs, MACHINE)
    with pytest.raises(ValueError, match="larger than 8"):
        fair_starts_us([scheduled(1, 0, 0, 5, 9)], MACHINE)


def test_the_histogram_is_of_slowdown_over_fair_slowdown() -> None:
    """The histogram is that of Selective, Table 9. All fair waits are 0, so that the ratio is the
    slowdown itself."""
    ratios = {1.0: "<=1", 1.5: "1-1.5", 1.6: "1.5-2", 2.0: "1.5-2", 4.0: "2-4", 4.1: ">4"}
    for ratio, group in ratios.items():
        job = scheduled(1, 0, round(100 * ratio) - 100, 100)
        histogram = treatment([job], [0]).histogram
        assert [name for name, part in histogram.items() if part] == [group]
    assert treatment([], []).histogram["<=1"] is None


def test_short_run_times_are_bounded() -> None:
    """A job of no length waits 5 s instead of 0, which gives (5 + 10) / 10 against 1."""
    found = treatment([scheduled(1, 0, 5, 0)], [0])
    assert found.histogram["1-1.5"] == 1
    assert treatment([scheduled(1, 0, 0, 0)], [20 * SECOND_US]).fair_slowdown_mean == 3


def test_treatment_by_length() -> None:
    jobs = [scheduled(1, 0, 0, 600), scheduled(2, 0, 600, 601), scheduled(3, 0, 0, 10**6)]
    found = treatment_by_length(jobs, [0, 0, 0], Boundaries())
    assert {name: part.jobs for name, part in found.items()} == {
        "<=600": 1,
        "<=3600": 1,
        "<=28800": 0,
        ">28800": 1,
    }
    assert found["<=3600"].histogram["1.5-2"] == 1


def test_only_late_jobs_add_to_unfairness() -> None:
    """Thesis 3.7; the late start of a job whose trial was killed is that of its last run."""
    jobs = [scheduled(1, 0, 10, 5), scheduled(2, 0, 40, 5), scheduled(3, 0, 0, 5)]
    found = unfairness(jobs, [20 * SECOND_US, 10 * SECOND_US, 0])
    assert found.unfairness_s == 10
    assert found.late_rate == pytest.approx(1 / 3)
    assert found.late_s is not None
    assert found.late_s.mean == 30
