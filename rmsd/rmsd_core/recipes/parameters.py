"""The parameters of recipes, which follow the name: one literal table.

`docs/recipes.md` and `rmsd recipes --parts` show this table.
"""

from __future__ import annotations

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes import parameter_values as parse
from rmsd_core.recipes import parameter_words as words
from rmsd_core.recipes.parameter import Group, Parameter
from rmsd_core.recipes.recipe import Recipe

HISTORY = Group("history", "predict=recent", lambda recipe: recipe.learns)
MATCHING = Group("history", "predict=matched", lambda recipe: recipe.predict == "matched")
STARVATION = Group("starvation", "reserve=starved", lambda recipe: recipe.reserve == "starved")
WEIGHTS = Group("weights", "order=priority", lambda recipe: recipe.order == "priority")
URGENCY = Group("urgency", "starve=virtual-easy", lambda recipe: recipe.has_urgent)
AGING = Group(
    "aging",
    "order=aged-area or backfill=aged-area",
    lambda recipe: "aged-area" in (recipe.order, recipe.backfill),
)
SWITCHING = Group("switching", "order=dynp", lambda recipe: recipe.order == "dynp")


def _threshold_text(recipe: Recipe) -> str:
    starvation = recipe.starvation
    return "/".join(_plain(value) for value in starvation.values) or starvation.source


