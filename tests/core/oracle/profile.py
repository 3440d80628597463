"""Free processors over time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Profile:
    """`free[i]` processors are free over [times[i], times[i + 1]), the last for ever."""

    def __init__(self, now: int, free: int) -> None:
        self.times = [now]
        self.free = [free]

    def add(self, start: int, end: int | None, size: int) -> None:
        """Add `size` processors over [start, end), or from `start` on."""
        first = self._split(start)
        last = len(self.times) if end is None else self._split(end)
        for at in range(first, last):
            self.free[at] += size

    def _split(self, instant: int) -> int:
        at = bisect_left(self.times, instant)
        if at == len(self.times) or self.times[at] != instant:
            self.times.insert(at, instant)
            self.free.insert(at, self.free[at - 1])
        return at

    def fits(self, start: int, duration: int, size: int) -> bool:
        first = bisect_right(self.times, start) - 1
        last = bisect_left(self.times, start + duration)
        return min(self.free[first:last]) >= size

    def earliest(self, not_before: int, duration: int, size: int) -> int:
        """Return the earliest start from `not_before` on at which `size` is free for `duration`."""
        start = not_before
        for at in range(bisect_right(self.times, start) - 1, len(self.times)):
            if self.times[at] >= start + duration:
                break
            if self.free[at] < size:
                start = self.times[at + 1]
        return start
