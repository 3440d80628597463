"""The part of a history that a what-if since some time looks at.

Jobs that ended before that time hold nothing any more. Predictors have learnt from some of them,
and thresholds of starvation from all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import chain
from typing import Any

from rmsd_core.recipes.prediction import RunsNeeded, runs_needed
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.measures.thresholds import needs_thresholds
from rmsd_lab_cli.history.schedule import has_run, is_live

_View = Mapping[str, Any]


def earlier_runs(recipes: Sequence[Recipe]) -> RunsNeeded:
    """Return which jobs that ended before the recipes take over these have learnt from."""
    needed = [
        RunsNeeded(None) if recipe.promotes or needs_thresholds(recipe) else runs_needed(recipe)
        for recipe in recipes
    ]
    numbers = [one.latest for one in needed if one.latest is not None]
    latest = max(numbers) if len(numbers) == len(needed) else None
    # The latest of each user and estimate include the latest of each user, and so on.
    by_size = any(one.by_size for one in needed)
    return RunsNeeded(latest, by_size or any(one.by_estimate for one in needed), by_size)


def needed_views(views: Iterable[_View], since_us: int | None, runs: RunsNeeded) -> list[_View]:
    """Return the jobs that are live or ended at `since_us` or later (None: all), and the earlier
    `runs`. The others are not kept, however many there are."""
    if since_us is None or runs.latest is None:
        return list(views)
    kept: list[_View] = []
    latest: dict[tuple[Any, ...], list[tuple[int, int, _View]]] = {}
    for view in views:
        if is_live(view) or (view["end_us"] or 0) >= since_us:
            kept.append(view)
        elif runs.latest and has_run(view):
            estimate_s = view["estimate_s"] if runs.by_estimate else None
            key = view["user"], estimate_s, view["cpus"] if runs.by_size else None
            of_key = latest.setdefault(key, [])
            # A job of the past takes its place in the order of arrivals when it starts.
            entry = view["start_us"], view["job_id"], view
            if len(of_key) < runs.latest:
                heappush(of_key, entry)
            else:
                heappushpop(of_key, entry)
    return [*kept, *(view for _, _, view in chain.from_iterable(latest.values()))]
