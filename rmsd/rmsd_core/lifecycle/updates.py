"""Jobs are changed after their submit: all that a waiting job asks for, and the limit of a running
one."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_core.jobs.conditions import Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming, Executing, Expired, Ineligible, OnTrial, Running, Waiting
from rmsd_core.jobs.request import avoiding
from rmsd_core.lifecycle import advance, effects, eligibility
from rmsd_core.lifecycle.inputs import Update
from rmsd_core.lifecycle.starting import void_claim
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.waiting import unqueue, wait
from rmsd_core.vocabulary import Relation

MOST_FOLLOWED = 20_000
"""The dependencies that are followed in search of a circle, which takes some 20 ms."""


def update(state: CoreState, item: Update) -> None:
    """Change what a job asks for. An update that the job's phase does not allow is refused."""
    job = state.jobs.get(item.job_id)
    phase = None if job is None else job.phase
    if job is None or not takes(state, job, item):
        state.refused.append(item)
    elif isinstance(phase, Executing):
        _update_running(state, job, item)
    else:
        _update_waiting(state, job, item)


def takes(state: CoreState, job: Job, item: Update) -> bool:
    """Return whether the job can be changed so in its present phase."""
    if job.array is not None or job.task is not None:
        return False  # the tasks of an array are alike, and have one record
    if isinstance(job.phase, Executing):
        return item.is_of_the_limit and not reaches_into(state, job, item)
    if not isinstance(job.phase, Waiting | Claiming | Ineligible):
        return False
    return item.awaits is None or not waits_for_itself(state.jobs, job, item.awaits.dependencies)


def reaches_into(state: CoreState, job: Job, item: Update) -> bool:
    """Return whether a job that runs would reach into an advance reservation with its new limit, or
    beyond the end of its own, and does not so far."""
    estimate_us = item.estimate_us
    return (
        estimate_us is not None
        and estimate_us > job.estimate_us
        and advance.grows_into(state, job, estimate_us)
    )


def waits_for_itself(
    jobs: Mapping[int, Job], job: Job, dependencies: tuple[Dependency, ...]
) -> bool:
    """Return whether the job would wait for itself with these dependencies, through others of the
    live `jobs` as well. If they lead to too many others, the answer is True, to be on the safe
    side."""
    to_follow = [one.job_id for one in dependencies if one.relation is not Relation.SINGLETON]
    seen: set[int] = set()
    followed = 0
    while to_follow:
        job_id = to_follow.pop()
        followed += 1
        if job_id == job.id or followed > MOST_FOLLOWED:
            return True
        other = jobs.get(job_id)
        if job_id not in seen and other is not None:
            seen.add(job_id)
            awaited = other.conditions.dependencies
            to_follow += [one.job_id for one in awaited if one.relation is not Relation.SINGLETON]
    return False


# ---------------------------------------------------------------- jobs that wait


def _update_waiting(state: CoreState, job: Job, item: Update) -> None:
    """Change a job that has not started. A job in the queue keeps its place there."""
    state.changed(job)
    state.disturbed = True
    if type(job.phase) is Claiming:
        void_claim(state, job)
    is_queued = type(job.phase) is Waiting
    if is_queued:
        unqueue(state, job)
    if item.estimate_us is not None:
        job.estimate_us = item.estimate_us
    if item.deadline_us is not None:
        job.deadline_us = item.deadline_us or None
    state.deadlines.look_at(job)
    if item.request is not None:
        job.request = avoiding(item.request, job.request.avoid)
        job.size = job.request.size
    if item.requeue is not None:
        job.requeue = item.requeue
    if item.nice is not None:
        job.nice = item.nice
    if item.reservation is not None:
        job.reservation = item.reservation
    if item.name is not None:
        eligibility.rename(state, job, item.name)
    if item.estimate_us is not None or item.request is not None:
        _predict(state, job)
    if is_queued:
        wait(state, job)
        if state.planner.urgent is not None:
            state.planner.urgent.virtual.changed_request(job)
    if item.begin_us is not None or item.awaits is not None:
        _update_conditions(state, job, item)
    eligibility.settle(state)


def _predict(state: CoreState, job: Job) -> None:
    prediction_us = state.predictions.again(job, state.now_us)
    if prediction_us != job.prediction_us:
        state.note_prediction(job, prediction_us)
        state.decide(effects.Repredict(job.id, prediction_us))


def _update_conditions(state: CoreState, job: Job, item: Update) -> None:
    conditions = job.conditions
    if item.begin_us is not None:
        conditions = conditions._replace(begin_us=item.begin_us or None)
    awaits = conditions.awaits if item.awaits is None else item.awaits
    eligibility.wait_for(state, job, conditions._replace(**awaits._asdict()))


# ---------------------------------------------------------------- jobs that run


def _update_running(state: CoreState, job: Job, item: Update) -> None:
    """Give a running job another limit, of which its nodes are told."""
    if item.estimate_us is None:
        return
    phase = job.phase
    assert isinstance(phase, Executing)
    is_queued = type(phase) is not Running and job.id not in state.set_aside
    # The planner expects no end of an expired trial, whose processors count as free.
    is_expected = type(phase) is not Expired
    if is_queued:
        state.planner.dequeue(job)
    job.estimate_us = item.estimate_us
    state.note_prediction(job, state.predictions.again(job, state.now_us))
    length_us = job.prediction_us
    if type(phase) is OnTrial:
        length_us = min(length_us, state.recipe.trial_us)
    if is_expected:
        state.expect_anew(job, phase.attempt.start_us + phase.attempt.suspended_us + length_us)
    if is_queued:
        state.planner.enqueue(job)
    state.changed(job)
    state.disturbed = True
    nodes = tuple([piece.node for piece in phase.attempt.holding()])
    state.decide(effects.Limit(job.id, job.attempt, nodes))
