"""The assignment of jobs to the rows of a Gantt chart: a row is a processor."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

_BEYOND = 1 << 40


class Want(NamedTuple):
    """`rows` rows among those from `first` up to, but without, `end`. `avoided`: ranges (the first
    row, and the one after the last) that are taken only if there is no other space."""

    first: int
    end: int
    rows: int
    avoided: tuple[tuple[int, int], ...] = ()


class RowSpan(NamedTuple):
    """A use of rows from `start_us` until `end_us`. On counted processors a span has one want, on
    nodes one want for each node."""

    start_us: int
    end_us: int
    wants: tuple[Want, ...]


class RowRange(NamedTuple):
    """Rows that lie side by side, `first` being the lowest."""

    first: int
    rows: int


def packed(spans: Sequence[RowSpan], rows: int) -> list[tuple[RowRange, ...]]:
    """Return the pieces of each span, ascending, by first fit. A want gets the lowest hole of its
    range that is large enough, else the largest holes there, so that pieces are few.

    No row is given to two spans at a time. A span beyond the rows of a range (more runs than
    the machine has) lies in rows from `rows` on.
    """
    free = _Free()
    placed: list[tuple[RowRange, ...]] = [()] * len(spans)
    ends: list[tuple[int, int]] = []
    # A piece that takes no time comes before the others of its instant, which may need its rows.
    order = sorted(
        range(len(spans)),
        key=lambda at: (spans[at].start_us, spans[at].end_us > spans[at].start_us),
    )
    for at in order:
        span = spans[at]
        while ends and ends[0][0] <= span.start_us:
            free.give_back(placed[heappop(ends)[1]])
        found: list[RowRange] = []
        for want in span.wants:
            found += free.take(want, rows)
        placed[at] = _joined(sorted(found))
        heappush(ends, (span.end_us, at))
    return placed


def _joined(ascending: Sequence[RowRange]) -> tuple[RowRange, ...]:
    """Return the pieces with neighbours joined; pieces on adjacent nodes are neighbours too."""
    joined: list[RowRange] = []
    for piece in ascending:
        if joined and joined[-1].first + joined[-1].rows == piece.first:
            piece = RowRange(joined[-1].first, joined.pop().rows + piece.rows)
        joined.append(piece)
    return tuple(joined)


class _Free:
    """The free rows, as holes of adjacent ones, ascending."""

    def __init__(self) -> None:
        self._firsts = [0]
        self._ends = [_BEYOND]

    def take(self, want: Want, rows: int) -> list[RowRange]:
        kept = [
            piece
            for first, end in want.avoided
            for piece in self._parts(Want(first, end, end - first))
        ]
        pieces = self._whole(want) or self._parts(want)
        self.give_back(tuple(kept))
        missing = want.rows - sum(piece.rows for piece in pieces)
        if kept and missing:
            pieces += self._parts(want._replace(rows=missing))
            missing = want.rows - sum(piece.rows for piece in pieces)
        return pieces + self._whole(Want(rows, _BEYOND, missing)) if missing else pieces

    def _whole(self, want: Want) -> list[RowRange]:
        """Return the lowest hole that holds all of the want; an empty list if there is none."""
        for at in self._holes(want):
            first = max(self._firsts[at], want.first)
            if first + want.rows <= min(self._ends[at], want.end):
                self._cut(at, first, first + want.rows)
                return [RowRange(first, want.rows)]
        return []

    def _parts(self, want: Want) -> list[RowRange]:
        """Return pieces of the largest holes, as many as the want needs."""
        pieces: list[RowRange] = []
        missing = want.rows
        while missing and (holes := self._holes(want)):
            at = max(holes, key=lambda at: self._room(at, want))
            first = max(self._firsts[at], want.first)
            count = min(missing, self._room(at, want))
            self._cut(at, first, first + count)
            pieces.append(RowRange(first, count))
            missing -= count
        return pieces

    def _holes(self, want: Want) -> range:
        """Return the positions of the holes that reach into the range of the want."""
        return range(bisect_right(self._ends, want.first), bisect_left(self._firsts, want.end))

    def _room(self, at: int, want: Want) -> int:
        """Return the number of rows of the want's range that are in a hole."""
        return min(self._ends[at], want.end) - max(self._firsts[at], want.first)

    def _cut(self, at: int, first: int, end: int) -> None:
        """Take the rows from `first` until `end` out of the hole `at`, which holds them."""
        left, right = self._firsts[at], self._ends[at]
        kept = [hole for hole in ((left, first), (end, right)) if hole[0] < hole[1]]
        self._firsts[at : at + 1] = [hole[0] for hole in kept]
        self._ends[at : at + 1] = [hole[1] for hole in kept]

    def give_back(self, pieces: tuple[RowRange, ...]) -> None:
        for first, rows in pieces:
            at = bisect_left(self._firsts, first)
            end = first + rows
            left, right = first, end
            before, after = at, at
            if at and self._ends[at - 1] == first:
                before, left = at - 1, self._firsts[at - 1]
            if at < len(self._firsts) and self._firsts[at] == end:
                after, right = at + 1, self._ends[at]
            self._firsts[before:after] = [left]
            self._ends[before:after] = [right]
