"""Jobs end that wait and can no longer keep their deadlines."""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming, Ineligible, Preempted, Stopping, Waiting
from rmsd_core.lifecycle.array_index import array_of
from rmsd_core.lifecycle.eligibility import MOST_SETTLED, end_ineligible, settle
from rmsd_core.lifecycle.ending import end_waiting, withdraw
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.tasks import LATE, drop
from rmsd_core.lifecycle.waiting import set_aside
from rmsd_core.vocabulary import Cause

MOST_SET_ASIDE = 1000
"""The late jobs that are set aside at a time, twice in a call. Each takes some 3 to 8 us, and the
daemon stores nothing of it."""


def end_late(state: CoreState) -> None:
    """End the jobs that can no longer keep their deadlines: as many as a call may, and with the
    next calls the others. Before that all of them are set aside, so that no pass starts one. This
    takes a fiftieth of the time that ends take, and no pass is run until it is done.

    Those that have claimed a place end at once, since they start without a pass.
    """
    deadlines = state.deadlines
    if not deadlines.is_late(state.now_us):
        return
    if state.trials is not None:
        for job in state.trials.claiming():
            if job.latest_start_us < state.now_us:
                _end(state, job)
    most = MOST_SET_ASIDE
    while most and (late := deadlines.expire(state.now_us)) is not None:
        most -= 1
        set_aside(state, late)
    if not deadlines.is_due(state.now_us):
        while state.settled < MOST_SETTLED and (late := deadlines.take()) is not None:
            state.settled += 1
            _end(state, late)
        settle(state)


def _end(state: CoreState, job: Job) -> None:
    phase = job.phase
    if job.array is not None:
        _end_tasks(state, job)
    elif isinstance(phase, Ineligible):
        end_ineligible(state, job, LATE)
    elif isinstance(phase, Waiting | Claiming):
        end_waiting(state, job, LATE)
    else:
        assert isinstance(phase, Preempted)
        withdraw(state, job)
        state.move(job, "stop", Stopping(phase.attempt, Cause.DEADLINE, draining=True))
        state.order_end(job, phase.attempt, Cause.DEADLINE)  # known: it is killed for its trial


def _end_tasks(state: CoreState, job: Job) -> None:
    """End the waiting tasks of an array that are no jobs of their own. If others await many of them
    one by one, some are left for the next call."""
    most = max(1, MOST_SETTLED - state.settled)
    awaited = drop(state, job, [(0, array_of(job).count)], LATE, most)
    state.settled += len(awaited)
    for task in awaited:
        _end(state, task)
    if array_of(job).waiting:
        state.deadlines.look_at(job)
