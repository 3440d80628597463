"""Which numbers have been seen, in little memory where they ascend without many gaps."""

from __future__ import annotations

from bisect import bisect_right


class Numbers:
    """Disjoint ranges, ascending: a million numbers in a row are one range."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._last: list[int] = []

    def is_new(self, number: int) -> bool:
        """Whether it was not there; it is now."""
        last = self._last
        if not last or number > last[-1] + 1:
            self._first.append(number)
            last.append(number)
            return True
        if number == last[-1] + 1:
            last[-1] = number
            return True
        return self._insert(number)

    def _insert(self, number: int) -> bool:
        first, last = self._first, self._last
        at = bisect_right(first, number)  # the ranges before `at` begin at or before the number
        if at and number <= last[at - 1]:
            return False
        joins_left = at > 0 and last[at - 1] == number - 1
        joins_right = at < len(first) and first[at] == number + 1
        if joins_left and joins_right:
            last[at - 1] = last[at]
            del first[at], last[at]
        elif joins_left:
            last[at - 1] = number
        elif joins_right:
            first[at] = number
        else:
            first.insert(at, number)
            last.insert(at, number)
        return True
