"""Job sets with the characteristics of Table 1 of dynP (A. Streit, 2002). Its own sets were taken
from a log that is not public.

The paper's figures are met, to rounding: the number of jobs, and the means of requested nodes, run
time, estimate and time between arrivals, on 96 nodes. The sets keep to the paper's pictures: many
narrow jobs, few wide ones, peaks at powers of two (Fig. 1). At the lowest load, where arrivals are
0.75 times as far apart, the utilization is 55% (section 7). All else is assumed. Estimates are
round values, and run times a random part of them. Arrivals come in bursts (Weibull gaps). Wide jobs
are shorter as far as the utilization asks for it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from rmsd_lab.workloads.swf import TraceJob

NODES = 96

_LOWEST_UTILIZATION = 0.55
_LONGEST_SHRINKING = 0.75
_ESTIMATES_S = (60, 300, 600, 900, 1800, 3600, 7200, 10800, 14400, 21600, 28800, 43200, 86400)
_POWERS_OF_TWO = (1, 2, 4, 8, 16, 32, 64)
_PART_OF_POWERS = 0.75
_GAP_SHAPE = 0.6
_BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class Characteristics:
    """A line of Table 1; means, seconds."""

    jobs: int
    nodes: float
    run_s: float
    estimate_s: float
    gap_s: float


SET_1 = Characteristics(8469, 13.49, 2835.83, 6697.88, 628.19)
SET_2 = Characteristics(8166, 10.11, 6697.88, 21634.00, 1277.34)


def dynp_set(wanted: Characteristics, seed: int) -> list[TraceJob]:
    """Return a set of jobs with these characteristics, in arrival order."""
    rng = random.Random(seed)
    number = wanted.jobs
    sizes = _spread(_tilted(_size_weights(), wanted.nodes), number)
    estimates_s = _spread(_tilted(dict.fromkeys(_ESTIMATES_S, 1.0), wanted.estimate_s), number)
    rng.shuffle(estimates_s)
    exponent = wanted.estimate_s / wanted.run_s - 1  # the mean of u ** exponent is run / estimate
    parts = [rng.random() ** exponent for _ in range(number)]
    runs_s = _with_mean(
        [part * estimate for part, estimate in zip(parts, estimates_s, strict=True)],
        estimates_s,
        wanted.run_s,
    )
    noise = [rng.gauss(0, 1) for _ in range(number)]
    load = _LOWEST_UTILIZATION * _LONGEST_SHRINKING * NODES * wanted.gap_s
    sizes = _coupled(sizes, runs_s, noise, load)
    gaps_s = [
        wanted.gap_s
        * (-math.log(1 - (at + 0.5) / number)) ** (1 / _GAP_SHAPE)
        / math.gamma(1 + 1 / _GAP_SHAPE)
        for at in range(number)
    ]
    rng.shuffle(gaps_s)
    jobs, now_s = [], 0.0
    for at in range(number):
        now_s += gaps_s[at]
        jobs.append(TraceJob(at + 1, round(now_s), runs_s[at], sizes[at], estimates_s[at], "-1", 1))
    return jobs


def _size_weights() -> dict[int, float]:
    """Narrow jobs are many: a size's weight falls with its square root; powers of two are peaks."""
    weights = {size: size**-0.5 for size in range(1, NODES + 1)}
    peaks = sum(weights[size] for size in _POWERS_OF_TWO)
    rest = sum(weights.values()) - peaks
    for size in weights:
        if size in _POWERS_OF_TWO:
            weights[size] *= _PART_OF_POWERS / peaks
        else:
            weights[size] *= (1 - _PART_OF_POWERS) / rest
    return weights


def _tilted(weights: dict[int, float], mean: float) -> dict[int, float]:
    """Return the weights times an exponential of the value, so that the mean is `mean`. Their sum
    is 1."""
    largest = max(weights)

    def tilt(by: float) -> dict[int, float]:
        tilted = {v: w * math.exp(by * v / largest) for v, w in weights.items()}
        total = sum(tilted.values())
        return {value: weight / total for value, weight in tilted.items()}

    by = _root(lambda by: sum(v * w for v, w in tilt(by).items()) - mean, -200.0, 200.0)
    return tilt(by)


def _spread(weights: dict[int, float], number: int) -> list[int]:
    """Return `number` values with these weights, spread as evenly as possible, ascending."""
    values: list[int] = []
    reached = 0.0
    for value, weight in sorted(weights.items()):
        reached += weight
        values += [value] * (round(reached * number) - len(values))
    return values


def _with_mean(values: Sequence[float], most: Sequence[int], mean: float) -> list[int]:
    """Return whole numbers of at least 1, each at most its own `most`, scaled to the mean."""

    def scaled(factor: float) -> list[int]:
        return [max(1, min(m, round(v * factor))) for v, m in zip(values, most, strict=True)]

    return scaled(_root(lambda factor: sum(scaled(factor)) / len(values) - mean, 0.01, 100.0))


def _coupled(
    sizes: Sequence[int], runs_s: Sequence[int], noise: Sequence[float], work: float
) -> list[int]:
    """Return the sizes in an order in which the mean of size times run time is `work`. The order is
    by a mixture of noise and of the rank of the run time, the longest first."""
    ranks = _ranks(runs_s)
    normal = NormalDist()
    scores = [normal.inv_cdf((rank + 0.5) / len(ranks)) for rank in ranks]

    def ordered(share: float) -> list[int]:
        rest = math.sqrt(1 - share * share)
        mixed = [rest * n - share * s for n, s in zip(noise, scores, strict=True)]
        return [sizes[rank] for rank in _ranks(mixed)]

    def excess(share: float) -> float:
        done = sum(size * run for size, run in zip(ordered(share), runs_s, strict=True))
        return work - done / len(runs_s)

    return ordered(_root(excess, -0.99, 0.99))


def _ranks(values: Sequence[float]) -> list[int]:
    ranks = [0] * len(values)
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        ranks[at] = rank
    return ranks


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that rises from below zero to above zero crosses zero."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
