"""Preemption: running jobs of lower tiers, or of lower QOS, make room for the first job of the
queue.

Rule: after a pass, the heads are looked at in queue order. A head that does not fit takes the place
of running jobs if it fits without them. By tiers, these run in partitions of lower tiers and with
`preempt`; a head that names several partitions has the lowest of their tiers. By QOS, they are of a
QOS that the head's QOS preempts (`preemption_rules`). They are tried by tier, or by the level of
their QOS, the lowest first, and of one tier or level the youngest first, until the head fits. Those
that are not needed are then spared, the last one tried first. A head that waits lets no later one
preempt on nodes that it may have; one that a limit refuses is held back. With "requeue" a job waits
again, and one that may not be restarted is left alone; with "cancel" it ends. A job is left alone
until it has run for `preempt_exempt`, and while it is suspended. After `_MANY` jobs were tried in
vain, heads wait for `_REST_US` for each of them before they try again, so that a burst of passes
does not spend its time on that.

The processors of a preempted job are held as those of a killed trial are: they count as free, and
the head claims them until the end of the job is confirmed.

Source: Slurm's PreemptType=preempt/partition_prio and preempt/qos with PreemptMode REQUEUE and
CANCEL, and PreemptExemptTime; the youngest first is its PreemptParameters=youngest_first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Stopping
from rmsd_core.jobs.request import Allocation, Piece
from rmsd_core.lifecycle import starting
from rmsd_core.lifecycle.preemptible import Nodes, Preemptible
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.planner_state import MOST_HELD_BACK, holds_nothing
from rmsd_core.planning.start_windows import request_now
from rmsd_core.vocabulary import Cause

_MANY = 1000
_REST_US = 100


def preempt(state: CoreState, preemptible: Preemptible, trials: Trials) -> None:
    """Let the first head for which that makes room preempt others. If one did, another pass is due
    at once."""
    preemptible.due_us = None
    now_us = state.now_us
    heads = _heads(state)
    if heads is None:
        preemptible.call_at(now_us)
        return
    if not any(preemptible.rules.preempts(head) for head in heads):
        return
    if now_us < preemptible.rests_until_us:
        preemptible.call_at(preemptible.rests_until_us)
        return
    waiting: list[Nodes] = []
    in_vain = 0
    for head in sorted(heads, key=lambda job: state.planner.rank(job, now_us)):
        nodes = nodes_of(state, head)
        if not any(overlap(nodes, others) for others in waiting) and may_preempt(state, head):
            tried = _try(state, preemptible, trials, head, nodes)
            if tried is None:
                preemptible.call_at(now_us)
                return
            in_vain += tried
        waiting.append(nodes)
    if in_vain >= _MANY:
        preemptible.rests_until_us = now_us + in_vain * _REST_US


def _heads(state: CoreState) -> list[Job] | None:
    """Return the heads of the queue. Those that a limit refuses are held back first, so that they
    keep no job behind them from its turn; None if these are more than a call may hold back."""
    planner, held = state.planner, 0
    while held < MOST_HELD_BACK:
        heads = planner.heads(state.now_us)
        refused = [head for head in heads if planner.is_refused(head, state.now_us)]
        if not refused:
            return heads
        for head in refused:
            planner.hold_back(head)
        held += len(refused)
    return None


def may_preempt(state: CoreState, head: Job) -> bool:
    """Return whether nothing but others on its nodes keeps the head from starting."""
    return holds_nothing(head) and state.planner.limits.refusal(head) is None


def _partitions(state: CoreState, job: Job) -> list[Partition]:
    named = (state.partitions.get(name) for name in job.request.partitions)
    return [one for one in named if one is not None]


def nodes_of(state: CoreState, job: Job) -> Nodes:
    """Return the nodes of all partitions that the job names."""
    names: list[str] = []
    if not state.partitions:
        return None
    for one in _partitions(state, job):
        if one.nodes is None:
            return None
        names += one.nodes
    return frozenset(names)


def overlap(some: Nodes, others: Nodes) -> bool:
    """Return whether there are nodes in both."""
    return some is None or others is None or not some.isdisjoint(others)


def _try(
    state: CoreState, preemptible: Preemptible, trials: Trials, head: Job, nodes: Nodes
) -> int | None:
    """Let the head preempt others, if that makes room for it. Return None if it did, or else how
    many jobs were tried in vain."""
    now_us, rules = state.now_us, preemptible.rules.below(head)
    request = request_now(state.planner.windows, head, now_us)
    if request is None or head.size > state.capacity.free + preemptible.cores_below(rules, nodes):
        return 0
    ready: list[Job] = []

    def one_by_one() -> Iterator[Release]:
        for number, job in enumerate(preemptible.ready(rules, nodes, now_us), 1):
            ready.append(job)
            yield number, 0, job

    # The head's shadow, in a world where one job ends after the other.
    releases = one_by_one() if len(request.open) == 1 else list(one_by_one())
    needed = state.capacity.shadow(request, releases, 0, extra="needed").time_us
    if needed == 0:
        return 0
    if needed < NEVER_US:
        victims, place = _victims(state, trials, ready[:needed], head)
        _make_way(state, preemptible, trials, victims, head)
        state.planner.dequeue(head)
        starting.start(state, head, place, None)
        return None
    if not preemptible.are_later(rules, nodes, now_us):
        return len(ready)
    later = preemptible.later(rules, nodes, now_us)
    at_us = state.capacity.shadow(request, later, now_us, extra="needed").time_us
    if at_us < NEVER_US:
        preemptible.call_at(at_us)
    return len(ready) + len(later)


def _victims(
    state: CoreState, trials: Trials, jobs: Sequence[Job], head: Job
) -> tuple[list[Job], Allocation]:
    """Return the jobs without which the head fits, of those without all of which it does, and its
    place."""
    capacity = state.capacity
    for piece in _held(jobs):
        capacity.give(piece)
    place = state.planner.place(head, state.now_us)
    assert place is not None
    capacity.take(place)
    where = {capacity.node_or_pool(piece.node) for piece in place}
    victims = []
    for job in reversed(jobs):
        if trials.fits_beside(job.holding(), where):
            capacity.take(job.holding())
        else:
            victims.append(job)
    for piece in place:
        capacity.give(piece)
    for job in victims:
        capacity.take(job.holding())
    return victims[::-1], place


def _held(jobs: Iterable[Job]) -> Iterator[Piece]:
    return (piece for job in jobs for piece in job.holding())


def _make_way(
    state: CoreState, preemptible: Preemptible, trials: Trials, victims: Sequence[Job], head: Job
) -> None:
    """End the attempts of the victims, for the head."""
    message = preemptible.rules.message(head)
    for victim in victims:
        cause = Cause.PREEMPT if preemptible.mode_of(victim) == "cancel" else Cause.DISPLACE
        attempt = victim.phase.attempt
        assert attempt is not None
        state.planner.forget(victim)
        state.move(victim, "stop", Stopping(attempt, cause, draining=True, message=message))
        state.note_expected_end(victim, None)
        trials.drain_running(victim, attempt)
        state.order_end(victim, attempt, cause)
