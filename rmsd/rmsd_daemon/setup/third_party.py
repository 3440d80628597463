"""Parts of recipes that other installed distributions provide, by entry points (docs/recipes.md).

The search costs start time, so it is done only when a recipe is not known otherwise, or when
everything is to be listed. Standard library only: `rmsd simulate` imports it too.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import NamedTuple

from rmsd_core.recipes.parts import register
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import RecipeError, parse_recipe

GROUP = "rmsd.parts"


class ThirdParty(NamedTuple):
    """An entry point. problem: the reason why its part cannot be used; None if it can."""

    name: str
    distribution: str
    problem: str | None = None


def recipe_of(text: str) -> Recipe:
    """Return the recipe that `text` describes, third parties' parts included.

    Raises:
        RecipeError: there is no such recipe.
    """
    try:
        return parse_recipe(text)
    except RecipeError:
        if not load_parts():
            raise
        return parse_recipe(text)


@cache
def load_parts() -> tuple[ThirdParty, ...]:
    """Load all third-party parts, once. A broken one is reported on standard error and skipped."""
    from importlib.metadata import entry_points

    found = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        distribution = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
        problem = None
        try:
            register(entry.load())
        except Exception as error:  # third-party code may raise anything
            problem = f"{type(error).__name__}: {error}"
            print(
                f"rmsd: part '{entry.name}' of {distribution} is skipped: {problem}",
                file=sys.stderr,
            )
        found.append(ThirdParty(entry.name, distribution, problem))
    return tuple(found)
