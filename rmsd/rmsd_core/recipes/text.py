"""Text to recipe: a preset's name, then overrides after commas.

`selective,threshold=5`, `timed-easy++,trial=60`, `easy++,order=lxfw,times=1.5`. Only contradictions
are refused; the message names the part and says why. Capitals do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from rmsd_core.recipes.parameters import PARAMETERS
from rmsd_core.recipes.presets import ALIASES, PRESETS, TRIAL_US
from rmsd_core.recipes.recipe import Recipe

LIVE_DEPTH = 50
"""The number of reservations that a live cluster keeps unless its recipe says another depth. A pass
over them is short enough for everything else that waits for the daemon (`make bench pass`)."""

_TIMED = "timed-"
_SAYS_DEPTH = "depth="


class RecipeError(ValueError):
    """The recipe does not exist, or its parts contradict each other; the message says which."""


def parse_recipe(text: str) -> Recipe:
    """Return the recipe that `text` describes; its name is the text in its short form.

    Raises:
        RecipeError: no such preset, parameter or value, or parts that cannot be combined.
    """
    name, *overrides = [word.strip() for word in text.strip().lower().split(",")]
    recipe = preset = _preset(name)
    given: dict[str, str] = {}
    try:
        for word in overrides:
            key, value = _split(word)
            if key in given:
                raise RecipeError(f"{key} is given twice")
            given[key] = value
            recipe = _overridden(recipe, key, value)
        recipe = _settled(recipe, given)
        _check(ParsedRecipe(recipe, preset, given))
    except RecipeError as error:
        raise RecipeError(f"recipe '{','.join([name, *overrides])}': {error}") from None
    short = ",".join([name, *(f"{key}={value}" for key, value in given.items())])
    return replace(recipe, name=short)


def _preset(name: str) -> Recipe:
    timed = name.startswith(_TIMED)
    base = name.removeprefix(_TIMED)
    base = ALIASES.get(base, base)
    if base not in PRESETS:
        hint = _as_a_part(base) or _like(base, [*PRESETS, *ALIASES], _TIMED if timed else "")
        raise RecipeError(
            f"no recipe '{name}'{hint}; there are: {', '.join(PRESETS)}, and {_TIMED}X for each "
            "of them"
        )
    recipe = PRESETS[base]
    if timed:
        recipe = replace(recipe, source=f"trial runs over {base}; Timed 2", trial_us=TRIAL_US)
    return recipe


def _as_a_part(word: str) -> str:
    """Return how a recipe is written with this part; "" if there is no such part."""
    keys = [key for key, parameter in PARAMETERS.items() if word in parameter.words()]
    return f" ('{word}' is a part: easy,{keys[0]}={word})" if keys else ""


def _like(word: str, known: Iterable[str], prefix: str = "") -> str:
    """Return a suggestion for a word that is not known."""
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {prefix}{close[0]}?)" if close else ""


def _split(word: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in word.partition("="))
    if not key or not equals or not value:
        raise RecipeError(f"'{word}' is no override; write PART=VALUE, as in trial=90")
    return key, value


def _overridden(recipe: Recipe, key: str, value: str) -> Recipe:
    parameter = PARAMETERS.get(key)
    if parameter is None:
        hint = _like(key, PARAMETERS)
        raise RecipeError(f"no part '{key}'{hint}; there are: {', '.join(PARAMETERS)}")
    try:
        changes = parameter.parse(value)
    except ValueError as error:
        hint = _like(value, parameter.words())
        raise RecipeError(f"{key}={value}: {error}{hint}") from None
    if parameter.group is None:
        return replace(recipe, **changes)
    field = parameter.group.field
    return replace(recipe, **{field: replace(getattr(recipe, field), **changes)})


def _settled(recipe: Recipe, given: dict[str, str]) -> Recipe:
    """Return the recipe with its backfilling set, if the text does not say it but sets `reserve` or
    `depth`."""
    if recipe.has_planner or "backfill" in given or not given.keys() & {"reserve", "depth"}:
        return recipe
    if _leaves_none_to_backfill(recipe):
        return replace(recipe, backfill="none")
    return replace(recipe, backfill="queue" if recipe.backfill == "none" else recipe.backfill)


def _leaves_none_to_backfill(recipe: Recipe) -> bool:
    return recipe.reserve == "nobody" or (recipe.reserve == "everyone" and recipe.depth is None)


def limited(recipe: Recipe) -> Recipe:
    """Return the recipe as a live cluster runs it: with a depth of `LIVE_DEPTH` if it plans for as
    many jobs as wait, and its text says nothing of a depth."""
    if not recipe.plans_for_many or recipe.depth is not None or _SAYS_DEPTH in recipe.name:
        return recipe
    name = f"{recipe.name},{_SAYS_DEPTH}{LIVE_DEPTH}"
    return _settled(replace(recipe, name=name, depth=LIVE_DEPTH), {"depth": str(LIVE_DEPTH)})


# ---------------------------------------------------------------- contradictions


class ParsedRecipe(NamedTuple):
    """A recipe, the preset it comes from, and the overrides that were given."""

    recipe: Recipe
    preset: Recipe
    given: dict[str, str]


class Contradiction(NamedTuple):
    """A combination that is not possible, the reason, and its wording."""

    what: str
    why: str
    holds: Callable[[ParsedRecipe], bool]


_PLANNED = {"reserve", "depth", "backfill", "fit", "extra", "promise"}

CONTRADICTIONS = (
    Contradiction(
        "reserve, depth, backfill, fit, extra, promise, starve or trial beside a planner",
        "the planner decides all of that itself",
        lambda parsed: (
            parsed.recipe.has_planner
            and (
                bool(_PLANNED & parsed.given.keys())
                or parsed.recipe.trial_us > 0
                or parsed.recipe.has_urgent
            )
        ),
    ),
    Contradiction(
        "backfill beside reserve=nobody",
        "without a reservation nothing may pass the head of the queue",
        lambda parsed: parsed.recipe.reserve == "nobody" and parsed.recipe.backfill != "none",
    ),
    Contradiction(
        "backfill beside reserve=everyone without a depth",
        "every job has a reservation, so none is left to be backfilled",
        lambda parsed: (
            parsed.recipe.reserve == "everyone"
            and parsed.recipe.depth is None
            and parsed.recipe.backfill != "none"
        ),
    ),
    Contradiction(
        "depth beside reserve=nobody, head or N",
        "it bounds how many of all jobs, or of the starved, are promised a start",
        lambda parsed: "depth" in parsed.given and not parsed.recipe.plans_for_many,
    ),
    Contradiction(
        "backfill=none beside reserve=starved",
        "jobs that have not waited past the threshold start by backfilling alone",
        lambda parsed: parsed.recipe.promotes and parsed.recipe.backfill == "none",
    ),
    Contradiction(
        "fit=estimate without backfilling",
        "it is about backfilled jobs, and there are none",
        lambda parsed: parsed.recipe.fit == "estimate" and parsed.recipe.backfill == "none",
    ),
    Contradiction(
        "extra=needed without backfilling past the head alone",
        "it is about the free space beside that one reservation",
        lambda parsed: (
            parsed.recipe.extra == "needed"
            and (parsed.recipe.reserve != "head" or parsed.recipe.backfill == "none")
        ),
    ),
    Contradiction(
        "promise=estimate beside reserve=nobody",
        "it is about reservations, and there are none",
        lambda parsed: parsed.recipe.promise == "estimate" and parsed.recipe.reserve == "nobody",
    ),
    Contradiction(
        "correct beside reserve=nobody",
        "nothing is planned, so there are no predictions to correct",
        lambda parsed: parsed.recipe.reserve == "nobody" and parsed.recipe.corrects,
    ),
    Contradiction(
        "correct beside predict=perfect",
        "run times that are known do not expire, there is nothing to correct",
        lambda parsed: (
            parsed.recipe.predict == "perfect"
            and parsed.recipe.times >= 1
            and parsed.recipe.corrects
        ),
    ),
    Contradiction(
        "scale beside a threshold that is given",
        "it multiplies a mean slowdown, and the threshold is a number",
        lambda parsed: (
            parsed.recipe.starvation.source == "given" and parsed.recipe.starvation.scale != 1
        ),
    ),
    Contradiction(
        "threshold beside thresholds",
        "one is for all jobs, the others are for each category; give one",
        lambda parsed: "threshold" in parsed.given and "thresholds" in parsed.given,
    ),
    Contradiction(
        "after beside threshold, thresholds or scale",
        "a job is starved by its wait or by its expansion factor; give one",
        lambda parsed: (
            "after" in parsed.given
            and bool({"threshold", "thresholds", "scale"} & parsed.given.keys())
        ),
    ),
    Contradiction(
        "starve beside reserve=everyone or starved",
        "a job that is promised a start need not precede others for it",
        lambda parsed: parsed.recipe.has_urgent and parsed.recipe.plans_for_many,
    ),
    Contradiction(
        "urgent=estimates without backfilling past the head alone",
        "it is about that one reservation and the jobs that are backfilled beside it",
        lambda parsed: (
            parsed.recipe.has_urgent
            and parsed.recipe.urgency.believes == "estimate"
            and (parsed.recipe.reserve != "head" or parsed.recipe.backfill == "none")
        ),
    ),
    Contradiction(
        "type, fullness or fallback beside predict=matched",
        "its keys say which runs count; without enough of them the estimate is the prediction",
        lambda parsed: (
            parsed.recipe.predict == "matched"
            and bool({"type", "fullness", "fallback"} & parsed.given.keys())
        ),
    ),
    Contradiction(
        "kill without trials or speculation",
        "expired trials and speculations alone are killed for others, and there are none",
        lambda parsed: "kill" in parsed.given and not parsed.recipe.disposes,
    ),
    Contradiction(
        "remaining=yes without trials or speculation",
        "it is about runs that may be killed for others, and there are none",
        lambda parsed: parsed.recipe.remaining and not parsed.recipe.disposes,
    ),
    Contradiction(
        "remaining=yes or speculate=yes beside several reservations",
        "a plan for several jobs is made by whole predictions, and such runs come and go",
        lambda parsed: (
            (parsed.recipe.remaining or parsed.recipe.speculates)
            and parsed.recipe.reserve not in ("nobody", "head")
        ),
    ),
    Contradiction(
        "another order beside dynP",
        "dynP chooses the order itself; for one order say sjf-conservative or the like",
        lambda parsed: parsed.preset.order == "dynp" != parsed.recipe.order,
    ),
)
"""The refused combinations, beside parameters of parts that the recipe does not have."""


def _check(parsed: ParsedRecipe) -> None:
    for contradiction in CONTRADICTIONS:
        if contradiction.holds(parsed):
            raise RecipeError(f"{contradiction.what}: {contradiction.why}")
    for name in parsed.given:
        group = PARAMETERS[name].group
        if group is not None and not group.matters(parsed.recipe):
            raise RecipeError(f"{name} means nothing without {group.needs}")


# ---------------------------------------------------------------- recipe to text


def written_out(recipe: Recipe) -> str:
    """Return the recipe as overrides of `easy`: every parameter that matters and differs."""
    easy = PRESETS["easy"]
    parts = [
        f"{name}={parameter.text(recipe)}"
        for name, parameter in PARAMETERS.items()
        if parameter.matters(recipe)
        and not (parameter.matters(easy) and parameter.text(recipe) == parameter.text(easy))
    ]
    return ",".join(["easy", *parts])
