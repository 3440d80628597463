"""Speculation: what would idle after a pass runs jobs that may be killed for others at any time.

Rule (`speculate=yes`): after all other decisions of a pass, every waiting job that does not run and
may be restarted is tried in the order of the recipe, without precedence for urgent jobs. If it fits
on what is really free, or is being given back by killed runs, it starts at once. Such a run counts
as free from the beginning, as an expired trial does: it is committed in place when it is the job's
turn, and killed when others need its processors. A job may run so any number of times.

Reason: processors that the plan leaves empty cost nothing. Many jobs are over before others need
the place, and the rest have been tried.

Source: rmsd's own.
"""

from __future__ import annotations

from rmsd_core.lifecycle import starting
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.planner_state import holds_nothing
from rmsd_core.planning.start_windows import longest_in, may_place_in


def speculate(state: CoreState, trials: Trials) -> None:
    """Start the waiting jobs that fit on what would idle."""
    capacity = state.capacity
    if not state.planner.any_within(capacity.free - trials.expired_cores):
        return
    held = [piece for job in trials.expired() for piece in job.holding()]
    for piece in held:
        capacity.take((piece,))
    longest = longest_in(state.planner.windows, capacity, state.now_us)
    bounds = Bounds(
        capacity.free,
        NEVER_US,
        capacity.free,
        longest_in=longest,
        may_place=may_place_in(capacity),
        urgent_first=False,
    )
    started, held_back = [], []
    for job in state.planner.candidates(bounds, state.now_us):
        if state.planner.is_spent():
            break
        if not job.restartable or not holds_nothing(job):
            continue
        if state.planner.is_refused(job, state.now_us):
            held_back.append(job)
        elif starting.start_idle(state, trials, job):
            started.append(job)
            bounds.free = capacity.free
    for piece in held:
        capacity.give(piece)
    for job in started:
        starting.dispose(state, trials, job)
    for job in held_back:
        state.planner.hold_back(job)
