""" "Orders" of the simulation rules, and dynP's switching."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.recipes.recipe import Switching
from tests.core.oracle.job import Job


def in_order(jobs: Sequence[Job], order: str, now: int) -> list[Job]:
    """`jobs` (in arrival order) by arrival, shortest, longest or lxfw; ties in arrival order."""
    if order == "shortest":
        return sorted(jobs, key=lambda job: job.prediction)
    if order == "longest":
        return sorted(jobs, key=lambda job: -job.prediction)
    if order == "lxfw":
        return sorted(jobs, key=lambda job: -_lxfw(now - job.trace.submit_s, job.prediction))
    assert order == "arrival"
    return list(jobs)


def _lxfw(wait: int, prediction: int) -> float:
    return (wait + prediction) / prediction + 0.02 * (wait / 3600)


def switched(order: str, jobs: Sequence[Job], switching: Switching) -> str:
    """The order after a look at the waiting jobs."""
    if len(jobs) < switching.min_queue:
        return order
    mean_us = sum(job.prediction for job in jobs) * 1_000_000 / len(jobs)
    if mean_us <= switching.lower_us:
        return "shortest"
    if mean_us <= switching.upper_us:
        return "arrival"
    return "longest"
