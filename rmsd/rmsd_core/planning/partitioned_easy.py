"""One pass of the EASY family on a machine with partitions: each partition has a head.

The heads are looked at in queue order, those of higher tiers first. A head that does not fit gets a
reservation at its shadow time, on the nodes that it may have. All other jobs, among them the heads
that follow, start only where they delay none of the reserved heads. Without backfilling, nothing
starts any more on nodes that a waiting head may have. With one partition of all nodes this is the
pass of `easy`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import islice

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Shadow
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.backfilling import WaitingHeads, backfill, place_beside
from rmsd_core.planning.partitioned_queue import PartitionedQueue
from rmsd_core.planning.planner_state import PlannerState, StartJob, holds_nothing, trial_over_us
from rmsd_core.planning.queue import LengthOf


class PartitionedEasyPass:
    """The pass of the recipes with reserve "nobody" and "head", if there are partitions."""

    def __init__(self, state: PlannerState) -> None:
        self._state = state

    def run(self, queue: PartitionedQueue, now_us: int, start: StartJob) -> None:
        state, recipe = self._state, self._state.recipe
        reserved = _Reserved(state, now_us)
        waiting: set[Job] = set()
        heads = [(queue.rank(head, now_us), head) for head in queue.heads(now_us)]
        while heads:
            if state.is_spent():
                return
            _, head = heappop(heads)
            if state.is_refused(head, now_us):
                if state.cuts():
                    return
                state.hold_back(head)
            elif (allocation := self._place(head, reserved, now_us)) is None:
                waiting.add(head)
                reserved.add(head)
                if recipe.reserve == "head" and head.remembered.reserved_at_us is None:
                    state.reserve(head, now_us, reserved.shadow_of(head).time_us)
                continue
            else:
                state.dequeue(head)
                if recipe.reserve == "head":
                    unpromised = head.remembered.reserved_at_us is None
                    if unpromised and state.has_waited(head, now_us):
                        state.reserve(head, now_us, now_us)
                reserved.take(head, allocation)
                start(head, allocation, None)
            if (following := queue.first_in(head.request.partition, now_us)) is not None:
                heappush(heads, (queue.rank(following, now_us), following))
        others = len(queue) > len(waiting) and state.backfill.any_within(state.capacity.free)
        if recipe.backfill != "none" and others:
            backfill(state, reserved, waiting, now_us, start)

    def place_behind(self, heads: Iterable[Job], job: Job, now_us: int) -> Allocation | None:
        """Return where the job can start now without delaying the heads; None if it cannot."""
        self._state.forget_estimates()
        reserved = _Reserved(self._state, now_us)
        for head in heads:
            reserved.add(head)
        return self._place(job, reserved, now_us)

    def _place(self, job: Job, reserved: _Reserved, now_us: int) -> Allocation | None:
        """Return where the job can start now without delaying a reserved head; None if it
        cannot."""
        plain = not self._state.recipe.disposes or holds_nothing(job)
        if plain and not self._state.capacity.may_place(job.request):
            return None  # no shadow has to be made
        return place_beside(self._state, reserved, job, now_us)


class _Reserved(WaitingHeads):
    """The heads that wait, and their shadows. Shadows are made when the first job is compared with
    them: while none fits, no pass needs them."""

    def __init__(self, state: PlannerState, now_us: int) -> None:
        self._state = state
        self._now_us = now_us
        self._heads: list[Job] = []
        self._head_in: dict[str | None, Job] = {}  # the head of each partition
        self._shadows: dict[Job, Shadow] = {}  # the earliest first
        # The shadows of the first heads together: of one, of two, ..., as far as asked for.
        self._together: list[Shadow] = []
        self._times_us: list[int] = []  # the times of the shadows, in order
        # The same for the heads with which jobs are compared by one length, and for each of these
        # the number of all heads up to it.
        self._by_length: dict[LengthOf, tuple[list[int], list[int]]] = {}

    @property
    def first(self) -> Shadow:
        self._make()
        return next(iter(self._shadows.values()))

    def add(self, head: Job) -> None:
        """Note a head that does not fit now. Nothing may have started since it was tried."""
        self._heads.append(head)
        self._head_in.setdefault(head.request.partition, head)

    def shadow_of(self, head: Job) -> Shadow:
        self._make()
        return self._shadows[head]

    def beside(self, job: Job) -> Shadow | None:
        """Return the shadow of all heads up to the last one before whose time the job does not end;
        None if there are none."""
        self._make()
        count = 0
        for length, (times_us, counts) in self._by_length.items():
            until_us = min(self._now_us + length(job), NEVER_US)
            if before := bisect_left(times_us, until_us):
                count = max(count, counts[before - 1])
        return self._first_together(count) if count else None

    def beside_length(self, length_us: int) -> Shadow | None:
        self._make()
        until_us = min(self._now_us + length_us, NEVER_US)
        count = bisect_left(self._times_us, until_us)
        return self._first_together(count) if count else None

    def _first_together(self, count: int) -> Shadow:
        """Return the shadow of the first `count` heads together."""
        together = self._together
        for shadow in islice(self._shadows.values(), len(together), count):
            together.append(together[-1].with_later(shadow) if together else shadow)
        return together[count - 1]

    def passed(self, job: Job) -> Job:
        """Return the head that the backfilled job passes: that of its own partition, if one
        waits."""
        return self._head_in.get(job.request.partition, self._heads[0])

    def _make(self) -> None:
        if len(self._shadows) == len(self._heads):
            return
        found = [(head, self._shadow(head)) for head in self._heads[len(self._shadows) :]]
        earliest_us = min([shadow.time_us for _, shadow in found])
        del self._together[bisect_right(self._times_us, earliest_us) :]
        ordered = sorted([*self._shadows.items(), *found], key=lambda one: one[1].time_us)
        self._shadows = dict(ordered)
        self._times_us = [shadow.time_us for _, shadow in ordered]
        self._by_length = {}
        for count, (head, shadow) in enumerate(ordered, 1):
            length = self._state.length_beside(head)
            times_us, counts = self._by_length.setdefault(length, ([], []))
            times_us.append(shadow.time_us)
            counts.append(count)

    def _shadow(self, head: Job) -> Shadow:
        state, recipe = self._state, self._state.recipe
        if recipe.reserve == "nobody":
            return state.capacity.without(head.request)
        not_before_us = trial_over_us(head, self._now_us, recipe) if recipe.disposes else 0
        return state.shadow(head, state.gathered_for(head), self._now_us, not_before_us)
