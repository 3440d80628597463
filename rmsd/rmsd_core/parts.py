"""The parts that third parties may add to: orders of the queue, and predictors.

An entry point in the group `rmsd.parts` names an `Order` or a `PredictorPart`; a recipe then uses
it by its name (`easy,order=NAME`, `easy+,predict=NAME`). docs/recipes.md has an example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rmsd_core.job import Job
from rmsd_core.prediction import Predictor, RecentHistory
from rmsd_core.recipe import Recipe

LXFW_WEIGHT = 0.02


@dataclass(frozen=True, slots=True)
class Order:
    """Who is next. Smaller keys come first, and ties in arrival order.

    key: of a waiting job, by what does not change while its prediction does not; or None.
    priority: of a prediction [us] and a wait so far [us], where time matters: larger comes first,
        evaluated in every pass, and never growing faster for one job than for another that has
        the same prediction and has waited longer.
    """

    name: str
    source: str
    key: Callable[[Job], Any] | None = None
    priority: Callable[[int, int], float] | None = None


@dataclass(frozen=True, slots=True)
class PredictorPart:
    """A named predictor; `make` gives a fresh one. None: the planner needs none of it."""

    name: str
    source: str
    make: Callable[[Recipe], Predictor] | None = None


def lxfw(prediction_us: int, wait_us: int) -> float:
    """Largest eXpansion Factor and Wait (thesis 3.10): (w + e) / e + 0.02 w, with w in hours."""
    wait_s, prediction_s = wait_us / 1_000_000, prediction_us / 1_000_000
    return (wait_s + prediction_s) / prediction_s + LXFW_WEIGHT * (wait_s / 3600)


ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order("arrival", "first come first served", key=lambda job: job.seq),
        Order(
            "shortest",
            "shortest prediction first (SJF)",
            key=lambda job: (job.prediction_us, job.seq),
        ),
        Order(
            "longest",
            "longest prediction first (LJF)",
            key=lambda job: (-job.prediction_us, job.seq),
        ),
        Order("lxfw", "largest expansion factor and wait; thesis 3.10", priority=lxfw),
        Order("dynp", "shortest, arrival or longest, by the mean prediction; dynP 5"),
    )
}

PREDICTORS: dict[str, PredictorPart] = {
    part.name: part
    for part in (
        PredictorPart("estimate", "the user's estimate"),
        PredictorPart(
            "recent", "the user's latest terminated jobs; thesis 4.2.1, 4.6", RecentHistory
        ),
        PredictorPart("perfect", "the run time, in simulation alone; thesis 4.2.3"),
    )
}


def register(part: Order | PredictorPart) -> None:
    """Make a part known by its name.

    Raises:
        ValueError: the name is taken, or it is no part.
    """
    if isinstance(part, Order):
        if part.name in ORDERS:
            raise ValueError(f"there is an order '{part.name}' already")
        if (part.key is None) == (part.priority is None):
            raise ValueError(f"order '{part.name}' needs either a key or a priority")
        ORDERS[part.name] = part
    elif isinstance(part, PredictorPart):
        if part.name in PREDICTORS:
            raise ValueError(f"there is a predictor '{part.name}' already")
        PREDICTORS[part.name] = part
    else:
        raise ValueError(f"{part!r} is neither an Order nor a PredictorPart")
