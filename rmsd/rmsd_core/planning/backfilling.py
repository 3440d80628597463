"""Backfilling of the EASY family: jobs start behind the heads that wait, and delay none of them."""

from __future__ import annotations

from collections.abc import Collection

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Shadow
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.planner_state import (
    PlannerState,
    StartJob,
    held_by_trial,
    holds_nothing,
    in_trial,
)
from rmsd_core.planning.start_windows import longest_in, may_place_in, request_now


class WaitingHeads:
    """The heads that wait, and their shadows."""

    @property
    def first(self) -> Shadow:
        """Return the shadow with the earliest time."""
        raise NotImplementedError

    def beside(self, job: Job) -> Shadow | None:
        """Return the shadow beside which the job has to start; None if it ends before all of
        them."""
        raise NotImplementedError

    def beside_length(self, length_us: int) -> Shadow | None:
        """Return a shadow beside which all jobs of this length in the queue have to start; None if
        there is none. The heads may have some of these jobs keep off more."""
        raise NotImplementedError

    def passed(self, job: Job) -> Job:
        """Return the head that the backfilled job passes."""
        raise NotImplementedError

    def take(self, job: Job, allocation: Allocation) -> None:
        """Note that the job starts, and that it outlasts the shadow times of some heads."""
        beside = self.beside(job)
        if beside is not None:
            beside.take(allocation)


def place_beside(
    state: PlannerState, heads: WaitingHeads, job: Job, now_us: int
) -> Allocation | None:
    """Return where the job can start now without delaying a head; None if it cannot."""
    beside = heads.beside(job)
    if not state.recipe.disposes or holds_nothing(job):
        where = state.capacity if beside is None else beside
        request = request_now(state.windows, job, now_us)
        return None if request is None else where.place(request)
    held = held_by_trial(job)
    if in_trial(job, now_us) or not (beside is None or beside.holds(held)):
        return None
    return held


def backfill(
    state: PlannerState,
    heads: WaitingHeads,
    waiting: Collection[Job],
    now_us: int,
    start: StartJob,
) -> None:
    """Start the jobs that delay no head beyond its shadow time. `waiting`: the heads."""
    capacity, first = state.capacity, heads.first

    def may_start(job: Job) -> bool:
        where = heads.beside(job) or capacity
        return not holds_nothing(job) or where.may_place(job.request)

    longest = longest_in(state.windows, capacity, now_us)
    may_place = may_place_in(capacity, heads.beside_length)
    window_us = first.time_us - now_us
    bounds = Bounds(capacity.free, window_us, first.extra, may_start, longest, may_place)
    started: list[Job] = []
    held: list[Job] = []
    for job in state.backfill.candidates(bounds, now_us):
        if state.is_spent():
            break
        if job in waiting:
            continue
        if state.is_refused(job, now_us):
            if state.cuts():
                break
            held.append(job)
            continue
        allocation = place_beside(state, heads, job, now_us)
        if allocation is None:
            continue
        heads.take(job, allocation)
        started.append(job)
        start(job, allocation, heads.passed(job))
        bounds.free = capacity.free
        bounds.extra = first.extra
    for job in started:
        state.dequeue(job)
    for job in held:
        state.hold_back(job)