def _in_seconds(us: int) -> str:
    return str(us // SECOND_US)


def _plain(number: float) -> str:
    return str(number).removesuffix(".0")


_TABLE = (
    Parameter(
        "order",
        "who is next",
        "thesis 3.10, 4.4; dynP 2, 5; SC'17",
        parse.word("order", words.orders, fcfs="arrival", sjf="shortest", ljf="longest"),
        lambda recipe: recipe.order,
        words.orders,
    ),
    Parameter(
        "reserve",
        "the jobs that are promised a start",
        "thesis 1.1.2; Selective 4.1",
        parse.reserve,
        lambda recipe: str(recipe.depth) if recipe.reserve == "first" else recipe.reserve,
        words.reserves,
        "N",
        relevant=lambda recipe: not recipe.has_planner,
    ),
    Parameter(
        "depth",
        "how many jobs are promised a start at most; those beyond are backfilled",
        "-",
        parse.depth,
        lambda recipe: "unlimited" if recipe.depth is None else str(recipe.depth),
        lambda: words.DEPTH,
        "N",
        relevant=lambda recipe: recipe.plans_for_many,
    ),
    Parameter(
        "backfill",
        "how those are tried that are promised nothing",
        "thesis 4.2.3",
        parse.word("backfill", words.backfills),
        lambda recipe: recipe.backfill,
        words.backfills,
        relevant=lambda recipe: not recipe.has_planner,
    ),
    Parameter(
        "fit",
        "the length by which a backfilled job must end before the reservation",
        "thesis 4.3",
        parse.word("fit", lambda: words.BELIEF),
        lambda recipe: recipe.fit,
        lambda: words.BELIEF,
        relevant=lambda recipe: recipe.backfill != "none",
    ),
    Parameter(
        "extra",
        "the releases that leave space beside the head at its shadow time",
        "thesis 2.3",
        parse.word("extra", lambda: words.EXTRA),
        lambda recipe: recipe.extra,
        lambda: words.EXTRA,
        relevant=lambda recipe: recipe.reserve == "head" and recipe.backfill != "none",
    ),
    Parameter(
        "promise",
        "the run times that reported reservations rest on (estimate: double booking)",
        "thesis 4.3",
        parse.word("promise", lambda: words.BELIEF),
        lambda recipe: recipe.promise,
        lambda: words.BELIEF,
        relevant=lambda recipe: recipe.reserve != "nobody" and not recipe.has_planner,
    ),
    Parameter(
        "predict",
        "how long jobs are expected to run",
        "thesis 4.2.1, 4.2.3",
        parse.word("predict", words.predictors),
        lambda recipe: recipe.predict,
        words.predictors,
    ),
    Parameter(
        "window",
        "how many terminated jobs a prediction looks at",
        "thesis 4.6",
        lambda text: {"size": parse.count(text, 1000)},
        lambda recipe: str(recipe.history.size),
        takes="N",
        group=HISTORY,
    ),
    Parameter(
        "type",
        "which of them",
        "thesis 4.5, 4.6",
        parse.word("type", lambda: words.TYPE),
        lambda recipe: recipe.history.type,
        lambda: words.TYPE,
        group=HISTORY,
        relevant=lambda recipe: recipe.predict != "matched",
    ),
    Parameter(
        "fullness",
        "how many of them there must be",
        "thesis 4.6",
        parse.flag("full", lambda: words.FULLNESS, "full"),
        lambda recipe: "full" if recipe.history.full else "partial",
        lambda: words.FULLNESS,
        group=HISTORY,
        relevant=lambda recipe: recipe.predict != "matched",
    ),
    Parameter(
        "metric",
        "the metric of their run times",
        "thesis 4.6",
        parse.word("metric", lambda: words.METRIC),
        lambda recipe: recipe.history.metric,
        lambda: words.METRIC,
        group=HISTORY,
    ),
    Parameter(
        "fallback",
        "the prediction without them",
        "thesis 4.6",
        parse.word("fallback", lambda: words.FALLBACK),
        lambda recipe: recipe.history.fallback,
        lambda: words.FALLBACK,
        group=HISTORY,
        relevant=lambda recipe: recipe.predict != "matched",
    ),
    Parameter(
        "propagate",
        "whether new data changes predictions",
        "thesis 4.6",
        parse.flag("propagate", lambda: words.PROPAGATE, "yes"),
        lambda recipe: "yes" if recipe.history.propagate else "no",
        lambda: words.PROPAGATE,
        group=HISTORY,
    ),
    Parameter(
        "keys",
        "what a run and the job have in common; the first with enough runs counts",
        "JSSPP'98",
        parse.keys,
        lambda recipe: "/".join(recipe.history.keys),
        takes="KEY[/KEY...]",
        group=MATCHING,
    ),
    Parameter(
        "survived",
        "whether runs count that are no longer than what the job has survived",
        "-",
        parse.flag("survived", lambda: words.SURVIVED, "yes"),
        lambda recipe: "yes" if recipe.history.survived else "no",
        lambda: words.SURVIVED,
        group=MATCHING,
        relevant=lambda recipe: recipe.disposes,
    ),
    Parameter(
        "times",
        "the factor of all predictions",
        "thesis 4.4",
        parse.factor("times"),
        lambda recipe: _plain(recipe.times),
        takes="X",
    ),
    Parameter(
        "correct",
        "the replacement of an expired prediction",
        "thesis 4.2.2, 4.6",
        parse.word("correct", words.corrections),
        lambda recipe: recipe.correct,
        words.corrections,
        relevant=lambda recipe: recipe.reserve != "nobody",
    ),
    Parameter(
        "threshold",
        "the expansion factor past which a job is starved",
        "Selective 4.1, 4.3, 7",
        parse.threshold,
        _threshold_text,
        lambda: words.THRESHOLD,
        "X",
        group=STARVATION,
        relevant=lambda recipe: (
            not recipe.starvation.differential and recipe.starvation.source != "wait"
        ),
    ),
    Parameter(
        "thresholds",
        "such a factor for each category of jobs: short or long, narrow or wide",
        "Selective 4.1",
        parse.thresholds,
        _threshold_text,
        lambda: words.THRESHOLD,
        "SN/SW/LN/LW",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.differential,
    ),
    Parameter(
        "scale",
        "the factor of the mean slowdown",
        "Selective 7",
        parse.factor("scale"),
        lambda recipe: _plain(recipe.starvation.scale),
        takes="X",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.source not in ("given", "wait"),
    ),
    Parameter(
        "after",
        "the wait past which a job is starved, instead of an expansion factor",
        "-",
        parse.after,
        lambda recipe: _in_seconds(recipe.starvation.after_us),
        takes="SECONDS",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.source == "wait",
    ),
    Parameter(
        "long",
        "longer predictions are long",
        "Selective 2.1",
        lambda text: {"long_us": parse.seconds_us(text, 1)},
        lambda recipe: _in_seconds(recipe.starvation.long_us),
        takes="SECONDS",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.differential,
    ),
    Parameter(
        "wide",
        "larger sizes are wide",
        "Selective 2.1",
        lambda text: {"wide": parse.count(text)},
        lambda recipe: str(recipe.starvation.wide),
        takes="N",
        group=STARVATION,
        relevant=lambda recipe: recipe.starvation.differential,
    ),
    Parameter(
        "bounds",
        "the mean prediction up to which the order is shortest, and arrival; above, longest",
        "dynP 5",
        parse.bounds,
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
        lambda text: {"min_queue": parse.count(text)},
        lambda recipe: str(recipe.switching.min_queue),
        takes="N",
        group=SWITCHING,
    ),
    Parameter(
        "exponent",
        "the exponent of the size of a job in its area",
        "-",
        parse.exponent,
        lambda recipe: _plain(recipe.aging.exponent),
        takes="X",
        group=AGING,
    ),
    Parameter(
        "constant",
        "what is added to each wait",
        "-",
        lambda text: {"constant_s": parse.seconds_us(text, 0) // SECOND_US},
        lambda recipe: str(recipe.aging.constant_s),
        takes="SECONDS",
        group=AGING,
    ),
    Parameter(
        "age",
        "the points for each day that a job has waited",
        "Slurm, multifactor",
        lambda text: {"age": parse.points(text)},
        lambda recipe: str(recipe.weights.age),
        takes="N",
        group=WEIGHTS,
    ),
    Parameter(
        "size",
        "the points for each processor of a job",
        "Slurm, multifactor",
        lambda text: {"size": parse.points(text)},
        lambda recipe: str(recipe.weights.size),
        takes="N",
        group=WEIGHTS,
    ),
    Parameter(
        "share",
        "the points for the fair-share factor, which is 1 for users without usage, and less else",
        "Slurm, multifactor",
        lambda text: {"share": parse.points(text)},
        lambda recipe: str(recipe.weights.share),
        takes="N",
        group=WEIGHTS,
    ),
    Parameter(
        "by",
        "the usage that counts in the fair-share factor",
        "Slurm, multifactor",
        parse.word("by", lambda: words.BY),
        lambda recipe: recipe.weights.by,
        lambda: words.BY,
        group=WEIGHTS,
        relevant=lambda recipe: recipe.weights.share > 0,
    ),
    Parameter(
        "half-life",
        "the time in which usage decays to a half",
        "Slurm, multifactor",
        lambda text: {"half_life_us": parse.seconds_us(text, 1)},
        lambda recipe: _in_seconds(recipe.weights.half_life_us),
        takes="SECONDS",
        group=WEIGHTS,
        relevant=lambda recipe: recipe.weights.share > 0,
    ),
    Parameter(
        "starve",
        "the jobs that have waited for too long, and precede all others",
        "-",
        parse.word("starve", lambda: words.STARVE),
        lambda recipe: recipe.starve,
        lambda: words.STARVE,
    ),
    Parameter(
        "fraction",
        "the part of the longest wait under the virtual EASY that is too long",
        "-",
        parse.factor("fraction"),
        lambda recipe: _plain(recipe.urgency.fraction),
        takes="X",
        group=URGENCY,
    ),
    Parameter(
        "floor",
        "the wait up to which no job is urgent",
        "-",
        lambda text: {"floor_us": parse.time_us(text, 0)},
        lambda recipe: _in_seconds(recipe.urgency.floor_us),
        takes="SECONDS",
        group=URGENCY,
    ),
    Parameter(
        "urgent",
        "what the reservation of an urgent head rests on",
        "-",
        parse.believes,
        lambda recipe: f"{recipe.urgency.believes}s",
        lambda: words.URGENT,
        group=URGENCY,
    ),
    Parameter(
        "planner",
        "what plans instead of reservations and backfilling",
        "-",
        parse.planner,
        lambda recipe: recipe.planner,
        words.planners,
    ),
    Parameter(
        "trial",
        "how long a job's trial run lasts; 0: no trials",
        "Timed 2, 3.1",
        lambda text: {"trial_us": parse.seconds_us(text, 0)},
        lambda recipe: _in_seconds(recipe.trial_us),
        takes="SECONDS",
    ),
    Parameter(
        "kill",
        "the expired trial that is killed first for others",
        "Timed 2",
        parse.word("kill", lambda: words.KILL),
        lambda recipe: recipe.kill,
        lambda: words.KILL,
        relevant=lambda recipe: recipe.disposes,
    ),
    Parameter(
        "remaining",
        "the length of runs that may be killed for others, in orders and in backfilling",
        "-",
        parse.flag("remaining", lambda: words.REMAINING, "yes"),
        lambda recipe: "yes" if recipe.remaining else "no",
        lambda: words.REMAINING,
        relevant=lambda recipe: recipe.disposes,
    ),
    Parameter(
        "speculate",
        "whether waiting jobs run on what would idle, and may be killed for others",
        "-",
        parse.flag("speculates", lambda: words.SPECULATE, "yes"),
        lambda recipe: "yes" if recipe.speculates else "no",
        lambda: words.SPECULATE,
    ),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
"""Every override, in the order in which they are listed."""
