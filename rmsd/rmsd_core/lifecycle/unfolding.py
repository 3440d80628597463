"""Arrays unfold: as many of their tasks join the queue as could start in one pass, and some more.

The tasks of an array are of one shape, and their places in the queue are next to each other. So a
pass that meets one of them which cannot start finds the same for those behind it. Before each pass
an array has more tasks in the queue that were never started than fit into what is free. So the pass
starts what it would start if all tasks were there.
"""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle import eligibility
from rmsd_core.lifecycle.array_index import array_of
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.tasks import detach
from rmsd_core.lifecycle.waiting import can_be_taken
from rmsd_core.recipes.recipe import Recipe

MOST_PLANNED = 1000
"""The tasks of one array that are in the queue at least, under recipes that promise a start to
every job. Those behind them are promised none."""


def ahead(recipe: Recipe) -> int:
    """Return how many tasks of an array are in the queue beside those that fit into what is free
    and the one that does not."""
    if recipe.has_planner or recipe.promotes:
        return MOST_PLANNED - 1
    if recipe.reserve in ("nobody", "head"):
        return 0
    return min(recipe.depth or MOST_PLANNED, MOST_PLANNED) - 1


def unfold(state: CoreState) -> bool:
    """Let arrays unfold for the pass that follows. Return whether a task has joined the queue."""
    free = max(0, state.capacity.free)
    has_joined = False
    while due := state.arrays.due(free):
        for job in due:
            if state.is_late(job):
                continue  # none of its tasks may start
            possible = can_be_taken(state, job)
            most = state.arrays.ahead + 1 + (free // job.size if possible else 0)
            has_joined |= _fill(state, job, most)
            if possible:
                state.arrays.look_at(job)
            else:
                state.arrays.wait_for_nodes(job)
    return has_joined


def _fill(state: CoreState, job: Job, most: int) -> bool:
    """Let tasks join the queue in the order of their ranks, until `most` wait there for their first
    start."""
    array = array_of(job)
    has_joined = False
    while array.may_run_more:
        turn = array.waiting_turn.first if array.waiting_turn else None
        if turn is not None and not (array.rest and array.rest.first < turn):
            eligibility.take_turn(state, array.tasks[turn])
        elif array.rest and len(array.fresh) < most:
            detach(state, job, array.rest.first)
        else:
            break
        has_joined = True
    return has_joined


def rest_of(state: CoreState) -> tuple[int, int]:
    """Return how many tasks wait beside those in the queue, and the sum of their predictions."""
    waiting = [
        (len(array_of(job).rest), job.prediction_us)
        for job in state.arrays.live.values()
        if array_of(job).limit is None and not job.conditions.stand
    ]
    return sum(count for count, _ in waiting), sum(count * us for count, us in waiting)
