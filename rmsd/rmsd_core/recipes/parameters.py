"""What can be said about a recipe after its name: one literal table of parts and parameters.

`docs/recipes.md` and `rmsd recipes --parts` show this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rmsd_core.model_time import SECOND_US, UNLIMITED_US
from rmsd_core.recipes.parts import ORDERS, PREDICTORS
from rmsd_core.recipes.recipe import Recipe

_LARGEST = 1_000_000
_LONGEST_S = UNLIMITED_US // SECOND_US

Fields = dict[str, Any]
Words = Mapping[str, str]


class Group(NamedTuple):
    """Parameters that say more about one part, and mean nothing unless the recipe has it.

    field: where the recipe keeps them. needs: what it must say. matters: whether it does.
    """

    field: str
    needs: str
    matters: Callable[[Recipe], bool]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A part of a recipe, or a number in one.

    name, meaning, source: as written, in words, and where it comes from (see `recipe`).
    parse: what the text after "=" sets in the recipe, or in its part `group`.

        Raises:
            ValueError: it is none of what is allowed; the message says what is.

    text: its value in a recipe, as it is written.
    words: the words it may be, with their meanings. takes: what it may be besides.
    relevant: whether it changes anything in a recipe, its group apart.
    """

    name: str
    meaning: str
    source: str
    parse: Callable[[str], Fields]
    text: Callable[[Recipe], str]
    words: Callable[[], Words] = dict
    takes: str = ""
    group: Group | None = None
    relevant: Callable[[Recipe], bool] = lambda _: True

    @property
    def values(self) -> str:
        """What it may be, in short: `none|queue|shortest`, `SECONDS`."""
        return "|".join([*self.words(), *([self.takes] if self.takes else [])])

    def matters(self, recipe: Recipe) -> bool:
        """Whether it changes anything in this recipe."""
        return (self.group is None or self.group.matters(recipe)) and self.relevant(recipe)


# ---------------------------------------------------------------- values


def _word(field: str, words: Callable[[], Words], **aliases: str) -> Callable[[str], Fields]:
    def parse(text: str) -> Fields:
        word = aliases.get(text, text)
        if word not in words():
            raise ValueError(f"it is one of {', '.join(words())}")
        return {field: word}

    return parse


def _flag(field: str, words: Callable[[], Words], true: str) -> Callable[[str], Fields]:
    parse = _word(field, words)
    return lambda text: {field: parse(text)[field] == true}


def _count(text: str, most: int = _LARGEST) -> int:
    if not _is_whole(text) or not 1 <= int(text) <= most:
        raise ValueError(f"it is a whole number from 1 to {most:,}")
    return int(text)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def _number(text: str, least: float) -> float:
    allowed = f"it is a number from {least:g} to {_LARGEST:,}"
    try:
        number = float(text)
    except ValueError:
        raise ValueError(allowed) from None
    if not least <= number <= _LARGEST:
        raise ValueError(allowed)
    return number


def _factor(field: str) -> Callable[[str], Fields]:
    return lambda text: {field: _number(text, 0.001)}


def _seconds_us(text: str, least_s: int) -> int:
    if not _is_whole(text) or not least_s <= int(text) <= _LONGEST_S:
        raise ValueError(f"it is whole seconds, from {least_s} to {_LONGEST_S:,}")
    return int(text) * SECOND_US


def _reserve(text: str) -> Fields:
    if text in _RESERVE:
        return {"reserve": text, "depth": 1}
    try:
        depth = _count(text)
    except ValueError:
        raise ValueError(f"it is one of {', '.join(_RESERVE)}, or a number of jobs") from None
    return {"reserve": "head" if depth == 1 else "first", "depth": depth}


def _threshold(text: str) -> Fields:
    if text in _THRESHOLD:
        return {"source": text, "values": ()}
    try:
        return {"source": "given", "values": (_number(text, 1),), "differential": False}
    except ValueError as error:
        raise ValueError(f"{error}, or one of {', '.join(_THRESHOLD)}") from None


def _thresholds(text: str) -> Fields:
    if text in _THRESHOLD:
        return {"source": text, "values": (), "differential": True}
    try:
        values = tuple(_number(word, 1) for word in text.split("/"))
    except ValueError:
        values = ()
    if len(values) != 4:
        raise ValueError(
            f"it is four numbers SN/SW/LN/LW from 1 to {_LARGEST:,}, "
            f"or one of {', '.join(_THRESHOLD)}"
        )
    return {"source": "given", "values": values, "differential": True}


