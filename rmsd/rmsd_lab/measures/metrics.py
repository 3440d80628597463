"""Metrics of a schedule, wherever it comes from: a simulation, a replay, a live history.

Averages are plain means over the jobs that are counted; which those are is up to the caller
(`trimmed`). Percentiles are nearest-rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_lab.schedule import Scheduled


class Distribution(NamedTuple):
    """The summary of many values, in their unit. `std_dev` is that of the population."""

    mean: float
    std_dev: float
    median: float
    p90: float
    p95: float
    p99: float
    maximum: float


def distribution(values: Iterable[float]) -> Distribution | None:
    """Return the distribution of the values; None if there are none."""
    ascending = sorted(values)
    if not ascending:
        return None
    number = len(ascending)
    mean = sum(ascending) / number
    variance = sum((value - mean) ** 2 for value in ascending) / number
    median = (ascending[(number - 1) // 2] + ascending[number // 2]) / 2
    p90, p95, p99 = (percentile(ascending, percent) for percent in (90, 95, 99))
    return Distribution(mean, variance**0.5, median, p90, p95, p99, ascending[-1])


def percentile(ascending: Sequence[float], percent: int) -> float:
    """Return the smallest value that `percent` of the values do not exceed (nearest rank)."""
    return ascending[max(0, -(-percent * len(ascending) // 100) - 1)]


def mean(values: Iterable[float]) -> float | None:
    """Return the mean of the values; None if there are none."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def share(holds: Iterable[bool]) -> float | None:
    """Return the share of the values that are true, 0 to 1; None if there are none."""
    return mean(map(float, holds))


@dataclass(frozen=True, slots=True)
class Summary:
    """Plain means over the counted jobs, None if there are none; seconds. `backfilled` is a number
    of jobs, None if it is not known of one of them."""

    counted: int
    wait_mean_s: float | None
    wait_max_s: float | None
    bounded_slowdown_mean: float | None
    response_mean_s: float | None
    utilization: float
    backfilled: int | None


class Waits(NamedTuple):
    """Wait and response [s] and bounded slowdown of the counted jobs."""

    wait_s: Distribution | None
    response_s: Distribution | None
    bounded_slowdown: Distribution | None


def waits(jobs: Sequence[Scheduled]) -> Waits:
    """Return the distributions of waits, responses and slowdowns (thesis 2.4). Under trials a
    killed attempt counts as waiting (Timed, 3.1)."""
    return Waits(
        distribution(job.wait_us / SECOND_US for job in jobs),
        distribution(job.response_us / SECOND_US for job in jobs),
        distribution(job.bounded_slowdown for job in jobs),
    )


class TrialCost(NamedTuple):
    """The cost of trials (Timed, 2): attempts per job, jobs started more than once, and the
    processor seconds lost to killed trials and to restarts, also as a share of all processor
    seconds held."""

    attempts_mean: float | None
    restarted_share: float | None
    lost_processor_s: float | None
    lost_share: float | None


def trial_cost(jobs: Sequence[Scheduled]) -> TrialCost:
    """Return the cost of trials. The attempts are None if they are not known for a job; the losses
    are None if they are not known for a job."""
    attempts_mean = restarted_share = lost_processor_s = lost_share = None
    if all(job.attempts >= 0 for job in jobs):
        attempts_mean = mean(job.attempts for job in jobs)
        restarted_share = share(job.attempts > 1 for job in jobs)
        if all(job.lost_us >= 0 for job in jobs):
            lost = sum(job.size * _lost_us(job) for job in jobs)
            held = sum(job.size * (job.lost_us + job.end_us - job.start_us) for job in jobs)
            lost_processor_s = lost / SECOND_US
            lost_share = lost / held if held else None
    return TrialCost(attempts_mean, restarted_share, lost_processor_s, lost_share)


def _lost_us(job: Scheduled) -> int:
    """Return the time that killed trials and the restart cost the job [us]. The restart's part is
    what the last attempt took beyond the run time."""
    restart_us = job.end_us - job.start_us - job.run_us if job.attempts > 1 else 0
    return job.lost_us + restart_us


def trimmed_positions(schedule: Sequence[Scheduled]) -> list[int]:
    """Return the positions of the jobs that the thesis counts (2.4, on warm-up and cool-down). The
    first 1% (floor) of terminated jobs and all that terminate after the last arrival are left
    out."""
    if not schedule:
        return []
    last_arrival_us = max(job.submit_us for job in schedule)
    by_end = sorted(range(len(schedule)), key=lambda at: schedule[at].end_us)
    kept = by_end[len(by_end) // 100 :]
    return sorted(at for at in kept if schedule[at].end_us <= last_arrival_us)


def trimmed(schedule: Sequence[Scheduled]) -> list[Scheduled]:
    """Return the jobs that the thesis counts, in arrival order; see `trimmed_positions`."""
    return [schedule[at] for at in trimmed_positions(schedule)]


def utilization(schedule: Sequence[Scheduled], processors: int) -> float:
    """Return the share of the processors held between the first arrival and the last end (dynP,
    section 4), by killed trials as well, as far as these are known."""
    if not schedule:
        return 0.0
    span_us = max(job.end_us for job in schedule) - min(job.submit_us for job in schedule)
    held = sum(job.size * (max(0, job.lost_us) + job.end_us - job.start_us) for job in schedule)
    return held / (processors * span_us) if span_us else 0.0


def load(schedule: Sequence[Scheduled], processors: int) -> float | None:
    """Return the share of the processors held once the system is warm and before arrivals stop
    (thesis 2.5).

    The interval goes from the last termination within the first 1% of terminated jobs (the first
    arrival if there is none) to the last arrival. Jobs that reach beyond it count as far as they
    lie within. Killed trials, whose times a schedule does not have, do not count. None if that is
    no time at all.
    """
    if not schedule:
        return None
    ends = sorted(job.end_us for job in schedule)
    warm_up = len(ends) // 100
    since_us = ends[warm_up - 1] if warm_up else min(job.submit_us for job in schedule)
    until_us = max(job.submit_us for job in schedule)
    if until_us <= since_us:
        return None
    held = sum(
        job.size * max(0, min(until_us, job.end_us) - max(since_us, job.start_us))
        for job in schedule
    )
    return held / (processors * (until_us - since_us))


def summarize(schedule: Sequence[Scheduled], processors: int, *, trim: bool = False) -> Summary:
    """Return the summary of a schedule. `trim` leaves out jobs as the thesis does; utilization is
    always that of the whole schedule."""
    counted = trimmed(schedule) if trim else schedule
    waits_s = [job.wait_us / SECOND_US for job in counted]
    backfilled = [job.backfilled for job in counted]
    return Summary(
        counted=len(counted),
        wait_mean_s=mean(waits_s),
        wait_max_s=max(waits_s, default=None),
        bounded_slowdown_mean=mean(job.bounded_slowdown for job in counted),
        response_mean_s=mean(job.response_us / SECOND_US for job in counted),
        utilization=utilization(schedule, processors),
        backfilled=None if None in backfilled else sum(map(bool, backfilled)),
    )
