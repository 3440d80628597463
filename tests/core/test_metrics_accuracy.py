"""Accuracy of predictions, corrections, and predictability of reservations."""

from __future__ import annotations

import pytest

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.accuracy import accuracy, job_accuracy, predictability
from rmsd_lab.schedule import Scheduled
from tests.core.schedules import scheduled


def predicted(run: int, *predictions: tuple[int, int], **more: object) -> Scheduled:
    """Return a job that arrives at 0, starts at 100; (since, prediction) in seconds."""
    pairs = tuple((since * SECOND_US, value * SECOND_US) for since, value in predictions)
    return scheduled(1, 0, 100, run, predictions=pairs, **more)


def test_accuracy_is_the_smaller_over_the_larger() -> None:
    """Thesis 4.1 defines it so."""
    assert job_accuracy(predicted(50, (0, 100))) == 0.5
    assert job_accuracy(predicted(50, (0, 25))) == 0.5
    assert job_accuracy(predicted(50, (0, 50))) == 1.0
    assert job_accuracy(predicted(0, (0, 50))) == 0.0


def test_corrected_predictions_weigh_as_long_as_they_were_in_effect() -> None:
    """A prediction counts from the submit on, waiting included: 110 s of 10 for 40, then 30 s of 80
    for 40."""
    job = predicted(40, (0, 10), (110, 80), estimate_us=80 * SECOND_US, corrections=1)
    assert job_accuracy(job) == pytest.approx((110 * 0.25 + 30 * 0.5) / 140)


def test_a_job_of_no_lifetime_has_the_accuracy_of_its_prediction() -> None:
    job = scheduled(1, 5, 5, 0, predictions=((5 * SECOND_US, SECOND_US),))
    assert job_accuracy(job) == 0.0


def test_averages_over_jobs() -> None:
    estimate_us = 100 * SECOND_US
    jobs = [
        predicted(50, (0, 100), estimate_us=estimate_us),
        predicted(50, (0, 50), estimate_us=estimate_us),
        predicted(50, (0, 40), (140, 50), estimate_us=estimate_us, corrections=2),
        predicted(100, (0, 100), estimate_us=estimate_us, corrections=2),
    ]
    found = accuracy(jobs)
    assert found.accuracy == pytest.approx((0.5 + 1 + (140 * 0.8 + 10) / 150 + 1) / 4)
    assert (found.corrections_mean, found.corrections_std_dev) == (1, 1)
    assert found.prediction_rate == 0.5


def test_what_is_not_known_of_one_job_is_not_known() -> None:
    known = predicted(50, (0, 100), estimate_us=SECOND_US)
    found = accuracy([known, known._replace(predictions=())])
    assert (found.accuracy, found.corrections_mean, found.prediction_rate) == (None, 0, None)
    assert accuracy([known, known._replace(corrections=-1)]).corrections_mean is None
    assert accuracy([known, known._replace(estimate_us=-1)]).prediction_rate is None
    assert accuracy([]).accuracy is None


def reserved(job_id: int, start: int, promised: int) -> Scheduled:
    return scheduled(job_id, 0, start, 10, rank=job_id)._replace(
        reserved_at_us=0, reserved_rank=0, reserved_us=promised * SECOND_US
    )


def test_predictability_by_hand() -> None:
    """Thesis 4.3 compares first reservations with starts. Jobs that never had a reservation are
    left out."""
    free = [scheduled(at, 0, 0, 10, rank=at) for at in range(10, 17)]
    found = predictability(
        [reserved(1, 100, 160), reserved(2, 100, 100), reserved(3, 100, 70), *free]
    )
    assert found.reserved_rate == 0.3
    assert found.delayed_rate == 0.1
    assert found.difference_s is not None
    assert (found.difference_s.mean, found.difference_s.median) == (30, 30)
    assert found.difference_s.std_dev == pytest.approx(600**0.5)
    assert found.delay_s is not None
    assert (found.delay_s.mean, found.delay_s.std_dev) == (30, 0)


def test_nobody_reserved_is_not_the_same_as_not_known() -> None:
    job = scheduled(1, 0, 0, 10, rank=0)
    assert predictability([job]).reserved_rate == 0
    assert predictability([job, job._replace(rank=-1)]).reserved_rate is None
