"""Confidence intervals against tables and by simulation."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.measures.statistics import (
    batch_means,
    lag_1_correlation,
    mean_interval,
    paired_interval,
    t_quantile,
)

TABLE = [
    (0.975, 1, 12.7062),
    (0.975, 2, 4.3027),
    (0.975, 3, 3.1824),
    (0.95, 9, 1.8331),
    (0.975, 9, 2.2622),
    (0.995, 30, 2.7500),
    (0.9995, 5, 6.8688),
    (0.975, 120, 1.9799),
]
"""Values of the table in Abramowitz and Stegun (26.10)."""

FINITE = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(("probability", "degrees", "expected"), TABLE)
def test_quantiles_are_those_of_the_table(
    probability: float, degrees: int, expected: float
) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(expected, abs=6e-5)
    assert t_quantile(1 - probability, degrees) == pytest.approx(-expected, abs=6e-5)


def test_quantiles_become_those_of_the_normal_distribution() -> None:
    assert t_quantile(0.975, 10_000) == pytest.approx(1.96020, abs=1e-5)
    assert t_quantile(0.5, 7) == pytest.approx(0)


@given(probability=st.floats(0.501, 0.999), degrees=st.integers(1, 40))
def test_more_degrees_of_freedom_make_narrower_intervals(probability: float, degrees: int) -> None:
    assert t_quantile(probability, degrees) > t_quantile(probability, degrees + 1) > 0


def test_an_interval_worked_out_by_hand() -> None:
    found = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])  # s = sqrt(2.5), t(0.975, 4) = 2.7764
    half = 2.776445 * math.sqrt(2.5 / 5)
    assert found == pytest.approx((5, 3.0, 3.0 - half, 3.0 + half), abs=1e-5)
    assert found.half_width == pytest.approx(half, abs=1e-5)
    assert found.excludes_zero
    assert not mean_interval([-1.0, 2.0]).excludes_zero


def test_one_value_has_no_interval() -> None:
    found = mean_interval([7.0])
    assert (found.mean, found.low, found.high, found.half_width) == (7.0, None, None, None)
    assert not found.excludes_zero


@given(values=st.lists(FINITE, min_size=2, max_size=30))
def test_more_confidence_makes_wider_intervals(values: list[float]) -> None:
    narrow, wide = mean_interval(values, 0.9), mean_interval(values, 0.99)
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low <= narrow.low <= narrow.mean <= (narrow.high or 0.0) <= (wide.high or 0.0)


def test_an_interval_holds_the_mean_as_often_as_it_says() -> None:
    rng = random.Random(5)
    held = 0
    for _ in range(2000):
        found = mean_interval([rng.gauss(10, 3) for _ in range(6)], 0.9)
        held += (found.low or 0.0) <= 10 <= (found.high or 0.0)
    assert 0.88 < held / 2000 < 0.92


def test_pairs_take_out_what_both_sides_share() -> None:
    rng = random.Random(1)
    shared = [rng.gauss(100, 50) for _ in range(10)]
    better = [value - 5 + rng.gauss(0, 1) for value in shared]
    assert paired_interval(shared, better).excludes_zero
    assert paired_interval(shared, better).mean == pytest.approx(-5, abs=1)
    apart = mean_interval(shared).half_width or 0.0
    assert (paired_interval(shared, better).half_width or 0.0) < apart / 10


@given(first=st.lists(FINITE, min_size=2, max_size=20), offset=st.integers(-100, 100))
def test_the_other_way_round_is_the_negative(first: list[float], offset: int) -> None:
    second = [value * 2 + offset for value in first]
    one, other = paired_interval(first, second), paired_interval(second, first)
    assert one.mean == -other.mean
    assert one.half_width == pytest.approx(other.half_width)


@given(series=st.lists(FINITE, min_size=1, max_size=50), data=st.data())
def test_batches_are_equal_parts_of_the_end(series: list[float], data: st.DataObject) -> None:
    batches = data.draw(st.integers(1, len(series)))
    means = batch_means(series, batches)
    length = len(series) // batches
    assert len(means) == batches
    kept = series[len(series) - length * batches :]
    assert math.fsum(means) * length == pytest.approx(math.fsum(kept), abs=1e-3)
    assert means[-1] == pytest.approx(math.fsum(series[-length:]) / length)


def test_batches_of_a_correlated_series_hold_the_mean_where_its_values_do_not() -> None:
    """An autoregressive series about 0: taken for independent its values are far too sure."""
    rng = random.Random(3)
    by_value = by_batch = 0
    for _ in range(300):
        value, series = 0.0, []
        for _ in range(2000):
            value = 0.9 * value + rng.gauss(0, 1)
            series.append(value)
        by_value += not mean_interval(series).excludes_zero
        by_batch += not mean_interval(batch_means(series, 20)).excludes_zero
    assert by_value / 300 < 0.5
    assert by_batch / 300 > 0.88


def test_neighbours_that_resemble_each_other() -> None:
    assert lag_1_correlation([1.0, 1.0, 1.0]) is None
    assert lag_1_correlation([1.0]) is None
    assert lag_1_correlation([-1.0, 1.0] * 50) == pytest.approx(-0.99)
    assert lag_1_correlation(list(range(100))) == pytest.approx(0.97, abs=0.01)


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])
    with pytest.raises(ValueError, match="confidence is above 0 and below 1, not 95"):
        mean_interval([1.0, 2.0], 95)
    with pytest.raises(ValueError, match="3 values do not make 4 batches"):
        batch_means([1.0, 2.0, 3.0], 4)
    with pytest.raises(ValueError, match="at least one degree"):
        t_quantile(0.9, 0)
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is longer"):
        paired_interval([1.0], [1.0, 2.0])
