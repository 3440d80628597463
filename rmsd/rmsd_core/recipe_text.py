"""Text to recipe: a preset's name, then overrides after commas.

`selective,threshold=5`, `timed-easy++,trial=60`, `easy++,order=lxfw,times=1.5`. Only what
contradicts itself is refused; the message names the part and says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rmsd_core.job import SECOND_US, UNLIMITED_US
from rmsd_core.parts import ORDERS, PREDICTORS
from rmsd_core.presets import ALIASES, PRESETS, TRIAL_US
from rmsd_core.recipe import Recipe

_TIMED = "timed-"
_LARGEST = 1_000_000


class RecipeError(ValueError):
    """A recipe that does not exist, or parts that contradict each other; the message says which."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An override. `group` is the recipe's part it belongs to, None for the recipe itself."""

    name: str
    values: str
    meaning: str
    parse: Callable[[str], dict[str, Any]]
    group: str | None = None


def parse_recipe(text: str) -> Recipe:
    """The recipe that `text` describes.

    Raises:
        RecipeError: no such preset, parameter or value, or parts that cannot be combined.
    """
    name, *overrides = [word.strip() for word in text.strip().lower().split(",")]
    recipe = preset = _preset(name)
    given: dict[str, str] = {}
    for word in overrides:
        key, equals, value = word.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not value:
            raise RecipeError(f"'{word}' is no override; write PART=VALUE, as in 'trial=90'")
        if key in given:
            raise RecipeError(f"'{key}' is given twice")
        given[key] = value
    for key, value in given.items():
        recipe = _overridden(recipe, key, value)
    short = ",".join([name, *(f"{key}={value}" for key, value in given.items())])
    recipe = replace(_settled(recipe, given), name=short)
    problem = _contradiction(recipe, preset, given)
    if problem:
        raise RecipeError(f"recipe '{short}': {problem}")
    return recipe


def _preset(name: str) -> Recipe:
    timed = name.startswith(_TIMED)
    base = name.removeprefix(_TIMED)
    base = ALIASES.get(base, base)
    if base not in PRESETS:
        raise RecipeError(
            f"no recipe '{name}'; there are: {', '.join(PRESETS)}, and {_TIMED}X for each of them"
        )
    recipe = PRESETS[base]
    if timed:
        recipe = replace(recipe, source=f"trial runs over {base}; Timed 2", trial_us=TRIAL_US)
    return recipe


def _overridden(recipe: Recipe, key: str, value: str) -> Recipe:
    parameter = PARAMETERS.get(key)
    if parameter is None:
        raise RecipeError(f"no part '{key}'; there are: {', '.join(PARAMETERS)}")
    try:
        changes = parameter.parse(value)
    except ValueError as error:
        detail = str(error) or f"it takes {parameter.values}"
        raise RecipeError(f"{key}={value}: {detail}") from None
    if parameter.group is None:
        return replace(recipe, **changes)
    part = replace(getattr(recipe, parameter.group), **changes)
    return replace(recipe, **{parameter.group: part})


def _settled(recipe: Recipe, given: dict[str, str]) -> Recipe:
    """What the overrides imply for parts that were not named."""
    plans_alone = recipe.reserve in ("nobody", "everyone")
    if plans_alone and "backfill" not in given:
        recipe = replace(recipe, backfill="none")
    elif not plans_alone and recipe.backfill == "none" and "backfill" not in given:
        recipe = replace(recipe, backfill="queue")
    if recipe.reserve == "first" and recipe.depth == 1:
        recipe = replace(recipe, reserve="head")
    return recipe


