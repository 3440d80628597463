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
until it has run for `preempt_exempt`, and while it is suspended. After `FEW_JOBS` jobs were tried
in vain, or if that took several calls, heads wait for `_REST_US` for each of them before they try
again, so that a burst of passes does not spend its time on that.

If more than `FEW_JOBS` jobs are tried, the choice is made on a copy of the machine, and it takes
several calls where these are bounded; so do the ends of many jobs. There is no pass between them.
If the head is none any more, the jobs that have not ended are spared.

The processors of a preempted job are held as those of a killed trial are: they count as free, and
the head claims them until the end of the job is confirmed.

Source: Slurm's PreemptType=preempt/partition_prio and preempt/qos with PreemptMode REQUEUE and
CANCEL, and PreemptExemptTime; the youngest first is its PreemptParameters=youngest_first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Stopping
from rmsd_core.lifecycle import own_nodes, starting
from rmsd_core.lifecycle.preemptible import Nodes, Preemptible
from rmsd_core.lifecycle.preemption_rules import Rule
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.lifecycle.victims import Keeping, chosen, needed_of
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.planner_state import MOST_HELD_BACK, holds_nothing
from rmsd_core.planning.portions import Portions, whole
from rmsd_core.planning.start_windows import request_now
from rmsd_core.vocabulary import Cause

FEW_JOBS = 1000
"""The jobs that are tried at once: few heads need more of them. To try these takes no time."""
_REST_US = 100
ENDS_OF_A_PORTION = 32
"""The jobs that end in a portion. To store an end takes longer than to decide it."""
MOST_PORTIONS = 20
"""The portions of a call, where a call is bounded."""


class Preempting:
    """The preemption after a pass. If many jobs run it takes several calls, between which there is
    no pass, and the machine and the queue may change.

    is_due: whether a call is due at once, for the rest of it or for the pass that was put off.
    """

    def __init__(self, *, is_bounded: bool) -> None:
        self._most = MOST_PORTIONS if is_bounded else NEVER_US
        self._portions: Portions[None] | None = None
        self._preemptible: Preemptible | None = None
        self.is_due = False

    def begin(self, state: CoreState, preemptible: Preemptible, trials: Trials) -> None:
        """Let the first head for which that makes room preempt others. If one did, another pass is
        due at once."""
        self._preemptible = preemptible
        self._portions = _preempt(state, preemptible, trials)
        self._do(preemptible)

    def go_on(self, state: CoreState) -> bool:
        """Do as much of the rest as a call may; return whether there was any, so that the pass is
        put off."""
        preemptible, self.is_due = self._preemptible, False
        if self._portions is None or preemptible is None:
            return False
        if preemptible is not state.preemptible:  # there are other rules
            self._portions = None
            return False
        state.disturbed = self.is_due = True
        self._do(preemptible)
        return True

    def _do(self, preemptible: Preemptible) -> None:
        assert self._portions is not None
        for done, _ in enumerate(self._portions, 1):
            if done >= self._most:
                preemptible.pauses += 1
                self.is_due = True
                return
        self._portions = None


def _preempt(state: CoreState, preemptible: Preemptible, trials: Trials) -> Portions[None]:
    """See `Preempting.begin`."""
    preemptible.due_us = None
    now_us, pauses = state.now_us, preemptible.pauses
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
            tried = yield from _try(state, preemptible, trials, head, nodes)
            if tried is None:
                preemptible.call_at(state.now_us)
                return
            in_vain += tried
            if preemptible.pauses != pauses:  # the other heads may be others by now
                break
        waiting.append(nodes)
    if in_vain >= FEW_JOBS or preemptible.pauses != pauses:
        preemptible.rests_until_us = state.now_us + max(in_vain, FEW_JOBS) * _REST_US


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


def shares(state: CoreState, job: Job) -> bool:
    """Return whether the job leaves its nodes to others of its user when it ends. They have joined
    it under other rules."""
    return job.by_user and state.own.is_shared(job)


