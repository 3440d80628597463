"""Series over time, from the jobs of a daemon: queue length, processors in use, waits, slowdowns.

The time is cut into COLUMNS equal columns. A column has the mean of what changes in it, and of the
jobs that started or ended in it. So a page has the same size whatever the number of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rmsd_core.model_time import BOUND_S, SECOND_US
from rmsd_wire.arrays import parse_indices
from rmsd_wire.durations import format_duration

COLUMNS = 60
View = Mapping[str, Any]


class SeriesColumn(NamedTuple):
    """A part of the time. wait_s, slowdown: means of the jobs that started and ended in it; None if
    no job did."""

    since_us: int
    until_us: int
    waiting: float
    processors: float
    started: int
    wait_s: float | None
    ended: int
    slowdown: float | None


class Mark(NamedTuple):
    """A bar of a chart, in hundredths of its width and height. `words` tell what it stands for."""

    x: float
    width: float
    y: float
    height: float
    words: str


class SeriesChart(NamedTuple):
    """A chart over time. `limit_y`: where the line lies that no value exceeds; None if there is
    none."""

    title: str
    top: str
    marks: list[Mark]
    limit_y: float | None
    description: str


def columns_of(views: Iterable[View], since_us: int, until_us: int) -> list[SeriesColumn]:
    """Return the columns of the time."""
    width_us = max(1, (until_us - since_us) // COLUMNS)
    edges = [since_us + at * width_us for at in range(COLUMNS)] + [until_us]
    waiting, processors = _Mean(edges), _Mean(edges)
    waits: list[list[float]] = [[] for _ in range(COLUMNS)]
    slowdowns: list[list[float]] = [[] for _ in range(COLUMNS)]
    for view in views:
        submit_us, start_us, end_us = view["submit_us"], view["start_us"], view["end_us"]
        over_us = until_us if end_us is None else end_us
        waiting.add(submit_us, over_us if start_us is None else start_us, _jobs_of(view))
        if start_us is None:
            continue
        processors.add(start_us, over_us, view["cpus"])
        wait_s = max(0, start_us - (view["eligible_us"] or submit_us)) / SECOND_US
        if since_us <= start_us < until_us:
            waits[min(COLUMNS - 1, (start_us - since_us) // width_us)].append(wait_s)
        if end_us is not None and since_us <= end_us < until_us:
            run_s = max((end_us - start_us) / SECOND_US, 0.0)
            slowdown = max(1.0, (wait_s + run_s) / max(run_s, BOUND_S))
            slowdowns[min(COLUMNS - 1, (end_us - since_us) // width_us)].append(slowdown)
    held, used = waiting.means(), processors.means()
    return [
        SeriesColumn(
            edges[at],
            edges[at + 1],
            held[at],
            used[at],
            len(waits[at]),
            _mean(waits[at]),
            len(slowdowns[at]),
            _mean(slowdowns[at]),
        )
        for at in range(COLUMNS)
    ]


def _jobs_of(view: View) -> int:
    """Return how many jobs wait: an array stands for those of its tasks that wait. The text of
    many is cut: then all of its tasks are counted."""
    text: str = view["array_task_str"].partition("%")[0]
    if view["start_us"] is not None or not text:
        return 1
    if text.endswith("..."):
        return int(view["array_tasks"])
    return sum((last - first) // step + 1 for first, last, step in parse_indices(text))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


class _Mean:
    """The means of a sum of intervals over columns, each interval at the cost of two columns."""

    def __init__(self, edges: Sequence[int]) -> None:
        self._edges = edges
        # Intervals that begin or end in a column are summed up apart from those that fill it, of
        # which only the change from the column before is kept.
        self._parts_us = [0.0] * COLUMNS
        self._changes = [0.0] * (COLUMNS + 1)

    def add(self, since_us: int, until_us: int, weight: float) -> None:
        edges = self._edges
        since_us, until_us = max(since_us, edges[0]), min(until_us, edges[-1])
        if until_us <= since_us:
            return
        first, last = self._at(since_us), self._at(until_us - 1)
        if first == last:
            self._parts_us[first] += weight * (until_us - since_us)
            return
        self._parts_us[first] += weight * (edges[first + 1] - since_us)
        self._parts_us[last] += weight * (until_us - edges[last])
        self._changes[first + 1] += weight
        self._changes[last] -= weight

    def _at(self, instant_us: int) -> int:
        width_us = self._edges[1] - self._edges[0]
        return min(COLUMNS - 1, (instant_us - self._edges[0]) // width_us)

    def means(self) -> list[float]:
        found, full = [], 0.0
        for at in range(COLUMNS):
            full += self._changes[at]
            width_us = max(1, self._edges[at + 1] - self._edges[at])
            found.append(full + self._parts_us[at] / width_us)
        return found


def charts_of(
    columns: Sequence[SeriesColumn], processors: int, when: Callable[[int], str]
) -> list[SeriesChart]:
    """Return the charts of the columns. `processors`: those of the machine, a limit of their
    chart."""
    return [
        _chart("Waiting jobs", [c.waiting for c in columns], columns, when, "{:,.1f}".format),
        _chart(
            "Processors in use",
            [c.processors for c in columns],
            columns,
            when,
            "{:,.1f}".format,
            float(processors),
        ),
        _chart(
            "Mean wait of the jobs that started", [c.wait_s for c in columns], columns, when, _s
        ),
        _chart(
            f"Mean bounded slowdown ({BOUND_S} s) of the jobs that ended",
            [c.slowdown for c in columns],
            columns,
            when,
            "{:,.1f}".format,
        ),
    ]


def _s(seconds: float) -> str:
    return format_duration(seconds)


def _chart(
    title: str,
    values: Sequence[float | None],
    columns: Sequence[SeriesColumn],
    when: Callable[[int], str],
    text: Callable[[float], str],
    limit: float | None = None,
) -> SeriesChart:
    known = [value for value in values if value is not None]
    top = max([*known, limit or 0.0]) or 1.0
    width = 100 / len(columns)
    marks = [
        Mark(
            round(at * width, 3),
            round(width, 3),
            round(100 - 100 * (value or 0.0) / top, 3),
            round(100 * (value or 0.0) / top, 3),
            f"{when(column.since_us)}: {'none' if value is None else text(value)}",
        )
        for at, (value, column) in enumerate(zip(values, columns, strict=True))
    ]
    latest = next((value for value in reversed(values) if value is not None), None)
    description = (
        f"{title}: {text(min(known))} to {text(max(known))}, {text(latest)} at last"
        if known and latest is not None
        else f"{title}: none in this time"
    )
    limit_y = None if limit is None else round(100 - 100 * limit / top, 3)
    return SeriesChart(title, text(top), marks, limit_y, description)