def _contradiction(recipe: Recipe, preset: Recipe, given: dict[str, str]) -> str | None:
    """Why the parts cannot be combined, or None. docs/recipes.md has the list."""
    if recipe.reserve == "nobody" and recipe.backfill != "none":
        return "without a reservation nothing may pass the head, so there is no backfilling"
    if recipe.reserve == "everyone" and recipe.backfill != "none":
        return "everyone has a reservation, so nobody is left to be backfilled"
    if recipe.predict == "perfect" and recipe.corrects:
        return "perfect predictions do not expire, there is nothing to correct"
    if recipe.reserve == "nobody" and recipe.corrects:
        return "nothing is planned, so there are no predictions to correct"
    if recipe.reserve in ("nobody", "everyone") and recipe.fit == "estimate":
        return "fit=estimate is about backfilled jobs, and there are none"
    if recipe.reserve == "nobody" and recipe.promise == "estimate":
        return "promise=estimate is about reservations, and there are none"
    for names, holds, needed in (
        (_SWITCHING, recipe.order == "dynp", "order=dynp"),
        (_STARVATION, recipe.reserve == "starved", "reserve=starved"),
        (_HISTORY, recipe.predict not in ("estimate", "perfect"), "predict=recent"),
    ):
        stray = [name for name in names if name in given]
        if stray and not holds:
            return f"{stray[0]} needs {needed}"
    if preset.order == "dynp" != recipe.order:
        return "dynP chooses the order itself; for one order say sjf-conservative or the like"
    return _threshold_contradiction(recipe, given)


def _threshold_contradiction(recipe: Recipe, given: dict[str, str]) -> str | None:
    starvation = recipe.starvation
    if "threshold" in given and "thresholds" in given:
        return "threshold is for all jobs, thresholds for each category; give one of them"
    if "scale" in given and starvation.source == "given":
        return "scale multiplies an average, and the threshold is given as a number"
    return None


# ---------------------------------------------------------------- values


def _one_of(field: str, *words: str, **meaning: str) -> Callable[[str], dict[str, Any]]:
    def parse(text: str) -> dict[str, Any]:
        word = meaning.get(text, text)
        if word not in words:
            raise ValueError(f"it is one of {', '.join(words)}")
        return {field: word}

    return parse


def _order(text: str) -> dict[str, Any]:
    word = {"fcfs": "arrival", "sjf": "shortest", "ljf": "longest"}.get(text, text)
    if word not in ORDERS:
        raise ValueError(f"it is one of {', '.join(ORDERS)}")
    return {"order": word}


def _predict(text: str) -> dict[str, Any]:
    if text not in PREDICTORS:
        raise ValueError(f"it is one of {', '.join(PREDICTORS)}")
    return {"predict": text}


def _reserve(text: str) -> dict[str, Any]:
    if text in ("nobody", "head", "everyone", "starved"):
        return {"reserve": text}
    if not text.isdecimal():
        raise ValueError("it is nobody, head, everyone, starved, or a number of jobs")
    return {"reserve": "first", "depth": _count(text)}


def _count(text: str, most: int = _LARGEST) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"it is a whole number from 1 to {most:,}")
    return int(text)


def _window(text: str) -> dict[str, Any]:
    return {"size": _count(text, 1000)}


def _number(text: str, least: float) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"'{text}' is no number") from None
    if not least <= number < math.inf or number > _LARGEST:
        raise ValueError(f"it is a number from {least:g} to {_LARGEST:,}, not {text}")
    return number


def _times(text: str) -> dict[str, Any]:
    number = _number(text, 0)
    if not number:
        raise ValueError("it is above zero")
    return {"times": number}


def _scale(text: str) -> dict[str, Any]:
    return {"scale": _times(text)["times"]}


def _yes_no(field: str) -> Callable[[str], dict[str, Any]]:
    def parse(text: str) -> dict[str, Any]:
        if text not in ("yes", "no"):
            raise ValueError("it is yes or no")
        return {field: text == "yes"}

    return parse


def _seconds(text: str, least: int) -> int:
    """Microseconds."""
    most = UNLIMITED_US // SECOND_US
    if not text.isdecimal() or not least <= int(text) <= most:
        raise ValueError(f"it is whole seconds, at least {least}")
    return int(text) * SECOND_US


def _trial(text: str) -> dict[str, Any]:
    return {"trial_us": _seconds(text, 0)}


def _threshold(text: str) -> dict[str, Any]:
    if text in ("conservative", "well-estimated", "adaptive"):
        return {"source": text, "values": ()}
    return {"source": "given", "values": (_number(text, 1),), "differential": False}


def _thresholds(text: str) -> dict[str, Any]:
    if text in ("conservative", "well-estimated", "adaptive"):
        return {"source": text, "values": (), "differential": True}
    values = tuple(_number(word, 1) for word in text.split("/"))
    if len(values) != 4:
        raise ValueError("it is four numbers, SN/SW/LN/LW")
    return {"source": "given", "values": values, "differential": True}


