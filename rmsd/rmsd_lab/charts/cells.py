"""A Gantt chart for a coarse screen: who holds most of each cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

NOBODY = -1


class CellBlock(NamedTuple):
    """A rectangle of the chart: rows from `first` on, `rows` of them. `owner` is at least 0."""

    owner: int
    start_us: int
    end_us: int
    first: int
    rows: int


def cells(
    blocks: Iterable[CellBlock],
    lines: Sequence[tuple[int, int]],
    since_us: int,
    until_us: int,
    columns: int,
) -> list[list[int]]:
    """Return, for each line and each of `columns` equal parts of the time, the owner of most of the
    cell.

    A cell that is more than half free is NOBODY's. Of two owners with equal parts, the lower number
    has the cell.

    `lines` are pairs of rows, from the first until before the second; they ascend and do not
    overlap.

    Raises ValueError if there is no time or no column.
    """
    if until_us <= since_us or columns < 1:
        raise ValueError("there is no time to be shown")
    bounds = [since_us + (until_us - since_us) * at // columns for at in range(columns + 1)]
    ends = [end for _, end in lines]
    shares: list[list[dict[int, int]]] = [[{} for _ in range(columns)] for _ in lines]
    for block in blocks:
        start_us, end_us = max(block.start_us, since_us), min(block.end_us, until_us)
        if start_us >= end_us:
            continue
        reached = _columns(bounds, start_us, end_us)
        held_us = [
            (column, min(end_us, bounds[column + 1]) - max(start_us, bounds[column]))
            for column in reached
        ]
        top = block.first + block.rows
        line = bisect_right(ends, block.first)
        while line < len(lines) and lines[line][0] < top:
            rows = min(ends[line], top) - max(lines[line][0], block.first)
            for column, us in held_us:
                cell = shares[line][column]
                cell[block.owner] = cell.get(block.owner, 0) + rows * us
            line += 1
    return [
        [
            _owner(cell, (end - first) * (bounds[column + 1] - bounds[column]))
            for column, cell in enumerate(line)
        ]
        for line, (first, end) in zip(shares, lines, strict=True)
    ]


def _columns(bounds: Sequence[int], start_us: int, end_us: int) -> range:
    """Return the columns that the time from `start_us` to `end_us` touches."""
    span_us, columns = bounds[-1] - bounds[0], len(bounds) - 1
    first = (start_us - bounds[0]) * columns // span_us
    while first and bounds[first] > start_us:
        first -= 1
    while bounds[first + 1] <= start_us:
        first += 1
    last = first
    while last < columns and bounds[last] < end_us:
        last += 1
    return range(first, last)


def _owner(cell: dict[int, int], area: int) -> int:
    if 2 * sum(cell.values()) < area:
        return NOBODY
    return min(cell, key=lambda owner: (-cell[owner], owner), default=NOBODY)
