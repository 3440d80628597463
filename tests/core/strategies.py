"""Random workloads and recipes: small, round numbers, so that ties and full machines are common."""

from __future__ import annotations

from hypothesis import strategies as st

from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import MATCHING_KEYS, Recipe
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob

MACHINE = 8
"""Processors."""

_PUBLISHED = ["aged-area", "saf", "f1", "f2", "f3", "f4", "wfp3", "unicef"]

RESERVES = ("nobody", "head", "2", "3", "everyone", "starved")

OF_EACH_PLAN = (
    "fcfs",
    "easy",
    "easy++",
    "conservative",
    "timed-conservative,trial=5",
    "timed-easy,trial=5",
    "selective-a",
)
"""One recipe for each way to plan, with trials and without."""

_round_s = st.sampled_from([10, 20, 30, 60])

_jobs = st.builds(
    TraceJob,
    number=st.just(0),
    submit_s=st.integers(0, 60) | st.sampled_from([0, 10, 20, 30]),
    run_s=st.integers(0, 120) | st.integers(0, 250) | _round_s | st.just(0),
    size=st.integers(1, MACHINE) | st.integers(1, 3),
    estimate_s=st.integers(1, 90) | _round_s,
    user=st.sampled_from(["a", "b"]),
    status=st.just(1),
)


def _in_arrival_order(jobs: list[TraceJob]) -> list[TraceJob]:
    in_order = sorted(jobs, key=lambda job: job.submit_s)
    return [job._replace(number=at) for at, job in enumerate(in_order)]


traces = (st.lists(_jobs, min_size=1, max_size=25) | st.lists(_jobs, min_size=15, max_size=30)).map(
    _in_arrival_order
)
"""Jobs that run shorter, as long as or longer than their estimates."""

_small = {"long": st.integers(5, 60), "wide": st.integers(1, MACHINE - 1)}
_thresholds = st.sampled_from([1.0, 1.25, 2.0, 3.5, 5.0, 30.0])
_kills = st.sampled_from(["", ",kill=least-elapsed"])
_keys = st.lists(st.sampled_from(MATCHING_KEYS), min_size=1, unique=True).map("/".join)
_trials = st.sampled_from([1, 7, 20, 45])


@st.composite
def preset_texts(draw: st.DrawFn, names: tuple[str, ...] = tuple(PRESETS)) -> str:
    """Return a preset; its bounds, where it has any, fit to the workloads here."""
    name = draw(st.sampled_from(names))
    preset = PRESETS[name]
    words = [name]
    if preset.order == "dynp":
        words.append(_bounds(draw))
    if preset.reserve == "starved":
        words += _starvation(draw, preset.starvation.source, preset.starvation.differential)
    if preset.plans_for_many:
        words += _depth(draw)
    return ",".join(words)