def _long(text: str) -> dict[str, Any]:
    return {"long_us": _seconds(text, 1)}


def _wide(text: str) -> dict[str, Any]:
    return {"wide": _count(text)}


def _bounds(text: str) -> dict[str, Any]:
    words = text.split("/")
    if len(words) != 2:
        raise ValueError("it is LOWER/UPPER in seconds")
    lower_us, upper_us = (_seconds(word, 1) for word in words)
    if lower_us > upper_us:
        raise ValueError("the lower bound is above the upper one")
    return {"lower_us": lower_us, "upper_us": upper_us}


def _min_queue(text: str) -> dict[str, Any]:
    return {"min_queue": _count(text)}


_HISTORY = ("window", "type", "fullness", "metric", "fallback", "propagate")
_STARVATION = ("threshold", "thresholds", "scale", "long", "wide")
_SWITCHING = ("bounds", "min-queue")

_TABLE: Sequence[Parameter] = (
    Parameter("order", "arrival|shortest|longest|lxfw|dynp", "who is next", _order),
    Parameter("reserve", "nobody|head|N|everyone|starved", "who is promised a start", _reserve),
    Parameter(
        "backfill",
        "none|queue|shortest",
        "the order in which the others are tried",
        _one_of("backfill", "none", "queue", "shortest"),
    ),
    Parameter(
        "fit",
        "prediction|estimate",
        "whose end must come before the reservation (thesis 4.3)",
        _one_of("fit", "prediction", "estimate"),
    ),
    Parameter(
        "promise",
        "prediction|estimate",
        "what reported reservations rest on (double booking, thesis 4.3)",
        _one_of("promise", "prediction", "estimate"),
    ),
    Parameter("predict", "estimate|recent|perfect", "the expected run time", _predict),
    Parameter("window", "1..1000", "latest jobs of the user that count", _window, "history"),
    Parameter(
        "type",
        "all|immediate|extended",
        "all, those alike among them, or the latest alike",
        _one_of("type", "all", "immediate", "extended"),
        "history",
    ),
    Parameter(
        "fullness",
        "full|partial",
        "whether a window that is not full counts",
        lambda text: {"full": _one_of("full", "full", "partial")(text)["full"] == "full"},
        "history",
    ),
    Parameter(
        "metric",
        "average|median|minimum|maximum",
        "what is made of the window",
        _one_of("metric", "average", "median", "minimum", "maximum"),
        "history",
    ),
    Parameter(
        "fallback",
        "estimate|relative",
        "without a window: the estimate, or scaled by past accuracy",
        _one_of("fallback", "estimate", "relative"),
        "history",
    ),
    Parameter(
        "propagate",
        "yes|no",
        "whether predictions of waiting jobs follow",
        _yes_no("propagate"),
        "history",
    ),
    Parameter("times", "X", "what predictions are multiplied with", _times),
    Parameter(
        "correct",
        "no|estimate|gradual|exponential",
        "what an expired prediction becomes",
        _one_of("correct", "no", "estimate", "gradual", "exponential"),
    ),
    Parameter(
        "threshold",
        "X|conservative|well-estimated|adaptive",
        "expansion factor past which a start is promised",
        _threshold,
        "starvation",
    ),
    Parameter(
        "thresholds",
        "SN/SW/LN/LW|conservative|...",
        "the same for each category",
        _thresholds,
        "starvation",
    ),
    Parameter("scale", "X", "what the average slowdown is multiplied with", _scale, "starvation"),
    Parameter("long", "SECONDS", "longer predictions are long (3600)", _long, "starvation"),
    Parameter("wide", "N", "larger sizes are wide (8)", _wide, "starvation"),
    Parameter("bounds", "LOWER/UPPER", "dynP's, in seconds (7200/9000)", _bounds, "switching"),
    Parameter("min-queue", "N", "below that dynP stays (5)", _min_queue, "switching"),
    Parameter("trial", "SECONDS", "length of trial runs; 0: none", _trial),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
"""Every override, in the order in which they are listed."""
