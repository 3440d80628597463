"""The details of live jobs, by number, which lists of jobs read the newest first."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping

from rmsd_daemon.domain.submission import Details

_AT_ONCE = 500
_SPARE = 1000


class LiveDetails(dict[int, Details]):
    """Details by the numbers of jobs. A page of the newest jobs costs what it has: the numbers are
    in order all the time, and not sorted for each page."""

    def __init__(self, details: Mapping[int, Details] | None = None) -> None:
        super().__init__(details or {})
        self._numbers = sorted(self)  # Numbers of jobs that are over stay for a while.

    def __setitem__(self, number: int, details: Details) -> None:
        if number not in self:
            self._add(number)
        super().__setitem__(number, details)

    def newest_first(self, below: int) -> Iterator[int]:
        """Yield the numbers below `below`, the highest first. Jobs may come and go meanwhile."""
        while True:
            at = bisect_left(self._numbers, below)
            part = self._numbers[max(0, at - _AT_ONCE) : at]
            if not part:
                return
            yield from filter(self.__contains__, reversed(part))
            below = part[0]

    def _add(self, number: int) -> None:
        """Keep a number. Numbers of jobs that are over are left out once they are the most."""
        numbers = self._numbers
        if len(numbers) > 2 * len(self) + _SPARE:
            self._numbers = numbers = sorted(self)
        if not numbers or number > numbers[-1]:
            numbers.append(number)
        elif numbers[bisect_left(numbers, number)] != number:
            insort(numbers, number)
