"""The results of a study in short, for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from rmsd_cli.tables import grid
from rmsd_lab.measures.statistics import mean_interval
from rmsd_lab_cli.studies.description import RECORDED
from rmsd_lab_cli.studies.results_file import Row, Value
from rmsd_wire.durations import format_duration

_CONFIDENCE = 0.95

Show = Callable[[float], str]

_COLUMNS: tuple[tuple[str, str, Show], ...] = (
    ("mean wait", "wait_s.mean", format_duration),
    ("bounded slowdown", "bounded_slowdown.mean", lambda value: f"{value:.2f}"),
    ("utilization", "utilization", lambda value: f"{100 * value:.1f}%"),
)


def summary(rows: Sequence[Row]) -> str:
    """Return means over the seeds by trace, load and recipe; with several seeds, with their 95%
    intervals. Rows are in the order of the study."""
    parts = []
    for trace, of_trace in groupby(rows, lambda row: row["trace"]):
        listed = list(of_trace)
        parts.append(f"{trace}, {listed[0]['procs']:,} processors\n{_table(listed)}")
    note = ""
    seeds = max(len(seeds) for seeds in _seeds(rows).values())
    if seeds > 1:
        note = f"\n\nMeans over {seeds} seeds, +- half of the {_CONFIDENCE:.0%} interval."
    return "\n\n".join(parts) + note


def _seeds(rows: Sequence[Row]) -> dict[tuple[Value, Value, Value], list[Row]]:
    """Return the rows of each trace, load and recipe, in the order in which they first occur."""
    found: dict[tuple[Value, Value, Value], list[Row]] = {}
    for row in rows:
        found.setdefault((row["trace"], row["load"], row["recipe"]), []).append(row)
    return found


def _table(rows: Sequence[Row]) -> str:
    heads = ["recipe", "load", *(name for name, _, _ in _COLUMNS)]
    lines = [heads]
    for (_, load, recipe), seeds in _seeds(rows).items():
        cells = [_mean(seeds, column, show) for _, column, show in _COLUMNS]
        at = RECORDED if load is None else f"{load:g}"
        lines.append([str(recipe), at, *cells])
    return grid(lines)


def _mean(seeds: Sequence[Row], column: str, show: Show) -> str:
    values = [float(value) for row in seeds if (value := row[column]) is not None]
    if not values:
        return "-"
    found = mean_interval(values, _CONFIDENCE)
    around = "" if found.half_width is None else f" +- {show(found.half_width)}"
    return show(found.mean) + around
