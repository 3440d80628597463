""" "Orders" of the simulation rules, and dynP's switching."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rmsd_core.recipes.recipe import Switching
from tests.core.oracle.job import Job
from tests.core.oracle.usage import factor

if TYPE_CHECKING:
    from tests.core.oracle.machine import Machine

DAY = 86_400
S = 1_000_000


def in_order(machine: Machine, jobs: Sequence[Job]) -> list[Job]:
    """Return `jobs` (in arrival order) in the order of the recipe; ties in arrival order."""
    return ordered(machine, jobs, machine.order)


def ordered(machine: Machine, jobs: Sequence[Job], order: str) -> list[Job]:
    """Return `jobs` (in arrival order) in this order, the urgent ones first; ties in arrival
    order."""
    urgent = [job for job in jobs if job.urgent]
    return [*urgent, *sorted_by(machine, [job for job in jobs if not job.urgent], order)]


def sorted_by(machine: Machine, jobs: Sequence[Job], order: str) -> list[Job]:
    """Return `jobs` (in arrival order) in this order, urgent or not; ties in arrival order."""
    now, left = machine.now, machine.remaining
    if order == "prediction":
        return sorted(jobs, key=lambda job: (left(job), job.seq))
    if order == "priority":
        return sorted(jobs, key=lambda job: -priority(machine, job))
    if order == "shortest":
        return sorted(jobs, key=lambda job: left(job))
    if order == "longest":
        return sorted(jobs, key=lambda job: -left(job))
    if order == "lxfw":
        return sorted(jobs, key=lambda job: -_lxfw(now - job.trace.submit_s, left(job)))
    if order == "arrival":
        return list(jobs)
    key = _KEYS[order]
    return sorted(jobs, key=lambda job: key(machine, job, left(job), now - job.trace.submit_s))


def _fitted(job: Job, run: float, size: float, weight: float) -> float:
    return run * size + weight * math.log10(max(1, job.trace.submit_s))


def _aged(machine: Machine, job: Job, wait: int) -> float:
    aging = machine.recipe.aging
    return float((wait + aging.constant_s) / (machine.remaining(job) * job.size**aging.exponent))


_KEYS: dict[str, Callable[[Machine, Job, int, int], float]] = {
    "aged-area": lambda machine, job, _r, wait: -_aged(machine, job, wait),
    "saf": lambda _, job, r, _wait: r * job.size,
    "f1": lambda _, job, r, _wait: _fitted(job, math.log10(r), job.size, 870),
    "f2": lambda _, job, r, _wait: _fitted(job, math.sqrt(r), job.size, 25_600),
    "f3": lambda _, job, r, _wait: _fitted(job, r, job.size, 6_860_000),
    "f4": lambda _, job, r, _wait: _fitted(job, r, math.sqrt(job.size), 530_000),
    # Microseconds, as the rules have it: the same roundings decide near ties.
    "wfp3": lambda _, job, r, wait: -wait * S * (math.cbrt(job.size) / (r * S)),
    "unicef": lambda _, job, r, wait: -wait * S * (1 / (math.log2(max(2, job.size)) * (r * S))),
}


def _lxfw(wait: int, prediction: int) -> float:
    return (wait + prediction) / prediction + 0.02 * (wait / 3600)


def priority(machine: Machine, job: Job) -> int:
    """Return the sum by the weights of the recipe, in units of a point divided by (a day's seconds
    times a million)."""
    weights = machine.recipe.weights
    age = weights.age * (machine.now - job.trace.submit_s) * 1_000_000
    size = weights.size * job.size * DAY * 1_000_000
    return age + size + weights.share * factor(machine, job.trace.user) * DAY


def switched(order: str, jobs: Sequence[Job], switching: Switching) -> str:
    """Return the order after a look at the waiting jobs."""
    if len(jobs) < switching.min_queue:
        return order
    mean_us = sum(job.prediction for job in jobs) * 1_000_000 / len(jobs)
    if mean_us <= switching.lower_us:
        return "shortest"
    if mean_us <= switching.upper_us:
        return "arrival"
    return "longest"
