"""The recipe that an option names, and what it needs of a workload."""

from __future__ import annotations

import argparse
from typing import Any

from rmsd_cli.errors import CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import RecipeError, limited
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_lab.measures.categories import CATEGORIES
from rmsd_lab.measures.thresholds import needs_thresholds, with_thresholds
from rmsd_lab_cli.workload import Workload

_UNKNOWN_USER = "-1"


class OneRecipe(argparse.Action):
    """A `--recipe` of which a second one would replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        if getattr(namespace, self.dest) is not self.default:
            parser.error("there can be one --recipe here; `rmsd report` and `rmsd study` have more")
        setattr(namespace, self.dest, values)


def recipe_named(name: str) -> Recipe:
    """Return the recipe of a name. Raises CommandUsageError if there is no such recipe."""
    try:
        return recipe_of(name)
    except RecipeError as error:
        raise CommandUsageError(f"--recipe: {error}") from None


def recipe_for(recipe: Recipe, workload: Workload) -> Recipe:
    """Return the recipe as it is simulated on this workload. If its thresholds come from a
    conservative run, this function makes that run.

    Raises:
        CommandUsageError: it needs users, and the trace names none.
    """
    if why_not := why_not_on(recipe, workload):
        raise CommandUsageError(f"--recipe {why_not}")
    if not needs_thresholds(recipe):
        return recipe
    with Progress("conservative run", len(workload.jobs)) as progress:
        return with_thresholds(recipe, workload.jobs, workload.processors, progress.update)


def why_not_on(recipe: Recipe, workload: Workload) -> str | None:
    """Return why the recipe cannot be simulated on this workload, beginning with its name; None if
    it can."""
    if recipe.needs_users and all(job.user == _UNKNOWN_USER for job in workload.jobs):
        part = f"predict={recipe.predict}" if recipe.learns else f"order={recipe.order}"
        other = "predict=estimate" if recipe.learns else "another order"
        return (
            f"{recipe.name}: {part} needs the jobs of each user, and {workload.trace} names no "
            f"users; choose one with {other}"
        )
    return None


def live_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe as a live cluster runs it. Raises CommandUsageError if none can. Thresholds
    that come from a conservative run are no reason: `recipe_for` makes that run."""
    why_not = recipe.why_not_live()
    if why_not and not needs_thresholds(recipe):
        raise CommandUsageError(f"--recipe {recipe.name} runs in simulation alone: {why_not}")
    return limited(recipe)


def thresholds_of(recipe: Recipe) -> dict[str, float] | None:
    """Return the thresholds that the recipe runs with, by category or for "all"; None if it has
    none."""
    values = recipe.starvation.values
    if recipe.reserve != "starved" or not values:
        return None
    names = CATEGORIES if len(values) > 1 else ("all",)
    return dict(zip(names, values, strict=True))
