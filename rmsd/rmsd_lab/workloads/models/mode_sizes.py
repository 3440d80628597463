"""The popularity of estimates (thesis 5.9), and the known sizes of the most popular (5.10.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rmsd_lab.workloads.models.mode_times import HEADS

HEAD_PERCENT = 89.0
"""The percentage of the jobs that use one of the 20 most popular estimates."""

_ALPHA, _BETA, _GAMMA = 14.05, -0.18, 0.46
_RHO = -2.27
"""Fig. 5.7: alpha * e ** (beta * i) + gamma for the head, a power of i for the tail. The tail's
factor (omega, 795.6) cancels out, since the tail is scaled to what the head leaves."""

_FIRST = 0


@dataclass(frozen=True, slots=True)
class HeadSizes:
    """The sizes of the most popular estimates.

    percents: of the jobs, by popularity rank, the first rank first.
    of_max: the popularity rank, from 1 on, of the longest estimate.
    of_given: those of the other estimates that were given, in their order.
    """

    percents: list[float]
    of_max: int
    of_given: list[int]


def head_percents() -> list[float]:
    """Return F_pop for the ranks 1 to 20 [%]. All but the first decay exponentially; the first is
    the remainder to 89."""
    decaying = [_ALPHA * math.exp(_BETA * rank) + _GAMMA for rank in range(2, HEADS + 1)]
    return [HEAD_PERCENT - sum(decaying), *decaying]


def tail_percents(number: int, percent: float) -> list[float]:
    """Return F_pop for the ranks from 21 on [%]: a power law whose sum is `percent`."""
    weights = [float(rank**_RHO) for rank in range(HEADS + 1, HEADS + 1 + number)]
    total = sum(weights)
    return [percent * weight / total for weight in weights]


def merged_sizes(given: Sequence[float], of_max: float | None, percent: float) -> HeadSizes:
    """Return the sizes of the head when some are given (5.10.4), in percent of the jobs.

    Each given size replaces the nearest of the model's, the largest first. The first of the model's
    is reserved for the longest estimate and is replaced only by `of_max`, that estimate's own. What
    is not given is scaled so that the head comes to `percent`; if the given ones exceed that, it is
    zero.

    The text is open if the size of the longest estimate is given, but is not the largest. The
    authors' program decides: the other sizes of the model are scaled to the rest. A longest
    estimate whose size is not given keeps rank 1 whatever the others are.
    """
    first, *decaying = head_percents()
    sizes: list[float] = [first if of_max is None else of_max, *decaying]
    if of_max is not None:
        factor = max(0.0, HEAD_PERCENT - of_max) / sum(decaying)
        sizes[1:] = [size * factor for size in decaying]
    owners: dict[int, int] = {}
    for number in sorted(range(len(given)), key=lambda one: -given[one]):
        free = (at for at in range(1, HEADS) if at not in owners)
        nearest = min(free, key=lambda at: abs(sizes[at] - given[number]))
        owners[nearest] = number
    for at, number in owners.items():
        sizes[at] = given[number]
    known = {*owners, *([] if of_max is None else [_FIRST])}
    of_model = sum(size for at, size in enumerate(sizes) if at not in known)
    left = max(0.0, percent - sum(sizes[at] for at in known))
    factor = left / of_model if of_model else 0.0
    sizes = [size if at in known else size * factor for at, size in enumerate(sizes)]
    order = sorted(range(HEADS), key=lambda at: (at != _FIRST or of_max is not None, -sizes[at]))
    rank_of = {at: rank for rank, at in enumerate(order, 1)}
    of_given = {number: rank_of[at] for at, number in owners.items()}
    return HeadSizes(
        [sizes[at] for at in order],
        rank_of[_FIRST],
        [of_given[number] for number in range(len(given))],
    )
