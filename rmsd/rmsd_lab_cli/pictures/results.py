"""The charts and the table of many runs, as a study has them: at several loads, with several
seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rmsd_lab.measures.categories import CATEGORIES
from rmsd_lab.measures.statistics import Interval, mean_interval
from rmsd_lab_cli.pictures.chart import Axis, BarChart, Chart, ChartLine, LineChart, number
from rmsd_lab_cli.pictures.page import PageTable
from rmsd_lab_cli.studies.comparison import name_of
from rmsd_lab_cli.studies.results_file import Row, Value
from rmsd_wire.durations import format_duration

CONFIDENCE = 0.95
_GROUPS = (*CATEGORIES, "all")

Show = Callable[[float], str]


class _Metric(NamedTuple):
    name: str
    title: str
    column: str
    axis: Axis
    show: Show


_METRICS = (
    _Metric("wait", "Mean wait", "wait_s.mean", Axis("mean wait", "s"), format_duration),
    _Metric(
        "slowdown",
        "Mean bounded slowdown",
        "bounded_slowdown.mean",
        Axis("mean bounded slowdown"),
        number,
    ),
    _Metric(
        "response", "Mean response", "response_s.mean", Axis("mean response", "s"), format_duration
    ),
    _Metric(
        "utilization",
        "Utilization",
        "utilization",
        Axis("utilization", "%"),
        lambda share: f"{100 * share:.1f}%",
    ),
)
_KINDS = (("wait", "wait_mean_s", Axis("mean wait", "s")),
          ("slowdown", "bounded_slowdown_mean", Axis("mean bounded slowdown")))  # fmt: skip


def tables(rows: Sequence[Row]) -> list[PageTable]:
    """Return a table for each trace: means over the seeds, by load and recipe. With several seeds,
    each mean has half of its interval."""
    return [_table(trace, of_trace) for trace, of_trace in _by(rows, "trace")]


def charts(rows: Sequence[Row]) -> list[Chart]:
    """Return the charts of each trace. They are metrics by load, if there are several loads, and
    metrics by kind of job at the highest load, if categories were measured. With several traces,
    names end in the trace's."""
    several = len({row["trace"] for row in rows}) > 1
    found: list[Chart] = []
    for trace, of_trace in _by(rows, "trace"):
        ending = f"-{trace}" if several else ""
        if len({row["load"] for row in of_trace}) > 1:
            found += [_by_load(metric, trace, ending, of_trace) for metric in _METRICS]
        found += _by_kind(trace, ending, of_trace)
    return found


def _by(rows: Sequence[Row], key: str) -> list[tuple[str, list[Row]]]:
    """Return the rows of each value, in the order in which the values occur."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(str(row[key]), []).append(row)
    return list(found.items())


def _mean(rows: Sequence[Row], column: str) -> Interval | None:
    """Return the interval of the mean over the seeds; None if no seed has a value."""
    values = [float(value) for row in rows if (value := row.get(column)) is not None]
    return mean_interval(values, CONFIDENCE) if values else None


class _AtLoad(NamedTuple):
    """The runs of a trace at one load.

    load: what was asked for; None: as recorded.
    offered: where charts draw the load. Shaken or drawn jobs offer another load with each seed, so
        that this is the mean over the runs as recorded; None: not known.
    """

    load: Value
    offered: float | None
    rows: list[Row]


def _loads(rows: Sequence[Row]) -> list[_AtLoad]:
    """Return the runs at each load that was asked for, ascending by the offered load. Runs as
    recorded are one load, whatever each of their seeds offers."""
    found: dict[Value, list[Row]] = {}
    for row in rows:
        found.setdefault(row["load"], []).append(row)
    groups = [_AtLoad(load, _offered(load, runs), runs) for load, runs in found.items()]
    return sorted(groups, key=lambda one: -1.0 if one.offered is None else one.offered)


def _offered(load: Value, rows: Sequence[Row]) -> float | None:
    if load is not None:
        return float(load)
    mean = _mean(rows, "offered_load")
    return None if mean is None else mean.mean


def _table(trace: str, rows: Sequence[Row]) -> PageTable:
    cells = []
    for at_load in _loads(rows):
        for recipe, seeds in _by(at_load.rows, "recipe"):
            means = [_shown(_mean(seeds, metric.column), metric.show) for metric in _METRICS]
            cells.append([recipe, name_of("load", at_load.load), f"{len(seeds)}", *means])
    several = max(int(row[2]) for row in cells) > 1
    how = f" over the seeds, ± half of the {CONFIDENCE:.0%} interval (Student's t)"
    return PageTable(
        f"{trace}: means{how if several else ''}",
        ["", "load", "runs", *(metric.title.lower() for metric in _METRICS)],
        cells,
    )


def _shown(mean: Interval | None, show: Show) -> str:
    if mean is None:
        return "-"
    return show(mean.mean) + ("" if mean.half_width is None else f" ± {show(mean.half_width)}")


def _by_load(metric: _Metric, trace: str, ending: str, rows: Sequence[Row]) -> Chart:
    lines = []
    loads = [(at.offered, _by(at.rows, "recipe")) for at in _loads(rows)]
    for recipe, _ in _by(rows, "recipe"):
        means = [
            (offered, mean)
            for offered, recipes in loads
            for name, seeds in recipes
            if name == recipe and offered is not None
            if (mean := _mean(seeds, metric.column)) is not None
        ]
        lines.append(
            ChartLine(
                recipe,
                [(offered, mean.mean) for offered, mean in means],
                [_ends(mean) for _, mean in means],
            )
        )
    return LineChart(
        f"{metric.name}-by-load{ending}",
        f"{metric.title} by load, {trace}",
        f"Means over the seeds; where there are several, with {CONFIDENCE:.0%} intervals. Runs as "
        "recorded are at the mean of the loads that they offer.",
        Axis("offered load"),
        metric.axis,
        lines,
        dots=True,
    )


def _ends(mean: Interval) -> tuple[float, float] | None:
    return None if mean.low is None or mean.high is None else (mean.low, mean.high)


def _by_kind(trace: str, ending: str, rows: Sequence[Row]) -> Iterator[Chart]:
    highest = _loads(rows)[-1]
    load = "as recorded" if highest.load is None else f"load {name_of('load', highest.load)}"
    for name, figure, axis in _KINDS:
        columns = [f"metrics.categories.{group}.{figure}" for group in _GROUPS]
        bars = {
            recipe: [mean and mean.mean for mean in (_mean(seeds, column) for column in columns)]
            for recipe, seeds in _by(highest.rows, "recipe")
        }
        if any(value is not None for values in bars.values() for value in values):
            yield BarChart(
                f"{name}-by-kind{ending}",
                f"{axis.label.capitalize()} by kind, {trace}, {load}",
                "Means over the seeds, of short (S) and long (L), narrow (N) and wide (W) jobs, at "
                "the highest load.",
                axis,
                _GROUPS,
                bars,
            )
