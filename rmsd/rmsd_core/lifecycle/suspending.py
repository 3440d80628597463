"""Running jobs are suspended by operators, and resumed.

A suspended job keeps what it holds. Its end is as far away for the planner as that of a job without
a limit, until it is resumed, at a time that is not known.
"""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Executing, Expired, Running, Suspended, Trial
from rmsd_core.lifecycle.effects import Freeze, Thaw
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.waiting import unqueue
from rmsd_core.model_time import UNLIMITED_US


def may_be_suspended(job: Job) -> bool:
    """Return whether the script of the job runs."""
    phase = job.phase
    return isinstance(phase, Executing) and phase.attempt.launched


def suspend(state: CoreState, job_id: int) -> None:
    """Suspend a job that runs; of an array, all tasks that run."""
    for job in _with_tasks(state, job_id):
        if may_be_suspended(job):
            _suspend(state, job)


def resume(state: CoreState, job_id: int) -> None:
    """Resume a suspended job; of an array, all tasks that are suspended."""
    for job in _with_tasks(state, job_id):
        if isinstance(phase := job.phase, Suspended):
            wake(state, job, state.now_us)
            nodes = tuple([piece.node for piece in phase.attempt.holding()])
            state.decide(Thaw(job.id, job.attempt, nodes))


def wake(state: CoreState, job: Job, until_us: int) -> None:
    """Have the job count as one that runs, if it is suspended, since it goes on or is about to end.
    It was suspended until `until_us`."""
    phase = job.phase
    if not isinstance(phase, Suspended):
        return
    attempt = phase.attempt
    attempt.suspended_us += max(0, until_us - phase.since_us)
    state.planner.forget(job)
    state.move(job, "resume", Running(attempt))
    state.expect(job, attempt.start_us + attempt.suspended_us + job.prediction_us)
    state.disturbed = True


def _with_tasks(state: CoreState, job_id: int) -> list[Job]:
    job = state.jobs.get(job_id)
    if job is None:
        return []
    return [job] if job.array is None else [task for _, task in job.array.tasks_in_order()]


def _suspend(state: CoreState, job: Job) -> None:
    phase = job.phase
    assert isinstance(phase, Executing)
    if isinstance(phase, Trial):
        unqueue(state, job)
    if isinstance(phase, Expired):
        assert state.trials is not None
        state.trials.commit(job, phase)
    else:  # the planner expects no end of an expired trial
        state.planner.forget(job)
    state.move(job, "suspend", Suspended(phase.attempt, state.now_us))
    state.expect(job, state.now_us + UNLIMITED_US)
    state.disturbed = True
    nodes = tuple([piece.node for piece in phase.attempt.holding()])
    state.decide(Freeze(job.id, job.attempt, nodes))
