"""Holds: a job that waits does not start, and one that runs does not start again."""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming, Done, Ineligible, Unfolding, Waiting
from rmsd_core.lifecycle.eligibility import change, defer, settle, tasks_of
from rmsd_core.lifecycle.starting import release_claim
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.tasks import find
from rmsd_core.lifecycle.trials import take_trial_back
from rmsd_core.lifecycle.waiting import unqueue
from rmsd_core.vocabulary import HeldBy


def hold(state: CoreState, job_id: int, by: HeldBy) -> None:
    """Hold a job. One that waits gives up its place in the queue. One that runs goes on, and is
    held once it waits again. A hold by an operator stays one though a user holds the job as well.
    With an array, its tasks are held."""
    job = find(state, job_id)
    if job is None:
        return
    for task in tasks_of(job):
        hold(state, task.id, by)
    phase = job.phase
    if type(phase) is Claiming:
        release_claim(state, job)
        take_trial_back(job, phase.claim)
    elif type(phase) is Waiting:
        unqueue(state, job)
    elif type(phase) is Ineligible:
        if phase.conditions.held_by in (by, HeldBy.OPERATOR):
            return
    elif type(phase) is not Unfolding:
        hold_later(state, job, by)
        return
    state.disturbed = True
    defer(state, job, job.conditions._replace(held_by=by))


def hold_later(state: CoreState, job: Job, by: HeldBy) -> None:
    """Have a job that has an attempt held once it waits again."""
    if type(job.phase) is not Done and job.requeue_hold is not HeldBy.OPERATOR:
        state.mark_held(job, by)


def hold_again(state: CoreState, job: Job, by: HeldBy) -> None:
    """Hold a job that has just lost its attempt, and is in no queue yet."""
    job.requeue_hold = None
    defer(state, job, job.conditions._replace(held_by=by))


def release(state: CoreState, job_id: int) -> None:
    """End the hold of a job, and with an array of its tasks."""
    job = find(state, job_id)
    if job is None:
        return
    for one in (*tasks_of(job), job):
        state.mark_held(one, None)
        if one.conditions.held_by is not None:
            change(state, one, one.conditions._replace(held_by=None))
    settle(state)
