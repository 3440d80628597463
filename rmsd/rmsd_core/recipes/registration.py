"""The registration of third parties' parts, and the guards that name a part that fails."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rmsd_core.jobs.job import Job
from rmsd_core.recipes import parameter_words as words
from rmsd_core.recipes.extensions import (
    BACKFILL_ORDERS,
    CORRECTIONS,
    ORDERS,
    PLANNERS,
    PREDICTORS,
    RESERVES,
    Correction,
    CustomPlanner,
    Order,
    PartError,
    PlannerPart,
    Predictor,
    PredictorPart,
    Reserve,
    View,
)
from rmsd_core.recipes.parameter import Words
from rmsd_core.recipes.recipe import Recipe

REGISTERED: set[str] = set()
"""The third parties' parts, as `register` returns them."""

_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]*")
_NUMBER = re.compile(r"[0-9]+")
_Result = TypeVar("_Result")


def register(part: object, package: str = "a third party") -> str:
    """Make a third party's part known by its name, and return what a recipe says to use it:
    `order=NAME`, `reserve=NAME` and so on. What it raises later is a PartError that names
    `package`.

    Raises:
        ValueError: the name is taken or cannot be written in a recipe, or the part is incomplete.
    """
    if not isinstance(part, Order | Reserve | PredictorPart | Correction | PlannerPart):
        raise ValueError(
            f"{part!r} is none of Order, Reserve, PredictorPart, Correction and PlannerPart"
        )
    if not _NAME.fullmatch(part.name):
        raise ValueError(f"'{part.name}' is no name of small letters, digits, '+', '-', '.', '_'")
    text = _register(part, package)
    REGISTERED.add(text)
    return text


def unregister(text: str) -> None:
    """Forget a third party's part, of which `register` returned `text`, so that another one can
    take its name. Recipes that use the part must not run any more."""
    parameter, _, name = text.partition("=")
    for table in _TABLES[parameter]:
        table.pop(name, None)
    REGISTERED.discard(text)


_TABLES: dict[str, tuple[dict[str, Any], ...]] = {
    "order": (ORDERS, BACKFILL_ORDERS),
    "reserve": (RESERVES,),
    "predict": (PREDICTORS,),
    "correct": (CORRECTIONS,),
    "planner": (PLANNERS,),
}


def _register(
    part: Order | Reserve | PredictorPart | Correction | PlannerPart, package: str
) -> str:
    name = part.name
    match part:
        case Order():
            text = _free("order", name, {**words.orders(), **words.backfills()})
            if (part.key is None) == (part.priority is None):
                raise ValueError(f"order '{name}' needs either a key or a priority")
            order = _guarded_order(part, f"{text} of {package}")
            ORDERS[name] = BACKFILL_ORDERS[name] = order
        case Reserve():
            text = _free("reserve", name, words.reserves())
            if _NUMBER.fullmatch(name):
                raise ValueError(f"reserve={name} is a number of jobs already")
            RESERVES[name] = _guarded_reserve(part, f"{text} of {package}")
        case PredictorPart():
            text = _free("predict", name, words.predictors())
            if part.make is None:
                raise ValueError(f"predictor '{name}' makes nothing")
            PREDICTORS[name] = _guarded_predictor(part, f"{text} of {package}")
        case Correction():
            text = _free("correct", name, words.corrections())
            CORRECTIONS[name] = _guarded_correction(part, f"{text} of {package}")
        case PlannerPart():
            text = _free("planner", name, words.planners())
            PLANNERS[name] = _guarded_planner(part, f"{text} of {package}")
    return text


def _free(parameter: str, name: str, known: Words) -> str:
    if name in known:
        raise ValueError(f"there is {parameter}={name} already")
    return f"{parameter}={name}"


# ---------------------------------------------------------------- guards


def _called(who: str, function: Callable[..., _Result], *arguments: object) -> _Result:
    """Return what the function returns. If it fails, the error names `who`."""
    try:
        return function(*arguments)
    except Exception as error:
        raise PartError(f"{who} has failed: {error!r}") from error


def _guarded_order(order: Order, who: str) -> Order:
    """Return the order, with ties in arrival order."""
    key, priority = order.key, order.priority
    if key is not None:
        return replace(order, key=_guarded_key(key, who))
    assert priority is not None

    def guarded_priority(job: Job, now_us: int) -> float:
        value = _called(who, priority, job, now_us)
        if _called(who, math.isnan, value):  # NaN has no place in an order
            raise PartError(f"{who} has failed: its priority is not a number")
        return float(value)

    growth = order.growth
    return replace(
        order,
        priority=guarded_priority,
        alike=lambda job: _called(who, _hashed, order.alike, job),
        growth=growth and (lambda job: _called(who, _growth, growth, job)),
    )


