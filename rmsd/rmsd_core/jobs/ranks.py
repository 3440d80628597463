"""Sets of the places of tasks in their array, kept as intervals: 100,000 tasks in a row cost as
much as one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

Interval = tuple[int, int]
"""The first place, and the one after the last."""


class Ranks:
    """A set of places, as disjoint intervals in order. No two intervals touch."""

    __slots__ = ("_count", "_firsts", "_lasts")

    def __init__(self, intervals: Iterable[Interval] = ()) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []  # each is one after the last place
        self._count = 0
        for first, last in intervals:
            self.add(first, last)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        """Yield the places in order; the set may not change meanwhile."""
        for first, last in self.intervals():
            yield from range(first, last)

    def __contains__(self, rank: int) -> bool:
        at = bisect_right(self._firsts, rank) - 1
        return at >= 0 and rank < self._lasts[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranks) and self.intervals() == other.intervals()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Ranks({self.intervals()})"

    @property
    def pieces(self) -> int:
        """Return the number of intervals."""
        return len(self._firsts)

    @property
    def first(self) -> int:
        """Return the lowest place. Raises IndexError if there is none."""
        return self._firsts[0]

    def intervals(self) -> list[Interval]:
        """Return the intervals, in order."""
        return list(zip(self._firsts, self._lasts, strict=True))

    def copy(self) -> Ranks:
        """Return a set with the same places."""
        new = Ranks()
        new._firsts, new._lasts, new._count = self._firsts[:], self._lasts[:], self._count
        return new

    def add(self, first: int, last: int) -> None:
        """Add the places from `first` on, up to the one before `last`."""
        if first >= last:
            return
        low = bisect_right(self._firsts, first)
        if low and self._lasts[low - 1] >= first:
            low -= 1
            first = self._firsts[low]
        high = bisect_right(self._firsts, last)
        if high > low:
            last = max(last, self._lasts[high - 1])
        self._count += last - first
        self._count -= sum(self._lasts[at] - self._firsts[at] for at in range(low, high))
        self._firsts[low:high] = [first]
        self._lasts[low:high] = [last]

    def meets(self, first: int, last: int) -> bool:
        """Return whether one of the places from `first` to before `last` is here."""
        at = bisect_right(self._firsts, last - 1) - 1
        return at >= 0 and first < self._lasts[at]

    def within(self, first: int, last: int) -> list[Interval]:
        """Return those of the places from `first` to before `last` that are here."""
        found: list[Interval] = []
        at = max(0, bisect_right(self._firsts, first) - 1)
        while at < len(self._firsts) and self._firsts[at] < last:
            begins, ends = max(self._firsts[at], first), min(self._lasts[at], last)
            if begins < ends:
                found.append((begins, ends))
            at += 1
        return found

    def take(self, first: int, last: int) -> list[Interval]:
        """Remove the places from `first` on, up to the one before `last`. Return those that were
        here."""
        taken: list[Interval] = []
        kept: list[Interval] = []
        low = max(0, bisect_right(self._firsts, first) - 1)
        high = low
        while high < len(self._firsts) and self._firsts[high] < last:
            begins, ends = self._firsts[high], self._lasts[high]
            high += 1
            if max(begins, first) >= min(ends, last):
                kept.append((begins, ends))
                continue
            taken.append((max(begins, first), min(ends, last)))
            if begins < first:
                kept.append((begins, first))
            if ends > last:
                kept.append((last, ends))
        self._firsts[low:high] = [begins for begins, _ in kept]
        self._lasts[low:high] = [ends for _, ends in kept]
        self._count -= sum(ends - begins for begins, ends in taken)
        return taken
