"""Recipes as text: presets, aliases, overrides, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.aged_area import AgedArea
from rmsd_core.recipes.parameters import PARAMETERS
from rmsd_core.recipes.presets import ALIASES, PRESETS
from rmsd_core.recipes.recipe import History, Recipe, Starvation, Switching
from rmsd_core.recipes.text import (
    CONTRADICTIONS,
    LIVE_DEPTH,
    RecipeError,
    limited,
    parse_recipe,
    written_out,
)
from tests.fuzz import notations

S = SECOND_US


def parts(recipe: Recipe) -> Recipe:
    """Return the recipe without its name."""
    return replace(recipe, name="", source="")


def refused(text: str) -> str:
    with pytest.raises(RecipeError) as error:
        parse_recipe(text)
    return str(error.value)


# ---------------------------------------------------------------- presets


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_recipe_alone_and_with_trials(name: str) -> None:
    assert parse_recipe(name) == PRESETS[name]
    timed = parse_recipe(f"timed-{name}")
    assert timed.trial_us == 90 * S
    assert timed.name == f"timed-{name}"
    assert parts(replace(timed, trial_us=PRESETS[name].trial_us)) == parts(PRESETS[name])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("86400", 86400), ("90s", 90), ("30m", 1800), ("24h", 86400), ("2d", 172800)],
)
def test_a_wait_has_a_unit_or_is_in_seconds(text: str, seconds: int) -> None:
    recipe = parse_recipe(f"selective-d,after={text}")
    assert recipe.starvation == Starvation("wait", after_us=seconds * S)
    assert written_out(recipe).endswith(f",after={seconds}")
    assert recipe.why_not_live() is None


@pytest.mark.parametrize("alias", ALIASES)
def test_aliases_keep_their_name(alias: str) -> None:
    assert parts(parse_recipe(alias)) == parts(PRESETS[ALIASES[alias]])
    assert parse_recipe(alias).name == alias
    assert parse_recipe(f"timed-{alias}").trial_us == 90 * S


@pytest.mark.parametrize(
    "name",
    [
        *PRESETS,
        "timed-selective",
        "easy++,window=9,metric=median",
        "selective,after=2d",
        "rmsd-gentle,floor=1h",
        "rmsd,ceiling=26h",
    ],
)
def test_a_recipe_written_out_is_the_same(name: str) -> None:
    recipe = parse_recipe(name)
    text = written_out(recipe)
    assert text.partition(",")[0] == "easy"
    assert parts(parse_recipe(text)) == parts(recipe)


# ---------------------------------------------------------------- depth


def test_jobs_beyond_a_depth_are_backfilled() -> None:
    assert parse_recipe("conservative,depth=7").backfill == "queue"
    assert parse_recipe("conservative,depth=7,backfill=none").backfill == "none"
    assert parse_recipe("conservative,depth=unlimited").backfill == "none"
    one, other = "easy,depth=7,reserve=everyone", "easy,reserve=everyone,depth=7"
    assert parts(parse_recipe(one)) == parts(parse_recipe(other))


@pytest.mark.parametrize("name", [*PRESETS, "timed-conservative", "easy,reserve=5"])
def test_a_live_recipe_has_a_bounded_depth_and_says_so(name: str) -> None:
    recipe = parse_recipe(name)
    live = limited(recipe)
    if recipe.reserve in ("everyone", "starved"):
        assert live.depth == LIVE_DEPTH
        assert live.name == f"{name},depth={LIVE_DEPTH}"
    else:
        assert live == recipe
    assert parse_recipe(live.name) == live


@pytest.mark.parametrize("name", ["conservative,depth=7", "selective,depth=unlimited"])
def test_a_depth_that_is_given_holds_live(name: str) -> None:
    assert limited(parse_recipe(name)) == parse_recipe(name)


# ---------------------------------------------------------------- overrides


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("easy,order=sjf", {"order": "shortest"}),
        ("easy,order=fcfs", {}),
        ("easy,order=ljf", {"order": "longest"}),
        ("easy,order=dynp", {"order": "dynp"}),
        ("easy,reserve=1", {}),
        ("easy,reserve=4", {"reserve": "first", "depth": 4}),
        ("easy,reserve=nobody", {"reserve": "nobody", "backfill": "none"}),
        ("easy,reserve=everyone", {"reserve": "everyone", "backfill": "none"}),
        ("fcfs,reserve=head", {}),
        ("easy-sjbf,reserve=3", {"reserve": "first", "depth": 3, "backfill": "shortest"}),
        ("easy,backfill=none", {"backfill": "none"}),
        ("easy,fit=estimate", {"fit": "estimate"}),
        ("easy,extra=needed", {"extra": "needed"}),
        ("easy,order=wfp3,backfill=saf", {"order": "wfp3", "backfill": "saf"}),
        (
            "easy,order=aged-area,exponent=0.5,constant=0",
            {"order": "aged-area", "aging": AgedArea(0.5, 0)},
        ),
        ("easy,backfill=aged-area", {"backfill": "aged-area"}),
        ("easy,promise=estimate", {"promise": "estimate"}),
        ("easy,times=1.5", {"times": 1.5}),
        ("easy,trial=60", {"trial_us": 60 * S}),
        ("timed-easy,trial=0", {}),
        ("timed-easy,kill=least-elapsed", {"trial_us": 90 * S, "kill": "least-elapsed"}),
        (" Easy , ORDER = SJF ", {"order": "shortest"}),
        (
            "easy,predict=recent,window=30,type=extended,fullness=partial,metric=maximum,"
            "fallback=relative,propagate=yes",
            {
                "predict": "recent",
                "history": History(30, "extended", False, "maximum", "relative", True),
            },
        ),
        (
            "dynp,bounds=60/90,min-queue=2",
            {
                "order": "dynp",
                "reserve": "everyone",
                "backfill": "none",
                "switching": Switching(60 * S, 90 * S, 2),
            },
        ),
        (
            "selective,threshold=5",
            {"reserve": "starved", "starvation": Starvation("given", (5.0,))},
        ),
        (
            "selective-d,thresholds=3.55/21.53/1.35/2.27,long=60,wide=64",
            {
                "reserve": "starved",
                "starvation": Starvation(
                    "given", (3.55, 21.53, 1.35, 2.27), True, long_us=60 * S, wide=64
                ),
            },
        ),
        (
            "selective,thresholds=well-estimated,scale=2",
            {
                "reserve": "starved",
                "starvation": Starvation("well-estimated", differential=True, scale=2.0),
            },
        ),
        (
            "selective-a,threshold=adaptive,scale=0.5",
            {"reserve": "starved", "starvation": Starvation("adaptive", scale=0.5)},
        ),
        ("perfect++,times=0.5,correct=estimate", {
            "backfill": "shortest", "predict": "perfect", "times": 0.5, "correct": "estimate"
        }),
    ],
)  # fmt: skip
def test_overrides(text: str, changes: dict[str, object]) -> None:
    assert parts(parse_recipe(text)) == parts(replace(PRESETS["easy"], **changes))  # type: ignore[arg-type]


def test_the_name_is_the_text_in_short() -> None:
    assert parse_recipe(" EASY++ , trial = 90").name == "easy++,trial=90"


# ---------------------------------------------------------------- what is refused

CONTRADICTORY = {
    "backfill beside reserve=nobody": ["fcfs,backfill=queue", "easy,reserve=nobody,backfill=queue"],
    "backfill beside reserve=everyone without a depth": [
        "conservative,backfill=shortest",
        "conservative,depth=unlimited,backfill=queue",
    ],
    "depth beside reserve=nobody, head or N": [
        "easy,depth=5",
        "fcfs,depth=unlimited",
        "conservative,reserve=3,depth=5",
    ],
    "backfill=none beside reserve=starved": [
        "selective,backfill=none",
        "easy,reserve=starved,backfill=none",
    ],
    "extra=needed without backfilling past the head alone": [
        "conservative,extra=needed",
        "easy,reserve=2,extra=needed",
        "easy,backfill=none,extra=needed",
    ],
    "fit=estimate without backfilling": [
        "conservative,fit=estimate",
        "fcfs,fit=estimate",
        "easy,backfill=none,fit=estimate",
    ],
    "promise=estimate beside reserve=nobody": ["fcfs,promise=estimate"],
    "correct beside reserve=nobody": ["fcfs,correct=estimate", "easy++,reserve=nobody"],
    "correct beside predict=perfect": ["perfect++,correct=gradual", "easy+,predict=perfect"],
    "scale beside a threshold that is given": [
        "selective,threshold=5,scale=2",
        "selective-sa,thresholds=5/5/5/5",
    ],
    "threshold beside thresholds": ["selective,threshold=5,thresholds=1/2/3/4"],
    "after beside threshold, thresholds or scale": [
        "selective,after=24h,threshold=5",
        "selective-d,thresholds=1/2/3/4,after=60",
        "selective-a,after=60,scale=2",
    ],
    "starve beside reserve=everyone or starved": [
        "conservative,starve=virtual-easy",
        "rmsd-gentle,reserve=starved,threshold=5",
    ],
    "urgent=estimates without backfilling past the head alone": [
        "rmsd-gentle,reserve=2",
        "fcfs,starve=virtual-easy,urgent=estimates",
    ],
    "type, fullness or fallback beside predict=matched": [
        "rmsd-gentle,type=extended",
        "easy++,predict=matched,fullness=partial",
        "easy+,predict=matched,fallback=relative",
    ],
    "kill without trials or speculation": [
        "easy,kill=least-elapsed",
        "timed-easy,trial=0,kill=longest-expired",
    ],
    "remaining=yes without trials or speculation": ["easy,remaining=yes"],
    "remaining=yes or speculate=yes beside several reservations": [
        "conservative,speculate=yes",
        "timed-easy,reserve=2,remaining=yes",
    ],
    "another order beside dynP": ["dynp,order=sjf", "timed-dynp,order=lxfw"],
}


# A planner is always a third party's: tests/cli/test_own_parts.py has this one.
BESIDE_PLANNERS = "reserve, depth, backfill, fit, extra, promise, starve or trial beside a planner"


def test_every_contradiction_has_an_example() -> None:
    told = {contradiction.what for contradiction in CONTRADICTIONS}
    assert set(CONTRADICTORY) | {BESIDE_PLANNERS} == told


@pytest.mark.parametrize(
    "contradiction",
    [one for one in CONTRADICTIONS if one.what != BESIDE_PLANNERS],
    ids=lambda one: one.what,
)
def test_contradictions_are_told_with_their_reason(contradiction: object) -> None:
    what, why, _ = contradiction  # type: ignore[misc]
    for text in CONTRADICTORY[what]:
        assert refused(text) == f"recipe '{text}': {what}: {why}"


def test_no_preset_contradicts_itself_and_hard_combinations_are_none() -> None:
    for text in (
        "timed-perfect++",
        "timed-selective-d,order=lxfw,predict=recent,correct=exponential",
        "sjf-conservative,predict=recent,correct=gradual,times=2",
        "dynp,reserve=head,trial=30",
        "selective,reserve=starved,backfill=shortest",
        "fcfs,order=lxfw",
    ):
        parse_recipe(text)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("easy,window=3", "predict=recent"),
        ("easy,order=saf,exponent=1", "order=aged-area or backfill=aged-area"),
        ("easy,constant=1", "order=aged-area or backfill=aged-area"),
        ("perfect++,metric=median", "predict=recent"),
        ("easy,threshold=3", "reserve=starved"),
        ("easy,wide=3", "reserve=starved"),
        ("easy,after=24h", "reserve=starved"),
        ("easy,fraction=0.5", "starve=virtual-easy"),
        ("easy,floor=1h", "starve=virtual-easy"),
        ("easy,ceiling=1h", "starve=virtual-easy"),
        ("easy,urgent=estimates", "starve=virtual-easy"),
        ("easy++,keys=user", "predict=matched"),
        ("timed-easy,survived=no", "predict=matched"),
        ("easy,bounds=1/2", "order=dynp"),
        ("dynp,order=sjf,min-queue=2", "order=dynp"),
    ],
)
def test_a_parameter_of_a_part_that_is_missing(text: str, needed: str) -> None:
    said = refused(text)
    assert f"recipe '{text}': " in said
    if "order=sjf" not in text:
        parameter = text.split(",")[-1].partition("=")[0]
        assert f"{parameter} means nothing without {needed}" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("eesy", "no recipe 'eesy' (did you mean easy?); there are: fcfs, easy,"),
        ("timed-eesy", "no recipe 'timed-eesy' (did you mean timed-easy?)"),
        ("timed-timed-easy", "no recipe 'timed-timed-easy'"),
        ("wfp3", "no recipe 'wfp3' ('wfp3' is a part: easy,order=wfp3)"),
        ("", "no recipe ''"),
        ("easy,windw=3", "no part 'windw' (did you mean window?); there are: order, reserve"),
        ("easy,order=shorter", "order=shorter: it is one of arrival, shortest, longest, lxfw"),
        ("easy,order=shorter", "(did you mean shortest?)"),
        ("easy,trial", "'trial' is no override; write PART=VALUE"),
        ("easy,trial=", "'trial=' is no override"),
        ("easy,=3", "'=3' is no override"),
        ("easy,", "'' is no override"),
        ("easy,trial=1,trial=2", "trial is given twice"),
        ("easy,trial=-1", "trial=-1: it is whole seconds, from 0 to 9,007,199,254"),
        ("easy,trial=1.5", "trial=1.5: it is whole seconds"),
        ("easy,trial=" + "9" * 5000, "it is whole seconds"),
        ("easy,reserve=0", "reserve=0: it is one of nobody, head, everyone, starved, or a number"),
        ("easy++,window=0", "window=0: it is a whole number from 1 to 1,000"),
        ("easy++,window=1001", "window=1001: it is a whole number from 1 to 1,000"),
        ("easy,order=aged-area,exponent=-1", "exponent=-1: it is a number from 0 to 10"),
        ("easy,order=aged-area,exponent=10.1", "exponent=10.1: it is a number from 0 to 10"),
        ("easy,order=aged-area,constant=-1", "constant=-1: it is whole seconds, from 0"),
        ("easy,times=0", "times=0: it is a number from 0.001 to 1,000,000"),
        ("easy,times=inf", "times=inf: it is a number"),
        ("easy,times=nan", "times=nan: it is a number"),
        ("selective,threshold=0.99", "threshold=0.99: it is a number from 1 to 1,000,000, or one"),
        ("selective,threshold=1e9", "threshold=1e9: it is a number from 1 to 1,000,000"),
        ("selective,threshold=adaptiv", "(did you mean adaptive?)"),
        ("selective,after=0", "after=0: it is whole seconds, from 1 to 9,007,199,254, or a number"),
        ("selective,after=1w", "after=1w: it is whole seconds"),
        ("selective,after=h", "after=h: it is whole seconds"),
        ("selective,after=99999999d", "or a number with a unit, as in 24h"),
        ("selective-d,thresholds=1/2/3", "thresholds=1/2/3: it is four numbers SN/SW/LN/LW"),
        ("selective-d,thresholds=1/2/3/0", "it is four numbers SN/SW/LN/LW from 1"),
        ("rmsd-gentle,fraction=0", "fraction=0: it is a number from 0.001"),
        ("rmsd-gentle,floor=-1", "floor=-1: it is whole seconds, from 0 to"),
        ("rmsd-gentle,urgent=estimate", "urgent=estimate: it is one of predictions, estimates"),
        ("rmsd-gentle,urgent=estimate", "(did you mean estimates?)"),
        ("rmsd-gentle,keys=size", "keys=size: it is one or more of user+estimate+size, user+e"),
        ("rmsd-gentle,keys=user/user", "with / between them, each once"),
        ("dynp,bounds=9", "bounds=9: it is LOWER/UPPER in seconds"),
        ("dynp,bounds=9/2", "bounds=9/2: the lower bound is above the upper one"),
        ("dynp,bounds=1/x", "bounds=1/x: it is whole seconds"),
    ],
)  # fmt: skip
def test_errors_name_what_is_wrong_and_what_is_allowed(text: str, said: str) -> None:
    assert said in refused(text)
    assert text.strip().lower() in refused(text)


_words = st.sampled_from(
    [word for parameter in PARAMETERS.values() for word in parameter.words()]
    + ["1", "0", "-1", "2.5", "1/2", "3.55/21.53/1.35/2.27", "1e400", "nan", "²", "\u0661", "", "x"]
)
_overrides = st.lists(st.tuples(st.sampled_from([*PARAMETERS, "x", ""]), _words | st.text()))
_texts = st.builds(
    lambda name, given: ",".join([name, *(f"{key}={value}" for key, value in given)]),
    st.sampled_from([*PRESETS, *ALIASES]).flatmap(lambda x: st.sampled_from([x, f"timed-{x}"])),
    _overrides,
)


@given(_texts | st.text())
def test_whatever_is_said_is_a_recipe_or_an_explained_error(text: str) -> None:
    notations.recipe(text)


# ---------------------------------------------------------------- live


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("perfect++", "predict=perfect"),
        ("timed-x2perf", "predict=perfect"),
        ("selective", "conservative run"),
        ("selective-d,thresholds=well-estimated", "conservative run"),
        ("selective,threshold=5", None),
        ("selective-a", None),
        ("timed-easy++", None),
        ("dynp", None),
        ("easy,threshold=5,reserve=starved", None),
    ],
)
def test_what_cannot_run_live_says_why(text: str, why: str | None) -> None:
    told = parse_recipe(text).why_not_live()
    assert told is None if why is None else why in (told or "")


def test_predictions_from_history_need_users() -> None:
    assert {name for name, recipe in PRESETS.items() if recipe.needs_users} == {
        "easy-pred", "easy+", "easy++", "x2+", "x2++", "sjf+", "thesis-x2+", "thesis-x2++",
        "fair-share", "rmsd", "rmsd-even", "rmsd-gentle",
    }  # fmt: skip
