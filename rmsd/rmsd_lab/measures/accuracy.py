"""The quality of predictions and reservations: accuracy, corrections, predictability."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import Distribution, distribution, mean, share
from rmsd_lab.schedule import Scheduled


class Accuracy(NamedTuple):
    """The accuracy of the predictions of the counted jobs. A number is None if there are no counted
    jobs, or if it is not known for one of them.

    accuracy: mean weighted accuracy, 0 to 1 (thesis 4.1).
    corrections_mean, corrections_std_dev: per job (thesis 4.2.2, Table 4.2).
    prediction_rate: the part of the jobs whose first prediction is not their estimate, which is
        what a missing or a discarded prediction falls back on (thesis 4.2.1, Table 4.9).
    """

    accuracy: float | None
    corrections_mean: float | None
    corrections_std_dev: float | None
    prediction_rate: float | None


def accuracy(jobs: Sequence[Scheduled]) -> Accuracy:
    predicted = all(job.predictions for job in jobs)
    corrected = all(job.corrections >= 0 for job in jobs)
    estimated = all(job.estimate_us >= 0 for job in jobs)
    corrections = distribution(job.corrections for job in jobs) if corrected else None
    return Accuracy(
        mean(map(job_accuracy, jobs)) if predicted else None,
        corrections.mean if corrections else None,
        corrections.std_dev if corrections else None,
        share(job.predictions[0][1] != job.estimate_us for job in jobs)
        if predicted and estimated
        else None,
    )


def job_accuracy(job: Scheduled) -> float:
    """Return the mean accuracy of a job's predictions, 0 to 1. Each is weighted with the time for
    which it was in effect between submit and end (thesis 4.1, "Measuring Accuracy")."""
    instants = [since_us for since_us, _ in job.predictions] + [job.end_us]
    weights = [max(0, until_us - since_us) for since_us, until_us in pairwise(instants)]
    values = [ratio(prediction_us, job.run_us) for _, prediction_us in job.predictions]
    total = sum(weights)
    if not total:
        return values[0]
    return sum(v * w for v, w in zip(values, weights, strict=True)) / total


def ratio(prediction_us: int, run_us: int) -> float:
    """Return the smaller over the larger of the two times, so that predictions that are too long
    and too short do not cancel out."""
    if prediction_us == run_us:
        return 1.0
    return min(prediction_us, run_us) / max(prediction_us, run_us)


class Predictability(NamedTuple):
    """The distances of job starts from the jobs' first reservations (thesis 4.3).

    reserved_rate: the part of the jobs that waited and got a reservation (Table 4.5), those
        included that came first and started in the same pass.
    difference_s: |start - reservation| of these.
    delayed_rate: the part of all jobs that started after their reservation (Table 4.6).
    delay_s: by how much they did.
    """

    reserved_rate: float | None
    difference_s: Distribution | None
    delayed_rate: float | None
    delay_s: Distribution | None


def predictability(jobs: Sequence[Scheduled]) -> Predictability:
    """Return the distances of starts from reservations; all None if a job's decisions (`rank`) are
    not known.

    A reservation is never in the past here. The thesis has such: where nothing is corrected, a job
    past its estimate counts as having ended then, not now. On CTC under EASY its mean delay of 72
    min comes out as 5 (as 75, if counted from there); with corrections there is no difference.
    """
    if any(job.rank < 0 for job in jobs):
        return Predictability(None, None, None, None)
    late_us = [job.start_us - job.reserved_us for job in jobs if job.reserved_at_us >= 0]
    delays_s = [late / SECOND_US for late in late_us if late > 0]
    return Predictability(
        len(late_us) / len(jobs) if jobs else None,
        distribution(abs(late) / SECOND_US for late in late_us),
        len(delays_s) / len(jobs) if jobs else None,
        distribution(delays_s),
    )
