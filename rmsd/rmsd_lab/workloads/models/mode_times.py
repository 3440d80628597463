"""The estimates that users give: how many different ones, and their values (thesis 5.7, 5.8,
5.10.2).

D. Tsafrir, "Modeling, evaluating, and improving the performance of supercomputer scheduling", PhD
thesis, 2006, chapter 5; also Tsafrir, Etsion, Feitelson, "Modeling User Runtime Estimates", JSSPP
2005. Where the text is silent, what is done here is said.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

MINUTE_S = 60
HOUR_S = 3600

HEADS = 20
"""The most popular estimates, which about 90% of the jobs use (5.6)."""

SHORTEST_MAX_S = HEADS * MINUTE_S
"""The least possible longest estimate: below it there are fewer than 20 whole minutes."""

_MODES_BY_JOBS = (
    (0, 0),
    (20, 10),
    (200, 20),
    (1_000, 35),
    (10_000, 90),
    (70_000, 340),
    (250_000, 565),
)
"""Table 5.3: (jobs, different estimates), linear in between."""

_SPREAD_FACTOR, _SPREAD_EXPONENT = 12.1, -0.6
"""Fig. 5.6: a = 1 + 12.1 * K ** -0.6."""

_JOINT_S = tuple(MINUTE_S * minutes for minutes in (5, 10, 15, 20, 30)) + tuple(
    HOUR_S * hours for hours in (1, 2, 3, 4, 5, 6, 8, 10, 12, 18)
)
"""Table 5.5: the estimates that are among the 20 most popular of every log."""

_ROUND_S = tuple(HOUR_S * hours for hours in (200, 100, 50, 10, 5, 2, 1)) + tuple(
    MINUTE_S * minutes for minutes in (20, 10, 5, 1)
)
"""5.10.2, T_round; the single minute is added for machines with limits of an hour or so."""


def number_of_modes(jobs: int) -> int:
    """Return K, the number of different estimates that `jobs` jobs have (Table 5.3). Beyond the
    table's last line its last slope continues."""
    for (jobs_before, before), (jobs_after, after) in pairwise(_MODES_BY_JOBS):
        slope = (after - before) / (jobs_after - jobs_before)
        if jobs <= jobs_after:
            break
    return round(before + (jobs - jobs_before) * slope)


def spread_of(number: int) -> float:
    """Return the parameter a of `mode_times_s` for `number` modes (Fig. 5.6)."""
    return float(1 + _SPREAD_FACTOR * number**_SPREAD_EXPONENT)


def mode_times_s(number: int, max_s: int, spread: float) -> list[int]:
    """Return F_tim (5.8): `number` different estimates up to `max_s`, ascending; the last is
    `max_s`.

    They are whole minutes where that minute is not taken yet, then the second that the formula
    gives, or the next that is free. There are never more than there are seconds.

    spread: a > 1; the larger, the more evenly they lie.
    """
    number = min(number, max_s)
    taken = {max_s}
    for rank in range(number - 1, 0, -1):
        exact_s = max_s * (spread - 1) * rank / number / (spread - rank / number)
        minute_s = round(exact_s / MINUTE_S) * MINUTE_S
        free = 0 < minute_s < max_s and minute_s not in taken
        taken.add(minute_s if free else _nearest_free(round(exact_s), taken, max_s))
    return sorted(taken)


def _nearest_free(wanted_s: int, taken: set[int], max_s: int) -> int:
    distance = 0
    while True:
        for candidate in (wanted_s - distance, wanted_s + distance):
            if 0 < candidate < max_s and candidate not in taken:
                return candidate
        distance += 1


def head_times_s(max_s: int) -> list[int]:
    """Return the 20 most popular estimates of a site whose longest is `max_s`, ascending (5.10.2).
    They are the longest, the joint ones below it, and round ones, the roundest and longest first.

    Raises:
        ValueError: the longest is below 20 minutes.
    """
    if max_s < SHORTEST_MAX_S:
        raise ValueError(f"the longest estimate must be at least {SHORTEST_MAX_S} s, not {max_s}")
    chosen = {max_s, *(time_s for time_s in _JOINT_S if time_s < max_s)}
    for round_s in _ROUND_S:
        for time_s in range((max_s - 1) // round_s * round_s, 0, -round_s):
            if len(chosen) == HEADS:
                return sorted(chosen)
            chosen.add(time_s)
    return sorted(chosen)


def replaced_by_nearest(values: list[int], by: list[int]) -> list[int]:
    """Return what is left of ascending `values` when each of `by` has replaced the nearest value
    left."""
    left = list(values)
    for value in by:
        at = bisect_left(left, value)
        if at == len(left) or (at and value - left[at - 1] <= left[at] - value):
            at -= 1
        del left[at]
    return left
