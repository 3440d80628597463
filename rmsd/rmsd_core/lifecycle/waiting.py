"""The waiting of jobs: for a start, for a trial, or for nodes that could hold them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rmsd_core.jobs.accounts import Policies, levels
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Preempted, Running, Waiting
from rmsd_core.jobs.request import Allocation, closing
from rmsd_core.lifecycle import advance
from rmsd_core.lifecycle.effects import Promise
from rmsd_core.lifecycle.inputs import Submit
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.lifecycle.preemption_rules import rules_of
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.machine.partitions import Partition, by_name
from rmsd_core.machine.partitions import refusals as refusing
from rmsd_core.planning.new_job import with_new_job
from rmsd_core.planning.present import Present
from rmsd_core.planning.urgency import UrgentJobs


def enter(state: CoreState, item: Submit) -> Job:
    """Enter a job that arrives into the state, and return the job."""
    job = item.job
    take_seq(state, job)
    state.add(job)
    state.deadlines.look_at(job)
    state.changed(job)
    state.note_prediction(job, state.predictions.of(job, state.now_us, item.run_us))
    return job


def take_seq(state: CoreState, job: Job) -> None:
    """Give the job the next arrival number, and an array as many as it has tasks."""
    job.seq = state.next_seq
    state.next_seq += 1 if job.array is None else job.array.count


def join(state: CoreState, job: Job) -> None:
    """Let a job wait that has just got its arrival number."""
    if state.planner.urgent is not None:
        state.planner.urgent.virtual.arrive(job)
    wait(state, job)


def wait(state: CoreState, job: Job) -> bool:
    """Let the job wait from now on: in the queue, set aside if no available nodes can hold it, if
    it is late or if it cannot start inside its advance reservation now, or held back if it would
    pass a limit. Return whether it is in the queue."""
    close(state, job)
    if state.is_late(job) or not advance.is_possible(state, job, job.request):
        _watch(state, job)
        state.set_aside[job.id] = job
        return False
    return wait_in_queue(state, job)


def wait_in_queue(state: CoreState, job: Job) -> bool:
    """Let the job wait in the queue, or held back, as `wait` does. It is known already that
    available nodes can hold the job and that it is not late."""
    _watch(state, job)
    if state.planner.limits.refusal(job) is not None:
        state.planner.limits.hold_back(job)
        return False
    state.planner.enqueue(job)
    if state.trials is not None:
        state.trials.wait(job)
    if job.reservation:
        advance.note_latest(state, job)
    return True


def _watch(state: CoreState, job: Job) -> None:
    if state.planner.urgent is not None:
        state.planner.urgent.watch(job)


def unqueue(state: CoreState, job: Job) -> None:
    """Withdraw the job from the queue, and from the wait for a trial."""
    limits = state.planner.limits
    if not limits.let_go(job) and state.set_aside.pop(job.id, None) is None:
        limits.left(job)
        state.planner.dequeue(job)
        if state.trials is not None:
            state.trials.leave(job)


def set_aside(state: CoreState, job: Job) -> None:
    """Set a late job aside that waits in the queue, or is held back."""
    if isinstance(job.phase, Waiting | Preempted) and job.id not in state.set_aside:
        unqueue(state, job)
        state.set_aside[job.id] = job
        state.disturbed = True


def wait_for_limits(state: CoreState) -> None:
    """Let jobs wait in the queue that limits allow again."""
    limits, now_us = state.planner.limits, state.now_us
    for kind, size, most in limits.to_join(lambda job: state.planner.rank(job, now_us), now_us):
        while most > 0 and size in kind.held:
            job = kind.held[size].first(now_us)
            assert job is not None
            limits.let_go(job)
            most -= wait(state, job)
    state.disturbed = True


def set_policies(state: CoreState, policies: Policies) -> None:
    """Replace the accounts and QOS. Jobs that were held back are sorted anew, some in a call."""
    held = put_policies(state, policies)
    state.set_aside.update((job.id, job) for job in held)
    state.nodes_changed()


def put_policies(state: CoreState, policies: Policies) -> list[Job]:
    """Put accounts and QOS in force. Return the jobs that were held back, which are to wait
    anew."""
    held = state.planner.limits.set_policies(policies, state.jobs.values())
    state.planner.set_levels(levels(policies.qos))
    state.planner.set_priorities(policies)
    _set_preemptible(state)
    return held


def place_anew(state: CoreState, job: Job) -> None:
    """Let a job that is in the queue take its place anew, if its place depends on whether it runs.
    What keeps a job that waits from starting, for want of processors or beside an advance
    reservation, keeps none that runs."""
    if is_queued(state, job):
        state.planner.index_anew(job)


def is_queued(state: CoreState, job: Job) -> bool:
    """Return whether a job that waits, or runs and waits, is in the queue: claims for good are
    not."""
    for_good = job.claim is not None and job.claim.kind == "for good"
    return job.array is None and job.id not in state.set_aside and not for_good


def make_urgent(state: CoreState, urgent: UrgentJobs) -> bool:
    """Let the jobs that have waited for too long precede all others, for good. Return whether there
    are any."""
    becoming = urgent.becoming(state.now_us)
    for job in becoming:
        held_back = state.planner.limits.let_go(job)
        was_queued = is_queued(state, job) and not held_back
        if was_queued:
            state.planner.dequeue(job)
            if state.trials is not None:
                state.trials.leave(job)
        job.remembered.promoted_us = state.now_us
        if was_queued:
            state.planner.enqueue(job)
        elif held_back:
            state.planner.limits.hold_back(job)
        state.planner.promised[job] = None
    return bool(becoming)


def note_promises(state: CoreState) -> None:
    """Record the jobs that a pass has promised a start for the first time, or promoted, or made
    urgent."""
    for job in state.planner.promised:
        if type(job.phase) is Running:  # the decision to start it says so
            continue
        state.changed(job)
        state.decide(Promise(job.id, job.record.reserved_us, job.remembered.promoted_us))
    state.planner.promised.clear()


def set_partitions(state: CoreState, partitions: Iterable[Partition]) -> None:
    """Replace the partitions. The waiting jobs are to be sorted anew."""
    state.partitions = by_name(partitions)
    state.divided_us = state.now_us
    state.capacity.set_partitions(state.partitions)
    if state.planner.set_partitions(state.partitions):
        limits = state.planner.limits  # the jobs that these hold back are in order as well
        held = limits.set_policies(limits.policies, state.jobs.values())
        state.set_aside.update((job.id, job) for job in held)
    _set_preemptible(state)


def _set_preemptible(state: CoreState) -> None:
    """Find the running jobs that make way for others, by the present partitions and QOS."""
    state.preemptible = None
    rules = rules_of(state.partitions, state.planner.limits.policies)
    if rules is not None:
        state.preemptible = Preemptible(rules, state.partitions)
        for job in state.jobs.values():
            state.preemptible.moved(job)
        if state.trials is None:  # the trials count what draining jobs hold
            state.trials = Trials(state.capacity, state.recipe)


def close(state: CoreState, job: Job) -> None:
    """Close to the job those partitions that it names and that do not take it now."""
    if state.partitions or job.request.partition is not None:
        job.request = closing(job.request, refusing(state.partitions, job))


def with_arrival(
    state: CoreState, present: Present, job: Job, begin_us: int | None = None
) -> Present:
    """Return the present with a job in it that has not arrived, as if it had. The job gets its
    prediction and its arrival number; nothing else is changed. A job that no available nodes can
    hold would be set aside, one that would pass a limit is held back, and one that begins later
    (`begin_us`) takes its place then: the present is as it was."""
    job.seq = state.next_seq
    state.note_prediction(job, state.predictions.of(job, present.now_us))
    close(state, job)
    if begin_us is not None or not advance.is_possible(state, job, job.request):
        return present
    if state.planner.limits.refusal(job) is not None:
        return present
    is_tried = state.trials is not None and state.trials.gives(job)

    def place_behind(heads: Sequence[Job], one: Job) -> Allocation | None:
        return state.planner.place_behind(heads, one, present.now_us)

    return with_new_job(present, job, place_behind, is_tried=is_tried)


def can_be_taken(state: CoreState, job: Job) -> bool:
    """Return whether available nodes could hold the job, or a task of the array, in a partition
    that takes it now."""
    request = job.request
    if state.partitions or request.partition is not None:
        request = closing(request, refusing(state.partitions, job))
    return advance.is_possible(state, job, request)
