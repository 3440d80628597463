"""The search on the first half: families of recipes, then the parameters of the best one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import limited
from rmsd_lab_cli.tune.candidates import families, near, overridden
from rmsd_lab_cli.tune.evidence import TunedRun, score, within_bounds
from rmsd_lab_cli.tune.halves import Halves


class TimeIsUp(Exception):
    """The time that the command may take is over, in the middle of a run."""


@dataclass(slots=True)
class Budget:
    """The bound of a search. `until`: by `time.monotonic()`; None: without an end."""

    simulations: int
    until: float | None = None

    def look(self, _done: int = 0) -> None:
        """Raise TimeIsUp if the time is over. Simulations call this after every thousand jobs."""
        if self.until is not None and time.monotonic() > self.until:
            raise TimeIsUp


@dataclass(frozen=True, slots=True)
class Tried:
    """A recipe that was run on the first half. `score` is 1 for the running one, less if better;
    `bounded`: whether its longest waits are within the bounds."""

    recipe: Recipe
    run: TunedRun
    score: float
    bounded: bool


@dataclass(slots=True)
class Searched:
    """All that was tried, the running recipe first. `ended`: None if everything was tried, or what
    has ended the search. `left_out`: recipes that cannot be run here, and why."""

    tried: list[Tried] = field(default_factory=list)
    ended: str | None = None
    left_out: list[str] = field(default_factory=list)

    @property
    def best(self) -> Tried:
        """Return the best recipe within the bounds, which may be the running one."""
        return min((one for one in self.tried if one.bounded), key=lambda one: one.score)


def search(
    halves: Halves, running: Recipe, budget: Budget, *, kills: bool, told: Callable[[int], None]
) -> Searched:
    """Run the running recipe, then others, on the first half. `told` has the number of runs.

    Raises:
        TimeIsUp: the time was over before the running recipe was run.
    """
    found = Searched()
    budget.look()
    first = halves.first(running, budget.look)
    found.tried.append(Tried(running, first, 1.0, True))
    names = {running.name}

    def attempt(recipe: Recipe) -> bool:
        """Run a recipe unless it was run before. Return whether the search may go on."""
        if recipe.name in names:
            return True
        if why := halves.why_not(recipe):
            found.left_out.append(why)
            return True
        if len(found.tried) >= budget.simulations:
            found.ended = f"after {budget.simulations} simulations"
            return False
        names.add(recipe.name)
        try:
            budget.look()
            run = halves.first(recipe, budget.look)
        except TimeIsUp:
            found.ended = "at the end of the time for it"
            return False
        worth, bounded = score(run, first), within_bounds(run, first)
        found.tried.append(Tried(recipe, run, worth, bounded))
        told(len(found.tried))
        return True

    told(1)
    if not all(attempt(limited(recipe)) for recipe in families(kills=kills)):
        return found
    family = found.best.recipe.name
    for override in near(family):
        recipe = overridden(found.best.recipe.name, override)
        if recipe is not None and not attempt(recipe):
            break
    return found