def _bounds(text: str) -> Fields:
    lower, slash, upper = text.partition("/")
    if not slash:
        raise ValueError("it is LOWER/UPPER in seconds")
    bounds = {"lower_us": _seconds_us(lower, 1), "upper_us": _seconds_us(upper, 1)}
    if bounds["lower_us"] > bounds["upper_us"]:
        raise ValueError("the lower bound is above the upper one")
    return bounds


def _threshold_text(recipe: Recipe) -> str:
    starvation = recipe.starvation
    return "/".join(_plain(value) for value in starvation.values) or starvation.source


def _in_seconds(us: int) -> str:
    return str(us // SECOND_US)


def _plain(number: float) -> str:
    return str(number).removesuffix(".0")


# ---------------------------------------------------------------- words

_RESERVE = {
    "nobody": "nothing passes the head of the queue",
    "head": "the head of the queue (EASY)",
    "everyone": "every waiting job (conservative)",
    "starved": "jobs whose expansion factor is past a threshold (selective)",
}
_BACKFILL = {
    "none": "nothing starts that is promised nothing",
    "queue": "in the order of the queue",
    "shortest": "the shortest prediction first (SJBF)",
}
_BELIEF = {"prediction": "the system's prediction", "estimate": "the user's estimate"}
_EXTRA = {
    "instant": "whatever is released at the shadow time",
    "needed": "what is released until the head fits (the thesis)",
}
_TYPE = {
    "all": "the user's latest terminated jobs",
    "immediate": "those of the latest that have the new job's estimate",
    "extended": "the latest that have the new job's estimate",
}
_FULLNESS = {"full": "a full window is needed", "partial": "one job is enough"}
_METRIC = {
    "average": "the mean of the run times",
    "median": "their median",
    "minimum": "the shortest",
    "maximum": "the longest",
}
_FALLBACK = {
    "estimate": "the user's estimate",
    "relative": "the estimate times the accuracy the user has shown so far",
}
_PROPAGATE = {
    "yes": "predictions of waiting jobs follow when the user's history grows",
    "no": "a job is predicted once, at its arrival",
}
_CORRECT = {
    "no": "the job counts as about to end",
    "estimate": "the user's estimate",
    "gradual": "1 min more, then 15, 30, 60...",
    "exponential": "20% more each time",
}
_THRESHOLD = {
    "conservative": "mean slowdown of a conservative run of the same trace",
    "well-estimated": "the same, of jobs that ran half their estimate or more",
    "adaptive": "mean slowdown of the jobs that have ended so far",
}


def _orders() -> Words:
    return {order.name: order.source for order in ORDERS.values()}


def _predictors() -> Words:
    return {part.name: part.source for part in PREDICTORS.values()}


# ---------------------------------------------------------------- groups

HISTORY = Group("history", "predict=recent", lambda recipe: recipe.needs_users)
STARVATION = Group("starvation", "reserve=starved", lambda recipe: recipe.reserve == "starved")
SWITCHING = Group("switching", "order=dynp", lambda recipe: recipe.order == "dynp")

# ---------------------------------------------------------------- the table

_TABLE = (
    Parameter(
        "order",
        "who is next",
        "thesis 3.10, 4.4; dynP 2, 5",
        _word("order", _orders, fcfs="arrival", sjf="shortest", ljf="longest"),
        lambda recipe: recipe.order,
        _orders,
    ),
    Parameter(
        "reserve",
        "who is promised a start",
        "thesis 1.1.2; Selective 4.1",
        _reserve,
        lambda recipe: str(recipe.depth) if recipe.reserve == "first" else recipe.reserve,
        lambda: _RESERVE,
        "N",
    ),
    Parameter(
        "backfill",
        "how those are tried that are promised nothing",
        "thesis 4.2.3",
        _word("backfill", lambda: _BACKFILL),
        lambda recipe: recipe.backfill,
        lambda: _BACKFILL,
    ),
    Parameter(
        "fit",
        "by what a backfilled job must end before the reservation",
        "thesis 4.3",
        _word("fit", lambda: _BELIEF),
        lambda recipe: recipe.fit,
        lambda: _BELIEF,
        relevant=lambda recipe: recipe.backfill != "none",
    ),
    Parameter(
        "extra",
        "what leaves room beside the head at its shadow time",
        "thesis 2.3",
        _word("extra", lambda: _EXTRA),
        lambda recipe: recipe.extra,
        lambda: _EXTRA,
        relevant=lambda recipe: recipe.reserve == "head" and recipe.backfill != "none",
    ),
    Parameter(
        "promise",
        "what reported reservations rest on (estimate: double booking)",
        "thesis 4.3",
        _word("promise", lambda: _BELIEF),
        lambda recipe: recipe.promise,
        lambda: _BELIEF,
        relevant=lambda recipe: recipe.reserve != "nobody",
    ),
    Parameter(
        "predict",
        "how long jobs are expected to run",
        "thesis 4.2.1, 4.2.3",
        _word("predict", _predictors),
        lambda recipe: recipe.predict,
        _predictors,
    ),
    Parameter(
        "window",
        "how many terminated jobs a prediction looks at",
        "thesis 4.6",
        lambda text: {"size": _count(text, 1000)},
        lambda recipe: str(recipe.history.size),
        takes="N",
        group=HISTORY,
    ),
    Parameter(
        "type",
        "which of them",
        "thesis 4.5, 4.6",
        _word("type", lambda: _TYPE),
        lambda recipe: recipe.history.type,
        lambda: _TYPE,
        group=HISTORY,
    ),
    Parameter(
        "fullness",
        "how many of them there must be",
        "thesis 4.6",
        _flag("full", lambda: _FULLNESS, "full"),
        lambda recipe: "full" if recipe.history.full else "partial",
        lambda: _FULLNESS,
        group=HISTORY,
    ),
    Parameter(
        "metric",
        "what is made of them",
        "thesis 4.6",
        _word("metric", lambda: _METRIC),
        lambda recipe: recipe.history.metric,
        lambda: _METRIC,
        group=HISTORY,
    ),
    Parameter(
        "fallback",
        "what is expected without them",
        "thesis 4.6",
        _word("fallback", lambda: _FALLBACK),
        lambda recipe: recipe.history.fallback,
        lambda: _FALLBACK,
        group=HISTORY,
    ),
    Parameter(
        "propagate",
        "whether new data changes predictions",
        "thesis 4.6",
        _flag("propagate", lambda: _PROPAGATE, "yes"),
        lambda recipe: "yes" if recipe.history.propagate else "no",
        lambda: _PROPAGATE,
        group=HISTORY,
    ),
    Parameter(
        "times",
        "what predictions are multiplied with",
        "thesis 4.4",
        _factor("times"),
        lambda recipe: _plain(recipe.times),
        takes="X",
    ),
    Parameter(
        "correct",
        "what becomes of an expired prediction",
        "thesis 4.2.2, 4.6",
        _word("correct", lambda: _CORRECT),
        lambda recipe: recipe.correct,
        lambda: _CORRECT,
        relevant=lambda recipe: recipe.reserve != "nobody",
    ),
    Parameter(
        "threshold",
        "the expansion factor past which a job is starved",
        "Selective 4.1, 4.3, 7",
        _threshold,
        _threshold_text,
        lambda: _THRESHOLD,
        "X",
        group=STARVATION,
        relevant=lambda recipe: not recipe.starvation.differential,
    ),
    Parameter(
        "thresholds",
        "such a factor for each category of jobs: short or long, narrow or wide",
        "Selective 4.1",
        _thresholds,
        _threshold_text,
        lambda: _THRESHOLD,
        "SN/SW/LN/LW",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.differential,
    ),
    Parameter(
        "scale",
        "what the mean slowdown is multiplied with",
        "Selective 7",
        _factor("scale"),
        lambda recipe: _plain(recipe.starvation.scale),
        takes="X",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.source != "given",
    ),
    Parameter(
        "long",
        "longer predictions are long",
        "Selective 2.1",
        lambda text: {"long_us": _seconds_us(text, 1)},
        lambda recipe: _in_seconds(recipe.starvation.long_us),
        takes="SECONDS",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.differential,
    ),
    Parameter(
        "wide",
        "larger sizes are wide",
        "Selective 2.1",
        lambda text: {"wide": _count(text)},
        lambda recipe: str(recipe.starvation.wide),
        takes="N",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.differential,
    ),
    Parameter(
        "bounds",
        "the mean prediction up to which the order is shortest, and arrival; above, longest",
        "dynP 5",
        _bounds,
        lambda recipe: "/".join(
            map(_in_seconds, (recipe.switching.lower_us, recipe.switching.upper_us))
        ),
        takes="LOWER/UPPER",
        group=SWITCHING,
    ),
    Parameter(
        "min-queue",
        "with fewer waiting jobs the order stays",
        "dynP 5",
        lambda text: {"min_queue": _count(text)},
        lambda recipe: str(recipe.switching.min_queue),
        takes="N",
        group=SWITCHING,
    ),
    Parameter(
        "trial",
        "how long a job's trial run lasts; 0: no trials",
        "Timed 2, 3.1",
        lambda text: {"trial_us": _seconds_us(text, 0)},
        lambda recipe: _in_seconds(recipe.trial_us),
        takes="SECONDS",
    ),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
"""Every override, in the order in which they are listed."""
