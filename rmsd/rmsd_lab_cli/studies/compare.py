"""Say which differences are more than chance: the recipes of a study against one of them, or
schedules of the same jobs against each other.

Results are .csv or .parquet of `rmsd study`, or .json of `rmsd study` or `rmsd simulate`. At each
load and seed all recipes have met the same jobs (common random numbers). The differences are
therefore taken pair by pair, and their mean has an interval by Student's t. The interval speaks of
the variation by the seeds: with a model, workloads like these; with a shaken trace, this one trace
and a few seconds.

Schedules are .csv of `--schedule`, of the same jobs. The differences are taken job by job.
Neighbours depend on each other, so the jobs, in their order, are cut into batches, and the interval
is of the batches' means. It speaks of a longer run of the same workload. A note says if even
batches depend on each other.

An interval that does not contain 0 is marked with *. At 95% one in twenty that should contain 0
does not; with --bonferroni all intervals shown hold together at that confidence.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.tables import grid
from rmsd_lab_cli.studies import schedule_comparison
from rmsd_lab_cli.studies.comparison import (
    BY,
    METRICS,
    Comparison,
    ComparisonGroup,
    baseline_of,
    columns_named,
    compare,
    name_of,
)
from rmsd_lab_cli.studies.results_file import Row, rows_of
from rmsd_lab_cli.studies.schedule_comparison import (
    BATCHES,
    NamedSchedule,
    compare_schedules,
    is_schedule,
    schedules_in,
)

EPILOG = """\
exit codes:
  0  done, whatever differs
  1  a file cannot be read, or pairs are not of the same jobs
  2  wrong usage: no such baseline or metric

examples:
  rmsd compare results.csv --baseline easy
  rmsd compare results.parquet --metric wait_s.mean --metric metrics.waits.wait_s.p95
  rmsd compare results.csv --metric 'metrics.categories.*.bounded_slowdown_mean' --bonferroni
  rmsd compare before.csv after.csv --by file
  rmsd compare easy.json easy++.json
  rmsd compare easy.csv easy++.csv --metric wait_s --confidence 0.99
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help="results, or schedules of the same jobs"
    )
    parser.add_argument(
        "--by",
        choices=BY,
        help="of results: what is compared, wherever all else is the same (default: recipe); file: "
        "the same study made with other code or other options, trace: one trace with other "
        "estimates",
    )
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="the recipe (trace, load) that the others are compared with; of files the name "
        "without its ending (default: the first)",
    )
    parser.add_argument(
        "--metric",
        dest="metrics",
        action="append",
        metavar="COLUMN",
        help="compare this column of the results, * standing for anything, or of schedules "
        f"{', '.join(schedule_comparison.METRICS)}; again for more (default: {', '.join(METRICS)}, "
        "or those)",
    )
    parser.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        metavar="C",
        help="the confidence of intervals (default: 0.95)",
    )
    parser.add_argument(
        "--bonferroni",
        action="store_true",
        help="the confidence is that of all intervals together, not of each",
    )
    parser.add_argument(
        "--batches",
        type=int,
        metavar="N",
        help=f"the batches that the jobs of schedules are cut into (default: {BATCHES})",
    )
    parser.add_argument("--json", action="store_true", help="print one rmsd.compare/1 object")


def run(args: argparse.Namespace) -> int:
    check_confidence(args)
    schedules = [is_schedule(path) for path in args.files]
    if any(schedules) and not all(schedules):
        one, other = args.files[schedules.index(True)], args.files[schedules.index(False)]
        raise CommandUsageError(f"{one} is a schedule and {other} is not; compare like with like")
    if all(schedules):
        found = of_schedules(schedules_in(args.files), args)
    else:
        by = args.by or "recipe"
        found = of_results([row for path in args.files for row in _rows(path, by)], args)
    print(json.dumps(report_of(found, args), indent=2) if args.json else text_of(found, args))
    return 0


def check_confidence(args: argparse.Namespace) -> None:
    """Raise CommandUsageError if the confidence is none."""
    if not 0 < args.confidence < 1:
        raise CommandUsageError(
            f"--confidence {args.confidence:g}: above 0 and below 1, as in 0.95"
        )


class ComparedResults(NamedTuple):
    """The differences among results.

    level: the confidence of each interval. told: more for the JSON. notes: the same for people.
    """

    baseline: str
    groups: Sequence[ComparisonGroup]
    level: float
    told: dict[str, Any]
    notes: Sequence[str]


# ---------------------------------------------------------------- results


