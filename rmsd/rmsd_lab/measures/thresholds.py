"""Starvation thresholds from a conservative run of the same trace (Selective, 4.1, 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum

from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.measures.categories import CATEGORIES, Boundaries
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.simulation.virtual import Progress
from rmsd_lab.workloads.swf import TraceJob


def needs_thresholds(recipe: Recipe) -> bool:
    """Return whether the recipe gets its thresholds from a simulation of the whole trace."""
    return recipe.reserve == "starved" and recipe.starvation.source in (
        "conservative",
        "well-estimated",
    )


def with_thresholds(
    recipe: Recipe,
    trace: Sequence[TraceJob],
    processors: int,
    progress: Progress | None = None,
) -> Recipe:
    """Return the recipe with given values for its thresholds. Each is the mean bounded slowdown of
    a conservative run of `trace` times the recipe's scale. A recipe that needs no thresholds is
    returned unchanged.

    The mean is over all jobs, or over those that ran half their estimate or more; of the whole, or
    of each category. Categories are by the real run time, as the paper has them (2.1), while a
    waiting job's is by its prediction. A category without such jobs gets the mean of the whole, and
    a trace without any 1.
    """
    if not needs_thresholds(recipe):
        return recipe
    schedule = simulate(trace, processors, PRESETS["conservative"], progress)
    starvation = recipe.starvation
    counted = [
        job
        for job in schedule
        if starvation.source == "conservative" or 2 * job.run_us >= job.estimate_us
    ]
    whole = _mean_slowdown(counted, 1.0)
    means = [whole]
    if starvation.differential:
        boundaries = Boundaries(starvation.long_us, starvation.wide)
        groups: dict[str, list[Scheduled]] = {name: [] for name in CATEGORIES}
        for job in counted:
            groups[boundaries.category(job)].append(job)
        means = [_mean_slowdown(group, whole) for group in groups.values()]
    values = tuple(mean * starvation.scale for mean in means)
    given = replace(starvation, source="given", values=values, scale=1.0)
    return replace(recipe, starvation=given)


def _mean_slowdown(jobs: Iterable[Scheduled], otherwise: float) -> float:
    slowdowns = [job.bounded_slowdown for job in jobs]
    return fsum(slowdowns) / len(slowdowns) if slowdowns else otherwise
