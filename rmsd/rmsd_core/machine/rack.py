"""Free cores and memory of the nodes of a rack over time, and a window that moves over them.

A step is one vector (`lanes`), so looking at it takes about as long for a rack as for a node.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import neg

from rmsd_core.machine.lanes import Lanes
from rmsd_core.machine.vector_blocks import VectorBlocks


class Rack:
    """The steps of some nodes: `free[i]` is free from `times[i]` to `times[i + 1]`.

    falls: for each step whether less of something is free than in the step before. Running jobs
        only give back, so most steps are rises, and what is free throughout a window is decided by
        its first step and the falls in it.
    changes: how many racks have a step that begins at a time after the first.
    """

    __slots__ = ("_lanes", "_leading", "_leading_at", "changes", "falls", "free", "times")

    def __init__(self, lanes: Lanes, now_us: int, free: int, changes: dict[int, int]) -> None:
        self._lanes = lanes
        self.changes = changes
        self.times = [now_us]
        self.free = VectorBlocks(free)
        self.falls = bytearray(1)
        # The free capacity from the first step to each of the falls, as far as it was asked for.
        self._leading: list[int] = []
        self._leading_at: list[int] = []

    def copy(self, changes: dict[int, int]) -> Rack:
        twin = Rack(self._lanes, 0, 0, changes)
        twin.times, twin.free, twin.falls = self.times[:], self.free.copy(), self.falls[:]
        return twin

    def release(self, taken: int, time_us: int) -> None:
        """Let `taken` be free from `time_us` on, which is at or after the last step."""
        if time_us == self.times[-1]:
            self.free.add(len(self.free) - 1, len(self.free), taken)
            return
        self.changes[time_us] = self.changes.get(time_us, 0) + 1
        self.times.append(time_us)
        self.free.append(taken)
        self.falls.append(0)

    def steps(self, start_us: int, end_us: int) -> tuple[int, int]:
        """Return the first step of a window, and the first one after it."""
        first = max(0, bisect_right(self.times, start_us) - 1)
        return first, bisect_left(self.times, end_us, first + 1)

    def falls_in(self, first: int, last: int) -> Iterator[int]:
        """Yield the steps from `first` on that are falls, before `last`."""
        at = self.falls.find(1, first, last)
        while at >= 0:
            yield at
            at = self.falls.find(1, at + 1, last)

    def least(self, start_us: int, end_us: int) -> int:
        """Return what is free throughout."""
        first, last = self.steps(start_us, end_us)
        if first == 0:
            return self._least_until(last)
        least = self.free[first]
        for at in self.falls_in(first + 1, last):
            least = self._lanes.least(least, self.free[at])
        return least

    def _least_until(self, last: int) -> int:
        """Return what is free in all steps before this one. Backfilling asks for it again and
        again."""
        leading, places = self._leading, self._leading_at
        if not leading:
            leading.append(self.free[0])
            places.append(0)
        for at in self.falls_in(places[-1] + 1, last):
            leading.append(self._lanes.least(leading[-1], self.free[at]))
            places.append(at)
        return leading[bisect_left(places, last) - 1]

    def holds(self, taken: int, mask: int, start_us: int, end_us: int) -> bool:
        first, last = self.steps(start_us, end_us)
        return all(
            self._lanes.has(self.free[at], taken, mask)
            for at in (first, *self.falls_in(first + 1, last))
        )

    def change(self, start_us: int, end_us: int, given: int) -> int:
        """Let `given` be free from start to end as well; it is negative for what is taken. Return
        by how many additions."""
        self._forget_leading()
        first, last = self._break(start_us), self._break(end_us)
        free = self.free
        added = free.add(first, last, given)
        for at in (last, first):
            if at:
                self.falls[at] = self._lanes.is_less(free[at], free[at - 1])
                self._join(at)
        return added

    def _break(self, time_us: int) -> int:
        """Return the step that begins at `time_us`, made if need be."""
        at = bisect_left(self.times, time_us)
        if at == len(self.times) or self.times[at] != time_us:
            self.changes[time_us] = self.changes.get(time_us, 0) + 1
            self.times.insert(at, time_us)
            self.free.repeat(at - 1)
            self.falls.insert(at, 0)
        return at

    def _join(self, at: int) -> None:
        """Drop the begin of this step if nothing changes there."""
        if self.free[at] == self.free[at - 1]:
            self._begins_no_more(self.times[at])
            del self.times[at], self.falls[at]
            self.free.drop(at)

    def _begins_no_more(self, time_us: int) -> None:
        """Note that this rack has no step after the first one that begins at a time."""
        self.changes[time_us] -= 1
        if not self.changes[time_us]:
            del self.changes[time_us]

    def begin_with(self, free: int) -> None:
        """Let so much be free in the first step, and as much more or less in all others."""
        if more := free - self.free[0]:
            self._forget_leading()
            self.free.add(0, len(self.free), more)

    def advance(self, now_us: int) -> None:
        """Forget the steps that are over at a time."""
        gone = bisect_right(self.times, now_us) - 1
        if gone > 0:
            self._forget_leading()
            for time_us in self.times[1 : gone + 1]:
                self._begins_no_more(time_us)
            del self.times[:gone], self.falls[:gone]
            self.free.drop_before(gone)
            self.falls[0] = 0
        self.times[0] = now_us

    def _forget_leading(self) -> None:
        self._leading.clear()
        self._leading_at.clear()

    def overdrawn(self) -> tuple[int, int] | None:
        """Return from when to when more is given out than there is; None if that is never so."""
        is_short, free = self._lanes.is_short, self.free
        if not any(is_short(free[at]) for at in (0, *self.falls_in(1, len(free)))):
            return None
        short = [at for at in range(len(free)) if is_short(free[at])]
        return self.times[short[0]], self.times[short[-1] + 1]


class Window:
    """The free capacity of a rack throughout a window that only moves on, so that each fall is
    looked at twice, however long the window is.

    The falls of the window are in two parts. `_early[-1]` is what is free in all falls of the first
    part, `_early[-2]` without the first of them, and so on; `_early_at` are their steps. `_late` is
    what is free in all falls of the second part, from `_middle` to `_last`; None: there are none.
    falls: how many falls have been looked at.
    """

    __slots__ = ("_early", "_early_at", "_last", "_late", "_least", "_middle", "_rack", "falls")

    def __init__(self, rack: Rack, lanes: Lanes) -> None:
        self._rack = rack
        self._least = lanes.least
        self._early: list[int] = []
        self._early_at: list[int] = []
        self._late: int | None = None
        self._middle = self._last = self.falls = 0

    def least(self, start_us: int, end_us: int) -> int:
        """Return what is free throughout; neither time may be before that of the last call."""
        rack, free, of_two = self._rack, self._rack.free, self._least
        first, last = rack.steps(start_us, end_us)
        if first >= self._middle:
            self._begin_at(first, last)
        else:
            for at in rack.falls_in(self._last, last):
                self._late = free[at] if self._late is None else of_two(self._late, free[at])
                self.falls += 1
            self._last = max(last, self._last)
            while self._early_at and self._early_at[-1] <= first:
                self._early_at.pop()
                self._early.pop()
        least = free[first]
        if self._early:
            least = of_two(least, self._early[-1])
        return least if self._late is None else of_two(least, self._late)

    def least_from(self, start_us: int, end_us: int) -> int:
        """Return what is free from a later time on to the end of the window of the last call. The
        window stays as it is."""
        first, last = self._rack.steps(start_us, end_us)
        if first >= self._middle or last != self._last:
            self.falls += self._rack.falls.count(1, first, last)
            return self._rack.least(start_us, end_us)
        least = self._rack.free[first]
        later = bisect_left(self._early_at, -first, key=neg)  # the number of falls after `first`
        if later:
            least = self._least(least, self._early[later - 1])
        return least if self._late is None else self._least(least, self._late)

    def _begin_at(self, first: int, last: int) -> None:
        """Put all falls after `first` into the first part."""
        self._early_at = list(self._rack.falls_in(first + 1, last))[::-1]
        self.falls += len(self._early_at)
        self._early = []
        for at in self._early_at:
            free = self._rack.free[at]
            self._early.append(self._least(self._early[-1], free) if self._early else free)
        self._late = None
        self._middle = self._last = last
