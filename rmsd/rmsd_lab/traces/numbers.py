"""The set of numbers that have been seen, in little memory where they ascend without many gaps."""

from __future__ import annotations

from bisect import bisect_right


class NumberRanges:
    """Ranges, ascending: a million numbers in a row are one. What comes late is held one by one."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._last: list[int] = []
        self._late: set[int] = set()

    def is_new(self, number: int) -> bool:
        """Add a number, and return whether it is new."""
        last = self._last
        if not last or number > last[-1] + 1:
            self._first.append(number)
            last.append(number)
            return True
        if number == last[-1] + 1:
            last[-1] = number
            return True
        at = bisect_right(self._first, number)  # the ranges before `at` begin at or before it
        if number in self._late or (at and number <= last[at - 1]):
            return False
        self._late.add(number)
        return True
