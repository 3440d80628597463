"""The waiting jobs are sorted anew when nodes have changed: those that could not run on the
available nodes are set aside, so that they delay no other job.

Users can ask for any number of different things, and a node may come or go at any time. So a call
of the core looks at a bounded number of jobs, and the next calls at the others. No pass is run
before all are looked at: it would start jobs before others that come first. Nodes that change
meanwhile have all jobs looked at once more, after one pass.
"""

from __future__ import annotations

from operator import attrgetter

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import TO_START
from rmsd_core.lifecycle import advance, refusals
from rmsd_core.lifecycle.state import CoreState, Sorting
from rmsd_core.lifecycle.waiting import close, unqueue, wait_for_limits, wait_in_queue

MOST_JUDGED = 100
"""The different requests that are compared with the nodes in a call of the core. Most take some
microseconds, and those for a partition with a bound on nodes one look at each node."""
MOST_SORTED = 4000
"""The waiting jobs that are looked at in a call of the core, some 2 microseconds each."""
MOST_LATE = MOST_SORTED // 4
"""The jobs that a call of the core takes out of the queue, since they can no longer end inside
their advance reservations."""
_LOOKS_OF_A_MOVE = 8
"""The looks that a job counts as that joins or leaves the queue, which takes 7 to 20 microseconds
by the recipe."""
_LISTED_PER_LOOK = 25
"""The jobs that are listed in the time of one look."""

_seq = attrgetter("seq")


def renew(state: CoreState) -> None:
    """Look again at jobs that are in no queue, and at those in the queue if nodes have changed."""
    if state.sort_anew or state.sorting.left:
        _sort_some(state)
    if state.planner.limits.is_eased:
        wait_for_limits(state)


def set_late_aside(state: CoreState) -> None:
    """Set those jobs aside that can no longer end inside their advance reservations. If they are
    many, all jobs are looked at instead, some in a call."""
    late = advance.out_of_time(state)
    if len(late) > MOST_LATE:
        state.nodes_changed()
        return
    for job in late:
        if _sort(state, state.sorting, job):
            state.disturbed = True


def _sort_some(state: CoreState) -> None:
    """Look at waiting jobs until all are sorted, or as many are as a call may."""
    sorting = state.sorting
    looks, judged = MOST_SORTED, MOST_JUDGED
    while looks > 0 and judged > 0 and (sorting.left or state.sort_anew):
        if not sorting.left:
            _begin(state)
            looks -= len(sorting.left) // _LISTED_PER_LOOK
        if sorting.machine != state.capacity.machine:
            sorting.machine = state.capacity.machine
            sorting.possible.clear()
        before = len(sorting.possible)
        while sorting.left and looks > 0 and len(sorting.possible) - before < judged:
            looks -= _LOOKS_OF_A_MOVE if _sort(state, sorting, sorting.left.pop()) else 1
        judged -= len(sorting.possible) - before
    if not sorting.left:
        sorting.possible.clear()
    state.planner.rank_new(state.now_us)


def _begin(state: CoreState) -> None:
    """Begin with all jobs that wait, those that arrived first being the first."""
    state.sort_anew = False
    state.arrays.nodes_changed()
    waiting = [job for job in state.jobs.values() if type(job.phase) in TO_START]
    waiting.sort(key=_seq, reverse=True)
    state.sorting.left = waiting


def _sort(state: CoreState, sorting: Sorting, job: Job) -> bool:
    """Put the job into the queue, or set it aside, if it should be there and is not. Return whether
    it has joined or left the queue."""
    if type(job.phase) not in TO_START or job in state.planner.limits:
        return False
    if job.claim is not None and job.claim.kind == "for good":
        return False
    is_aside = job.id in state.set_aside
    if is_aside and state.is_late(job):
        return False
    is_possible = _can_run(state, sorting, job)
    if is_aside and is_possible:
        del state.set_aside[job.id]
        wait_in_queue(state, job)
    elif not is_aside and not is_possible:
        unqueue(state, job)
        state.set_aside[job.id] = job
    return is_aside == is_possible


def _can_run(state: CoreState, sorting: Sorting, job: Job) -> bool:
    """Return whether the available nodes could hold the job."""
    close(state, job)
    refusals.relent(state, job)
    if job.reservation:
        return advance.is_possible(state, job, job.request)
    found = sorting.possible.get(job.request)
    if found is None:
        found = sorting.possible[job.request] = state.capacity.possible(job.request)
    return found
