"""The parts of recipes that third parties may extend: orders of the queue, and predictors.

An entry point in the group `rmsd.parts` names an `Order` or a `PredictorPart`; a recipe then uses
it by its name (`easy,order=NAME`, `easy+,predict=NAME`). docs/recipes.md has an example.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.recipes.prediction import Predictor, RecentHistory
from rmsd_core.recipes.recipe import Recipe

LXFW_WEIGHT = 0.02


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the queue. Smaller keys come first, and ties in arrival order (which the keys in
    here spell out themselves; `register` adds it to others).

    name, source: its name in recipes; one line and a citation.
    key: of a waiting job, by what does not change while its prediction does not; or None.
    priority: of a prediction [us] and a wait so far [us], if time matters: larger comes first,
        evaluated in every pass, and never growing faster for one job than for another that has
        the same prediction and has waited longer.
    """

    name: str
    source: str
    key: Callable[[Job], Any] | None = None
    priority: Callable[[int, int], float] | None = None


@dataclass(frozen=True, slots=True)
class PredictorPart:
    """A named predictor; `make` returns a fresh one. None: the planner needs no predictor."""

    name: str
    source: str
    make: Callable[[Recipe], Predictor] | None = None


def lxfw(prediction_us: int, wait_us: int) -> float:
    """Return Largest eXpansion Factor and Wait (thesis 3.10): (w + e) / e + 0.02 w, with w in
    hours."""
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


class PartError(Exception):
    """A third party's part has failed. The message names it, and the package that it is of."""


def register(part: object, package: str = "a third party") -> str:
    """Make a third party's part known by its name, and return what a recipe says to use it:
    `order=NAME` or `predict=NAME`. What it raises later is a PartError that names `package`.

    Raises:
        ValueError: the name is taken or cannot be written in a recipe, or the part is incomplete.
    """
    if not isinstance(part, Order | PredictorPart):
        raise ValueError(f"{part!r} is neither an Order nor a PredictorPart")
    if not _NAME.fullmatch(part.name):
        raise ValueError(f"'{part.name}' is no name of small letters, digits, '+', '-', '.', '_'")
    if isinstance(part, Order):
        if part.name in ORDERS:
            raise ValueError(f"there is an order '{part.name}' already")
        if (part.key is None) == (part.priority is None):
            raise ValueError(f"order '{part.name}' needs either a key or a priority")
        ORDERS[part.name] = _guarded_order(part, f"order={part.name} of {package}")
        return f"order={part.name}"
    if part.name in PREDICTORS:
        raise ValueError(f"there is a predictor '{part.name}' already")
    if part.make is None:
        raise ValueError(f"predictor '{part.name}' makes nothing")
    PREDICTORS[part.name] = _guarded_predictor(part, f"predict={part.name} of {package}")
    return f"predict={part.name}"


_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]*")


def _guarded_order(order: Order, who: str) -> Order:
    """Return the order, with ties in arrival order. If the order fails, the error names `who`."""
    key, priority = order.key, order.priority

    def guarded_key(job: Job) -> Any:
        assert key is not None
        try:
            return key(job), job.seq
        except Exception as error:
            raise _failure(who, error) from error

    def guarded_priority(prediction_us: int, wait_us: int) -> float:
        assert priority is not None
        try:
            value = priority(prediction_us, wait_us)
            if not math.isnan(value):  # NaN has no place in an order
                return value
        except Exception as error:
            raise _failure(who, error) from error
        raise PartError(f"{who} has failed: its priority is not a number")

    if key is not None:
        return replace(order, key=guarded_key)
    return replace(order, priority=guarded_priority)


def _guarded_predictor(part: PredictorPart, who: str) -> PredictorPart:
    make = part.make
    assert make is not None

    def guarded(recipe: Recipe) -> Predictor:
        try:
            return _GuardedPredictor(make(recipe), who)
        except Exception as error:
            raise _failure(who, error) from error

    return replace(part, make=guarded)


class _GuardedPredictor:
    """A third party's predictor. If the predictor fails, the error names `who`."""

    def __init__(self, predictor: Predictor, who: str) -> None:
        self._predictor, self._who = predictor, who

    def record(self, user: str, seq: int, run_us: int, estimate_us: int) -> None:
        try:
            self._predictor.record(user, seq, run_us, estimate_us)
        except Exception as error:
            raise _failure(self._who, error) from error

    def predict_us(self, user: str, estimate_us: int) -> int:
        try:
            predicted_us = self._predictor.predict_us(user, estimate_us)
        except Exception as error:
            raise _failure(self._who, error) from error
        if type(predicted_us) is int and predicted_us >= 0:
            return predicted_us
        raise PartError(
            f"{self._who} has predicted {predicted_us!r}; a prediction is a whole number of "
            "microseconds (int), 0 at least"
        )


def _failure(who: str, error: Exception) -> PartError:
    return PartError(f"{who} has failed: {error!r}")
