""" "Plans over a profile" of the simulation rules: reservations for some or for everyone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from rmsd_core.recipes.recipe import Recipe
from tests.core.oracle.job import Job
from tests.core.oracle.order import in_order, ordered
from tests.core.oracle.profile import Profile

if TYPE_CHECKING:
    from tests.core.oracle.machine import Machine


def everyone(machine: Machine) -> None:
    """Run a conservative pass: in arrival order reservations stand, in other orders none does."""
    queue = in_order(machine, machine.queue)
    if machine.recipe.order != "arrival":
        _forget(queue)
    profile = _profile(machine)
    _backfill(machine, profile, _plan(machine, profile, queue))


def first(machine: Machine) -> None:
    """Plan the first `depth` jobs of the order that cannot start now, anew every time."""
    queue = in_order(machine, machine.queue)
    _forget(queue)
    profile = _profile(machine)
    planned = 0
    assert machine.recipe.depth is not None
    while queue and planned < machine.recipe.depth:
        job = queue.pop(0)
        _plan(machine, profile, [job])
        planned += job.reserved is not None
    _backfill(machine, profile, queue)


def starved(machine: Machine) -> None:
    """Run a selective pass: jobs past the threshold are promoted, for good, and planned as in
    conservative."""
    machine.promoted = [job for job in machine.promoted if job in machine.queue]
    for job in machine.queue:
        if job not in machine.promoted and _is_starved(machine, job):
            machine.promoted.append(job)
    profile = _profile(machine)
    beyond = _plan(machine, profile, machine.promoted)
    others = [job for job in machine.queue if job not in machine.promoted or job in beyond]
    _backfill(machine, profile, in_order(machine, others))


def _is_starved(machine: Machine, job: Job) -> bool:
    """Return whether the job is past the threshold, which is a wait or an expansion factor."""
    wait = machine.now - job.trace.submit_s
    if machine.recipe.starvation.source == "wait":
        return wait * 1_000_000 > machine.recipe.starvation.after_us
    return (wait + job.prediction) / job.prediction > threshold(machine, job)


def threshold(machine: Machine, job: Job) -> float:
    """Return the expansion factor past which the job is promised a start."""
    rule = machine.recipe.starvation
    if rule.source == "given":
        return rule.values[_category(job, machine.recipe) if len(rule.values) > 1 else 0]
    assert rule.source == "adaptive"
    slowdowns = [
        done.bounded_slowdown
        for done in machine.terminated
        if not rule.differential
        or _category(done, machine.recipe) == _category(job, machine.recipe)
    ]
    average = reduce(add, slowdowns) / len(slowdowns) if slowdowns else 1.0  # not sum(): it rounds
    return rule.scale * average


def _category(job: Job, recipe: Recipe) -> int:
    """Return the category, 0 to 3: SN, SW, LN, LW."""
    long = job.prediction * 1_000_000 > recipe.starvation.long_us
    return 2 * long + (job.size > recipe.starvation.wide)


def _profile(machine: Machine) -> Profile:
    profile = Profile(machine.now, machine.free)
    for instant, size in machine.releases():
        profile.add(max(machine.now + 1, instant), None, size)
    return profile


def _forget(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.reserved = None


def _plan(machine: Machine, profile: Profile, jobs: Sequence[Job]) -> list[Job]:
    """Place standing reservations again, improve them one by one, start what starts now. Return
    those that get none, since as many wait as the recipe plans for."""
    for job in jobs:
        if job.reserved is not None:
            job.reserved = max(machine.ready(job), job.reserved)
            if profile.fits(job.reserved, job.prediction, job.size):
                profile.add(job.reserved, job.reserved + job.prediction, -job.size)
            else:
                job.reserved = None
    waiting, beyond = 0, []
    for job in jobs:
        if job.reserved is not None:
            profile.add(job.reserved, job.reserved + job.prediction, job.size)
        elif machine.recipe.depth is not None and waiting >= machine.recipe.depth:
            beyond.append(job)
            continue
        start = profile.earliest(machine.ready(job), job.prediction, job.size)
        profile.add(start, start + job.prediction, -job.size)
        job.reserved = start
        if start == machine.now:
            job.reserved = None
            machine.start(job)
        else:
            waiting += 1
    return beyond


def _backfill(machine: Machine, profile: Profile, jobs: list[Job]) -> None:
    """Start what may start now beside the plan."""
    now, recipe = machine.now, machine.recipe
    if recipe.backfill == "none":
        return
    if recipe.backfill != "queue":
        order = "prediction" if recipe.backfill == "shortest" else recipe.backfill
        jobs = ordered(machine, sorted(jobs, key=lambda job: job.seq), order)
    for job in jobs:
        duration = job.trace.estimate_s if recipe.fit == "estimate" else job.prediction
        if machine.ready(job) == now and profile.fits(now, duration, job.size):
            profile.add(now, now + job.prediction, -job.size)
            machine.start(job)
