"""The flurry of the thesis's case study (6.2), made to its description for a log that was cleaned,
and the trifle that the flurry amplifies."""

from __future__ import annotations

import random
from collections.abc import Sequence

from rmsd_lab.workloads.swf import TraceJob

FLURRY_USER = "flurry"
_JOBS, _SIZE, _ESTIMATE_S = 375, 32, 300
_LEAST_RUN_S, _MOST_RUN_S = 60, 120
_OVER_S = 10 * 3600
_LATER_S = 30 * 86400


def with_flurry(jobs: Sequence[TraceJob], after: int, seed: int = 1) -> list[TraceJob]:
    """Return the jobs with a flurry added: a month after job number `after` a user submits 375 jobs
    over 10 hours, one after the other. Each has 32 processors, an estimate of 5 minutes and a run
    time of one to two minutes (thesis 6.2.2).

    What the thesis leaves open: they come at equal distances, and run times are drawn uniformly.

    Raises:
        ValueError: there is no such job.
    """
    since_s = _numbered(jobs, after).submit_s + _LATER_S
    rng = random.Random(seed)
    number = max(job.number for job in jobs) + 1
    flurry = [
        TraceJob(
            number + at,
            since_s + at * _OVER_S // _JOBS,
            rng.randint(_LEAST_RUN_S, _MOST_RUN_S),
            _SIZE,
            _ESTIMATE_S,
            FLURRY_USER,
            1,
        )
        for at in range(_JOBS)
    ]
    return sorted([*jobs, *flurry], key=lambda job: job.submit_s)  # stable: then those of the log


def with_run_changed(jobs: Sequence[TraceJob], number: int, by_s: int) -> list[TraceJob]:
    """Return the jobs with one job's run time `by_s` longer (below 0: shorter). Its estimate stays.

    Raises:
        ValueError: there is no such job, or nothing would be left of it.
    """
    run_s = _numbered(jobs, number).run_s + by_s
    if run_s < 0:
        raise ValueError(f"job {number} would run {run_s} s")
    return [job._replace(run_s=run_s) if job.number == number else job for job in jobs]


def _numbered(jobs: Sequence[TraceJob], number: int) -> TraceJob:
    for job in jobs:
        if job.number == number:
            return job
    raise ValueError(f"there is no job {number} among those that take part")