def timed(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return texts of the same recipes with trials."""
    return st.builds("timed-{},trial={}{}".format, texts, _trials, _kills)


@st.composite
def combination_texts(
    draw: st.DrawFn, reserves: tuple[str, ...] = RESERVES, trials: bool = True
) -> str:
    """Draw any point of the space of recipes that the oracle knows. trials: whether it may kill."""
    reserve = draw(st.sampled_from(reserves))
    orders = ["arrival", "shortest", "longest", "lxfw", "dynp", "priority", *_PUBLISHED]
    order = draw(st.sampled_from(orders))
    predict = draw(st.sampled_from(["estimate", "recent", "perfect", "matched"]))
    words = [f"easy,order={order},reserve={reserve},predict={predict}"]
    words.append(f"times={draw(st.sampled_from([1, 2, 0.5, 1.3]))}")
    words.append(f"trial={draw(st.just(0) | _trials) if trials else 0}")
    if trials and reserve in ("nobody", "head"):
        words.append(f"speculate={draw(st.sampled_from(['no', 'yes']))}")
    if "speculate=yes" in words or "trial=0" not in words:
        words[-1] += draw(_kills)
        if reserve in ("nobody", "head"):
            words.append(f"remaining={draw(st.sampled_from(['no', 'yes']))}")
    if predict in ("recent", "matched"):
        words.append(f"propagate={draw(st.sampled_from(['no', 'yes']))}")
    if predict == "matched":
        words.append(f"keys={draw(_keys)}")
    depth = _depth(draw) if reserve in ("everyone", "starved") else []
    words += depth
    aged = order == "aged-area"
    everyone = reserve == "everyone" and depth in ([], ["depth=unlimited"])
    if reserve != "nobody" and not everyone:
        none = [] if reserve == "starved" else ["none"]
        backfill = draw(st.sampled_from([*none, "queue", "shortest", *_PUBLISHED]))
        words.append(f"backfill={backfill}")
        aged |= backfill == "aged-area"
        if backfill != "none":
            words.append(f"fit={draw(st.sampled_from(['prediction', 'estimate']))}")
        if reserve == "head" and backfill != "none":
            words.append(f"extra={draw(st.sampled_from(['instant', 'needed']))}")
    if reserve in ("nobody", "head", "2", "3") and draw(st.booleans()):
        words.append(f"starve=virtual-easy,fraction={draw(st.sampled_from([0.3, 0.7, 1, 1.5]))}")
        words.append(f"floor={draw(st.sampled_from([0, 5, 30]))}")
        if draw(st.booleans()):
            words.append(f"ceiling={draw(st.sampled_from([3, 20, 60]))}")
        if reserve == "head" and "backfill=none" not in words:
            words.append(f"urgent={draw(st.sampled_from(['predictions', 'estimates']))}")
    if aged:
        words.append(f"exponent={draw(st.sampled_from([0, 0.25, 1, 2.5]))}")
        words.append(f"constant={draw(st.sampled_from([0, 7, 600]))}")
    if reserve != "nobody" and predict != "perfect":
        words.append(f"correct={draw(st.sampled_from(['no', 'estimate']))}")
    if order == "dynp":
        words.append(_bounds(draw))
    if order == "priority":
        weights = st.sampled_from([0, 1, 1000, 100_000])
        words += [f"{name}={draw(weights)}" for name in ("age", "size", "share")]
        if words[-1] != "share=0":
            words.append(f"half-life={draw(st.sampled_from([5, 60, 1000]))}")
    if reserve == "starved":
        source = draw(st.sampled_from(["given", "adaptive", "wait"]))
        words += _starvation(draw, source, draw(st.booleans()))
    return ",".join(words)


def _depth(draw: st.DrawFn) -> list[str]:
    """Draw no depth, so that the preset's own is tried as well, or one that the queues here
    exceed."""
    depth = draw(st.sampled_from(["", "unlimited", "1", "2", "4"]))
    return [f"depth={depth}"] if depth else []


def _bounds(draw: st.DrawFn) -> str:
    lower, upper = sorted(draw(st.tuples(st.integers(1, 90), st.integers(1, 90))))
    return f"bounds={lower}/{upper},min-queue={draw(st.integers(1, 5))}"


def _starvation(draw: st.DrawFn, source: str, differential: bool) -> list[str]:
    if source == "wait":
        return [f"after={draw(st.integers(1, 120))}"]
    key = "thresholds" if differential else "threshold"
    words = [f"{name}={draw(values)}" for name, values in _small.items()]
    if source == "adaptive":
        scale = draw(st.sampled_from([0.5, 1, 1.5]))
        return [f"{key}=adaptive,scale={scale}", *words]
    values = [draw(_thresholds) for _ in range(4 if differential else 1)]
    return [f"{key}={'/'.join(map(str, values))}", *words]


def recipes(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Recipe]:
    return texts.map(parse_recipe)


any_recipes = recipes(preset_texts() | timed(preset_texts()) | combination_texts())