def _guarded_key(key: Callable[[Job], Any], who: str) -> Callable[[Job], Any]:
    """Return the key, with ties in arrival order. All keys must be alike, since a queue compares
    each with any other."""
    seen: list[Any] = []  # the shape of the first key

    def guarded(job: Job) -> tuple[Any, int]:
        value = _called(who, key, job)
        shape = _called(who, _shape, value)
        if not seen:
            seen.append(shape)
        if shape != seen[0]:
            raise PartError(
                f"{who} has failed: the key {value!r} cannot be compared with an earlier one; a "
                "key is a number, or a tuple whose items are alike for all jobs"
            )
        return value, job.seq

    return guarded


def _shape(value: Any) -> Any:
    """Return what keys that can be compared have in common."""
    if isinstance(value, int | float):
        if math.isnan(value):  # NaN has no place in an order
            raise ValueError("its key is not a number")
        return "number"
    return tuple(map(_shape, value)) if isinstance(value, tuple) else type(value).__name__


def _hashed(alike: Callable[[Job], Any], job: Job) -> Any:
    value = alike(job)
    hash(value)
    return value


def _growth(growth: Callable[[Job], float], job: Job) -> float:
    value = float(growth(job))
    if not 0 <= value < math.inf:
        raise ValueError(f"a growth of {value}; it is a number from 0 on")
    return value


def _guarded_reserve(part: Reserve, who: str) -> Reserve:
    def guarded(job: Job) -> int | None:
        due_us = _called(who, part.due_us, job)
        if due_us is None or type(due_us) is int:
            return due_us
        raise PartError(
            f"{who} has said {due_us!r}; a time is a whole number of microseconds (int), or None"
        )

    return replace(part, due_us=guarded)


def _guarded_correction(part: Correction, who: str) -> Correction:
    def guarded(job: Job, elapsed_us: int) -> int:
        prediction_us = _called(who, part.corrected_us, job, elapsed_us)
        if type(prediction_us) is int and prediction_us > elapsed_us:
            return prediction_us
        raise PartError(
            f"{who} has corrected to {prediction_us!r} a job that has run for {elapsed_us}; a "
            "correction is a larger whole number of microseconds (int)"
        )

    return replace(part, corrected_us=guarded)


def _guarded_predictor(part: PredictorPart, who: str) -> PredictorPart:
    make = part.make
    assert make is not None
    return replace(part, make=lambda recipe: _GuardedPredictor(_called(who, make, recipe), who))


class _GuardedPredictor:
    """A third party's predictor. If the predictor fails, the error names `who`."""

    def __init__(self, predictor: Predictor, who: str) -> None:
        self._predictor, self._who = predictor, who

    def record(self, user: str, seq: int, run_us: int, estimate_us: int, size: int) -> None:
        _called(self._who, self._predictor.record, user, seq, run_us, estimate_us, size)

    def predict_us(self, job: Job, now_us: int, running: Sequence[Job]) -> int:
        predicted_us = _called(self._who, self._predictor.predict_us, job, now_us, running)
        if type(predicted_us) is int and predicted_us >= 0:
            return predicted_us
        raise PartError(
            f"{self._who} has predicted {predicted_us!r}; a prediction is a whole number of "
            "microseconds (int), 0 at least"
        )


def _guarded_planner(part: PlannerPart, who: str) -> PlannerPart:
    def make(recipe: Recipe) -> CustomPlanner:
        return _GuardedPlanner(_called(who, part.make, recipe), who)

    return replace(part, make=make)


class _GuardedPlanner:
    """A third party's planner. If the planner fails, or starts a job that cannot start, the error
    names `who`."""

    def __init__(self, planner: CustomPlanner, who: str) -> None:
        self._planner, self._who = planner, who

    def starting(self, view: View) -> Iterator[Job]:
        chosen = _called(self._who, lambda: iter(self._planner.starting(view)))
        while True:
            job = _called(self._who, next, chosen, None)
            if job is None:
                break
            if not isinstance(job, Job) or not view.can_start(job):
                raise PartError(
                    f"{self._who} has failed: it starts {_named(job)}, and no such job waits and "
                    "fits"
                )
            yield job
        wake_us = view.wake_us
        if wake_us is not None and (type(wake_us) is not int or wake_us <= view.now_us):
            raise PartError(f"{self._who} has failed: wake_us={wake_us!r} is no later time")


def _named(job: object) -> str:
    return f"a job of size {job.size}" if isinstance(job, Job) else repr(job)
