"""The gamma distribution's cumulative distribution function."""

from __future__ import annotations

import math

_PRECISION = 1e-14


def gamma_cdf(x: float, shape: float, scale: float) -> float:
    """Return P(X <= x) for X gamma distributed with mean shape * scale, by the power series of the
    lower incomplete gamma function (Abramowitz and Stegun, 6.5.29)."""
    if x <= 0:
        return 0.0
    x /= scale
    term = total = 1 / shape
    n = shape
    while term > total * _PRECISION:
        n += 1
        term *= x / n
        total += term
    return min(1.0, total * math.exp(shape * math.log(x) - x - math.lgamma(shape)))
