"""Cumulative distributions, with as many points as a picture can show."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Point = tuple[float, float]


def cumulative(values: Iterable[float], points: int = 400) -> list[Point]:
    """Return the cumulative distribution: (value, share of the values that do not exceed this
    value). Both ascend; there are at most `points` + 1 pairs.

    Every point lies on the exact distribution. Those left out are less than 1 / `points` away in
    share, but for values that occur more often than that. Empty without values.
    """
    ascending = sorted(values)
    number = len(ascending)
    parts = min(points, number)
    found: list[Point] = []
    for part in range(parts + 1 if number else 0):
        value = ascending[min(number - 1, number * part // parts)]
        if not found or value != found[-1][0]:
            found.append((value, bisect_right(ascending, value) / number))
    return found
