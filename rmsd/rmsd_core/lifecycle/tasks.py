"""Tasks of arrays become jobs of their own, and arrays end with their last task."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from rmsd_core.jobs.array import ArrayTask, id_of, rank_of
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions, Dependency, Unmet
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import WAITING, Done, Ineligible, Phase
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_core.lifecycle import effects
from rmsd_core.lifecycle.array_index import array_of, task_ids
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.waiting import join
from rmsd_core.vocabulary import Cause, JobState, Relation, state_after

CANCELLED = Outcome(Cause.USER)
LATE = Outcome(Cause.DEADLINE, message="it could no longer end before its deadline")
UNFULFILLED = Outcome(Cause.DEPENDENCY, message="its dependencies can never be fulfilled")
"""The end of many tasks at once, of which each may depend on another job; see `unfulfilled`."""


def as_job(parent: Job, rank: int) -> Job:
    """Return the task at a rank of an array as a job. The core does not know it."""
    return Job(
        id=id_of(parent.id, rank),
        user=parent.user,
        submit_us=parent.submit_us,
        request=parent.request,
        estimate_us=parent.estimate_us,
        requeue=parent.requeue,
        restartable=parent.restartable,
        name=parent.name,
        deadline_us=parent.deadline_us,
        account=parent.account,
        qos=parent.qos,
        nice=parent.nice,
        licenses=parent.licenses,
        reservation=parent.reservation,
        seq=parent.seq + rank,
        eligible_us=parent.eligible_us,
        prediction_us=parent.prediction_us,
        task=ArrayTask(parent.id, array_of(parent).indices.index(rank)),
        phase=_phase_of(parent, rank),
    )


def _phase_of(parent: Job, rank: int) -> Phase:
    array = array_of(parent)
    if rank in array.cancelled:
        outcome = CANCELLED
        if rank in array.unfulfilled or rank in array.late:
            outcome = UNFULFILLED if rank in array.unfulfilled else LATE
        return Done(state_after(outcome.cause, None, None), outcome, array.cancelled_us)
    conditions = conditions_of(parent, rank)
    return Ineligible(conditions) if conditions.stand else WAITING


def conditions_of(parent: Job, rank: int) -> Conditions:
    """Return the conditions of a task that waits and is no job of its own."""
    array, conditions = array_of(parent), parent.conditions
    if array.corresponds is not None:
        conditions = conditions._replace(ends_if_never=_ends_if_never(parent))
    if rank in array.never:
        unmet = Unmet(Relation.AFTER_OK, array.counterpart_id(rank))
        return conditions._replace(never=True, unmet=(unmet,))
    if rank in array.blocked:
        other = Dependency(Relation.AFTER_OK, array.counterpart_id(rank))
        return conditions._replace(dependencies=(*conditions.dependencies, other))
    if not conditions.stand and not array.may_run_more:
        return conditions._replace(awaits_turn=True)
    return conditions


def unfulfilled(conditions: Conditions) -> Outcome:
    """Return the end of a job with these conditions, which can never come true. It names the first
    job that did not end as it should, and how that job ended."""
    if not conditions.unmet:
        return UNFULFILLED
    one, *others = conditions.unmet
    ended = "which is over" if one.state is None else f"which has ended as {one.state}"
    more = f"; {len(others):,} more did not end so either" if others else ""
    why = f"it needs {one.relation}:{one.job_id}, {ended}{more}"
    return replace(UNFULFILLED, message=f"{UNFULFILLED.message}: {why}")


def _ends_if_never(parent: Job) -> bool:
    corresponds = array_of(parent).corresponds
    of_tasks = corresponds is not None and corresponds.ends_if_never
    return of_tasks or parent.conditions.ends_if_never


def detach(state: CoreState, parent: Job, rank: int) -> Job:
    """Make a task that waits a job of its own, at its place in the queue."""
    array = array_of(parent)
    job = as_job(parent, rank)
    array.take(rank, rank + 1)
    state.arrays.joined(job)
    state.add(job)
    state.deadlines.look_at(job)
    state.changed(job)
    state.changed(parent)
    assert job.task is not None
    state.decide(effects.Detach(job.id, parent.id, job.task.array_index, job.seq))
    if type(job.phase) is Ineligible:
        state.dependents.add(job)
        if job.phase.conditions.end_the_job:
            state.dependents.stranded.append(job)
    else:
        join(state, job)
    return job


def find(state: CoreState, job_id: int) -> Job | None:
    """Return a live job. A task that was none is one from now on."""
    job = state.jobs.get(job_id)
    if job is None and (found := state.arrays.waiting(job_id)) is not None:
        job = detach(state, *found)
        if job.conditions.stand:  # the awaited job may be over: the news were for the array
            state.dependents.doubtful.append(job.id)
    return job


def waiting_task(parent: Job, job_id: int) -> Job | None:
    """Return a task that is, or was until its cancel, no job of its own; None if it is one."""
    array, rank = array_of(parent), rank_of(parent.id, job_id)
    return as_job(parent, rank) if rank in array.cancelled or array.waits(rank) else None


def note_end(state: CoreState, job: Job) -> None:
    """Tell those that depend on the job that it is over."""
    is_followed = job.task is not None and job.task.array_id in state.arrays.followers
    state.dependents.ended(job, is_followed=is_followed)


def drop(
    state: CoreState,
    parent: Job,
    ranks: Sequence[Interval],
    outcome: Outcome = CANCELLED,
    most: int | None = None,
) -> list[Job]:
    """Cancel the tasks among `ranks` that are no jobs of their own. Those on which other jobs
    depend become jobs, which are returned and are still to be cancelled; with the last `most` of
    these, earlier tasks are left. The tasks of another array that correspond to the cancelled ones
    can never start."""
    array, ids = array_of(parent), task_ids(parent)
    awaited = sorted(job_id - ids.start for job_id in state.dependents.awaited(ids))
    alone = [
        rank
        for first, last in ranks
        for rank in awaited[bisect_left(awaited, first) : bisect_left(awaited, last)]
        if array.waits(rank)
    ]
    if most is not None and len(alone) > most:
        alone = alone[-most:]
        ranks = Ranks(ranks).within(alone[0], array.count)
    jobs = [detach(state, parent, rank) for rank in alone]
    dropped = Ranks(taken for first, last in ranks for taken in array.take(first, last))
    if not dropped:
        return jobs
    for first, last in dropped.intervals():
        array.cancelled.add(first, last)
        if outcome is UNFULFILLED:
            array.unfulfilled.add(first, last)
        elif outcome is LATE:
            array.late.add(first, last)
    array.failed += len(dropped)
    if outcome is LATE:
        array.ended_late += len(dropped)
    else:
        array.ended_cancelled += len(dropped)
    array.cancelled_us = state.now_us
    state.changed(parent)
    state.disturbed = True
    state.decide(effects.Drop(parent.id, tuple(dropped.intervals()), outcome.cause))
    if array.begun:
        state.dependents.started(parent)
    state.arrays.look_for_the_end(parent)
    if parent.id in state.arrays.followers:
        state.dependents.dropped.append((parent, dropped))
    return jobs


def strand(state: CoreState, parent: Job, cancelled: Ranks) -> None:
    """Note that the tasks of an array can never start whose corresponding tasks, at the ranks
    `cancelled` of the other array, were cancelled."""
    stranded = array_of(parent).strand(cancelled)
    if stranded:
        state.changed(parent)
        state.decide(effects.Strand(parent.id, tuple(stranded)))
        end_stranded(state, parent)


def end_stranded(state: CoreState, parent: Job) -> None:
    """Have the tasks of an array that can never start be cancelled, if its submitter wants that."""
    if array_of(parent).never and _ends_if_never(parent):
        state.dependents.stranded.append(parent)


def finish(state: CoreState) -> None:
    """End the arrays whose last task is over."""
    while state.arrays.finished:
        parent = state.arrays.finished.pop(0)
        array = array_of(parent)
        if type(parent.phase) is Done or not array.is_over:
            continue
        if type(parent.phase) is Ineligible:
            state.dependents.remove(parent)
            parent.eligible_us = state.now_us
        final, outcome = _end_of(parent)
        state.move(parent, "end", Done(final, outcome, state.now_us))
        del state.jobs[parent.id]
        state.arrays.remove(parent)
        state.dependents.ended(parent)
        ended = effects.End(parent.id, 0, final, outcome, None, state.now_us)
        state.decide(ended)


def _end_of(parent: Job) -> tuple[JobState, Outcome]:
    array = array_of(parent)
    if not array.failed:
        return JobState.COMPLETED, Outcome(Cause.EXIT, 0)
    message = f"{array.failed} of {array.count} tasks did not complete"
    if array.ended_late and array.ended_late + array.ended_cancelled == array.failed:
        return JobState.DEADLINE, Outcome(Cause.DEADLINE, message=message)
    if array.ended_cancelled == array.failed:
        return JobState.CANCELLED, Outcome(Cause.USER, message=message)
    return JobState.FAILED, Outcome(Cause.EXIT, array.exit_code or 1, message=message)
