"""The free cores of all nodes together over time, in blocks of steps.

With 40,000 running jobs there are as many steps, and each job that is placed changes those of a
day. So what a whole block has more or less is noted with the block, as are its least and its most:
a search passes over the blocks in which it finds nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from rmsd_core.model_time import NEVER_US

MOST_STEPS = 256
"""The steps in a block; more are halved. A change walks over two blocks, and looks at all."""

_NO_END_US = 4 * NEVER_US
"""A time after all steps."""


class _Block:
    """Some steps that follow one another. `free[i] + more` is free from `times[i]` on; `least` and
    `most` are the extremes of that."""

    __slots__ = ("free", "least", "more", "most", "times")

    def __init__(self, times: list[int], free: list[int], more: int) -> None:
        self.times, self.free, self.more = times, free, more
        self.least = self.most = 0
        self.measure()

    def measure(self) -> None:
        """Find the extremes anew."""
        self.least, self.most = min(self.free) + self.more, max(self.free) + self.more

    def add(self, size: int) -> None:
        """Let so much more be free in all steps."""
        self.more += size
        self.least += size
        self.most += size

    def add_between(self, first: int, last: int, size: int) -> None:
        """Let so much more be free in the steps from one to before another."""
        free = self.free
        for at in range(first, last):
            free[at] += size
        self.measure()

    def copy(self) -> _Block:
        twin = _Block([0], [0], self.more)
        twin.times, twin.free = self.times[:], self.free[:]
        twin.least, twin.most = self.least, self.most
        return twin


class SumSteps:
    """The free processors of several parts together. A step begins here wherever one of a part
    begins, even if the sum stays the same: processors are then given back in one part and taken in
    another, so a request that did not fit before may fit from then on.

    changes: how many parts have a step that begins at a time.
    """

    __slots__ = ("_blocks", "_changes", "_firsts", "_times")

    def __init__(self, now_us: int, free: int, changes: Mapping[int, int]) -> None:
        self._changes = changes
        self._times = [now_us]
        self._blocks = [_Block([now_us], [free], 0)]
        self._firsts = [now_us]  # the begin of the first step of each block

    @classmethod
    def of(
        cls, now_us: int, free: int, given: Iterable[tuple[int, int]], changes: Mapping[int, int]
    ) -> SumSteps:
        """Return the steps that begin with what is free now, and end with what is given back: when,
        in order, and how much."""
        times, sums = [now_us], [free]
        for time_us, size in given:
            times.append(time_us)
            sums.append(sums[-1] + size)
        made = cls(now_us, free, changes)
        made._times, made._firsts = times, times[::MOST_STEPS]
        made._blocks = [
            _Block(times[at : at + MOST_STEPS], sums[at : at + MOST_STEPS], 0)
            for at in range(0, len(times), MOST_STEPS)
        ]
        return made

    @property
    def times(self) -> Sequence[int]:
        """Return the begins of the steps, not to be changed."""
        return self._times

    def copy(self, changes: Mapping[int, int]) -> SumSteps:
        twin = SumSteps(0, 0, changes)
        twin._times, twin._firsts = self._times[:], self._firsts[:]
        twin._blocks = [block.copy() for block in self._blocks]
        return twin

    def release(self, size: int, time_us: int) -> None:
        """Let `size` more be free from `time_us` on, which is at or after the last step."""
        block = self._blocks[-1]
        free = block.free[-1] + block.more + size
        if time_us == block.times[-1]:
            block.free[-1] += size
            block.measure()
            return
        self._times.append(time_us)
        if len(block.times) >= MOST_STEPS:
            self._blocks.append(_Block([time_us], [free], 0))
            self._firsts.append(time_us)
            return
        block.times.append(time_us)
        block.free.append(free - block.more)
        block.least, block.most = min(block.least, free), max(block.most, free)

    # ------------------------------------------------------------ questions

    def _step_at(self, time_us: int) -> tuple[int, int]:
        """Return the block and the step in which a time lies; the first step if it is before."""
        block = bisect_right(self._firsts, time_us) - 1
        if block < 0:
            return 0, 0
        return block, bisect_right(self._blocks[block].times, time_us) - 1

    def _less(self, at: tuple[int, int], size: int, until_us: int) -> tuple[int, int] | None:
        """Return the first step from `at` on that has less than `size` and begins before a time;
        None: there is none."""
        first, step = at
        blocks = self._blocks
        for number in range(first, len(blocks)):
            block = blocks[number]
            if block.times[0] >= until_us:
                return None
            if block.least < size:
                bound, free = size - block.more, block.free
                for place in range(step, len(free)):
                    if free[place] < bound:
                        return (number, place) if block.times[place] < until_us else None
            step = 0
        return None

    def _enough(self, at: tuple[int, int], size: int, until_us: int) -> tuple[int, int] | None:
        """Return the first step from `at` on that has at least `size` and begins before a time;
        None: there is none."""
        first, step = at
        blocks = self._blocks
        for number in range(first, len(blocks)):
            block = blocks[number]
            if block.times[0] >= until_us:
                return None
            if block.most >= size:
                bound, free = size - block.more, block.free
                for place in range(step, len(free)):
                    if free[place] >= bound:
                        return (number, place) if block.times[place] < until_us else None
            step = 0
        return None

    def holds(self, size: int, start_us: int, length_us: int) -> bool:
        at = self._step_at(start_us)
        block = self._blocks[at[0]]
        if block.free[at[1]] + block.more < size:
            return False
        return self._less(at, size, start_us + length_us) is None

    def first(self, size: int, length_us: int, not_before_us: int) -> int:
        """Return the first start that holds `size` for `length_us`, which is `not_before_us` or the
        begin of a step; NEVER_US: there is none."""
        found = self._first(size, length_us, not_before_us, NEVER_US, _NO_END_US)
        return NEVER_US if found is None else found

    def earlier(
        self, size: int, start_us: int, length_us: int, not_before_us: int, before_us: int
    ) -> int | None:
        """Return the earliest start between, and before `start_us`, for a request that has taken
        `size` there and would give it up."""
        # At its present place, the request can use its own space.
        return self._first(size, length_us, not_before_us, min(start_us, before_us), start_us)

    def _first(
        self, size: int, length_us: int, not_before_us: int, before_us: int, until_us: int
    ) -> int | None:
        """Return the first start that holds `size` for `length_us`, or until `until_us`. It is
        `not_before_us`, or the begin of a step; the steps that begin at `before_us` or later do not
        count."""
        at: tuple[int, int] | None = self._step_at(not_before_us)
        while at is not None:
            at = self._enough(at, size, before_us)
            if at is None:
                return None
            start_us = max(self._blocks[at[0]].times[at[1]], not_before_us)
            at = self._less(at, size, min(start_us + length_us, until_us))
            if at is None:
                return start_us
        return None

    def most_free(self, first_us: int, last_us: int) -> int:
        if last_us < first_us:
            return -1
        most = -1
        first, step = self._step_at(first_us)
        for block in self._blocks[first:]:
            if block.times[0] >= last_us:
                break
            if step or block.times[-1] >= last_us:
                some = block.free[step : bisect_left(block.times, last_us, step)]
                most = max(most, max(some, default=-1 - block.more) + block.more)
            else:
                most = max(most, block.most)
            step = 0
        return most

    def step(self) -> tuple[int, int]:
        block = self._blocks[0]
        now_free = block.free[0] + block.more
        found = self._less((0, 0), now_free, _NO_END_US)
        if found is None:
            return NEVER_US, now_free
        block = self._blocks[found[0]]
        return block.times[found[1]], block.free[found[1]] + block.more

    # ------------------------------------------------------------ changes

    def take(self, size: int, start_us: int, length_us: int) -> None:
        end_us = start_us + length_us
        self._break(start_us)
        self._break(end_us)
        (first, begin), (last, end) = self._step_at(start_us), self._step_at(end_us)
        blocks = self._blocks
        if first == last:
            blocks[first].add_between(begin, end, -size)
        else:
            blocks[first].add_between(begin, len(blocks[first].free), -size)
            for number in range(first + 1, last):
                blocks[number].add(-size)
            blocks[last].add_between(0, end, -size)
        self._join(last, end)
        self._join(first, begin)

    def _break(self, time_us: int) -> None:
        """Let a step begin at a time, which is not before the first one."""
        number, step = self._step_at(time_us)
        block = self._blocks[number]
        if block.times[step] == time_us:
            return
        self._times.insert(bisect_left(self._times, time_us), time_us)
        block.times.insert(step + 1, time_us)
        block.free.insert(step + 1, block.free[step])
        if len(block.times) > MOST_STEPS:
            half = len(block.times) // 2
            later = _Block(block.times[half:], block.free[half:], block.more)
            del block.times[half:], block.free[half:]
            block.measure()
            self._blocks.insert(number + 1, later)
            self._firsts.insert(number + 1, later.times[0])

    def _join(self, number: int, step: int) -> None:
        """Drop the begin of this step if nothing changes there, in the sum or in a part."""
        block = self._blocks[number]
        if step:
            before = block.free[step - 1] + block.more
        elif number:
            before = self._blocks[number - 1].free[-1] + self._blocks[number - 1].more
        else:
            return
        time_us = block.times[step]
        if block.free[step] + block.more != before or time_us in self._changes:
            return
        del self._times[bisect_left(self._times, time_us)]
        del block.times[step], block.free[step]
        if not block.times:
            del self._blocks[number], self._firsts[number]
        elif not step:
            self._firsts[number] = block.times[0]
            block.measure()

    def advance(self, now_us: int) -> None:
        """Forget the steps that are over at a time."""
        number, step = self._step_at(now_us)
        del self._blocks[:number], self._firsts[:number]
        block = self._blocks[0]
        if step:
            del block.times[:step], block.free[:step]
            block.measure()
        block.times[0] = self._firsts[0] = now_us
        del self._times[: bisect_right(self._times, now_us) - 1]
        self._times[0] = now_us
