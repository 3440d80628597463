"""The tables of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rmsd_lab.measures.metrics import Distribution, summarize, trial_cost, waits
from rmsd_lab.schedule import Schedule
from rmsd_lab_cli.pictures.chart import number
from rmsd_lab_cli.pictures.page import PageTable
from rmsd_wire.durations import format_duration


def table_of_runs(schedules: Mapping[str, Schedule]) -> PageTable:
    """Return a table with a column for each schedule: the figures of `rmsd simulate`, and more on
    the spread of waits."""
    columns = [_figures(schedule) for schedule in schedules.values()]
    return PageTable(
        "Waits and responses as d-hh:mm:ss, bounded slowdown with a bound of 10 s; over all jobs.",
        ["", *schedules],
        [[name, *cells] for name, cells in zip(_ROWS, zip(*columns, strict=True), strict=True)],
    )


_ROWS = (
    "jobs",
    "mean wait",
    "median wait",
    "95% wait no longer than",
    "longest wait",
    "mean bounded slowdown",
    "median bounded slowdown",
    "95% have no more than",
    "mean response",
    "utilization",
    "backfilled jobs",
    "restarted jobs",
)


def _figures(schedule: Schedule) -> list[str]:
    """Return the figures of a schedule in the order of `_ROWS`."""
    summary = summarize(schedule.jobs, schedule.processors)
    found = waits(schedule.jobs)
    restarted = trial_cost(schedule.jobs).restarted_share
    return [
        f"{summary.counted:,}",
        *_spread(found.wait_s, format_duration),
        _one(summary.wait_max_s, format_duration),
        *_spread(found.bounded_slowdown, number),
        _one(summary.response_mean_s, format_duration),
        f"{100 * summary.utilization:.1f}%",
        _one(summary.backfilled, lambda count: f"{count:,.0f}"),
        _one(restarted, lambda share: f"{100 * share:.1f}%"),
    ]


def _spread(values: Distribution | None, show: Callable[[float], str]) -> list[str]:
    if values is None:
        return ["-", "-", "-"]
    return [show(values.mean), show(values.median), show(values.p95)]


def _one(value: float | None, show: Callable[[float], str]) -> str:
    return "-" if value is None else show(value)
