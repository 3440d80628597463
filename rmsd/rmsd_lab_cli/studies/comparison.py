"""Runs against a baseline: the same jobs under both, and the differences pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.measures.statistics import Interval, paired_interval
from rmsd_lab_cli.studies.results_file import Row, Value

METRICS = ("wait_s.mean", "bounded_slowdown.mean", "utilization")
"""The metrics that are compared if nothing else is asked for."""

BY = ("file", "trace", "recipe", "load")
"""The columns in which contestants may differ; the rest is the same for all of a group."""

_SAME = ("procs", "jobs.simulated", "offered_load")
"""The columns that two runs of the same jobs have in common."""


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
        """Return the difference as a share of the baseline; None if the baseline is 0."""
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
class ComparisonGroup:
    """All comparisons that have something in common: title and keys say what."""

    title: str
    keys: Mapping[str, Value]
    comparisons: Sequence[Comparison]


def baseline_of(rows: Sequence[Row], by: str, named: str | None) -> Value:
    """Return the baseline: the one that is named, or else the first.

    by: what the contestants differ in, a key of the rows.

    Raises:
        CommandUsageError: it is not among the results, or nothing else is.
    """
    contestants = list(dict.fromkeys(row[by] for row in rows))
    names = {name_of(by, value): value for value in contestants}
    if named is not None and named not in names:
        raise CommandUsageError(
            f"--baseline {named}: no such {by} here; there are: {'; '.join(names)}"
        )
    if len(contestants) < 2:
        raise CommandUsageError(
            f"there is nothing to compare: all results are of the {by} {next(iter(names))}; --by "
            "says what else may differ"
        )
    return contestants[0] if named is None else names[named]


def name_of(key: str, value: Value) -> str:
    """Return the value of a key, for people and for --baseline."""
    if key != "load":
        return str(value)
    return "recorded" if value is None else f"{value:g}"


def columns_named(rows: Sequence[Row], patterns: Iterable[str]) -> list[str]:
    """Return the columns of numbers that match the patterns (`*` for anything), each once.

    Raises:
        CommandUsageError: one stands for none.
    """
    known = list(
        dict.fromkeys(
            name for row in rows for name, value in row.items() if isinstance(value, int | float)
        )
    )
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [name for name in known if fnmatchcase(name, pattern)]
        if not matching:
            close = get_close_matches(pattern, known, n=3)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise CommandUsageError(
                f"--metric {pattern}: the results have no such column of numbers{hint}; there are "
                f"{', '.join(known) or 'none'}"
            )
        found |= dict.fromkeys(matching)
    return list(found)


def compare(
    rows: Sequence[Row], by: str, baseline: Value, metrics: Sequence[str], confidence: float
) -> list[ComparisonGroup]:
    """Compare every contestant with the baseline, wherever the other keys are the same, in the
    order of the rows. Pairs are runs with the same seed. A run without a partner, or without the
    metric, is left out.

    Raises:
        CommandError: a run is there twice, or partners are of different jobs.
    """
    groups = []
    same = tuple(key for key in _SAME if by != "load" or key != "offered_load")
    for keys, runs in _grouped(rows, by).items():
        reference = runs.pop(baseline, None)
        if reference is None:
            continue
        found = [
            compared(
                metric, name_of(by, name), [a for a, _ in pairs], [b for _, b in pairs], confidence
            )
            for metric in metrics
            for name, seeds in runs.items()
            if (pairs := _pairs(metric, reference, seeds, same))
        ]
        if found:
            groups.append(
                ComparisonGroup(", ".join(_said(*key) for key in keys), dict(keys), found)
            )
    return groups


Keys = tuple[tuple[str, Value], ...]
Runs = dict[Value, dict[Value, Row]]
"""The runs by contestant and seed."""


def _grouped(rows: Iterable[Row], by: str) -> dict[Keys, Runs]:
    fixed = [key for key in BY if key != by]
    found: dict[Keys, Runs] = {}
    for row in rows:
        keys = tuple((key, row[key]) for key in fixed if key in row)
        runs = found.setdefault(keys, {}).setdefault(row[by], {})
        if row["seed"] in runs:
            hint = "" if by == "file" else "; files of the same runs are compared with --by file"
            raise CommandError(f"{_named(row)} is there twice{hint}")
        runs[row["seed"]] = row
    return found


def _pairs(
    metric: str, reference: Mapping[Value, Row], seeds: Mapping[Value, Row], same: Iterable[str]
) -> list[tuple[float, float]]:
    pairs = []
    for seed, row in seeds.items():
        partner = reference.get(seed)
        if partner is None:
            continue
        for key in same:
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
    """Return the comparison of pairs: the baseline's value and the contestant's."""
    return Comparison(
        metric,
        name,
        sum(before) / len(before),
        sum(after) / len(after),
        paired_interval(before, after, confidence),
    )


def _named(row: Row) -> str:
    seed = "" if row["seed"] is None else f", seed {row['seed']}"
    return f"{row['recipe']} on {row['trace']}, {_said('load', row['load'])}{seed}"


def _said(key: str, value: Value) -> str:
    if key != "load":
        return str(value)
    return "as recorded" if value is None else f"load {value:g}"
