"""The criteria by which a recipe is better than the published schedulers, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

HALF_WAY = 0.5
"""The part of the way from EASY++ to perfect SJF, in mean wait and in mean bounded slowdown."""
LONGEST_TIMES = 1.2
"""The longest wait, as a multiple of EASY's."""
PERCENTILE_TIMES = 1.1
"""The 99th percentile of waits, as a multiple of EASY's."""
COPIES_SHARE = 0.9
"""The share of the shaken copies in which the longest wait must be within its limit: 18 of 20."""
LEAST_WAIT_S = 60.0
"""The mean wait under EASY below which a log has too few waits to judge the way by."""


class Figures(NamedTuple):
    """The numbers of one run that are judged: waits in seconds."""

    wait_s: float
    slowdown: float
    longest_s: float
    percentile_s: float


class Criterion(NamedTuple):
    """A value and the most that it may be. Both have the unit of the name."""

    name: str
    value: float
    most: float

    @property
    def holds(self) -> bool:
        return self.value <= self.most


def half_way(start: float, end: float) -> float:
    """Return the value that is half of the way from `start` down to `end`."""
    return start + HALF_WAY * (end - start)


def criteria(ours: Figures, easy: Figures, easy_plus: Figures, sjf: Figures) -> list[Criterion]:
    """Return what is asked of a run, given EASY's, EASY++'s and perfect SJF's of the same jobs. The
    way counts only where EASY waits for a minute or more."""
    asked = []
    if easy.wait_s >= LEAST_WAIT_S:
        wait_s = half_way(easy_plus.wait_s, sjf.wait_s)
        slowdown = half_way(easy_plus.slowdown, sjf.slowdown)
        asked += [
            Criterion("half way, wait [min]", ours.wait_s / 60, wait_s / 60),
            Criterion("half way, b. slowdown", ours.slowdown, slowdown),
        ]
    return [
        *asked,
        Criterion("no worse than EASY++, wait [min]", ours.wait_s / 60, easy_plus.wait_s / 60),
        Criterion("no worse than EASY++, b. slowdown", ours.slowdown, easy_plus.slowdown),
        longest(ours, easy),
        Criterion(
            "99th percentile of waits [h]",
            ours.percentile_s / 3600,
            PERCENTILE_TIMES * easy.percentile_s / 3600,
        ),
    ]


def longest(ours: Figures, easy: Figures) -> Criterion:
    """Return what is asked of the longest wait."""
    most_h = LONGEST_TIMES * easy.longest_s / 3600
    return Criterion("longest wait [h]", ours.longest_s / 3600, most_h)


def in_enough_copies(held: Sequence[bool]) -> bool:
    """Return whether a criterion held in enough of the shaken copies; without copies it did."""
    return sum(held) >= COPIES_SHARE * len(held)
