"""The facts that expected starts are computed from: the queue, and the tasks that will join it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import merge
from operator import attrgetter

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming, Ineligible, Unfolding
from rmsd_core.lifecycle import advance
from rmsd_core.lifecycle.array_index import array_of
from rmsd_core.lifecycle.foreseen import with_preemptions
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.tasks import as_job
from rmsd_core.lifecycle.waiting import close, with_arrival
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.planning.present import Present, WaitingTasks, last_of


def present_of(
    state: CoreState,
    now_us: int,
    planned: Callable[[int], Mapping[Job, int]],
    new: Job | None = None,
    begin_us: int | None = None,
) -> Portions[Present]:
    """Return the present at `now_us`; `planned` returns the starts by the standing plan. Nothing
    but the tasks of hundreds of arrays is older than the last portion. `new`: a job that has not
    arrived and begins at `begin_us`, see `waiting.with_arrival`."""
    planner, trials = state.planner, state.trials
    tasks, tried = [], []
    for at, parent in enumerate(list(state.arrays.live.values()), 1):
        behind = _waiting_tasks(state, parent)
        # Jobs and tasks that would pass a limit now have no expected start.
        if behind is not None and planner.limits.refusal(behind.last) is None:
            tasks.append(behind)
            if trials is not None and trials.gives(behind.last):
                tried.append(behind)
        if not at % PORTION:
            yield
    yield from planner.held_pieces.read()
    now_us = max(now_us, state.now_us)
    untried = () if trials is None else trials.untried()
    claiming = () if trials is None else trials.claiming()
    present = Present(
        now_us=now_us,
        recipe=state.recipe,
        capacity=state.capacity.as_now(),
        live=state.capacity,
        releases=list(planner.releases()),
        pieces=planner.held_pieces.copied(),
        jobs=state.jobs,
        waiting=planner.lend(),
        tasks=tasks,
        rank=lambda job: planner.rank(job, now_us),
        may_start=lambda job: planner.limits.refusal(job) is None,
        heads=planner.heads(now_us),
        planned=planned(now_us),
        untried=merge(untried, sorted(tried, key=_arrival), key=lambda one: last_of(one).seq),
        windows=advance.windows(state),
        claiming=[job for job in claiming if type(job.phase) is Claiming],
    )
    if new is not None:
        present = with_arrival(state, present, new, begin_us)
    return with_preemptions(state, present)


_arrival = attrgetter("last.seq")


def _waiting_tasks(state: CoreState, parent: Job) -> WaitingTasks | None:
    """Return the tasks of the array that are eligible but for its limit and in no queue; None if
    there are none, no available nodes can hold them, or they are late."""
    array = array_of(parent)
    count = len(array.rest) + len(array.waiting_turn)
    if not count or type(parent.phase) is not Unfolding or state.is_late(parent):
        return None
    ends = [ranks.intervals()[-1][1] for ranks in (array.rest, array.waiting_turn) if ranks]
    last = as_job(parent, max(ends) - 1)
    close(state, last)
    if not advance.is_possible(state, last, last.request):
        return None
    active: list[Job] = []
    if array.limit is not None:
        active = [job for job in array.tasks.values() if type(job.phase) is not Ineligible]
    return WaitingTasks(parent.id, last, count, array.limit, active)
