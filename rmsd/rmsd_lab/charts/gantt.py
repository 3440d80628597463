"""A Gantt chart as data: every run of every job, and the rows that it is drawn in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from rmsd_lab.charts.cells import CellBlock
from rmsd_lab.charts.rows import RowRange, RowSpan, Want, packed
from rmsd_lab.schedule import Schedule, Scheduled

OVER, KILLED, RUNNING, PLANNED = "over", "killed", "running", "planned"
KINDS = (OVER, KILLED, RUNNING, PLANNED)
"""The kinds of bars. OVER is a run that ended. KILLED is a run that was to be started anew: a
killed trial, or a run on a node that was lost. RUNNING is a run that goes on, with a predicted end.
PLANNED is a run that is expected."""


class Bar(NamedTuple):
    """One run of a job. estimate_us: -1 if it is not known. label: the job as people know it, if
    that is more than its number."""

    job_id: int
    user: str
    submit_us: int
    start_us: int
    end_us: int
    size: int
    estimate_us: int
    kind: str
    pieces: tuple[RowRange, ...]
    label: str = ""


class NodeRows(NamedTuple):
    """Rows that belong together, from `first` to before `end`: a node."""

    name: str
    first: int
    end: int


class SetAside(NamedTuple):
    """An advance reservation: `nodes` is a host list."""

    name: str
    nodes: str
    start_us: int
    end_us: int


class Gantt(NamedTuple):
    """Bars by start time. rows: how many there are, some perhaps beyond the machine's `processors`.
    lines: the nodes; empty where processors are only counted. now_us: None if it is all over.
    reservations: those made in advance, which have no bars."""

    name: str
    bars: list[Bar]
    processors: int
    rows: int
    lines: list[NodeRows]
    now_us: int | None = None
    reservations: tuple[SetAside, ...] = ()

    def blocks(self) -> list[CellBlock]:
        """Return the rectangles of all bars. The owner of a rectangle is the position of its
        bar."""
        return [
            CellBlock(at, bar.start_us, bar.end_us, piece.first, piece.rows)
            for at, bar in enumerate(self.bars)
            for piece in bar.pieces
        ]

    def span_us(self) -> tuple[int, int]:
        """Return the time from the first start to the last end [us]; (0, 1) if there are no
        bars."""
        if not self.bars:
            return 0, 1
        since_us = min(bar.start_us for bar in self.bars)
        return since_us, max(since_us + 1, *(bar.end_us for bar in self.bars))


def rows_of(names: Collection[str], lines: Iterable[NodeRows]) -> list[RowRange]:
    """Return the rows of the nodes that have these names; neighbours are one range."""
    found: list[RowRange] = []
    for line in lines:
        if line.name not in names:
            continue
        first = line.first
        if found and found[-1].first + found[-1].rows == first:
            first = found.pop().first
        found.append(RowRange(first, line.end - first))
    return found


def gantt_of(schedule: Schedule, name: str) -> Gantt:
    """Return the chart of a schedule: the last run of every job, and the killed trial runs if the
    schedule has their times."""
    processors = schedule.processors
    bars = [_bar(job, job.start_us, job.end_us, OVER) for job in schedule.jobs]
    bars += [
        _bar(schedule.jobs[at], start_us, end_us, KILLED)
        for at, start_us, end_us in schedule.killed
    ]
    return placed(name, bars, [(Want(0, processors, bar.size),) for bar in bars], processors)


def _bar(job: Scheduled, start_us: int, end_us: int, kind: str) -> Bar:
    return Bar(
        job.job_id,
        job.user,
        job.submit_us,
        start_us,
        end_us,
        job.size,
        job.estimate_us,
        kind,
        (),
    )


def placed(
    name: str,
    bars: Sequence[Bar],
    wants: Sequence[tuple[Want, ...]],
    processors: int,
    lines: Sequence[NodeRows] = (),
    now_us: int | None = None,
) -> Gantt:
    """Return a chart of bars that have no pieces yet, with rows assigned by their wants; see
    `rows.packed`."""
    spans = [RowSpan(bar.start_us, bar.end_us, want) for bar, want in zip(bars, wants, strict=True)]
    with_rows = [
        bar._replace(pieces=pieces)
        for bar, pieces in zip(bars, packed(spans, processors), strict=True)
    ]
    with_rows.sort(key=lambda bar: bar.start_us)
    beyond = max((piece.first + piece.rows for bar in with_rows for piece in bar.pieces), default=0)
    return Gantt(name, with_rows, processors, max(processors, beyond), list(lines), now_us)
