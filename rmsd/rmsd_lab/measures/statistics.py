"""The trust in a mean: intervals by Student's t, of pairs and of correlated series.

Law and Kelton, "Simulation Modeling and Analysis": 4.5 (intervals), 9.5.3 (batch means), 10.2
(pairs) and 11.2 (common random numbers).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_HALVINGS = 100


class Interval(NamedTuple):
    """A mean and its confidence interval, in the unit of the values.

    values: how many it was made of. low, high: None if there are fewer than two, which say nothing
        about their spread.
    """

    values: int
    mean: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        return None if self.high is None else self.high - self.mean

    @property
    def excludes_zero(self) -> bool:
        """Return whether a difference is significant at the level of the interval."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """Return the confidence interval of the mean of independent values: mean +- t * s / sqrt(n),
    with n - 1 degrees of freedom.

    Raises:
        ValueError: there is no value, or the confidence is not between 0 and 1.
    """
    if not values:
        raise ValueError("no values have no mean")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence is above 0 and below 1, not {confidence}")
    number = len(values)
    mean = math.fsum(values) / number
    if number == 1:
        return Interval(1, mean, None, None)
    variance = math.fsum((value - mean) ** 2 for value in values) / (number - 1)
    half = t_quantile((1 + confidence) / 2, number - 1) * math.sqrt(variance / number)
    return Interval(number, mean, mean - half, mean + half)


def paired_interval(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95
) -> Interval:
    """Return the confidence interval of the mean of `second` - `first`, pair by pair. If both sides
    of a pair had the same workload (common random numbers), its effect on both cancels out.

    Raises:
        ValueError: not as many on one side as on the other, or as `mean_interval`.
    """
    return mean_interval([b - a for a, b in zip(first, second, strict=True)], confidence)


def batch_means(series: Sequence[float], batches: int) -> list[float]:
    """Return the means of `batches` equal, consecutive parts of a series. Neighbouring values may
    depend on each other. The means of parts that are much longer than this dependence hardly do,
    and can be treated as independent. Values that do not fill a part are left out at the beginning,
    where the series is least typical.

    Raises:
        ValueError: less than one batch, or fewer values than batches.
    """
    if not 1 <= batches <= len(series):
        raise ValueError(f"{len(series)} values do not make {batches} batches")
    length = len(series) // batches
    first = len(series) - batches * length
    return [
        math.fsum(series[at : at + length]) / length for at in range(first, len(series), length)
    ]


def lag_1_correlation(series: Sequence[float]) -> float | None:
    """Return the correlation of neighbours in a series, -1 to 1. Returns None if all values are the
    same, or if there are fewer than two."""
    if len(series) < 2:
        return None
    mean = math.fsum(series) / len(series)
    off = [value - mean for value in series]
    spread = math.fsum(one * one for one in off)
    if spread == 0:
        return None
    return math.fsum(a * b for a, b in pairwise(off)) / spread


@lru_cache(maxsize=256)
def t_quantile(probability: float, degrees: int) -> float:
    """Return the value that Student's t with so many degrees of freedom does not exceed with this
    probability.

    Raises:
        ValueError: the probability is not between 0 and 1, or there is no degree of freedom.
    """
    if not 0 < probability < 1:
        raise ValueError(f"a probability is above 0 and below 1, not {probability}")
    if degrees < 1:
        raise ValueError(f"Student's t has at least one degree of freedom, not {degrees}")
    within = abs(2 * probability - 1)
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _t_within(middle, degrees) < within:
            low = middle
        else:
            high = middle
    return math.copysign(math.sqrt(degrees) * math.tan(low), probability - 0.5)


def _t_within(angle: float, degrees: int) -> float:
    """Return the probability of |t| <= sqrt(degrees) * tan(angle), a finite sum (Abramowitz and
    Stegun, 26.7.3 and 26.7.4)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    terms = []
    for at in range(2 if odd else 1, degrees, 2):
        terms.append(term)
        term *= cosine * cosine * at / (at + 1)
    summed = sine * math.fsum(terms)
    return (angle + summed) * 2 / math.pi if odd else summed
