"""The schedules that fairness is measured against: the same jobs under conservative backfilling."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import with_exact_estimates


class References(NamedTuple):
    """A schedule, and those that its fairness is measured against.

    schedule: the one to measure, in whole seconds and in arrival order.
    conservative, exact: its references, with the users' estimates and with exact ones. The former
    is None if the estimate of a job is not known.
    """

    schedule: Schedule
    conservative: Schedule | None
    exact: Schedule


def references(schedule: Schedule) -> References:
    """Simulate the jobs of `schedule` under `conservative`, twice.

    A live history is rounded to whole seconds first, as in a trace. Otherwise a job that started at
    once, but for milliseconds of latency, would count as treated unfairly.
    """
    rounded = in_whole_seconds(schedule)
    jobs = [_trace_job(job) for job in rounded]
    conservative = PRESETS["conservative"]
    known = all(job.estimate_us >= 0 for job in rounded)
    return References(
        rounded,
        simulate(jobs, schedule.processors, conservative) if known else None,
        simulate(with_exact_estimates(jobs), schedule.processors, conservative),
    )


def in_whole_seconds(schedule: Schedule) -> Schedule:
    """Return the same jobs in arrival order with all instants rounded to whole seconds. Wait and
    run time change by at most half a second."""
    jobs = sorted(map(_rounded, schedule), key=lambda job: job.submit_us)
    return Schedule(jobs, schedule.processors, schedule.orders, schedule.passes)


def _rounded(job: Scheduled) -> Scheduled:
    submit_us = _whole(job.submit_us)
    run_us = _whole(job.run_us)
    end_us = submit_us + _whole(job.wait_us) + run_us
    return job._replace(submit_us=submit_us, start_us=end_us - run_us, end_us=end_us, run_us=run_us)


def _whole(time_us: int) -> int:
    return (time_us + SECOND_US // 2) // SECOND_US * SECOND_US


def _trace_job(job: Scheduled) -> TraceJob:
    return TraceJob(
        job.job_id,
        job.submit_us // SECOND_US,
        job.run_us // SECOND_US,
        job.size,
        max(1, job.estimate_us // SECOND_US),
        job.user,
        0 if job.failed else 1,
    )
