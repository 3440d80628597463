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
has left. After a restore of a backup nodes may tell of jobs there that have started since: of those
of other users, of those that share with all, and of those beside a trial or a job that leaves for
others. Nobody joins there. Beside the latter such a job keeps the node itself, which is then taken
twice.

Source: Slurm's --exclusive=user, with which ordinary jobs of the user share the nodes, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired, OnTrial, Running, Waiting
from rmsd_core.jobs.request import Allocation, Piece
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
    """Let a pass look at as many nodes as one may. If it goes on with one that was cut, another one
    follows that has become due."""
    own, joinable = state.own, state.planner.joinable
    own.again, own.looks_left = own.again and state.planner.continues, MOST_LOOKS
    state.disturbed = state.disturbed or own.again
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
    place = tuple([whole(capacity, name) for name in names if not _joins(state, name, job)])
    state.own.enter(job, attempt, place)
    return place


def _joins(state: CoreState, name: str, job: Job) -> bool:
    """Return whether a job that is on the node leaves it to others to keep it. What each of them
    keeps must count as taken until it has left."""
    node = state.own.by_name.get(name)
    return node is not None and not any(
        one.draining or isinstance(one.phase, OnTrial | Expired) for one in (job, *node.jobs)
    )


def close_mixed(state: CoreState, names: Iterable[str]) -> None:
    """Have nobody join on those of the nodes on which a restore has found other jobs."""
    for name in names:
        node = state.own.by_name.get(name)
        if node is None:
            continue
        others = state.holdings.on(name).jobs.difference([job.id for job in node.jobs])
        if others or any(job.user != node.user for job in node.jobs):
            state.own.close(name)


def restore(state: CoreState, jobs: Iterable[Job]) -> None:
    """Find again which nodes jobs keep, before the machine counts what they take. Which job keeps
    a node is settled when all are expected to end."""
    for job in jobs:
        attempt = job.phase.attempt
        if attempt is not None and attempt.open_nodes:
            enter_known(state, job, attempt)


def resized(state: CoreState, name: str) -> None:
    """Have the job that keeps a node keep all of it, since the node may have another size."""
    if not isinstance(state.capacity, NodeCapacity):
        return
    for job_id in sorted(state.holdings.on(name).jobs):
        job = state.jobs[job_id]
        if job.by_user:
            for piece in job.keeping():
                if piece.node == name and piece != (now := whole(state.capacity, name)):
                    _resize(state, job, piece, now)


def _resize(state: CoreState, job: Job, before: Piece, now: Piece) -> None:
    """Have the job keep a node that has another size."""
    attempt, node = job.phase.attempt, state.own.by_name.get(now.node)
    assert attempt is not None
    assert attempt.kept is not None
    kept = tuple([now if one is before else one for one in attempt.kept])
    if node is not None and node.keeper is job:
        node.resize(now)
    if job.draining or type(job.phase) is Expired:
        assert state.trials is not None
        attempt.kept = kept
        state.trials.resized(job, before, now)
        return
    state.planner.forget(job)
    state.capacity.give(before)
    state.capacity.take((now,))
    attempt.kept = kept
    state.planner.expect(job)
    state.own.moved(job)


def settle_all(state: CoreState) -> None:
    """Have each node kept by the job that is expected to end last there, after a restore."""
    for name in state.own.by_name:
        resized(state, name)
        state.own.settle(name)
    close_mixed(state, state.own.by_name)
