"""The starts of waiting jobs beside others of their users: see `own_nodes`."""

from __future__ import annotations

from rmsd_core.lifecycle import own_nodes, starting, unfolding
from rmsd_core.lifecycle.state import CoreState


def begin_pass(state: CoreState) -> bool:
    """Begin a pass. Start waiting jobs beside others of their users, before the recipe has its
    turn, and return whether any has started. Tasks of arrays unfold as those before them start:
    they are as many as fit into what is free, and those that join others take nothing of that."""
    own_nodes.begin_pass(state)
    state.planner.begin_pass()
    if not len(state.planner.joinable):
        return False
    alone = _join_alone(state)
    started = joined = _join_others(state) or alone
    while joined and not state.own.again and unfolding.unfold(state):
        joined = _join_others(state)
    return started


def _join_others(state: CoreState) -> bool:
    """Start the jobs that are to be looked at, and return whether any has started."""
    own, joinable, planner = state.own, state.planner.joinable, state.planner
    started = False
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
    if planner.continues:  # the job may get nodes of its own yet
        return False
    job = planner.only_waiting(state.now_us)
    if job is None or not job.by_user or planner.is_refused(job, state.now_us):
        return False
    place = own_nodes.place_beside(state, job, outlasts=True)
    if place is not None:
        starting.start_beside(state, job, place)
    return place is not None
