"""One pass of the EASY family: a reservation for the head of the queue, or none.

Simulation rules, "EASY"; thesis 2.3. The shadow is computed afresh in every pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Shadow
from rmsd_core.planning.backfilling import WaitingHeads, backfill
from rmsd_core.planning.partitioned_easy import PartitionedEasyPass
from rmsd_core.planning.planless import PlanlessPass
from rmsd_core.planning.planner_state import (
    PlannerState,
    StartJob,
    held_by_trial,
    holds_nothing,
    in_trial,
    trial_over_us,
)


class EasyPass(PlanlessPass):
    """The pass of the recipes with reserve "nobody" and "head".

    It never asks to be woken: shadows are no events; the end that frees capacity for the head is
    one.
    """

    def __init__(self, state: PlannerState) -> None:
        self._state = state
        self._tries = state.recipe.disposes
        self._by_partition = PartitionedEasyPass(state)

    def run(
        self,
        now_us: int,
        start: StartJob,
        *,
        undisturbed: bool,  # noqa: ARG002 - the shadow may move with the time alone
    ) -> None:
        state = self._state
        state.time.now_us = now_us
        if state.partitioned is not None:
            self._by_partition.run(state.partitioned, now_us, start)
            return
        head = self._start_from_head(now_us, start)
        if head is None or state.recipe.reserve == "nobody":
            return
        backfills = state.recipe.backfill != "none" and len(state.queue) > 1
        others_fit = backfills and state.queue.any_within(state.capacity.free)
        if others_fit or head.remembered.reserved_at_us is None:
            self._start_behind(head, now_us, start)

    def place_behind(self, heads: Sequence[Job], job: Job, now_us: int) -> Allocation | None:
        """Return where a pass would backfill a job that has not arrived, behind the heads that
        wait; None if it would not. Recipes with trials have other answers."""
        if self._tries or self._state.recipe.backfill == "none":
            return None
        return self._by_partition.place_behind(heads, job, now_us)

    def _start_from_head(self, now_us: int, start: StartJob) -> Job | None:
        """Start jobs in queue order while they fit. Returns the first job that does not, the
        head."""
        state = self._state
        while (head := state.queue.first(now_us)) is not None:
            allocation: Allocation | None
            if state.is_spent():
                return None
            if state.is_refused(head, now_us):
                if state.cuts():
                    return None
                state.hold_back(head)
                continue
            if not self._tries or holds_nothing(head):
                allocation = state.place(head, now_us)
            else:
                allocation = None if in_trial(head, now_us) else held_by_trial(head)
            if allocation is None:
                return head
            state.dequeue(head)
            unpromised = head.remembered.reserved_at_us is None
            if unpromised and state.recipe.reserve == "head" and state.has_waited(head, now_us):
                # the job became the head in this pass; thesis, Table 4.5
                state.reserve(head, now_us, now_us)
            start(head, allocation, None)
        return None

    def _start_behind(self, head: Job, now_us: int, start: StartJob) -> None:
        """Start the jobs that do not delay the head beyond its shadow time (backfilling)."""
        state = self._state
        not_before_us = trial_over_us(head, now_us, state.recipe) if self._tries else 0
        releases = state.gathered_for(head)
        shadow = state.shadow(head, releases, now_us, not_before_us)
        if head.remembered.reserved_at_us is None:
            state.reserve(head, now_us, shadow.time_us)
        if state.recipe.backfill == "none":
            return
        if state.windows is not None:
            state.windows.take(head, shadow.time_us)
        backfill(state, _OneHead(state, head, shadow, now_us), (head,), now_us, start)


class _OneHead(WaitingHeads):
    """The head of the queue, and its shadow."""

    def __init__(self, state: PlannerState, head: Job, shadow: Shadow, now_us: int) -> None:
        self._head = head
        self._shadow = shadow
        self._length = state.length_beside(head)
        self._window_us = shadow.time_us - now_us

    @property
    def first(self) -> Shadow:
        return self._shadow

    def beside(self, job: Job) -> Shadow | None:
        return self._shadow if self._length(job) > self._window_us else None

    def beside_length(self, length_us: int) -> Shadow | None:
        return self._shadow if length_us > self._window_us else None

    def passed(self, job: Job) -> Job:  # noqa: ARG002 - there is one head
        return self._head
