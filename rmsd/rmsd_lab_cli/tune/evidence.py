"""The evidence for a recipe, from one run of each of two recipes over the same jobs. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rmsd_lab.measures.metrics import percentile
from rmsd_lab.measures.statistics import Interval, batch_means, mean_interval

PARTS = 20
"""The number of consecutive parts of the jobs that an interval is made from. Jobs that are near
each other wait for the same queue, and so say little more than one of them. Long parts are nearly
independent of each other (Law and Kelton, 9.5.3)."""
LEAST_JOBS = 10 * PARTS
"""Fewer jobs say nothing."""
LONGEST_TIMES = 1.2
PERCENTILE_TIMES = 1.1
"""The bounds of the longest wait and of the 99th percentile of waits, as multiples of the running
recipe's."""
LEAST_GAIN = 0.02
"""A recipe that gains less on the first half is not looked at on the other."""
_SHORT_S = 60.0
"""A minute more is nothing: without it, ratios of waits near zero decide."""


class TunedRun(NamedTuple):
    """The counted jobs of a run in arrival order: waits [s] and bounded slowdowns, and the price of
    kills: kills for a job, and the share of the processor time that killed runs took."""

    waits_s: Sequence[float]
    slowdowns: Sequence[float]
    kills_per_job: float = 0.0
    lost_share: float = 0.0

    @property
    def wait_s(self) -> float:
        return math.fsum(self.waits_s) / len(self.waits_s)

    @property
    def slowdown(self) -> float:
        return math.fsum(self.slowdowns) / len(self.slowdowns)

    @property
    def longest_s(self) -> float:
        return max(self.waits_s)

    @property
    def percentile_s(self) -> float:
        return percentile(sorted(self.waits_s), 99)


def score(run: TunedRun, running: TunedRun) -> float:
    """Return what a run is worth beside the running recipe's, below 1 if it is better: the
    geometric mean of the ratios of mean waits and of mean bounded slowdowns."""
    waits = (run.wait_s + _SHORT_S) / (running.wait_s + _SHORT_S)
    return math.sqrt(waits * run.slowdown / running.slowdown)


def within_bounds(run: TunedRun, running: TunedRun) -> bool:
    """Return whether neither the longest wait nor the 99th percentile is past its bound."""
    return _within(run.longest_s, running.longest_s, LONGEST_TIMES) and _within(
        run.percentile_s, running.percentile_s, PERCENTILE_TIMES
    )


def _within(value_s: float, running_s: float, times: float) -> bool:
    return value_s <= max(times * running_s, running_s + _SHORT_S)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A recipe beside the running one, on the half that did not choose it.

    wait_s, slowdown: the paired differences from the running recipe, below zero if it is better.
    regret: how much longer jobs wait in the parts of the half in which they wait longer, in
        relation to all waits under the running recipe.
    """

    wait_s: Interval
    slowdown: Interval
    regret: float
    run: TunedRun
    running: TunedRun


def evidence(run: TunedRun, running: TunedRun) -> Evidence:
    """Return the evidence. Raises ValueError if the runs are not of as many jobs, or too few."""
    if len(running.waits_s) < LEAST_JOBS:
        raise ValueError(f"{len(running.waits_s)} jobs are fewer than {LEAST_JOBS}")
    waits_s = _differences(run.waits_s, running.waits_s)
    slowdowns = _differences(run.slowdowns, running.slowdowns)
    longer_s = math.fsum(max(0.0, part) for part in waits_s) / PARTS
    return Evidence(
        mean_interval(waits_s),
        mean_interval(slowdowns),
        longer_s / max(running.wait_s, 1.0),
        run,
        running,
    )


def _differences(ours: Sequence[float], running: Sequence[float]) -> list[float]:
    pairs = zip(ours, running, strict=True)
    return batch_means([one - other for one, other in pairs], PARTS)


def objections(found: Evidence, most_regret: float) -> list[str]:
    """Return why the recipe is not proposed; nothing if it is."""
    said = []
    gains = [found.wait_s, found.slowdown]
    if not any(one.excludes_zero and one.mean < 0 for one in gains):
        said.append("neither mean wait nor mean bounded slowdown is better beyond noise")
    names = ("mean wait", "mean bounded slowdown")
    said += [
        f"the {name} is worse beyond noise"
        for name, one in zip(names, gains, strict=True)
        if one.excludes_zero and one.mean > 0
    ]
    run, running = found.run, found.running
    if not _within(run.longest_s, running.longest_s, LONGEST_TIMES):
        said.append(f"the longest wait is more than {LONGEST_TIMES:g} times as long")
    if not _within(run.percentile_s, running.percentile_s, PERCENTILE_TIMES):
        said.append(f"the 99th percentile of waits is more than {PERCENTILE_TIMES:g} times as long")
    if found.regret > most_regret:
        said.append(f"the regret is {100 * found.regret:.1f}%, and may be {100 * most_regret:g}%")
    return said
