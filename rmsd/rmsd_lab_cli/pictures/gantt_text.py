"""A Gantt chart for a terminal: a line for each node, a letter for each job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

from rmsd_client.console.cli import plural, printable
from rmsd_client.console.terminal import paint
from rmsd_client.show.job_fields import local_time
from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.cells import NOBODY, cells
from rmsd_lab.charts.gantt import KILLED, PLANNED, Gantt, NodeRows
from rmsd_lab.charts.ticks import time_ticks
from rmsd_lab_cli.pictures.reserved import MOST_NAMED
from rmsd_wire.hostlist import compress

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COLOURS = ("blue", "green", "yellow", "red")
_LISTED = 26
_LEAST = 20
_NAME = 20

Instant = Callable[[int], str]


def gantt_text(
    gantt: Gantt,
    since_us: int,
    until_us: int,
    *,
    width: int,
    height: int,
    colour: bool,
    instant: Instant = local_time,
) -> list[str]:
    """Return the chart in about `height` lines of `width` columns, and the legend of its
    letters."""
    lines = _lines(gantt, height)
    instant = _without_day(instant, since_us, until_us)
    margin = max(len(name) for name, _, _ in lines) + 1
    columns = max(_LEAST, width - margin)
    owners = cells(
        gantt.blocks(), [(first, end) for _, first, end in lines], since_us, until_us, columns
    )
    letters = _letters(gantt, owners)
    chart = [
        name.ljust(margin) + _row(gantt, row, letters, colour)
        for (name, _, _), row in zip(lines, owners, strict=True)
    ]
    axis = _axis(gantt, since_us, until_us, columns, instant)
    return [
        *chart,
        *(f"{' ' * margin}{line}".rstrip() for line in axis),
        "",
        *_legend(gantt, letters, instant, width),
        *_reserved(gantt, instant, width),
    ]


def _without_day(instant: Instant, since_us: int, until_us: int) -> Instant:
    """Return an `instant` that leaves out the day if all of the chart is on one day."""
    day, mark, _ = instant(since_us).partition("T")
    if mark and instant(until_us).startswith(day):
        return lambda us: instant(us).partition("T")[2]
    return instant


def _lines(gantt: Gantt, height: int) -> list[tuple[str, int, int]]:
    """Return (name, first row, end) of each line: every processor if they all fit, else nodes,
    alone or in groups. If processors are only counted, the lines are equal parts."""
    rows = max(1, gantt.rows)
    if rows <= height and gantt.lines:
        return [
            (f"{line.name}.{row - line.first}", row, row + 1)
            for line in gantt.lines
            for row in range(line.first, line.end)
        ] + _beyond(gantt)
    if gantt.lines:
        each = 1 if len(gantt.lines) <= 2 * height else ceil(len(gantt.lines) / height)
        groups = [gantt.lines[at : at + each] for at in range(0, len(gantt.lines), each)]
        return [_group(nodes) for nodes in groups] + _beyond(gantt)
    each = ceil(rows / height)
    parts = [(first, min(rows, first + each)) for first in range(0, rows, each)]
    return [
        (f"{first}-{end - 1}" if end - first > 1 else f"{first}", first, end)
        for first, end in parts
    ]


def _group(nodes: Sequence[NodeRows]) -> tuple[str, int, int]:
    """Return the line of one node, or of several together."""
    name = compress([node.name for node in nodes])
    if len(name) > _NAME:
        name = f"{name[: _NAME - 2]}.."
    return name, nodes[0].first, nodes[-1].end


def _beyond(gantt: Gantt) -> list[tuple[str, int, int]]:
    """Return a line for the rows beyond the present nodes, if there are any."""
    if gantt.rows <= gantt.processors:
        return []
    return [("elsewhere", gantt.processors, gantt.rows)]


def _letters(gantt: Gantt, owners: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return the letter of each job: A to Z in order of appearance, and again from A."""
    found: dict[int, str] = {}
    for column in zip(*owners, strict=True):
        for owner in column:
            if owner != NOBODY:
                job_id = gantt.bars[owner].job_id
                found.setdefault(job_id, _LETTERS[len(found) % len(_LETTERS)])
    return found


def _row(gantt: Gantt, row: Sequence[int], letters: dict[int, str], colour: bool) -> str:
    shown = []
    for owner in row:
        if owner == NOBODY:
            shown.append(".")
            continue
        bar = gantt.bars[owner]
        letter = letters[bar.job_id]
        letter = letter.lower() if bar.kind == PLANNED else "*" if bar.kind == KILLED else letter
        hue = "grey" if bar.kind == PLANNED else _COLOURS[sum(map(ord, bar.user)) % len(_COLOURS)]
        shown.append(paint(letter, hue if colour else None))
    return "".join(shown)


def _axis(gantt: Gantt, since_us: int, until_us: int, columns: int, instant: Instant) -> list[str]:
    """Return a line of marks, and a line of times below the marks."""
    marks, times = ["-"] * columns, [" "] * (columns + 20)
    span_us = until_us - since_us
    if gantt.now_us is not None and since_us <= gantt.now_us < until_us:
        marks[(gantt.now_us - since_us) * columns // span_us] = "^"
    free = 0
    for tick_s in time_ticks(since_us / SECOND_US, until_us / SECOND_US, max(2, columns // 22)):
        at = min(columns - 1, int((tick_s * SECOND_US - since_us) * columns / span_us))
        text = instant(round(tick_s * SECOND_US))
        if at < free or at + len(text) > columns:
            continue
        if marks[at] == "-":
            marks[at] = "+"
        times[at : at + len(text)] = text
        free = at + len(text) + 1
    return ["".join(marks), "".join(times)]


def _legend(gantt: Gantt, letters: dict[int, str], instant: Instant, width: int) -> list[str]:
    if not letters:
        return ["Nothing ran in this time."]
    kinds = {bar.kind for bar in gantt.bars}
    notes = ["one letter for each job"]
    notes += ["small: planned"] if PLANNED in kinds else []
    notes += ["*: ended, to run again"] if KILLED in kinds else []
    notes += ["^: now"] if gantt.now_us is not None else []
    lines = ["; ".join(notes)]
    if len(letters) > _LISTED:
        return [*lines, f"{plural(len(letters), 'job')}: -o OUT.html shows which is which"]
    last = {bar.job_id: bar for bar in gantt.bars}
    for job_id, letter in letters.items():
        bar = last[job_id]
        text = (
            f"{letter} {bar.label or job_id} {bar.user}, {plural(bar.size, 'core')}, {bar.kind}: "
            f"{instant(bar.start_us)} to {instant(bar.end_us)}"
        )
        lines.append(text[:width])
    return lines


def _reserved(gantt: Gantt, instant: Instant, width: int) -> list[str]:
    """Return the advance reservations, a line for each of the latest."""
    lines = [
        f"reserved {one.nodes} for {printable(one.name)}: "
        f"{instant(one.start_us)} to {instant(one.end_us)}"[:width]
        for one in gantt.reservations[-MOST_NAMED:]
    ]
    earlier = len(gantt.reservations) - len(lines)
    return [f"reserved earlier: {earlier:,} times", *lines] if earlier else lines
