"""Recipes against a baseline: the same jobs under both, and the differences pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rmsd_cli.errors import CommandError, UsageError
from rmsd_cli.studies.results_file import Row, Value
from rmsd_core.statistics import Interval, paired_interval

METRICS = ("wait_s.mean", "bounded_slowdown.mean", "utilization")
"""What is compared if nothing else is asked for."""

_SAME = ("procs", "jobs.simulated", "offered_load")
"""What two runs of the same jobs have in common."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One contestant against the baseline, by one metric; in its unit.

    difference: mean of contestant less baseline over the pairs, with its interval.
    """

    metric: str
    name: str
    baseline_mean: float
    mean: float
    difference: Interval

    @property
    def relative(self) -> float | None:
        """The difference as a share of the baseline; None: that is 0."""
        return self.difference.mean / self.baseline_mean if self.baseline_mean else None

    def as_json(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "name": self.name,
            "pairs": self.difference.values,
            "baseline_mean": self.baseline_mean,
            "mean": self.mean,
            "difference": self.difference.mean,
            "low": self.difference.low,
            "high": self.difference.high,
            "relative": self.relative,
            "significant": self.difference.excludes_zero,
        }


@dataclass(frozen=True, slots=True)
class Group:
    """All comparisons on one trace at one load. title: for people."""

    title: str
    trace: str | None
    load: Value
    comparisons: Sequence[Comparison]


def baseline_of(rows: Sequence[Row], named: str | None) -> str:
    """The recipe that the others are compared with: the one named, or the first.

    Raises:
        UsageError: it is not among the results, or nothing else is.
    """
    recipes = list(dict.fromkeys(str(row["recipe"]) for row in rows))
    if named is not None and named not in recipes:
        raise UsageError(
            f"--baseline {named}: no such recipe here; there are: {'; '.join(recipes)}"
        )
    if len(recipes) < 2:
        raise UsageError(f"there is nothing to compare: all results are of {recipes[0]}")
    return named or recipes[0]


def check_metrics(rows: Sequence[Row], metrics: Iterable[str]) -> None:
    """Raises UsageError: a metric that no row has a number for."""
    known = list(
        dict.fromkeys(
            name for row in rows for name, value in row.items() if isinstance(value, int | float)
        )
    )
    for metric in metrics:
        if metric not in known:
            close = get_close_matches(metric, known, n=3)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise UsageError(f"--metric {metric}: the results have no such column of numbers{hint}")


def compare(
    rows: Sequence[Row], baseline: str, metrics: Sequence[str], confidence: float
) -> list[Group]:
    """Every recipe against `baseline`, by trace and load in the order of the rows. Pairs are runs
    with the same seed; a run without a partner, or without the metric, is left out.

    Raises:
        CommandError: a run is there twice, or partners are of different jobs.
    """
    groups = []
    for (trace, load), runs in _by_input(rows).items():
        reference = runs.pop(baseline, None)
        if reference is None:
            continue
        found = [
            compared(metric, recipe, [a for a, _ in pairs], [b for _, b in pairs], confidence)
            for metric in dict.fromkeys(metrics)
            for recipe, seeds in runs.items()
            if (pairs := _pairs(metric, reference, seeds))
        ]
        at = "as recorded" if load is None else f"load {load:g}"
        groups.append(Group(f"{trace}, {at}", trace, load, found))
    return groups


Runs = dict[str, dict[Value, Row]]
"""recipe -> seed -> run"""


def _by_input(rows: Sequence[Row]) -> dict[tuple[str, Value], Runs]:
    found: dict[tuple[str, Value], Runs] = {}
    for row in rows:
        seeds = found.setdefault((str(row["trace"]), row["load"]), {})
        runs = seeds.setdefault(str(row["recipe"]), {})
        if row["seed"] in runs:
            raise CommandError(f"{_named(row)} is there twice; give results that differ in a key")
        runs[row["seed"]] = row
    return found


def _pairs(
    metric: str, reference: Mapping[Value, Row], seeds: Mapping[Value, Row]
) -> list[tuple[float, float]]:
    pairs = []
    for seed, row in seeds.items():
        partner = reference.get(seed)
        if partner is None:
            continue
        for key in _SAME:
            if row.get(key) != partner.get(key):
                raise CommandError(
                    f"{_named(row)} and {_named(partner)} are not of the same jobs: {key} is "
                    f"{row.get(key)} and {partner.get(key)}"
                )
        before, after = partner.get(metric), row.get(metric)
        if isinstance(before, int | float) and isinstance(after, int | float):
            pairs.append((float(before), float(after)))
    return pairs


def compared(
    metric: str, name: str, before: Sequence[float], after: Sequence[float], confidence: float
) -> Comparison:
    """Of pairs: the baseline's value and the contestant's."""
    return Comparison(
        metric,
        name,
        sum(before) / len(before),
        sum(after) / len(after),
        paired_interval(before, after, confidence),
    )


def _named(row: Row) -> str:
    keys = [f"{key} {row[key]}" for key in ("load", "seed") if row[key] is not None]
    return ", ".join([str(row["recipe"]), f"on {row['trace']}", *keys])
