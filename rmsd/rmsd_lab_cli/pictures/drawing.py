"""Charts drawn by matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple, Self

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis as DrawnAxis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from rmsd_client.console.cli import printable
from rmsd_lab.charts.ticks import time_ticks
from rmsd_lab_cli.pictures.chart import Axis, BarChart, Chart, ChartLine, LineChart
from rmsd_lab_cli.pictures.colours import INK, LIGHT
from rmsd_lab_cli.pictures.picture import Picture, drawing_style, inches

WIDTH, HEIGHT = 440, 300
_PANEL = 130  # the height that each line adds which has a plot of its own
_TITLE_CHARACTERS, _LEGEND_CHARACTERS = 56, 58
_TICKS = 5
_LOG_TIMES_S = (1, 10, 60, 600, 3600, 36000, 4 * 86400, 40 * 86400, 400 * 86400)
_BESIDE = 3.0  # the distance between intervals at one load

# Lines differ without colour too: in print, and for readers who see none.
_DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (6, 3),
    (2, 2),
    (8, 3, 2, 3),
    (1, 3),
    (10, 4),
    (4, 2, 1, 2),
    (12, 2),
)


class _Look(NamedTuple):
    """The look that tells a series from the others."""

    colour: str
    opacity: float
    dashes: tuple[float, ...]

    @classmethod
    def of(cls, at: int) -> Self:
        """Return the look of series number `at`. When the colours are used up they come again,
        paler and with other dashes."""
        again, colour = divmod(at, len(LIGHT))
        dashes = _DASHES[(at + again) % len(_DASHES)]
        return cls(LIGHT[colour], max(0.25, 1 - 0.4 * again), dashes)

    def line(self, width: float, *, dashed: bool) -> dict[str, Any]:
        dashes = (0, self.dashes) if dashed and self.dashes else "solid"
        return {"color": self.colour, "alpha": self.opacity, "lw": width, "ls": dashes}


def drawn(chart: Chart) -> Picture:
    """Return the picture of a chart: title, plot, and below them the names of the series."""
    with drawing_style(chart.name):
        panels = _panels(chart)
        height = HEIGHT + _PANEL * (panels - 1)
        figure = Figure((inches(WIDTH), inches(height)), layout="constrained")
        [plots] = figure.subplots(panels, sharex=True, sharey=True, squeeze=False).T
        title = textwrap.fill(printable(chart.title), _TITLE_CHARACTERS)
        figure.suptitle(title, x=0.01, ha="left", size=9, weight="semibold")
        picture = Picture(figure, chart.name, chart.title, chart.description)
        for axes in plots:
            axes.grid(axis="y")
        if isinstance(chart, LineChart):
            series = _lines(picture, plots, chart)
        else:
            series = _bars(picture, plots[0], chart)
        if panels == 1:
            _legend(figure, series)
        picture.fix_layout()
    return picture


def _panels(chart: Chart) -> int:
    """Return the number of plots. Lines that cannot be followed would paint over each other."""
    if isinstance(chart, LineChart) and not chart.smooth:
        return max(1, len(chart.lines))
    return 1


def _lines(picture: Picture, plots: Sequence[Axes], chart: LineChart) -> dict[str, Artist]:
    """Draw the lines into the one plot, or each into its own with its name above."""
    xs = [x for line in chart.lines for x, _ in line.points]
    ys = [y for line in chart.lines for _, y in line.points]
    ys += [end for line in chart.lines for ends in line.intervals if ends for end in ends]
    x_low, x_high = _range(chart.x, xs, 1.0 if chart.x.log else None)
    y_low, y_high = _range(chart.y, ys, None if chart.y.log else 0.0)
    if chart.dots and not chart.x.log:  # a margin beside the first and the last
        margin = 0.05 * (x_high - x_low)
        x_low, x_high = x_low - margin, x_high + margin
    for axes in plots:
        _show_axis(axes, "x", chart.x, x_low, x_high)
        _show_axis(axes, "y", chart.y, y_low, y_high)
        axes.label_outer()
    found: dict[str, Artist] = {}
    for at, line in enumerate(chart.lines):
        axes = plots[at % len(plots)]
        if len(plots) > 1:
            title = textwrap.shorten(printable(line.name), _LEGEND_CHARACTERS, placeholder="...")
            axes.set_title(title, loc="left", size=8, color=INK)
        beside = _BESIDE * (at - (len(chart.lines) - 1) / 2) if any(line.intervals) else 0.0
        shift = ScaledTranslation(inches(beside), 0, axes.figure.dpi_scale_trans)
        inside = [(max(px, x_low), max(py, y_low)) for px, py in line.points]
        moved: dict[str, Any] = {"transform": axes.transData + shift, "clip_on": False}
        found[line.name] = _line(picture, axes, chart, line, inside, _Look.of(at), moved)
    return found


def _line(
    picture: Picture,
    axes: Axes,
    chart: LineChart,
    line: ChartLine,
    inside: Sequence[tuple[float, float]],
    look: _Look,
    moved: dict[str, Any],
) -> Artist:
    """Draw the line itself, its points and its intervals; return the line."""
    how = look.line(1.2 if chart.smooth else 0.75, dashed=chart.smooth)
    draws = "steps-post" if chart.steps else "default"
    xs, ys = [x for x, _ in inside], [y for _, y in inside]
    [drawn] = axes.plot(xs, ys, drawstyle=draws, **how, **moved)
    picture.tip(drawn, line.name)
    for (x, _), ends in zip(inside, line.intervals, strict=False):
        if ends is not None:
            whisker = look.line(0.75, dashed=False)
            axes.plot([x, x], ends, marker="_", markersize=4.5, **whisker, **moved)
    for (px, py), (x, y) in zip(line.points, inside, strict=True) if chart.dots else ():
        mark: dict[str, Any] = {"color": look.colour, "alpha": look.opacity}
        [dot] = axes.plot([x], [y], "o", markersize=4.5, markeredgewidth=0, **mark, **moved)
        picture.tip(dot, f"{line.name}: {chart.x.shown(px)}, {chart.y.shown(py)}")
    return drawn


def _bars(picture: Picture, axes: Axes, chart: BarChart) -> dict[str, Artist]:
    values = [value for row in chart.bars.values() for value in row if value is not None]
    low, high = _range(chart.y, values, 1.0 if chart.y.log else 0.0)
    _show_axis(axes, "y", chart.y, low, high)
    axes.set_xticks(range(len(chart.groups)), chart.groups)
    axes.set_xlim(-0.5, len(chart.groups) - 0.5)
    axes.tick_params("x", length=0)
    width = 0.8 / max(1, len(chart.bars))
    found: dict[str, Artist] = {}
    for at, (name, row) in enumerate(chart.bars.items()):
        look = _Look.of(at)
        kinds: dict[str, Any] = {"color": look.colour, "alpha": look.opacity, "width": 0.9 * width}
        for place, value in enumerate(row):
            if value is not None:
                middle = place - 0.4 + (at + 0.5) * width
                [bar] = axes.bar(middle, value - low, bottom=low, **kinds)
                picture.tip(bar, f"{name}, {chart.groups[place]}: {chart.y.shown(value)}")
                found.setdefault(name, bar)
    return found


def _range(axis: Axis, values: Sequence[float], floor: float | None = None) -> tuple[float, float]:
    """Return what an axis shows of the values."""
    known = [value for value in values if isfinite(value)]
    if axis.log:
        low = max(1.0, min(known, default=1.0)) if floor is None else floor
        return low, max(max(known, default=10.0), 10 * low)
    low = min(known, default=0.0) if floor is None else floor
    high = max(known, default=1.0)
    return low, high if high > low else low + 1


def _show_axis(axes: Axes, which: str, axis: Axis, low: float, high: float) -> None:
    drawn: DrawnAxis = axes.xaxis if which == "x" else axes.yaxis
    axes.set(**{f"{which}label": axis.label, f"{which}scale": "log" if axis.log else "linear"})
    axes.set(**{f"{which}lim": (low, high)})
    if axis.log and axis.unit == "s":
        drawn.set_major_locator(FixedLocator(_LOG_TIMES_S))
    elif axis.log:
        drawn.set_major_locator(LogLocator(numticks=_TICKS))
    elif axis.unit in ("s", "time"):
        drawn.set_major_locator(FixedLocator(time_ticks(low, high, _TICKS)))
    else:
        drawn.set_major_locator(MaxNLocator(_TICKS, steps=[1, 2, 5, 10]))
    drawn.set_minor_locator(NullLocator())
    drawn.set_major_formatter(FuncFormatter(lambda value, _: axis.shown(value)))


def _legend(figure: Figure, series: dict[str, Artist]) -> None:
    """Name the series below the plot, as many side by side as fit. The figure becomes higher by the
    rows of names beyond the first."""
    names = [textwrap.fill(printable(name), _LEGEND_CHARACTERS) for name in series]
    for columns in range(min(4, len(names)), 0, -1):
        legend = figure.legend(
            series.values(),
            names,
            loc="outside lower left",
            ncols=columns,
            frameon=False,
            labelcolor=INK,
            borderpad=0,
            handlelength=2.2,
            columnspacing=1.2,
        )
        box = legend.get_window_extent()
        if columns == 1 or box.width <= figure.bbox.width - 12:
            figure.set_figheight(inches(HEIGHT + max(0, box.height - 16)))
            for line in legend.get_lines():
                line.set_linewidth(1.5)
            return
        legend.remove()
