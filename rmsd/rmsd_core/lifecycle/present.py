"""The facts that expected starts are computed from: the queue, and the tasks that will join it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from operator import attrgetter
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming, Ineligible, Unfolding
from rmsd_core.lifecycle.array_index import array_of
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.tasks import as_job
from rmsd_core.lifecycle.waiting import close
from rmsd_core.planning.present import Present, WaitingTasks, last_of


def present_of(
    state: CoreState, now_us: int, planned: Callable[[int], Mapping[Job, int]]
) -> Present:
    """Return the present at `now_us`; `planned` returns the starts by the standing plan."""
    now_us = max(now_us, state.now_us)
    planner, trials = state.planner, state.trials
    # Jobs and tasks that would pass a limit now have no expected start.
    behind = [one for one in _waiting_tasks(state) if planner.limits.refusal(one.last) is None]
    untried: Iterator[Job | WaitingTasks] = iter(())
    if trials is not None:
        tried = (tasks for tasks in behind if trials.gives(tasks.last))
        untried = merge(
            trials.untried(), sorted(tried, key=_arrival), key=lambda one: last_of(one).seq
        )
    return Present(
        now_us=now_us,
        recipe=state.recipe,
        capacity=state.capacity,
        releases=planner.releases(),
        line=_line(planner.startable(now_us), behind, lambda job: planner.rank(job, now_us)),
        heads=planner.heads(now_us),
        planned=planned(now_us),
        untried=untried,
        claiming=[job for job in state.jobs.values() if isinstance(job.phase, Claiming)],
    )


_arrival = attrgetter("last.seq")


def _waiting_tasks(state: CoreState) -> Iterator[WaitingTasks]:
    """Yield the tasks of each array that are eligible but for its limit and in no queue, unless no
    available nodes can hold them, or they are late."""
    for parent in state.arrays.live.values():
        array = array_of(parent)
        count = len(array.rest) + len(array.waiting_turn)
        if not count or type(parent.phase) is not Unfolding or state.is_late(parent):
            continue
        ends = [ranks.intervals()[-1][1] for ranks in (array.rest, array.waiting_turn) if ranks]
        last = as_job(parent, max(ends) - 1)
        close(state, last)
        if not state.capacity.possible(last.request):
            continue
        active: list[Job] = []
        if array.limit is not None:
            active = [job for job in array.tasks.values() if type(job.phase) is not Ineligible]
        yield WaitingTasks(parent.id, last, count, array.limit, active)


def _line(
    queue: list[Job], behind: list[WaitingTasks], rank: Callable[[Job], Any]
) -> list[Job | WaitingTasks]:
    """Return the queue with the tasks at their places in it."""
    places: defaultdict[int, list[WaitingTasks]] = defaultdict(list)
    for tasks in sorted(behind, key=lambda tasks: rank(tasks.last)):
        places[bisect_left(queue, rank(tasks.last), key=rank)].append(tasks)
    line: list[Job | WaitingTasks] = []
    for at, job in enumerate(queue):
        line += places.get(at, ())
        line.append(job)
    return line + places.get(len(queue), [])
