"""Charts as SVG: a picture of its own, or a part of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import isfinite, log10
from typing import NamedTuple, Self

from rmsd_lab_cli.pictures.chart import Axis, BarChart, Chart, Line, LineChart
from rmsd_lab_cli.pictures.colours import DASHES, LIGHT, chart_style

WIDTH, HEIGHT = 440, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 42, 44
_CHARACTER = 7.5  # of a label, at most about
_Y_TICKS = 5
_TITLE = 18  # left of the labels of the y axis
_FONT = "font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px"


def drawn(chart: Chart) -> str:
    """An `<svg>` element without colours of its own; see `colours.chart_style`."""
    lines = _lines(chart) if isinstance(chart, LineChart) else _bars(chart)
    body = "".join(lines)
    return _framed(chart.name, chart.title, chart.description, body, HEIGHT)


def standalone(element: str) -> str:
    """A file that needs nothing else."""
    at = element.index(">") + 1
    style = f"<style>{chart_style()}</style>"
    ground = '<rect class="ground" width="100%" height="100%"/>'
    return f"{element[:at]}{style}{ground}{element[at:]}\n"


def _framed(name: str, title: str, description: str, body: str, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-labelledby="{name}-title {name}-about" style="{_FONT}">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-about">{escape(description)}</desc>'
        f'<text class="title" x="{_LEFT}" y="16">{escape(title)}</text>{body}</svg>'
    )


class _Look(NamedTuple):
    """How a series is told from the others: attributes of lines and of areas, and dashes."""

    line: str
    area: str
    dashes: str

    @classmethod
    def of(cls, at: int) -> Self:
        """When the colours have been used up, they come again, paler and with other dashes."""
        again, colour = divmod(at, len(LIGHT))
        pale = f' opacity="{max(0.25, 1 - 0.4 * again):g}"' if again else ""
        dashes = DASHES[(at + again) % len(DASHES)]
        return cls(f'class="l{colour}"{pale}', f'class="a{colour}"{pale}', dashes)


class _Scale:
    """From values to a coordinate between `begin` and `end`."""

    def __init__(self, axis: Axis, low: float, high: float, begin: float, end: float) -> None:
        self._axis = axis
        self._log = axis.log
        self.low, self.high = low, high
        self._begin, self._end = begin, end
        self._from, self._to = self._value(low), self._value(high)

    def _value(self, value: float) -> float:
        return log10(max(value, self.low)) if self._log else value

    def moved(self, by: float) -> _Scale:
        return _Scale(self._axis, self.low, self.high, self._begin + by, self._end + by)

    def __call__(self, value: float) -> float:
        part = (self._value(value) - self._from) / ((self._to - self._from) or 1)
        return self._begin + min(1.0, max(0.0, part)) * (self._end - self._begin)


def _range(axis: Axis, values: Sequence[float], floor: float | None = None) -> tuple[float, float]:
    """What an axis shows of the values."""
    known = [value for value in values if isfinite(value)]
    if axis.log:
        low = max(1.0, min(known, default=1.0)) if floor is None else floor
        return low, max(max(known, default=10.0), 10 * low)
    low = min(known, default=0.0) if floor is None else floor
    high = max(known, default=1.0)
    return low, high if high > low else low + 1


def _left(axis: Axis, low: float, high: float) -> float:
    """Where the plot begins: right of the labels of the y axis, which are right of its title."""
    labels = [axis.shown(tick) for tick in axis.ticks(low, high, _Y_TICKS)]
    longest = max(map(len, labels), default=0)
    return max(_LEFT, _TITLE + _CHARACTER * longest + 6)


def _lines(chart: LineChart) -> Iterator[str]:
    xs = [x for line in chart.lines for x, _ in line.points]
    ys = [y for line in chart.lines for _, y in line.points]
    ys += [end for line in chart.lines for ends in line.intervals if ends for end in ends]
    names = [line.name for line in chart.lines]
    y_low, y_high = _range(chart.y, ys, None if chart.y.log else 0.0)
    left = _left(chart.y, y_low, y_high)
    top = _TOP + 16 * _legend_rows(names)
    x_low, x_high = _range(chart.x, xs, 1.0 if chart.x.log else None)
    if chart.dots and not chart.x.log:  # room beside the first and the last
        margin = 0.05 * (x_high - x_low)
        x_low, x_high = x_low - margin, x_high + margin
    x = _Scale(chart.x, x_low, x_high, left, WIDTH - _RIGHT)
    y = _Scale(chart.y, y_low, y_high, HEIGHT - _BOTTOM, top)
    yield from _legend(names, dashed=chart.smooth)
    yield from _y_axis(chart.y, y, left)
    yield from _x_axis(chart.x, x, left)
    for at, line in enumerate(chart.lines):
        # Intervals at one load lie side by side.
        beside = 3.0 * (at - (len(chart.lines) - 1) / 2) if any(line.intervals) else 0.0
        yield from _line(chart, line, _Look.of(at), x.moved(beside), y)


def _line(chart: LineChart, line: Line, look: _Look, x: _Scale, y: _Scale) -> Iterator[str]:
    """The line itself, its intervals, and its points."""
    dashes = look.dashes if chart.smooth else ""
    path = _path([(x(px), y(py)) for px, py in line.points], chart.steps)
    yield (
        f'<path {look.line} fill="none" stroke-width="{1.6 if chart.smooth else 1}" '
        f'stroke-linejoin="round" stroke-dasharray="{dashes}" d="{path}">'
        f"<title>{escape(line.name)}</title></path>"
    )
    for (px, _), ends in zip(line.points, line.intervals, strict=False):
        if ends is not None:
            yield f'<path {look.line} d="{_whisker(x(px), y(ends[0]), y(ends[1]))}"/>'
    for px, py in line.points if chart.dots else ():
        about = f"{line.name}: {chart.x.shown(px)}, {chart.y.shown(py)}"
        yield (
            f'<circle {look.area} cx="{x(px):.1f}" cy="{y(py):.1f}" r="3">'
            f"<title>{escape(about)}</title></circle>"
        )


def _path(points: Sequence[tuple[float, float]], steps: bool) -> str:
    """Coordinates with one decimal; points that fall together are drawn once."""
    written: list[str] = []
    before = ("", "")
    for px, py in points:
        at = (f"{px:.1f}".removesuffix(".0"), f"{py:.1f}".removesuffix(".0"))
        if at == before:
            continue
        if not written:
            written.append(f"M{at[0]} {at[1]}")
        elif steps:
            written.append(
                (f"H{at[0]}" if at[0] != before[0] else "")
                + (f"V{at[1]}" if at[1] != before[1] else "")
            )
        else:
            written.append(f"L{at[0]} {at[1]}")
        before = at
    return "".join(written)


def _whisker(x: float, low: float, high: float) -> str:
    return f"M{x:.1f} {low:.1f}V{high:.1f}M{x - 3:.1f} {low:.1f}h6M{x - 3:.1f} {high:.1f}h6"


def _bars(chart: BarChart) -> Iterator[str]:
    values = [value for row in chart.bars.values() for value in row if value is not None]
    low, high = _range(chart.y, values, 1.0 if chart.y.log else 0.0)
    left = _left(chart.y, low, high)
    top = _TOP + 16 * _legend_rows(list(chart.bars))
    y = _Scale(chart.y, low, high, HEIGHT - _BOTTOM, top)
    yield from _legend(list(chart.bars))
    yield from _y_axis(chart.y, y, left)
    room = (WIDTH - left - _RIGHT) / max(1, len(chart.groups))
    width = 0.8 * room / max(1, len(chart.bars))
    for place, group in enumerate(chart.groups):
        begin = left + place * room
        yield _text(begin + room / 2, HEIGHT - _BOTTOM + 16, group, "middle")
        for at, (name, row) in enumerate(chart.bars.items()):
            value = row[place]
            if value is None:
                continue
            about = f"{name}, {group}: {chart.y.shown(value)}"
            yield (
                f'<rect {_Look.of(at).area} x="{begin + 0.1 * room + at * width:.1f}" '
                f'y="{y(value):.1f}" width="{max(1.0, width - 1):.1f}" '
                f'height="{max(0.5, HEIGHT - _BOTTOM - y(value)):.1f}">'
                f"<title>{escape(about)}</title></rect>"
            )
    yield f'<path class="axis" d="M{left:g} {HEIGHT - _BOTTOM}H{WIDTH - _RIGHT}"/>'


def _y_axis(axis: Axis, scale: _Scale, left: float) -> Iterator[str]:
    for tick in axis.ticks(scale.low, scale.high, _Y_TICKS):
        at = scale(tick)
        yield f'<path class="rule" d="M{left:g} {at:.1f}H{WIDTH - _RIGHT}"/>'
        yield _text(left - 6, at + 4, axis.shown(tick), "end")
    yield (
        f'<text class="text" text-anchor="middle" '
        f'transform="translate(12 {(HEIGHT - _BOTTOM + _TOP) / 2:.0f}) rotate(-90)">'
        f"{escape(axis.label)}</text>"
    )


def _x_axis(axis: Axis, scale: _Scale, left: float) -> Iterator[str]:
    bottom = HEIGHT - _BOTTOM
    yield f'<path class="axis" d="M{left:g} {bottom}H{WIDTH - _RIGHT}"/>'
    for tick in axis.ticks(scale.low, scale.high, 5):
        at = scale(tick)
        yield f'<path class="axis" d="M{at:.1f} {bottom}v4"/>'
        yield _text(at, bottom + 16, axis.shown(tick), "middle")
    yield _text((left + WIDTH - _RIGHT) / 2, HEIGHT - 8, axis.label, "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text class="text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _legend_places(names: Iterable[str]) -> list[tuple[str, float, int]]:
    """(name, x, row): as many in a row as there is room for."""
    places: list[tuple[str, float, int]] = []
    x, row = float(_LEFT), 0
    for name in names:
        width = 24 + 7 * len(name) + 12
        if x > _LEFT and x + width > WIDTH:
            x, row = float(_LEFT), row + 1
        places.append((name, x, row))
        x += width
    return places


def _legend_rows(names: Sequence[str]) -> int:
    return _legend_places(names)[-1][2] if names else 0


def _legend(names: Iterable[str], *, dashed: bool = False) -> Iterator[str]:
    for at, (name, x, row) in enumerate(_legend_places(names)):
        y = _TOP - 13 + 16 * row
        look = _Look.of(at)
        yield (
            f'<path {look.line} stroke-width="{2.5 if dashed else 4}" '
            f'stroke-dasharray="{look.dashes if dashed else ""}" d="M{x:.0f} {y}h18"/>'
            f'<text class="legend" x="{x + 23:.0f}" y="{y + 4}">{escape(name)}</text>'
        )
