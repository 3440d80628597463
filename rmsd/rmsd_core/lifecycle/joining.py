"""The starts of waiting jobs beside others of their users: see `own_nodes`."""

from __future__ import annotations

from rmsd_core.lifecycle import own_nodes, starting
from rmsd_core.lifecycle.state import CoreState


def begin_pass(state: CoreState) -> bool:
    """Begin a pass. Start waiting jobs beside others of their users, before the recipe has its
    turn, and return whether any has started."""
    own, joinable, planner = state.own, state.planner.joinable, state.planner
    planner.begin_pass()
    own_nodes.begin_pass(state)
    if not len(joinable):
        return False
    started = _join_alone(state)
    while joinable.due:
        user = next(iter(joinable.due))
        alikes = joinable.due[user] if user in own.of_user else {}
        while alikes:
            if own.looks_left <= 0 or planner.is_spent():
                own.again = state.disturbed = True
                return started
            alike = next(iter(alikes))
            job, place = joinable.shortest(user, alike), None
            if job is not None and not planner.is_refused(job, state.now_us):
                place = own_nodes.place_beside(state, job)
            if job is None or place is None:
                alikes.pop(alike, None)
            else:
                starting.start_beside(state, job, place)
                started = True
        joinable.due.pop(user, None)
    return started


def _join_alone(state: CoreState) -> bool:
    """Start the only job that waits, even if it outlasts the others on its nodes: nobody else is
    promised anything."""
    planner = state.planner
    job = planner.only_waiting(state.now_us)
    if job is None or not job.by_user or planner.is_refused(job, state.now_us):
        return False
    place = own_nodes.place_beside(state, job, outlasts=True)
    if place is not None:
        starting.start_beside(state, job, place)
    return place is not None
