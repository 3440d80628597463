"""The judgement of claims that were published as figures: that a curve rises, falls, or has the
shape of a V."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from rmsd_lab_cli.papers.experiment import Finding, Lookup, PaperClaim, Simulation
from rmsd_lab_cli.papers.verdicts import shown

STEP = 0.02
"""A step against the trend of up to this share of the value is noise."""

Judge = Callable[[Sequence[float]], bool]


def rises(values: Sequence[float]) -> bool:
    """Return whether the end is higher than the start, and no step falls by more than noise."""
    steps = pairwise(values)
    return values[-1] > values[0] and all(after >= before * (1 - STEP) for before, after in steps)


def falls(values: Sequence[float]) -> bool:
    """Return whether the end is lower than the start, and no step rises by more than noise."""
    steps = pairwise(values)
    return values[-1] < values[0] and all(after <= before * (1 + STEP) for before, after in steps)


def ends_higher(values: Sequence[float]) -> bool:
    return values[-1] > values[0]


def ends_lower(values: Sequence[float]) -> bool:
    return values[-1] < values[0]


def dips(values: Sequence[float]) -> bool:
    """Return whether some later point is below the first."""
    return min(values[1:]) < values[0]


def peaks_inside(values: Sequence[float]) -> bool:
    """Return whether the highest point is neither the first nor the last."""
    return max(values[1:-1]) > max(values[0], values[-1])


def turns_up(values: Sequence[float]) -> bool:
    """Return whether the values form a V: they fall below the first point, and end more than noise
    above their lowest."""
    return dips(values) and values[-1] > min(values) * (1 + STEP)


def curve(
    text: str,
    runs: Sequence[Sequence[Simulation]],
    measure: str,
    judge: Judge,
    scale: float = 1.0,
) -> PaperClaim:
    """Return a claim about a curve, each point of which is the mean of a measure over its runs."""

    def finding(look_up: Lookup) -> Finding:
        values = [mean(look_up, point, measure) * scale for point in runs]
        return Finding(judge(values), ", ".join(map(shown, values)))

    return PaperClaim(text, [run for point in runs for run in point], [measure], finding)


def mean(look_up: Lookup, runs: Sequence[Simulation], measure: str) -> float:
    return sum(look_up(run, measure) for run in runs) / len(runs)


def every(
    text: str,
    pairs: Sequence[tuple[str, Sequence[Simulation], Sequence[Simulation]]],
    measure: str,
    holds: Callable[[float, float], bool],
    scale: float = 1.0,
    share: float = 1.0,
) -> PaperClaim:
    """Return a claim about (name, runs, other runs): `holds(mean of the runs, mean of the other
    runs)` is true in at least `share` of them. The numbers of pairs for which it is not are
    marked."""

    def finding(look_up: Lookup) -> Finding:
        said, true = [], 0
        for name, one, other in pairs:
            left, right = (mean(look_up, runs, measure) * scale for runs in (one, other))
            good = holds(left, right)
            true += good
            said.append(f"{name} {shown(left)} : {shown(right)}{'' if good else ' (no)'}")
        return Finding(true >= share * len(pairs), ", ".join(said))

    return PaperClaim(
        text, [run for _, *both in pairs for runs in both for run in runs], [measure], finding
    )
