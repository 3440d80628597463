"""The conditions of jobs come true, or can never come true: jobs join the queue, or are cancelled.

The end of a job settles the dependencies of others, and these may be cancelled and settle more. So
the news are in a list (`Dependents.news`), which is worked off: a chain of 10,000 jobs needs no
recursion, and no call walks over jobs that the news do not concern.
"""

from __future__ import annotations

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions, Dependency, Fate
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import WAITING, Claiming, Done, Ineligible, Waiting
from rmsd_core.lifecycle import effects, refusals
from rmsd_core.lifecycle.starting import release_claim
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.waiting import unqueue, wait
from rmsd_core.vocabulary import Cause, HeldBy, JobState, Relation

# ---------------------------------------------------------------- jobs come


def arrive(state: CoreState, job: Job) -> None:
    """Let a job that arrives take its place in the queue, or wait for its conditions."""
    state.dependents.join(job, state.jobs.values())
    if type(job.phase) is not Ineligible:
        wait(state, job)
        state.disturbed = True
        return
    state.dependents.add(job)
    conditions = _seen_now(state, job, job.phase.conditions)
    if conditions != job.phase.conditions or not conditions.stand or conditions.end_the_job:
        _change(state, job, conditions)
        settle(state)


def _seen_now(state: CoreState, job: Job, conditions: Conditions) -> Conditions:
    """Return the conditions that are left, given what has happened to the other jobs before."""
    conditions = conditions.at(state.now_us)
    return conditions.after(_fate_now(state, job, one) for one in conditions.dependencies)


def _fate_now(state: CoreState, job: Job, one: Dependency) -> Fate:
    if one.relation is Relation.SINGLETON:
        return True if state.dependents.is_first(job) else one
    if one.due_us is not None:  # the other job has started; the time alone is left
        return one
    other = state.jobs.get(one.job_id) or state.dependents.over.get(one.job_id)
    if other is None:
        # The record of the other job is lost: the job is over, and nobody knows how.
        return one.relation in (Relation.AFTER, Relation.AFTER_ANY)
    return fate(one, other, state.now_us)


def fate(one: Dependency, other: Job, now_us: int) -> Fate:
    """Return the fate of the dependency `one` after what has happened to the other job, on which it
    is."""
    relation, phase = one.relation, other.phase
    if relation is Relation.AFTER:
        if type(phase) is not Done and not other.attempt:
            return one
        began_us = other.start_us if other.start_us is not None else now_us
        due_us = began_us + one.delay_us
        return True if due_us <= now_us else one._replace(due_us=due_us)
    if type(phase) is not Done:
        return one
    succeeded = phase.state is JobState.COMPLETED
    return relation is Relation.AFTER_ANY or succeeded == (relation is Relation.AFTER_OK)


# ---------------------------------------------------------------- news


def settle(state: CoreState) -> None:
    """Change the conditions that depend on the time, and on jobs that have started or ended."""
    index = state.dependents
    jobs = {job.id: job for job in index.due(state.now_us)}
    while index.news or jobs:
        while index.news:
            other = index.news.popleft()
            jobs.update((job.id, job) for job in index.of(other))
            if type(other.phase) is Done and (first := index.leave(other)) is not None:
                jobs[first.id] = first
        _look_at(state, jobs)
        jobs.clear()


def look_again(state: CoreState) -> None:
    """Look at all conditions in the first call after a restore: what has happened in the last call
    before it was not yet settled, and jobs that others depend on may be lost."""
    _look_at(state, {job.id: job for job in state.dependents.jobs()})


def _look_at(state: CoreState, jobs: dict[int, Job]) -> None:
    """Settle the conditions of jobs, in the order of their numbers."""
    for _, job in sorted(jobs.items()):
        if type(job.phase) is Ineligible:
            conditions = _seen_now(state, job, job.phase.conditions)
            if conditions != job.phase.conditions:
                _change(state, job, conditions)


def next_us(state: CoreState, wake_us: int | None) -> int | None:
    """Return `wake_us`, or the time at which a condition comes true, if that is earlier. What has
    started in this call settles conditions at once, in a call of its own."""
    due_us = state.now_us if state.dependents.news else state.dependents.next_us()
    if due_us is None or wake_us is None:
        return due_us if wake_us is None else wake_us
    return min(due_us, wake_us)


# ---------------------------------------------------------------- holds


def hold(state: CoreState, job_id: int, by: HeldBy) -> None:
    """Hold a waiting job, which gives up its place in the queue. A hold by an operator stays one
    though a user holds the job as well."""
    job = state.jobs.get(job_id)
    if job is None:
        return
    phase = job.phase
    if type(phase) is Claiming:
        release_claim(state, job)
        job.tried &= phase.claim.trial_end_us is None
    elif type(phase) is Waiting:
        unqueue(state, job)
    elif type(phase) is not Ineligible or phase.conditions.held_by in (by, HeldBy.OPERATOR):
        return
    state.disturbed = True
    _defer(state, job, job.conditions._replace(held_by=by))


def release(state: CoreState, job_id: int) -> None:
    """End the hold of a job."""
    job = state.jobs.get(job_id)
    if job is not None and job.conditions.held_by is not None:
        _change(state, job, job.conditions._replace(held_by=None))
        settle(state)


# ---------------------------------------------------------------- to the queue, or out


def _change(state: CoreState, job: Job, conditions: Conditions) -> None:
    """Give an ineligible job the conditions that are left: it waits for them, joins the queue, or
    is cancelled."""
    if conditions.end_the_job:
        _cancel(state, job)
    elif conditions.stand:
        _defer(state, job, conditions)
    else:
        _admit(state, job)


def _defer(state: CoreState, job: Job, conditions: Conditions) -> None:
    state.dependents.remove(job)
    state.move(job, "defer", Ineligible(conditions))
    state.dependents.add(job)
    state.decide(effects.Defer(job.id, conditions))


def _admit(state: CoreState, job: Job) -> None:
    """Let a job take its place in the queue, behind those that have one."""
    state.dependents.remove(job)
    state.move(job, "admit", WAITING)
    job.seq = state.next_seq
    state.next_seq += 1
    job.eligible_us = state.now_us
    job.prediction_us = state.predictions.again(job, state.now_us)
    wait(state, job)
    state.disturbed = True
    state.decide(effects.Admit(job.id, job.seq))


def _cancel(state: CoreState, job: Job) -> None:
    """Cancel a job whose dependencies can never be fulfilled."""
    outcome = Outcome(Cause.DEPENDENCY, message="its dependencies can never be fulfilled")
    end_ineligible(state, job, outcome)


def end_ineligible(state: CoreState, job: Job, outcome: Outcome) -> None:
    """End a job that was never eligible, or not any more. It has waited for no resources."""
    now_us = job.eligible_us = state.now_us
    state.dependents.remove(job)
    state.move(job, "end", Done(JobState.CANCELLED, outcome, now_us))
    del state.jobs[job.id]
    state.dependents.ended(job)
    refusals.forget(state, job)
    state.decide(effects.End(job.id, job.attempt, JobState.CANCELLED, outcome, None, now_us))
