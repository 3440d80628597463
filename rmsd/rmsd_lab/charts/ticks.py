"""Round instants and durations for the axes of charts."""

from __future__ import annotations

from math import ceil, floor, log10

_TIMES_S = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_DAY_S = 86400


def _round_step(span: float, most: int) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, ... (and 0.5, 0.2, ...) of which at most `most` fit
    in `span`, which is above 0."""
    power = floor(log10(span / most))
    for step in (10.0**power * factor for factor in (1, 2, 5, 10, 20)):
        if span / step <= most:
            return step
    return 10.0 ** (power + 2)


def time_ticks(low_s: float, high_s: float, most: int = 6) -> list[float]:
    """Return multiples of a step that a clock or a calendar has, from `low_s` to `high_s`; `low_s`
    alone if that is no span."""
    if high_s <= low_s:
        return [low_s]
    span_s = high_s - low_s
    step = next((step for step in _TIMES_S if span_s / step <= most), None)
    if step is None:
        step = max(1, round(_round_step(span_s / _DAY_S, most))) * _DAY_S
    return [float(at * step) for at in range(ceil(low_s / step), floor(high_s / step) + 1)]
