""" "Orders" of the simulation rules, and dynP's switching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rmsd_core.recipes.recipe import Switching
from tests.core.oracle.job import Job
from tests.core.oracle.usage import factor

if TYPE_CHECKING:
    from tests.core.oracle.machine import Machine

DAY = 86_400


def in_order(machine: Machine, jobs: Sequence[Job]) -> list[Job]:
    """`jobs` (in arrival order) by arrival, shortest, longest, lxfw or priority; ties in arrival
    order."""
    order, now = machine.order, machine.now
    if order == "priority":
        return sorted(jobs, key=lambda job: -priority(machine, job))
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


def priority(machine: Machine, job: Job) -> int:
    """The sum by the weights of the recipe, in parts of which a point has a day's seconds times a
    million."""
    weights = machine.recipe.weights
    age = weights.age * (machine.now - job.trace.submit_s) * 1_000_000
    size = weights.size * job.size * DAY * 1_000_000
    return age + size + weights.share * factor(machine, job.trace.user) * DAY


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
