"""Metrics of a schedule, wherever it comes from: a simulation, a replay, a live history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rmsd_core.job import SECOND_US
from rmsd_core.schedule import Scheduled


@dataclass(frozen=True, slots=True)
class Summary:
    """Plain means over the counted jobs; seconds. `backfilled` is a number of jobs."""

    counted: int
    wait_mean_s: float
    wait_max_s: float
    bounded_slowdown_mean: float
    response_mean_s: float
    utilization: float
    backfilled: int


def trimmed(schedule: Sequence[Scheduled]) -> list[Scheduled]:
    """Without the first 1% (floor) of terminated jobs and all that terminate after the last
    arrival (thesis, section 3.2 on warm-up and cool-down)."""
    if not schedule:
        return []
    last_arrival_us = max(job.submit_us for job in schedule)
    by_end = sorted(schedule, key=lambda job: job.end_us)
    return [job for job in by_end[len(by_end) // 100 :] if job.end_us <= last_arrival_us]


def utilization(schedule: Sequence[Scheduled], processors: int) -> float:
    """Share of the processors held between the first arrival and the last end."""
    if not schedule:
        return 0.0
    span_us = max(job.end_us for job in schedule) - min(job.submit_us for job in schedule)
    held = sum(job.size * (job.end_us - job.start_us) for job in schedule)
    return held / (processors * span_us) if span_us else 0.0


def summarize(schedule: Sequence[Scheduled], processors: int, *, trim: bool = False) -> Summary:
    """The summary of a schedule; `trim` as the thesis does (utilization is of the whole)."""
    counted = trimmed(schedule) if trim else schedule
    number = max(1, len(counted))
    waits_s = [job.wait_us / SECOND_US for job in counted]
    return Summary(
        counted=len(counted),
        wait_mean_s=sum(waits_s) / number,
        wait_max_s=max(waits_s, default=0.0),
        bounded_slowdown_mean=sum(job.bounded_slowdown for job in counted) / number,
        response_mean_s=sum(job.end_us - job.submit_us for job in counted) / SECOND_US / number,
        utilization=utilization(schedule, processors),
        backfilled=sum(job.backfilled for job in counted),
    )
