"""One run, in a worker process: prepare, simulate, measure."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError
from rmsd_core.recipes.presets import TRIAL_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.anomalies.effect import averages, split
from rmsd_lab.anomalies.made import FLURRY_USER
from rmsd_lab.measures.categories import CATEGORIES, Boundaries
from rmsd_lab.measures.measures import measure
from rmsd_lab.measures.metrics import distribution, trial_cost, trimmed
from rmsd_lab.measures.thresholds import with_thresholds
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab_cli.papers.estimates import estimates_measured
from rmsd_lab_cli.papers.experiment import (
    COSTS,
    ESTIMATES,
    FLURRY,
    THRESHOLDS,
    UNFAIRNESS,
    USERS,
    Simulation,
)
from rmsd_lab_cli.papers.workloads import (
    Jobs,
    prepared,
    wide_above,
    with_own_estimates,
    without_estimates,
)
from rmsd_lab_cli.workload import simulating

_OWN = (UNFAIRNESS, THRESHOLDS, ESTIMATES, FLURRY, USERS, COSTS)
"""Groups that `rmsd_lab.measures` does not have."""

Measures = dict[str, dict[str, Any]]
"""The metrics that `rmsd_lab.measures.measures` makes, by group."""


def execute(simulation: Simulation, path: Path | None, groups: list[str]) -> Measures:
    """Make a run and measure it.

    Raises:
        CommandError: the trace is of no use for it.
    """
    gc.disable()  # a run makes no cycles worth looking for while it lasts
    try:
        with simulating(simulation.workload):
            return _executed(simulation, path, groups)
    finally:
        gc.enable()
        gc.collect()


def _executed(simulation: Simulation, path: Path | None, groups: list[str]) -> Measures:
    jobs, processors = prepared(simulation, path)
    of_estimates: Measures = {}
    if ESTIMATES in groups:
        own, _ = prepared(with_own_estimates(simulation), path)
        of_estimates[ESTIMATES] = estimates_measured(jobs, own)
        if set(groups) == {ESTIMATES}:
            return of_estimates
    recipe = _recipe(simulation, jobs, processors)
    schedule = simulate(jobs, processors, recipe, restart_cost_s=simulation.restart_cost_s)
    found = measure(
        schedule,
        [group for group in groups if group not in _OWN],
        trim=simulation.trim,
        boundaries=_boundaries(simulation, recipe),
        conservative=_reference(simulation, path) if "fairness" in groups else None,
    )
    if UNFAIRNESS in groups:
        exact = _reference(without_estimates(simulation), path)
        fairness = measure(schedule, ["fairness"], trim=simulation.trim, exact=exact)
        found[UNFAIRNESS] = fairness["fairness"]["against_exact"]
    if THRESHOLDS in groups:
        names = CATEGORIES if recipe.starvation.differential else ("all",)
        found[THRESHOLDS] = dict(zip(names, recipe.starvation.values, strict=True))
    if FLURRY in groups:
        found[FLURRY] = _flurry(schedule, trim=simulation.trim)
    if USERS in groups:
        found[USERS] = _users(schedule, trim=simulation.trim)
    if COSTS in groups:
        found[COSTS] = _costs(schedule)
    return {**of_estimates, **found}


def _flurry(schedule: Schedule, *, trim: bool) -> dict[str, float | None]:
    jobs = trimmed(schedule.jobs) if trim else schedule.jobs
    flurry, others = split(jobs, [job.user == FLURRY_USER for job in jobs])
    groups = {"all": jobs, "flurry": flurry, "others": others}
    return {name: averages(group).bounded_slowdown for name, group in groups.items()}


def _users(schedule: Schedule, *, trim: bool) -> dict[str, float]:
    """Return the distribution over users of the mean bounded slowdown of their jobs."""
    slowdowns: dict[str, list[float]] = {}
    for job in trimmed(schedule.jobs) if trim else schedule.jobs:
        slowdowns.setdefault(job.user, []).append(job.bounded_slowdown)
    of_users = distribution(sum(values) / len(values) for values in slowdowns.values())
    return {} if of_users is None else of_users._asdict()


def _costs(schedule: Schedule) -> dict[str, float | None]:
    """Return the price of kills, over all jobs. Every attempt but the last was killed."""
    cost = trial_cost(schedule.jobs)
    kills = None if cost.attempts_mean is None else cost.attempts_mean - 1
    return {"kills_per_job": kills, "lost_share": cost.lost_share}


def _recipe(simulation: Simulation, jobs: Jobs, processors: int) -> Recipe:
    """Return the recipe of a simulation, with its thresholds if they come from a conservative run
    of the same jobs."""
    recipe = parse_recipe(simulation.recipe)
    if recipe.needs_users and all(job.user == "-1" for job in jobs):
        raise CommandError(
            f"{simulation.workload} does not know its users, and {simulation.recipe} needs them"
        )
    return with_thresholds(recipe, jobs, processors)


def _boundaries(simulation: Simulation, recipe: Recipe) -> Boundaries:
    """Return the boundaries of job kinds. A short job ends within a trial; without trials, within
    90 s (Timed, 3)."""
    return Boundaries(wide=wide_above(simulation.workload), short_us=recipe.trial_us or TRIAL_US)


@lru_cache(maxsize=2)
def _conservative(simulation: Simulation, path: Path | None) -> Schedule:
    return simulate(*prepared(simulation, path), parse_recipe(simulation.recipe))


def _reference(simulation: Simulation, path: Path | None) -> Schedule:
    """Return the schedule of the same jobs under conservative backfilling."""
    return _conservative(replace(simulation, recipe="conservative", trim=False), path)
