"""The content of a chart, whatever it is drawn with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rmsd_core.model_time import SECOND_US

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a chart. `unit`: "" for a plain number, "s" for a duration, "time" for an
    instant [s], "%" for a share. A logarithmic axis begins above 0: what is lower is drawn at its
    begin."""

    label: str
    unit: str = ""
    log: bool = False

    def shown(self, value: float) -> str:
        return _FORMS[self.unit](value)


def duration(seconds: float) -> str:
    """Return a duration in the largest unit that it reaches, rounded: 90 min, 1.5 h, 3 d."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def number(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.1e}"
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def _day(seconds: float) -> str:
    """Return an instant, counted from the beginning of a trace, as a day and a time."""
    days, rest = divmod(round(seconds), 86400)
    if not rest:
        return f"day {days}"
    clock = f"d {days} {rest // 3600:02}:{rest % 3600 // 60:02}"
    return f"{clock}:{rest % 60:02}" if rest % 60 else clock


def instant_of_trace(instant_us: int) -> str:
    """Return an instant, counted from the beginning of the trace, as a day and a time."""
    return _day(instant_us / SECOND_US)


_FORMS: Mapping[str, Callable[[float], str]] = {
    "": number,
    "s": duration,
    "time": _day,
    "%": lambda share: f"{100 * share:.3g}%",
}


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a chart. `intervals`: the confidence interval of each point, if it has one."""

    name: str
    points: Sequence[Point]
    intervals: Sequence[tuple[float, float] | None] = ()


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart of lines. `steps`: a value holds until the next point. `dots`: the points themselves
    matter. `smooth`: the lines can be followed, and so have dashes to be told apart by; if not,
    each line has a plot of its own, on the same axes, one below the other."""

    name: str
    title: str
    description: str
    x: Axis
    y: Axis
    lines: Sequence[ChartLine]
    steps: bool = False
    dots: bool = False
    smooth: bool = True


@dataclass(frozen=True, slots=True)
class BarChart:
    """A chart of bars. `bars`: for each series the values by group; None: there is none."""

    name: str
    title: str
    description: str
    y: Axis
    groups: Sequence[str]
    bars: Mapping[str, Sequence[float | None]]


Chart = LineChart | BarChart
