"""The ends that are assumed of jobs without a limit, for expected starts: a job is assumed to run
for a day, and a day more whenever that is over."""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Release
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.present import HORIZON_US, Present

ASSUMED_US = 86_400 * SECOND_US
"""The time that a job without a limit is assumed to run: that of most jobs with one is shorter."""


def assumed_releases(present: Present) -> list[Release]:
    """Return what is held, by expected end, with assumed ends of the jobs without a limit."""
    now_us = present.now_us
    return sorted(
        (assumed_end_us(job, end_us, now_us), seq, job) for end_us, seq, job in present.releases
    )


def assumed_end_us(job: Job, end_us: int, now_us: int) -> int:
    """Return the expected end of a job that runs until `end_us`. Without a limit, this is the end
    of the day that the job is in, counted from its start."""
    if end_us - now_us < HORIZON_US:
        return end_us
    begun_us = now_us if job.start_us is None else min(job.start_us, now_us)
    return begun_us + ((now_us - begun_us) // ASSUMED_US + 1) * ASSUMED_US


def expected_length_us(job: Job) -> int:
    """Return how long a waiting job is expected to run."""
    return job.prediction_us if job.prediction_us < HORIZON_US else ASSUMED_US


def endless(job: Job) -> bool:
    """Return whether a waiting job is predicted to run without a limit."""
    return job.prediction_us >= HORIZON_US
