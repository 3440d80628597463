"""Preemption: running jobs of lower tiers make room for the first job of the queue.

Rule: after a pass, the heads are looked at in queue order. A head that does not fit takes the place
of jobs that run in partitions of lower tiers and with `preempt`, if it fits without them. They are
tried by tier, the lowest first, and of one tier the youngest first, until the head fits. Those that
are not needed are then spared, the last one tried first. A head that waits lets no later one
preempt on nodes that it may have. A job that names several partitions has the lowest of their
tiers. With "requeue" a job waits again, and one that may not be restarted is left alone; with
"cancel" it ends. A job is left alone until it has run for `preempt_exempt`.

The processors of a preempted job are held as those of a killed trial are: they count as free, and
the head claims them until the end of the job is confirmed.

Source: Slurm's PreemptType=preempt/partition_prio with PreemptMode REQUEUE and CANCEL, and
PreemptExemptTime; the youngest first is its PreemptParameters=youngest_first.
"""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Running, Stopping
from rmsd_core.lifecycle import starting
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.partitions import Partition
from rmsd_core.planning.planner_state import holds_nothing
from rmsd_core.vocabulary import Cause


def preempt(state: CoreState) -> None:
    """Let the first head for which that makes room preempt others. If one did, another pass is due
    at once."""
    state.preempt_us = None
    tiers = [one.tier for one in state.partitions.values() if one.preempt != "off"]
    if not tiers:
        return
    now_us = state.now_us
    heads = state.planner.heads(now_us)
    if not any(_tier(state, head) > min(tiers) for head in heads):
        return
    candidates = _candidates(state)
    waiting: list[Job] = []
    for head in sorted(heads, key=lambda job: state.planner.rank(job, now_us)):
        if not any(_share_nodes(state, head, other) for other in waiting):
            victims = _victims(state, head, candidates)
            if victims:
                _make_way(state, victims, head)
                return
        waiting.append(head)


def _candidates(state: CoreState) -> list[tuple[int, Job]]:
    """Return the jobs that may be preempted by jobs of higher tiers, with their tiers, in the order
    in which they are tried."""
    found = []
    for job_id in state.holdings.jobs():
        job = state.jobs[job_id]
        partition = state.partitions.get(job.partition or "")
        if type(job.phase) is not Running or partition is None or partition.preempt == "off":
            continue
        if partition.preempt == "cancel" or (job.requeue and job.restartable):
            found.append((partition.tier, job))
    return sorted(found, key=lambda one: (one[0], -(one[1].start_us or 0), -one[1].seq))


def _victims(state: CoreState, head: Job, candidates: Sequence[tuple[int, Job]]) -> list[Job]:
    """Return the jobs without which the head fits; none if it fits anyway, or does not even so."""
    if not holds_nothing(head) or state.planner.limits.refusal(head) is not None:
        return []
    own, tier = _partitions(state, head), _tier(state, head)
    lower = [job for lower, job in candidates if lower < tier and _is_in_the_way(job, own)]
    if not lower or _fits_without(state, head, ()):
        return []
    ready = [job for job in lower if _ready_us(state, job) <= state.now_us]
    if not _fits_without(state, head, ready):
        later = (_ready_us(state, job) for job in lower)
        _wake(state, min((at_us for at_us in later if at_us > state.now_us), default=None))
        return []
    least, most = 1, len(ready)
    while least < most:  # the head fits without the first `most`
        half = (least + most) // 2
        if _fits_without(state, head, ready[:half]):
            most = half
        else:
            least = half + 1
    victims = ready[:most]
    for job in victims[-2::-1]:  # the last one is needed
        others = [one for one in victims if one is not job]
        if _fits_without(state, head, others):
            victims = others
    return victims


def _ready_us(state: CoreState, job: Job) -> int:
    """Return when the job has run for as long as it is left alone."""
    exempt_us = state.partitions[job.partition or ""].preempt_exempt_us
    return (job.start_us or 0) + job.suspended_us + exempt_us


def _wake(state: CoreState, at_us: int | None) -> None:
    if at_us is not None and (state.preempt_us is None or at_us < state.preempt_us):
        state.preempt_us = at_us


def _tier(state: CoreState, job: Job) -> int:
    """Return the lowest tier of the partitions that the job names."""
    return min((one.tier for one in _partitions(state, job)), default=0)


def _partitions(state: CoreState, job: Job) -> list[Partition]:
    named = (state.partitions.get(name) for name in job.request.partitions)
    return [one for one in named if one is not None]


def _is_in_the_way(job: Job, partitions: Sequence[Partition]) -> bool:
    """Return whether the job holds something on a node of these partitions."""
    return any(one.nodes is None or not job.open_nodes.isdisjoint(one.nodes) for one in partitions)


def _share_nodes(state: CoreState, job: Job, other: Job) -> bool:
    """Return whether the partitions of both jobs have a node in common."""
    return any(
        one.nodes is None or two.nodes is None or not set(one.nodes).isdisjoint(two.nodes)
        for one in _partitions(state, job)
        for two in _partitions(state, other)
    )


def _fits_without(state: CoreState, head: Job, jobs: Sequence[Job]) -> bool:
    """Return whether the head could start now if these jobs held nothing."""
    held = [piece for job in jobs for piece in job.holding()]
    for piece in held:
        state.capacity.give(piece)
    fits = state.planner.place(head, state.now_us) is not None
    for piece in held:
        state.capacity.take((piece,))
    return fits


def _make_way(state: CoreState, victims: Sequence[Job], head: Job) -> None:
    """End the attempts of the victims, and let the head claim its place."""
    assert state.trials is not None
    for victim in victims:
        partition = state.partitions[victim.partition or ""]
        cause = Cause.PREEMPT if partition.preempt == "cancel" else Cause.DISPLACE
        attempt = victim.phase.attempt
        assert attempt is not None
        state.planner.forget(victim)
        message = f"job {head.label} of a higher tier needed its processors"
        state.move(victim, "stop", Stopping(attempt, cause, draining=True, message=message))
        state.note_expected_end(victim, None)
        state.trials.drain_running(victim, attempt)
        state.order_end(victim, attempt, cause)
    place = state.planner.place(head, state.now_us)
    assert place is not None
    state.planner.dequeue(head)
    starting.start(state, head, place, None)
    _wake(state, state.now_us)
