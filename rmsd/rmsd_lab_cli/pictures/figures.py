"""The charts of a report, by name: of schedules, and of many runs at several loads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.cumulative import cumulative
from rmsd_lab.charts.series import Steps, queue_length, thinned
from rmsd_lab.measures.categories import CATEGORIES, Boundaries, by_category
from rmsd_lab.measures.timeline import momentary_load
from rmsd_lab.schedule import Schedule
from rmsd_lab_cli.pictures.chart import Axis, BarChart, Chart, ChartLine, LineChart

_COLUMNS = 300
_POINTS = 300

Schedules = Mapping[str, Schedule]
"""The schedules by name, in the order of the report."""

_WAIT = Axis("wait", "s", log=True)
_SLOWDOWN = Axis("bounded slowdown", log=True)
_SHARE = Axis("share of the jobs", "%")
_TIME = Axis("time since the trace began", "time")
_KINDS = (
    "Jobs that run longer than an hour are long (L), others short (S); jobs with more than 8 "
    "processors are wide (W), others narrow (N)."
)


def _waits(schedules: Schedules) -> Chart:
    return LineChart(
        "wait-cdf",
        "Waits: how many jobs wait no longer",
        "Cumulative distribution of the jobs' waits, on a logarithmic axis from 1 s.",
        _WAIT,
        _SHARE,
        _distributions(schedules, lambda one: [job.wait_us / SECOND_US for job in one]),
        steps=True,
    )


def _slowdowns(schedules: Schedules) -> Chart:
    return LineChart(
        "slowdown-cdf",
        "Bounded slowdown: how many jobs have no more",
        "Cumulative distribution of the jobs' bounded slowdown, on a logarithmic axis.",
        _SLOWDOWN,
        _SHARE,
        _distributions(schedules, lambda one: [job.bounded_slowdown for job in one]),
        steps=True,
    )


def _distributions(
    schedules: Schedules, values: Callable[[Schedule], list[float]]
) -> list[ChartLine]:
    return [ChartLine(name, cumulative(values(one), _POINTS)) for name, one in schedules.items()]


def _category_waits(schedules: Schedules) -> Chart:
    return BarChart(
        "category-wait",
        "Mean wait by kind of job",
        f"Mean wait of each category. {_KINDS}",
        Axis("mean wait", "s"),
        [*CATEGORIES, "all"],
        {
            name: [kind.wait_mean_s for kind in by_category(one.jobs, Boundaries()).values()]
            for name, one in schedules.items()
        },
    )


def _category_slowdowns(schedules: Schedules) -> Chart:
    return BarChart(
        "category-slowdown",
        "Mean bounded slowdown by kind of job",
        f"Mean bounded slowdown of each category. {_KINDS}",
        Axis("mean bounded slowdown"),
        [*CATEGORIES, "all"],
        {
            name: [
                kind.bounded_slowdown_mean for kind in by_category(one.jobs, Boundaries()).values()
            ]
            for name, one in schedules.items()
        },
    )


def _queue(schedules: Schedules) -> Chart:
    return LineChart(
        "queue",
        "Queue length over time",
        "How many jobs wait. Of what falls into one column, the lowest and the highest are drawn.",
        _TIME,
        Axis("waiting jobs"),
        _over_time(schedules, lambda one: queue_length(one.jobs)),
        steps=True,
        smooth=False,
    )


def _load(schedules: Schedules) -> Chart:
    return LineChart(
        "load",
        "Momentary load over time",
        "Processors of all jobs that run or wait, over those of the machine (thesis 3.6).",
        _TIME,
        Axis("momentary load"),
        _over_time(schedules, lambda one: momentary_load(one.jobs, one.processors)),
        steps=True,
        smooth=False,
    )


def _over_time(schedules: Schedules, steps: Callable[[Schedule], Steps]) -> list[ChartLine]:
    return [
        ChartLine(
            name,
            [(since_us / SECOND_US, value) for since_us, value in thinned(steps(one), _COLUMNS)],
        )
        for name, one in schedules.items()
    ]


OF_SCHEDULES: dict[str, Callable[[Schedules], Chart]] = {
    "wait-cdf": _waits,
    "slowdown-cdf": _slowdowns,
    "category-wait": _category_waits,
    "category-slowdown": _category_slowdowns,
    "queue": _queue,
    "load": _load,
}
"""The charts that can be drawn of schedules, by name."""


def charts(schedules: Schedules) -> list[Chart]:
    """Return all charts of the schedules."""
    return [draw(schedules) for draw in OF_SCHEDULES.values()]
