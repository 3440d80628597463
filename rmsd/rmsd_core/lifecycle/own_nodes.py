"""The jobs that share their nodes with jobs of their users alone: `--exclusive=user`.

Rule: such a job is planned on whole nodes, as one that has its nodes for itself. So no plan and no
start of another job ever counts on what the job leaves of them. The job is given what it asks for.
Another such job of the user may start in the rest, before a pass or instead of a start on whole
nodes, if it ends there by its limit before the nodes are expected to be given back. It takes
nothing from anybody then. If no other job waits, it may also end later.

Of the jobs on such a node, the one that is expected to end last *keeps* it: for the machine this
job has taken the whole node, and the others have taken nothing. When another is expected to end
last, the node is handed over to that one.

No job joins one that may be killed for others (trials, preemption): its node must be free when it
has left.

Source: Slurm's --exclusive=user, with which ordinary jobs of the user share the nodes, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired, Running, Waiting
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.user_nodes import UserNode
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_rests import narrowed, place_in_rests, whole
from rmsd_core.planning.start_windows import request_now

MOST_LOOKS = 20_000
"""The nodes that a pass looks at for such jobs: some 20 milliseconds. The next pass goes on."""
_LISTS = 64
"""The nodes of the machine for which a look makes lists in the time of a look at one node."""


def begin_pass(state: CoreState) -> None:
    """Let a pass look at as many nodes as one may."""
    own, joinable = state.own, state.planner.joinable
    own.again, own.looks_left = False, MOST_LOOKS
    if len(joinable) and own.machine != state.capacity.machine:
        joinable.look_at_all()
    own.machine = state.capacity.machine


def place_beside(state: CoreState, job: Job, *, outlasts: bool = False) -> Allocation | None:
    """Return where the job can start now in what jobs of its user leave of their nodes; None if it
    cannot. `outlasts`: whether it may end later than the nodes are expected to be given back."""
    capacity, own = state.capacity, state.own
    names = own.of_user.get(job.user)
    if names is None or type(job.phase) is not Waiting or own.looks_left <= 0:
        return None
    assert isinstance(capacity, NodeCapacity)
    own.looks_left -= len(names) + capacity.numbers // _LISTS
    request = request_now(state.planner.windows, job, state.now_us)
    if request is None:
        return None
    end_us = 0 if outlasts else state.now_us + job.estimate_us
    nodes = [own.by_name[name] for name in names]
    rests = [node.rest for node in nodes if _takes(state, node, job, end_us)]
    return place_in_rests(capacity, request, rests) if rests else None


def _takes(state: CoreState, node: UserNode, job: Job, end_us: int) -> bool:
    """Return whether the job may join those on the node until `end_us`."""
    keeper = node.keeper
    if keeper is None or node.cores <= 0 or node.user != job.user:
        return False
    if type(keeper.phase) is not Running or (keeper.expected_end_us or 0) < end_us:
        return False
    if keeper.reservation != job.reservation:
        return False
    if state.preemptible is None:
        return True
    rules = state.preemptible.rules
    return rules.by_name.get(rules.name_of(keeper)) is None and (
        job.qos == keeper.qos and job.request.partitions == (keeper.partition,)
    )


def given(state: CoreState, job: Job, place: Allocation) -> Allocation:
    """Return what the job is given of whole nodes that it has taken."""
    if not isinstance(state.capacity, NodeCapacity):
        return place
    return narrowed(state.capacity, job.request, place)


def enter(state: CoreState, job: Job, attempt: Attempt, place: Allocation) -> None:
    """Note that an attempt of the job begins. `place`: the whole nodes that it has taken."""
    if isinstance(state.capacity, NodeCapacity):
        state.own.enter(job, attempt, place)
        if state.own.again:
            state.disturbed = True


def enter_known(state: CoreState, job: Job, attempt: Attempt) -> Allocation:
    """Note that the job runs in an attempt that nodes know, or that an earlier core knew. Return
    what it takes: of the nodes on which others keep the node nothing."""
    capacity = state.capacity
    if not job.by_user or not isinstance(capacity, NodeCapacity):
        return attempt.holding()
    names = dict.fromkeys([piece.node for piece in attempt.holding()])
    place = tuple([whole(capacity, name) for name in names if name not in state.own.by_name])
    state.own.enter(job, attempt, place, is_known=True)
    return place


def restore(state: CoreState, jobs: Iterable[Job]) -> None:
    """Find again which nodes jobs keep, before the machine counts what they take. Which job keeps
    a node is settled when all are expected to end."""
    for job in jobs:
        attempt = job.phase.attempt
        if attempt is not None and attempt.open_nodes:
            enter_known(state, job, attempt)


def resized(state: CoreState, name: str) -> None:
    """Have the job that keeps a node keep all of it, since the node may have another size."""
    node, capacity = state.own.by_name.get(name), state.capacity
    if node is None or node.keeper is None or not isinstance(capacity, NodeCapacity):
        return
    job, now = node.keeper, whole(capacity, name)
    if now == node.whole or job.draining or type(job.phase) is Expired:
        return
    attempt = job.phase.attempt
    assert attempt is not None
    assert attempt.kept is not None
    state.planner.forget(job)
    capacity.give(node.whole)
    capacity.take((now,))
    attempt.kept = tuple([now if one.node == name else one for one in attempt.kept])
    node.resize(now)
    state.planner.expect(job)
    state.own.moved(job)


def settle_all(state: CoreState) -> None:
    """Have each node kept by the job that is expected to end last there, after a restore."""
    for name in state.own.by_name:
        resized(state, name)
        state.own.settle(name)
