"""The recipes and parameters that are tried, in their order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import RecipeError, limited
from rmsd_daemon.setup.third_party import recipe_of

FAMILIES = (
    "rmsd-gentle",
    "easy++",
    "rmsd",
    "rmsd-even",
    "easy",
    "timed-easy++,order=lxfw",
    "easy-sjbf",
    "lxfw",
)
"""The recipes that are tried first, in this order: the time may end before the last."""

NEAR: dict[str, tuple[str, ...]] = {
    "rmsd-gentle": (
        *("fraction=0.5", "fraction=0.9", "exponent=0.5", "exponent=0"),
        *("constant=60", "constant=3600", "floor=1h", "floor=24h", "predict=estimate"),
    ),
    "rmsd": (
        *("fraction=0.4", "fraction=0.8", "trial=60", "trial=300", "exponent=0.5", "exponent=0"),
        *("constant=60", "constant=3600", "floor=1h", "floor=24h", "predict=estimate"),
    ),
    "rmsd-even": (
        *("ceiling=12h", "ceiling=24h", "ceiling=48h", "fraction=0.4", "trial=60", "trial=300"),
        *("floor=1h", "predict=estimate"),
    ),
    "easy++": ("window=1", "window=5", "metric=maximum", "type=immediate"),
    "timed-easy++,order=lxfw": ("trial=60", "trial=150", "trial=300", "window=5"),
}
"""The overrides that are tried on the best of the families, each beside the best ones before it."""


def families(*, kills: bool) -> list[Recipe]:
    """Return the recipes that are tried first. `kills`: also those that kill jobs for others."""
    return [one for one in map(recipe_of, FAMILIES) if kills or not one.disposes]


def all_candidates(*, kills: bool) -> list[Recipe]:
    """Return the families, and each with each of its overrides alone: all that may learn from a
    history."""
    found = families(kills=kills)
    overrides = [(one.name, override) for one in found for override in near(one.name)]
    return [*found, *filter(None, itertools.starmap(overridden, overrides))]


def near(best: str) -> Iterator[str]:
    """Yield the overrides to try on one of the families; none for another recipe."""
    yield from NEAR.get(best, ())


def overridden(name: str, override: str) -> Recipe | None:
    """Return the recipe of that name with an override more, which replaces one of the same
    parameter. None if both contradict each other."""
    parameter = override.partition("=")[0]
    kept = [one for one in name.split(",") if one.partition("=")[0] != parameter]
    try:
        return limited(recipe_of(",".join([*kept, override])))
    except RecipeError:
        return None
