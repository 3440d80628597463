"""Recipes: a scheduler is a point in a small space of parts, not a class.

The presets are the papers' names for such points. Thesis: D. Tsafrir, "Modeling, Evaluating, and
Improving the Performance of Supercomputer Scheduling", 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reserve = Literal["nobody", "head"]
Backfill = Literal["none", "queue", "shortest"]
Predict = Literal["estimate", "recent"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parts of one scheduler.

    reserve: who is promised a start. "nobody": nothing passes the head of the queue; "head": the
        head has a reservation that backfilled jobs must respect (EASY).
    backfill: the order in which jobs behind the head are tried: none, as the queue, or the
        shortest prediction first (SJBF, thesis 4.5).
    predict: "estimate", the user's; or "recent", the mean run time of the user's two latest
        terminated jobs, never above the estimate (thesis 4.3).
    correct: whether a prediction that expired is replaced (thesis 4.4); without it, the expired
        job counts as about to end.
    """

    name: str
    source: str
    reserve: Reserve = "head"
    backfill: Backfill = "queue"
    predict: Predict = "estimate"
    correct: bool = False


PRESETS: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("fcfs", "first come first served", reserve="nobody", backfill="none"),
        Recipe("easy", "EASY backfilling; thesis 1.1.2"),
        Recipe("easy-sjbf", "EASY, shortest job backfilled first; thesis 4.5", backfill="shortest"),
        Recipe("easy-pred", "EASY on predictions, never corrected; thesis 4.3", predict="recent"),
        Recipe("easy-pcor", "EASY, estimates corrected when exceeded; thesis 4.4", correct=True),
        Recipe("easy+", "predictions with correction; thesis 4.4", predict="recent", correct=True),
        Recipe(
            "easy++",
            "predictions with correction, shortest backfilled first; thesis 4.5",
            backfill="shortest",
            predict="recent",
            correct=True,
        ),
    )
}


class RecipeError(ValueError):
    """No such recipe; the message lists those there are."""


def parse_recipe(name: str) -> Recipe:
    """The preset called `name`.

    Raises:
        RecipeError: there is none.
    """
    try:
        return PRESETS[name.strip().lower()]
    except KeyError:
        raise RecipeError(f"no recipe '{name}'; there are: {', '.join(PRESETS)}") from None
