"""Predictions, their correction, and the configurations of thesis 4.6."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US, UNLIMITED_US
from rmsd_core.recipes.correction import corrected_us, extension_us
from rmsd_core.recipes.prediction import RecentHistory, multiplied_us, runs_needed
from rmsd_core.recipes.text import parse_recipe

S = SECOND_US
MINUTE_US = 60 * S


def history(overrides: str, *runs: tuple[int, int, int]) -> RecentHistory:
    """Return a predictor that knows ann's terminated jobs: (arrival number, run [s], estimate
    [s])."""
    predictor = RecentHistory(parse_recipe(f"easy+{overrides}"))
    for seq, run_s, estimate_s in runs:
        predictor.record("ann", seq, run_s * S, estimate_s * S, 1)
    return predictor


def predicted_s(predictor: RecentHistory, estimate_s: int) -> float:
    return predictor.by_window_us("ann", estimate_s * S) / S


# ---------------------------------------------------------------- windows

JOBS = ((4, 40, 100), (1, 10, 100), (3, 31, 200), (2, 20, 100))


def test_two_latest_in_arrival_order_count_whenever_they_terminate() -> None:
    assert predicted_s(history("", *JOBS), 600) == 35  # (40 + 31) / 2, floor


@pytest.mark.parametrize(
    ("overrides", "estimate_s", "expected_s"),
    [
        (",window=3,type=immediate", 100, 100),  # the job with another estimate spoils it
        (",window=3,type=immediate,fullness=partial", 100, 30),  # 40 and 20 are left
        (",window=3,type=extended", 100, 23),  # 40, 20 and 10
        (",window=4,type=extended", 100, 100),  # no other job is more like it
        (",window=4,type=extended,fullness=partial", 200, 31),
        (",window=4", 600, 25),
        (",window=5", 600, 600),
        (",window=5,fullness=partial", 600, 25),
        (",window=4,metric=median", 600, 25),  # (20 + 31) / 2, floor
        (",window=3,metric=median", 600, 31),
        (",window=4,metric=minimum", 600, 10),
        (",window=4,metric=maximum", 600, 40),
        (",window=4,metric=maximum", 30, 30),  # never above the estimate
        (",window=1", 600, 40),
    ],
)
def test_windows_and_metrics(overrides: str, estimate_s: int, expected_s: int) -> None:
    assert predicted_s(history(overrides, *JOBS), estimate_s) == expected_s


def test_a_prediction_is_at_least_a_second_and_others_are_strangers() -> None:
    predictor = history("", (1, 0, 100), (2, 0, 100))
    assert predicted_s(predictor, 600) == 1
    assert predictor.by_window_us("bob", 600 * S) == 600 * S
    assert predictor.by_window_us("bob", 0) == S


def test_the_relative_fallback_is_the_mean_accuracy_of_all_jobs() -> None:
    """The accuracies are 10/100, 50/100 and that of a job that ran over its estimate, which counts
    as 1."""
    predictor = history(",window=9,fallback=relative", (1, 10, 100), (2, 50, 100), (3, 300, 100))
    assert predicted_s(predictor, 1000) == 533  # 1.6 / 3
    assert predicted_s(predictor, 1) == 1
    assert predictor.by_window_us("bob", 1000 * S) == 1000 * S


overrides = st.builds(
    lambda window, kind, fullness, metric, fallback: (
        f",window={window},type={kind},fullness={fullness},metric={metric},fallback={fallback}"
    ),
    st.integers(1, 5),
    st.sampled_from(["all", "immediate", "extended"]),
    st.sampled_from(["full", "partial"]),
    st.sampled_from(["average", "median", "minimum", "maximum"]),
    st.sampled_from(["estimate", "relative"]),
)
runs = st.lists(
    st.tuples(
        st.integers(1, 40),
        st.integers(0, 5 * S),
        st.integers(1, 3).map(lambda estimate_s: estimate_s * S),
    ),
    unique_by=lambda run: run[0],
)
METRICS = {"average": mean, "median": median, "minimum": min, "maximum": max}


@given(overrides, runs, st.integers(1, 3))
def test_a_prediction_is_what_the_whole_history_gives(
    text: str, past: list[tuple[int, int, int]], estimate_s: int
) -> None:
    recipe = parse_recipe(f"easy+{text}")
    want = recipe.history
    predictor = RecentHistory(recipe)
    for seq, run_us, given_us in past:
        predictor.record("ann", seq, run_us, given_us, 1)
    latest = sorted(past, reverse=True)
    alike = [run for run in latest if run[2] == estimate_s * S]
    window = {
        "all": latest[: want.size],
        "immediate": [run for run in latest[: want.size] if run in alike],
        "extended": alike[: want.size],
    }[want.type]
    expected_us: Fraction | int = estimate_s * S
    if len(window) >= (want.size if want.full else 1):
        exactly = METRICS[want.metric]([Fraction(run_us) for _, run_us, _ in window])
        expected_us = min(max(1, exactly // S) * S, estimate_s * S)
    elif want.fallback == "relative" and past:
        shown = [min(1_000_000, 1_000_000 * run_us // given_us) for _, run_us, given_us in past]
        expected_us = max(1, estimate_s * sum(shown) // (len(shown) * 1_000_000)) * S
    assert predictor.by_window_us("ann", estimate_s * S) == expected_us
    assert expected_us <= estimate_s * S


@given(overrides, runs)
def test_what_is_needed_of_the_past_is_enough(text: str, past: list[tuple[int, int, int]]) -> None:
    """A predictor told of the runs that are needed, in any order, says what the old one says."""
    recipe = parse_recipe(f"easy+{text}")
    old, new = RecentHistory(recipe), RecentHistory(recipe)
    for run in past:
        old.record("ann", *run, 1)
    needed = runs_needed(recipe)
    told: dict[int, int] = {}
    for run in sorted(past, reverse=True):
        group = run[2] if needed.by_estimate else 0
        told[group] = told.get(group, 0) + 1
        if needed.latest is None or told[group] <= needed.latest:
            new.record("ann", *run, 1)
    for estimate_s in (1, 2, 3):
        assert old.by_window_us("ann", estimate_s * S) == new.by_window_us("ann", estimate_s * S)


def test_only_predictions_need_the_past() -> None:
    assert runs_needed(parse_recipe("easy")).latest == 0
    assert runs_needed(parse_recipe("perfect++")).latest == 0
    assert runs_needed(parse_recipe("easy++,window=5")) == (5, False, False)
    assert runs_needed(parse_recipe("easy++,window=5,type=extended")) == (5, True, False)
    assert runs_needed(parse_recipe("easy++,predict=matched")) == (64, False, True)
    assert runs_needed(parse_recipe("easy++,fallback=relative")).latest is None


def test_no_more_is_held_than_the_window_needs() -> None:
    predictor = history(",window=3", *((seq, seq, 100) for seq in range(1, 100)))
    assert predictor.held == 3


# ---------------------------------------------------------------- factors


@pytest.mark.parametrize(
    ("prediction_us", "times", "expected_us"),
    [
        (90 * S, 2.0, 180 * S),
        (3 * S, 0.5, 2 * S),  # 1.5, half up
        (5 * S, 0.5, 3 * S),
        (1 * S, 0.1, 1 * S),
        (0, 1.0, 1 * S),
        (1_500_000, 1.0, 1_500_000),  # nothing to multiply, nothing to round
        (UNLIMITED_US, 1000.0, UNLIMITED_US),
    ],
)
def test_a_factor_rounds_to_seconds(prediction_us: int, times: float, expected_us: int) -> None:
    assert multiplied_us(prediction_us, times) == expected_us


# ---------------------------------------------------------------- correction


def corrections_min(correct: str, prediction_us: int, estimate_us: int, number: int) -> list[float]:
    """Return the predictions [min] after each of `number` corrections."""
    found: list[float] = []
    overruns = 0
    for made in range(number):
        elapsed_us = prediction_us
        prediction_us = corrected_us(correct, elapsed_us, estimate_us, made, overruns)
        overruns += elapsed_us >= estimate_us
        found.append(prediction_us / MINUTE_US)
    return found


@pytest.mark.parametrize(
    ("correct", "expected_min"),
    [
        ("estimate", [100, 101, 116, 146, 206]),
        ("gradual", [11, 26, 56, 100, 101, 116, 146]),  # +1, 15, 30, the estimate, +1, 15, 30
        ("exponential", [12, 14.4, 17.26666, 20.71666, 24.85]),
    ],
)
def test_corrections_follow_their_series(correct: str, expected_min: list[float]) -> None:
    found = corrections_min(correct, 10 * MINUTE_US, 100 * MINUTE_US, len(expected_min))
    assert found == pytest.approx(expected_min, abs=1e-4)


def test_exponential_corrections_reach_the_estimate_and_go_on_gradually() -> None:
    found = corrections_min("exponential", 80 * MINUTE_US, 100 * MINUTE_US, 5)
    assert found == [96, 100, 101, 116, 146]
    assert corrections_min("exponential", S, 10 * MINUTE_US, 2) == [2 / 60, 3 / 60]


corrects = st.sampled_from(["estimate", "gradual", "exponential"])


@given(corrects, st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 8), st.integers(0, 8))
def test_a_correction_moves_on_and_stays_below_the_estimate_until_there(
    correct: str, elapsed_s: int, estimate_s: int, made: int, overruns: int
) -> None:
    elapsed_us, estimate_us = elapsed_s * S, estimate_s * S
    prediction_us = corrected_us(correct, elapsed_us, estimate_us, made, overruns)
    assert prediction_us > elapsed_us
    assert prediction_us % S == 0
    if elapsed_us < estimate_us:
        assert prediction_us <= estimate_us
    else:
        assert prediction_us == elapsed_us + extension_us(overruns + 1)


# ---------------------------------------------------------------- configurations


@pytest.mark.slow
def test_the_thesis_s_8640_configurations_are_recipes() -> None:
    texts = [
        f"easy++,window={window},type={kind},fullness={fullness},metric={metric},"
        f"fallback={fallback},propagate={propagate},correct={correct}"
        for correct, fallback, propagate, fullness, metric, kind, window in product(
            ("estimate", "gradual", "exponential"),
            ("estimate", "relative"),
            ("no", "yes"),
            ("full", "partial"),
            ("average", "median", "minimum", "maximum"),
            ("all", "immediate", "extended"),
            range(1, 31),
        )
    ]
    recipes = {parse_recipe(text) for text in texts}
    assert len({(recipe.history, recipe.correct) for recipe in recipes}) == 8640
