"""A Gantt chart drawn by matplotlib: job by job, or by cells where there are many jobs."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator, FuncFormatter

from rmsd_client.console.cli import printable
from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.cells import NOBODY, CellBlock, cells
from rmsd_lab.charts.gantt import KILLED, OVER, PLANNED, RUNNING, Bar, Gantt, rows_of
from rmsd_lab.charts.ticks import time_ticks
from rmsd_lab_cli.pictures.chart import duration
from rmsd_lab_cli.pictures.colours import FAINT, GROUND, INK, LIGHT, RULE
from rmsd_lab_cli.pictures.picture import Picture, drawing_style, inches
from rmsd_lab_cli.pictures.reserved import MOST_NAMED
from rmsd_wire.hostlist import expand

WIDTH = 900
_AROUND = 104  # height of title, axis and notes
_NAME_CHARACTERS, _NOTE_CHARACTERS = 12, 120
_LABEL = 14  # height of a line of text
_FEW = 4000
_COLUMNS, _LINES = 400, 160
_OPACITY = {OVER: 1.0, KILLED: 1.0, RUNNING: 0.75, PLANNED: 0.35}

Instant = Callable[[int], str]


def gantt_drawn(gantt: Gantt, since_us: int, until_us: int, instant: Instant) -> Picture:
    """Return the picture of what there was between two instants, which `instant` names."""
    return _Drawing(gantt, since_us, until_us, instant).picture()


class _Drawing:
    def __init__(self, gantt: Gantt, since_us: int, until_us: int, instant: Instant) -> None:
        self._gantt, self._instant = gantt, instant
        self._since_us, self._until_us = since_us, until_us
        self._height = max(80, min(480, 16 * gantt.rows))
        self._places = {
            nodes: rows_of({*expand(nodes)}, gantt.lines)
            for nodes in {one.nodes for one in gantt.reservations}
        }
        users = dict.fromkeys(bar.user for bar in gantt.bars)
        self._colour = {user: LIGHT[at % len(LIGHT)] for at, user in enumerate(users)}

    def picture(self) -> Picture:
        gantt = self._gantt
        shown = [
            block
            for block in gantt.blocks()
            if block.start_us < self._until_us and block.end_us > self._since_us
        ]
        title = printable(f"{gantt.name}: who had what when")
        about = self._about(shown)
        with drawing_style("gantt"):
            size = (inches(WIDTH), inches(self._height + _AROUND))
            picture = Picture(Figure(size, layout="constrained"), "gantt", title, about)
            axes = picture.figure.add_subplot()
            axes.set_title(textwrap.shorten(title, 110, placeholder=" ..."), loc="left", pad=20,
                           size=9, color=INK, weight="semibold")  # fmt: skip
            notes = [textwrap.fill(part, _NOTE_CHARACTERS) for part in about.split("; ", 1)]
            axes.set_xlabel("\n".join(notes), loc="left")
            self._time_axis(axes)
            self._lines(axes)
            if len(shown) > _FEW:
                self._cells(axes, shown)
            picture.fix_layout()
            if len(shown) <= _FEW:
                self._jobs(picture, axes, shown)
            self._reservations(picture, axes)
        return picture

    def _about(self, shown: Sequence[CellBlock]) -> str:
        gantt = self._gantt
        about = (
            f"{len({block.owner for block in shown}):,} runs on {gantt.processors:,} processors, "
            f"{self._instant(self._since_us)} to {self._instant(self._until_us)}; a colour for "
            "each user"
        )
        if gantt.now_us is not None:
            about += "; pale: running, its end being predicted, and planned; crossed: killed"
        for one in gantt.reservations[-MOST_NAMED:]:
            about += (
                f"; reserved {one.nodes} for {printable(one.name)}: "
                f"{self._instant(one.start_us)} to {self._instant(one.end_us)}"
            )
        return about

    def _reservations(self, picture: Picture, axes: Axes) -> None:
        """Hatch what is reserved in advance, so that the runs inside are seen."""
        for one in self._gantt.reservations:
            left, right = self._inside(one.start_us), self._inside(one.end_us)
            for first, rows in self._places[one.nodes] if left < right else ():
                area = Rectangle((left, first), right - left, rows, fill=False, hatch="///",
                                 edgecolor=FAINT, linewidth=0.75, alpha=0.6)  # fmt: skip
                axes.add_artist(area)
                times = f"{self._instant(one.start_us)} to {self._instant(one.end_us)}"
                picture.tip(area, f"reserved for {printable(one.name)}: {times}")

    def _jobs(self, picture: Picture, axes: Axes, blocks: Sequence[CellBlock]) -> None:
        """Draw each block, with the job's id in it where it fits."""
        width_us = (self._until_us - self._since_us) / axes.bbox.width  # the width of a pixel
        rows = max(1, self._gantt.rows) / axes.bbox.height
        crosses: list[tuple[float, float]] = []
        for block in blocks:
            bar = self._gantt.bars[block.owner]
            left, right = self._inside(block.start_us), self._inside(block.end_us)
            wide, high = (right - left) / width_us, block.rows / rows
            gap_us, gap = width_us * (wide > 3), rows * (high > 4)
            area = Rectangle(
                (left, block.first),
                max(0.5 * width_us, right - left - gap_us),
                max(0.5 * rows, block.rows - gap),
                facecolor=self._colour[bar.user],
                alpha=_OPACITY[bar.kind],
                linewidth=0,
            )
            axes.add_artist(area)
            picture.tip(area, self._tip(bar))
            if bar.kind == KILLED and wide > 4:
                crosses += _cross(area)
            if high >= 12 and wide >= 8 * len(str(bar.job_id)) + 6:
                middle = block.first + block.rows / 2
                ink = INK if bar.kind == PLANNED else GROUND
                axes.text(left + 4 * width_us, middle, f"{bar.job_id}", color=ink,
                          va="center_baseline")  # fmt: skip
        if crosses:
            axes.plot(*zip(*crosses, strict=True), color=FAINT, lw=0.75)

    def _tip(self, bar: Bar) -> str:
        return (
            f"job {bar.job_id}, user {bar.user}, {bar.size} processors, {bar.kind}: "
            f"{self._instant(bar.start_us)} to {self._instant(bar.end_us)} "
            f"({duration((bar.end_us - bar.start_us) / SECOND_US)})"
        )

    def _inside(self, instant_us: int) -> int:
        return min(self._until_us, max(self._since_us, instant_us))

    def _cells(self, axes: Axes, blocks: Sequence[CellBlock]) -> None:
        """Draw who holds most of each cell: one path for all cells that look alike."""
        rows = max(1, self._gantt.rows)
        each = ceil(rows / _LINES)
        lines = [(first, min(rows, first + each)) for first in range(0, rows, each)]
        owners = cells(blocks, lines, self._since_us, self._until_us, _COLUMNS)
        width_us = (self._until_us - self._since_us) / _COLUMNS
        found: dict[tuple[str, float], list[tuple[float, float]]] = {}
        for (first, end), row in zip(lines, owners, strict=True):
            looks = [self._look(owner) for owner in row]
            for look, group in groupby(range(_COLUMNS), key=lambda at: looks[at]):
                if look is not None:
                    reached = list(group)
                    left = self._since_us + reached[0] * width_us
                    right = left + len(reached) * width_us
                    corners = [(left, first), (right, first), (right, end), (left, end)]
                    found.setdefault(look, []).extend((*corners, corners[0]))
        codes = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY)
        for (colour, opacity), points in sorted(found.items()):
            path = Path(points, codes * (len(points) // len(codes)))
            axes.add_artist(PathPatch(path, facecolor=colour, alpha=opacity, linewidth=0))

    def _look(self, owner: int) -> tuple[str, float] | None:
        """Return colour and opacity of a cell; None where the cell is free."""
        if owner == NOBODY:
            return None
        bar = self._gantt.bars[owner]
        return self._colour[bar.user], _OPACITY[bar.kind]

    def _lines(self, axes: Axes) -> None:
        """Draw the names of the nodes. On counted processors, draw the number of processors
        instead."""
        gantt = self._gantt
        axes.set_ylim(max(1, gantt.rows), 0)
        pixel = max(1, gantt.rows) / self._height
        if not gantt.lines:
            axes.set_yticks([0, gantt.processors], ["0", f"{gantt.processors:,}"])
            axes.set_ylabel("processors")
            return
        named: dict[float, str] = {}
        last = float("-inf")
        for line in gantt.lines:
            middle = (line.first + line.end) / 2
            if middle - line.first > 2 * pixel:
                axes.axhline(line.first, color=RULE, lw=0.75, zorder=0)
            if middle - last >= _LABEL * pixel:
                last = middle
                short = len(line.name) <= _NAME_CHARACTERS
                named[middle] = line.name if short else f"…{line.name[1 - _NAME_CHARACTERS :]}"
        axes.set_yticks(list(named), list(named.values()))

    def _time_axis(self, axes: Axes) -> None:
        axes.set_xlim(self._since_us, self._until_us)
        ticks_s = time_ticks(self._since_us / SECOND_US, self._until_us / SECOND_US, 5)
        axes.xaxis.set_major_locator(FixedLocator([tick_s * SECOND_US for tick_s in ticks_s]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda us, _: self._instant(round(us))))
        now_us = self._gantt.now_us
        if now_us is not None and self._since_us <= now_us <= self._until_us:
            axes.axvline(now_us, color=FAINT, lw=1.1)
            above = axes.get_xaxis_transform()
            axes.annotate("now", (now_us, 1), xycoords=above, xytext=(0, 3), color=FAINT,
                          textcoords="offset points", ha="center")  # fmt: skip


def _cross(area: Rectangle) -> list[tuple[float, float]]:
    """Return the two diagonals of a rectangle, ended by a gap."""
    left, top = area.get_xy()
    right, bottom = left + area.get_width(), top + area.get_height()
    gap = (float("nan"), float("nan"))
    return [(left, top), (right, bottom), gap, (left, bottom), (right, top), gap]
