"""A Gantt chart as SVG: job by job where they are few, by cells where they are many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from math import ceil

from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.cells import NOBODY, Block, cells
from rmsd_lab.charts.gantt import KILLED, OVER, PLANNED, RUNNING, Gantt
from rmsd_lab.charts.ticks import time_ticks
from rmsd_lab_cli.pictures.chart import duration
from rmsd_lab_cli.pictures.colours import LIGHT

WIDTH = 900
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 12, 44, 58
_FONT = "font-family:system-ui,'DejaVu Sans',sans-serif;font-size:12px"
_FEW = 4000
_COLUMNS, _LINES = 400, 160
_OPACITY = {OVER: 1.0, KILLED: 1.0, RUNNING: 0.75, PLANNED: 0.35}

Instant = Callable[[int], str]


def gantt_svg(gantt: Gantt, since_us: int, until_us: int, instant: Instant) -> str:
    """An `<svg>` element without style, for `svg.standalone`."""
    return _Drawing(gantt, since_us, until_us, instant).element()


class _Drawing:
    def __init__(self, gantt: Gantt, since_us: int, until_us: int, instant: Instant) -> None:
        self._gantt, self._instant = gantt, instant
        self._since_us, self._until_us = since_us, until_us
        self._plot = max(80, min(480, 16 * gantt.rows))
        users = dict.fromkeys(bar.user for bar in gantt.bars)
        self._colour = {user: at % len(LIGHT) for at, user in enumerate(users)}

    def element(self) -> str:
        gantt = self._gantt
        shown = [
            block
            for block in gantt.blocks()
            if block.start_us < self._until_us and block.end_us > self._since_us
        ]
        body = self._jobs(shown) if len(shown) <= _FEW else self._cells(shown)
        title = f"{gantt.name}: who had what when"
        about = (
            f"{len({block.owner for block in shown}):,} runs on {gantt.processors:,} processors, "
            f"{self._instant(self._since_us)} to {self._instant(self._until_us)}; a colour for "
            "each user"
        )
        if gantt.now_us is not None:
            about += "; pale: running, its end being predicted, and planned; crossed: killed"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
            f'{_TOP + self._plot + _BOTTOM}" role="img" aria-labelledby="gantt-title gantt-about" '
            f'style="{_FONT}"><title id="gantt-title">{escape(title)}</title>'
            f'<desc id="gantt-about">{escape(about)}</desc>'
            f'<text class="title" x="{_LEFT}" y="18">{escape(title)}</text>'
            f"{''.join(self._lines())}{''.join(body)}{''.join(self._axis())}"
            f"{self._notes(about)}"
            "</svg>"
        )

    def _notes(self, about: str) -> str:
        """Below the chart, a line for each half sentence."""
        first, _, rest = about.partition("; ")
        y = _TOP + self._plot + 36
        return (
            f'<text class="text" x="{_LEFT}" y="{y}">{escape(first)}</text>'
            f'<text class="text" x="{_LEFT}" y="{y + 16}">{escape(rest)}</text>'
        )

    def _x(self, instant_us: int) -> float:
        part = (instant_us - self._since_us) / (self._until_us - self._since_us)
        return _LEFT + min(1.0, max(0.0, part)) * (WIDTH - _LEFT - _RIGHT)

    def _y(self, row: float) -> float:
        return _TOP + row / max(1, self._gantt.rows) * self._plot

    def _jobs(self, blocks: Sequence[Block]) -> Iterator[str]:
        for block in blocks:
            bar = self._gantt.bars[block.owner]
            left, right = self._x(block.start_us), self._x(block.end_us)
            top, height = self._y(block.first), self._y(block.rows) - _TOP
            width = max(0.5, right - left - (1 if right - left > 3 else 0))
            height = max(0.5, height - (1 if height > 4 else 0))
            about = (
                f"job {bar.job_id}, user {bar.user}, {bar.size} processors, {bar.kind}: "
                f"{self._instant(bar.start_us)} to {self._instant(bar.end_us)} "
                f"({duration((bar.end_us - bar.start_us) / SECOND_US)})"
            )
            yield (
                f'<rect class="a{self._colour[bar.user]}" x="{left:.1f}" y="{top:.1f}" '
                f'width="{width:.1f}" height="{height:.1f}" opacity="{_OPACITY[bar.kind]:g}">'
                f"<title>{escape(about)}</title></rect>"
            )
            if bar.kind == KILLED and width > 4:
                yield (
                    f'<path class="axis" d="M{left:.1f} {top:.1f}l{width:.1f} {height:.1f}'
                    f'm{-width:.1f} 0l{width:.1f} {-height:.1f}"/>'
                )
            if height >= 12 and width >= 8 * len(str(bar.job_id)) + 6:
                kind = "legend" if bar.kind == PLANNED else "inside"
                yield (
                    f'<text class="{kind}" x="{left + 4:.1f}" y="{top + height / 2 + 4:.1f}">'
                    f"{bar.job_id}</text>"
                )

    def _cells(self, blocks: Sequence[Block]) -> Iterator[str]:
        rows = max(1, self._gantt.rows)
        each = ceil(rows / _LINES)
        lines = [(first, min(rows, first + each)) for first in range(0, rows, each)]
        owners = cells(blocks, lines, self._since_us, self._until_us, _COLUMNS)
        width = (WIDTH - _LEFT - _RIGHT) / _COLUMNS
        paths: dict[tuple[int, float], list[str]] = {}
        for (first, end), row in zip(lines, owners, strict=True):
            top, height = self._y(first), self._y(end) - self._y(first)
            looks = [self._look(owner) for owner in row]
            for look, group in groupby(range(_COLUMNS), key=lambda at: looks[at]):
                if look is not None:
                    reached = list(group)
                    left, wide = _LEFT + reached[0] * width, len(reached) * width
                    path = f"M{left:.1f} {top:.1f}h{wide:.1f}v{height:.1f}h{-wide:.1f}z"
                    paths.setdefault(look, []).append(path)
        for (colour, opacity), found in sorted(paths.items()):
            yield f'<path class="a{colour}" opacity="{opacity:g}" d="{"".join(found)}"/>'

    def _look(self, owner: int) -> tuple[int, float] | None:
        """Colour and opacity of a cell; None where nobody is."""
        if owner == NOBODY:
            return None
        bar = self._gantt.bars[owner]
        return self._colour[bar.user], _OPACITY[bar.kind]

    def _lines(self) -> Iterator[str]:
        """The nodes, or how many processors there are."""
        gantt = self._gantt
        if not gantt.lines:
            for row in (0, gantt.processors):
                yield self._name(f"{row:,}", self._y(row) + 4)
            yield self._name("processors", self._y(gantt.processors / 2) + 4)
        last = float("-inf")
        for line in gantt.lines:
            top, middle = self._y(line.first), self._y((line.first + line.end) / 2)
            if middle - top > 2:
                yield f'<path class="rule" d="M{_LEFT} {top:.1f}H{WIDTH - _RIGHT}"/>'
            if middle - last >= 13:
                last = middle
                short = line.name if len(line.name) < 12 else f"…{line.name[-10:]}"
                yield self._name(short, middle + 4)

    def _name(self, text: str, y: float) -> str:
        at = f'x="{_LEFT - 6}" y="{y:.1f}" text-anchor="end"'
        return f'<text class="text" {at}>{escape(text)}</text>'

    def _axis(self) -> Iterator[str]:
        bottom = _TOP + self._plot
        yield f'<path class="axis" d="M{_LEFT} {bottom}H{WIDTH - _RIGHT}"/>'
        for tick_s in time_ticks(self._since_us / SECOND_US, self._until_us / SECOND_US, 5):
            at_us = round(tick_s * SECOND_US)
            x = self._x(at_us)
            yield f'<path class="axis" d="M{x:.1f} {bottom}v4"/>'
            anchor = "end" if x > WIDTH - 80 else "middle"
            yield (
                f'<text class="text" x="{x:.1f}" y="{bottom + 17}" text-anchor="{anchor}">'
                f"{escape(self._instant(at_us))}</text>"
            )
        now_us = self._gantt.now_us
        if now_us is not None and self._since_us <= now_us <= self._until_us:
            x = self._x(now_us)
            yield f'<path class="axis" stroke-width="1.5" d="M{x:.1f} {_TOP - 4}V{bottom}"/>'
            yield f'<text class="text" x="{x:.1f}" y="{_TOP - 8}" text-anchor="middle">now</text>'
