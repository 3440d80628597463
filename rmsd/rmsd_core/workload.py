"""Choosing and changing the jobs of a trace before they are simulated or replayed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rmsd_core.swf import TraceJob


def with_exact_estimates(jobs: Sequence[TraceJob]) -> list[TraceJob]:
    """Every estimate replaced by max(1, run time)."""
    return [job._replace(estimate_s=max(1, job.run_s)) for job in jobs]


def cut_at_estimate(jobs: Sequence[TraceJob]) -> list[TraceJob]:
    """No job runs longer than its estimate (kill at estimate)."""
    return [job._replace(run_s=min(job.run_s, job.estimate_s)) for job in jobs]


def offered_load(jobs: Sequence[TraceJob], processors: int) -> float:
    """Processor seconds asked for per processor second between the first and the last arrival."""
    span_s = jobs[-1].submit_s - jobs[0].submit_s if jobs else 0
    if span_s <= 0:
        raise ValueError("the load of jobs that all arrive at once is not defined")
    return sum(job.size * job.run_s for job in jobs) / (processors * span_s)


def scaled_to_load(jobs: Sequence[TraceJob], processors: int, load: float) -> list[TraceJob]:
    """The same jobs with all interarrival times multiplied so that `offered_load` is `load`.

    Submit times are rounded to whole seconds; order is kept.

    Raises:
        ValueError: `load` is not positive and finite, or all jobs arrive at once.
    """
    if not 0 < load < math.inf:
        raise ValueError(f"a load must be above zero and finite, not {load}")
    factor = offered_load(jobs, processors) / load
    first_s = jobs[0].submit_s
    return [
        job._replace(submit_s=first_s + round((job.submit_s - first_s) * factor)) for job in jobs
    ]