def of_results(rows: Sequence[Row], args: argparse.Namespace) -> ComparedResults:
    """Return what differs among runs, as the options ask for it.

    Raises:
        CommandUsageError, CommandError: as `run` does.
    """
    if args.batches is not None:
        raise CommandUsageError("--batches is of schedules; results have a pair for each seed")
    by = args.by or "recipe"
    baseline = baseline_of(rows, by, args.baseline)
    metrics = columns_named(rows, args.metrics or METRICS)
    groups = compare(rows, by, baseline, metrics, args.confidence)
    number = sum(len(group.comparisons) for group in groups)
    if not number:
        raise CommandError(
            f"no run differs from one of the baseline, {name_of(by, baseline)}, in the {by} alone"
        )
    level = _level(args, number)
    if level != args.confidence:
        groups = compare(rows, by, baseline, metrics, level)
    notes = []
    pairs = [one.difference.values for group in groups for one in group.comparisons]
    if min(pairs) == 1:
        notes.append("One pair has no interval: give the study some seeds.")
    return ComparedResults(name_of(by, baseline), groups, level, {"by": by}, notes)


def _rows(path: Path, by: str) -> list[Row]:
    """Return the rows of a file, with the file as a key if files are compared."""
    return [{**row, "file": path.stem} if by == "file" else row for row in rows_of(path)]


# ---------------------------------------------------------------- schedules


def of_schedules(schedules: Sequence[NamedSchedule], args: argparse.Namespace) -> ComparedResults:
    """Return what differs among schedules, as the options ask for it.

    Raises:
        CommandUsageError, CommandError: as `run` does.
    """
    if len(schedules) < 2:
        raise CommandUsageError("one schedule has nothing to be compared with; give two or more")
    if args.by is not None:
        raise CommandUsageError("--by is of results; schedules are compared by file")
    metrics = args.metrics or list(schedule_comparison.METRICS)
    batches = BATCHES if args.batches is None else args.batches
    level = _level(args, len(metrics) * (len(schedules) - 1))
    found = compare_schedules(schedules, args.baseline, metrics, level, batches)
    length, first = divmod(found.jobs, batches)
    left_out = f"; the first {first} are left out" if first else ""
    notes = [f"{found.jobs:,} jobs in {batches} batches of {length:,}{left_out}."]
    if found.correlated > 2 / math.sqrt(batches):
        notes.append(
            f"Neighbouring batches still depend on each other (correlation {found.correlated:.2f}):"
            "\nthe intervals are too narrow; take fewer --batches."
        )
    told = {"jobs": found.jobs, "batches": batches, "correlation": found.correlated}
    baseline = args.baseline or schedules[0].name
    group = ComparisonGroup("schedules", {}, found.comparisons)
    return ComparedResults(baseline, [group], level, told, notes)


# ---------------------------------------------------------------- both


def _level(args: argparse.Namespace, intervals: int) -> float:
    """Return the confidence of each interval."""
    confidence: float = args.confidence
    return 1 - (1 - confidence) / intervals if args.bonferroni else confidence


def report_of(found: ComparedResults, args: argparse.Namespace) -> dict[str, Any]:
    """Return the `rmsd.compare/1` object. Later versions of this number only add keys."""
    return {
        "schema": "rmsd.compare/1",
        "baseline": found.baseline,
        "confidence": args.confidence,
        "bonferroni": args.bonferroni,
        "confidence_of_each": found.level,
        **found.told,
        "comparisons": [
            {**group.keys, **one.as_json()} for group in found.groups for one in group.comparisons
        ],
    }


def text_of(found: ComparedResults, args: argparse.Namespace) -> str:
    """Return the comparison as tables for people."""
    of_all = " of all together" if args.bonferroni else ""
    legend = f"* the {_percent(args.confidence)} interval{of_all} does not contain 0"
    tables = [_table(group, found.baseline, args.confidence) for group in found.groups]
    return "\n\n".join([*tables, "\n".join([legend, *found.notes])])


def _table(group: ComparisonGroup, baseline: str, confidence: float) -> str:
    heads = ["pairs", "mean", "difference", f"{_percent(confidence)} interval", "relative"]
    lines = [[group.title, *heads]]
    for metric, comparisons in groupby(group.comparisons, lambda one: one.metric):
        listed = list(comparisons)
        lines.append([metric, *[""] * len(heads)])
        lines.append([f"  {baseline}", "", _shown(listed[0].baseline_mean), "", "", ""])
        lines += map(_line, listed)
    return grid(lines)


def _line(one: Comparison) -> list[str]:
    low, high, relative = one.difference.low, one.difference.high, one.relative
    return [
        f"  {one.name}",
        str(one.difference.values),
        _shown(one.mean),
        _shown(one.difference.mean, "+"),
        "-" if low is None or high is None else f"{_shown(low, '+')} to {_shown(high, '+')}",
        "* " * one.difference.excludes_zero
        + ("-" if relative is None else f"{100 * relative:+.1f}%"),
    ]


def _shown(value: float, sign: str = "") -> str:
    """Return a value with as many digits as are useful."""
    digits = next((digits for least, digits in _DIGITS if abs(value) >= least), 4)
    return f"{value:{sign},.{digits}f}"


_DIGITS = ((1000, 0), (100, 1), (1, 2))


def _percent(confidence: float) -> str:
    return f"{100 * confidence:g}%"