def _try(
    state: CoreState, preemptible: Preemptible, trials: Trials, head: Job, nodes: Nodes
) -> Portions[int | None]:
    """Let the head preempt others, if that makes room for it, unless it may start beside others of
    its user. Return None if it did one of these, or else how many jobs were tried in vain."""
    now_us, pauses, rules = state.now_us, preemptible.pauses, preemptible.rules.below(head)
    if head.by_user and (beside := own_nodes.place_beside(state, head)) is not None:
        starting.start_beside(state, head, beside)  # others of its user have just started
        return None
    request = request_now(state.planner.windows, head, now_us)
    if request is None or head.size > state.capacity.free + preemptible.cores_below(rules, nodes):
        return 0
    ready = _ready(state, preemptible, rules, nodes)
    jobs, capacity = list(islice(ready, FEW_JOBS)), state.capacity
    needed = whole(needed_of(capacity, request, jobs))
    if needed == 0:
        return 0
    are_few = needed < NEVER_US or len(jobs) < FEW_JOBS
    if not are_few:
        jobs += ready
        capacity = capacity.as_now()
        needed = yield from needed_of(capacity, request, jobs)
    if needed < NEVER_US:
        choice = chosen(capacity, request, jobs[:needed])
        victims, chosen_place = whole(choice) if are_few else (yield from choice)
        if (yield from _make_way(state, preemptible, trials, victims, head, pauses)):
            is_as_chosen = preemptible.pauses == pauses
            place = chosen_place if is_as_chosen else state.planner.place(head, state.now_us)
            if place is not None:
                state.planner.dequeue(head)
                starting.start(state, head, place, None)
        return None
    if not preemptible.are_later(rules, nodes, now_us):
        return len(jobs)
    later = [one for one in preemptible.later(rules, nodes, now_us) if not shares(state, one[2])]
    held = {job: job.keeping() for _, _, job in later}
    shadow = yield from capacity.shadow_in_steps(
        request, capacity.gathered(later, held), now_us, None
    )
    if shadow.time_us < NEVER_US:
        preemptible.call_at(max(state.now_us, shadow.time_us))
    return len(jobs) + len(later)


def _ready(
    state: CoreState, preemptible: Preemptible, rules: Sequence[Rule], nodes: Nodes
) -> Iterator[Keeping]:
    """Yield the jobs that may be preempted now, in the order in which they are tried."""
    for job in preemptible.ready(rules, nodes, state.now_us):
        if not shares(state, job):
            yield job, job.keeping()


def _make_way(
    state: CoreState,
    preemptible: Preemptible,
    trials: Trials,
    victims: Sequence[Job],
    head: Job,
    pauses: int,
) -> Portions[bool]:
    """End the attempts of the victims, as long as the head may preempt; return whether it may.
    `pauses`: those before they were chosen."""
    message = preemptible.rules.message(head)
    for first in range(0, len(victims), ENDS_OF_A_PORTION):
        if first:
            yield
        if preemptible.pauses != pauses and not _is_head(state, head):
            return False
        for victim in victims[first : first + ENDS_OF_A_PORTION]:
            if preemptible.knows(victim):
                _end(state, preemptible, trials, victim, message)
    return True


def _is_head(state: CoreState, job: Job) -> bool:
    """Return whether a job that was a head still is one."""
    return job in state.planner.heads(state.now_us) and may_preempt(state, job)


def _end(
    state: CoreState, preemptible: Preemptible, trials: Trials, victim: Job, message: str
) -> None:
    """End the attempt of a job that makes way."""
    cause = Cause.PREEMPT if preemptible.mode_of(victim) == "cancel" else Cause.DISPLACE
    attempt = victim.phase.attempt
    assert attempt is not None
    state.planner.forget(victim)
    state.move(victim, "stop", Stopping(attempt, cause, draining=True, message=message))
    state.note_expected_end(victim, None)
    trials.drain_running(victim, attempt)
    state.order_end(victim, attempt, cause)
