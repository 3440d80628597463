"""Trials, speculations and claims as columns of a job's row, and back.

The column `trial_end_us` tells all of them apart. It is empty for a start for good, the end of a
trial, and the start of a speculation that runs. If the job is to start as a speculation on a
claimed place, it is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import ClaimedPlace, OnTrial
from rmsd_core.jobs.request import Allocation

_CLAIMED_SPECULATION = 0


def trial_end_column_us(job: Job) -> int | None:
    """Return the column `trial_end_us` of a job."""
    claim = job.claim
    if claim is not None and claim.kind == "speculation":
        return _CLAIMED_SPECULATION
    return job.trial_end_us


def trial_of(attempt: Attempt, trial_end_us: int) -> OnTrial:
    """Return the trial or the speculation in which an attempt runs, or has run until it expired."""
    return OnTrial(attempt, trial_end_us, is_speculation=trial_end_us == attempt.start_us)


def claim_of(row: Mapping[str, Any]) -> ClaimedPlace | None:
    """Return the place that the job of a row has claimed, if any."""
    if not row["claim"]:
        return None
    place, awaits = msgspec.convert(row["claim"], Allocation), frozenset(row["awaits"])
    trial_end_us: int | None = row["trial_end_us"]
    if trial_end_us is None:
        return ClaimedPlace(place, awaits)
    if trial_end_us == _CLAIMED_SPECULATION:
        return ClaimedPlace(place, awaits, "speculation")
    return ClaimedPlace(place, awaits, "trial", trial_end_us)
