"""The page with a Gantt chart: who ran where, who runs, and who is expected to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.gantt import KILLED, OVER, PLANNED, RUNNING, Bar, Gantt, SetAside
from rmsd_lab_cli.pictures.observed import Observed, gantt_of_observed
from rmsd_lab_cli.pictures.packed import packed
from rmsd_ui.runs import Runs

HOUR_S, DAY_S = 3600.0, 86400.0
TIMES = {
    "1h": ("1 hour", HOUR_S),
    "6h": ("6 hours", 6 * HOUR_S),
    "1d": ("1 day", DAY_S),
    "7d": ("1 week", 7 * DAY_S),
}
"""The times that a page can show, as its form has them: words and seconds."""
_MOST_ROWS = 50
_MOST_NAME = 80
_WORDS = {
    OVER: "ended",
    KILLED: "ended, to run again",
    RUNNING: "runs; its end is predicted",
    PLANNED: "planned",
}


class ListedRun(NamedTuple):
    """A run in the table of the page."""

    job_id: int
    label: str
    name: str
    user: str
    what: str
    start_us: int
    end_us: int
    cpus: int


class ListedReservation(NamedTuple):
    """An advance reservation in the table of the page."""

    name: str
    nodes: str
    life: str
    start_us: int
    end_us: int


class GanttView(NamedTuple):
    """The values of the page. `data` is what the script draws; `rows` are for readers without it,
    the latest start first, of `total` runs, and so is `reserved`, of `total_reserved`."""

    data: dict[str, Any]
    rows: list[ListedRun]
    total: int
    left_out: list[str]
    reserved: list[ListedReservation]
    total_reserved: int


def gantt_view(runs: Runs, past_s: float, rate: float) -> GanttView:
    """Return what the page shows of the runs."""
    observed = runs.observed
    since_us = max(0, observed.now_us - round(past_s * SECOND_US))
    gantt = gantt_of_observed(observed, since_us)
    names = {view["job_id"]: view["name"] for view in observed.views}
    data = packed([gantt], calendar=True, window_us=(since_us, runs.until_us))
    data |= {"links": "/jobs/", "rate": rate, "titles": _titles(gantt.bars, names)}
    latest = sorted(gantt.bars, key=lambda bar: (bar.start_us, bar.job_id), reverse=True)
    rows = [_listed(bar, names[bar.job_id]) for bar in latest[:_MOST_ROWS]]
    reserved = [_reserved(one, observed.now_us) for one in reversed(gantt.reservations)]
    left_out = [*runs.left_out, *_beyond(observed, gantt)]
    return GanttView(data, rows, len(latest), left_out, reserved[:_MOST_ROWS], len(reserved))


def _titles(bars: Iterable[Bar], names: Mapping[int, str]) -> dict[int, tuple[str, str]]:
    """Return the number and the name of each job as people know them."""
    return {bar.job_id: (bar.label, names[bar.job_id][:_MOST_NAME]) for bar in bars}


def _listed(bar: Bar, name: str) -> ListedRun:
    return ListedRun(
        bar.job_id, bar.label, name, bar.user, _WORDS[bar.kind], bar.start_us, bar.end_us, bar.size
    )


def _reserved(one: SetAside, now_us: int) -> ListedReservation:
    nodes = one.nodes if len(one.nodes) <= _MOST_NAME else f"{one.nodes[:_MOST_NAME]}..."
    life = "to come" if now_us < one.start_us else "now" if now_us < one.end_us else "over"
    return ListedReservation(one.name, nodes, life, one.start_us, one.end_us)


def _beyond(observed: Observed, gantt: Gantt) -> list[str]:
    """Return what the chart has no place for."""
    if gantt.lines or not observed.reservations:
        return []
    return ["Processors are counted here: advance reservations have no place in the chart."]
