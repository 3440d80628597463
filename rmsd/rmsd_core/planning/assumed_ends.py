"""The ends that are assumed of jobs without a limit, for expected starts: a job is assumed to run
for a day, and a day more whenever that is over."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Profile, Release
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import Portions
from rmsd_core.planning.present import HORIZON_US, Present

ASSUMED_US = 86_400 * SECOND_US
"""The time that a job without a limit is assumed to run: that of most jobs with one is shorter."""

_ENDS = 32
"""The number of ends that are noted in a profile at a stretch: those of jobs on many nodes take
longer than other work on as many jobs."""


def assumed_releases(present: Present) -> list[Release]:
    """Return what is held, by expected end, with assumed ends of the jobs without a limit."""
    now_us, releases = present.now_us, present.releases
    bounded = bisect_left(releases, now_us + HORIZON_US, key=_end_us)
    assumed = [
        (assumed_end_us(job, end_us, now_us), seq, job) for end_us, seq, job in releases[bounded:]
    ]
    return sorted([*releases[:bounded], *assumed]) if assumed else list(releases)


def profile_of(present: Present, releases: Sequence[Release]) -> Portions[Profile]:
    """Return what is free as `releases` give back, which are in the order of their ends."""
    yield
    profile = present.capacity.profile((), present.now_us)
    for at, (end_us, _, job) in enumerate(releases):
        if not at % _ENDS:
            yield
        profile.end(job, present.pieces[job], end_us)
    return profile


def _end_us(release: Release) -> int:
    return release[0]


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
