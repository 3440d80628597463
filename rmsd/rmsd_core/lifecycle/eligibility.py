"""The conditions of jobs come true, or can never come true: jobs join the queue, or are cancelled.

The end of a job settles the dependencies of others, and these may be cancelled and settle more. So
the news are in a list (`Dependents.news`), which is worked off: a chain of 10,000 jobs needs no
recursion, and no call walks over jobs that the news do not concern. One call settles the conditions
of a thousand jobs at most, since 100,000 may await the same; the next ones settle the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rmsd_core.jobs.array import Array, id_of, rank_of
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import NO_CONDITIONS, Conditions, Dependency, EndedJob, Fate, Unmet
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    UNFOLDING,
    WAITING,
    Done,
    Ineligible,
)
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_core.lifecycle import effects, refusals
from rmsd_core.lifecycle.array_index import array_of
from rmsd_core.lifecycle.dependents import ended_as
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.tasks import (
    UNFULFILLED,
    detach,
    drop,
    end_stranded,
    finish,
    note_end,
    strand,
    unfulfilled,
    waiting_task,
)
from rmsd_core.lifecycle.waiting import join, take_seq, unqueue
from rmsd_core.vocabulary import Relation, state_after

MOST_SETTLED = 1000
"""The jobs whose conditions are settled in one call: each takes the daemon some 0.1 ms."""

# ---------------------------------------------------------------- jobs come


def arrive(state: CoreState, job: Job) -> None:
    """Let a job that arrives take its place in the queue, or wait for its conditions."""
    state.dependents.join(job, state.jobs.values())
    if job.array is not None:
        state.arrays.add(job)
    if type(job.phase) is not Ineligible:
        state.planner.arrived.add(job.id)
        _queue_or_unfold(state, job)
        state.disturbed = True
        if state.dependents.has_work:
            settle(state)
        return
    state.dependents.add(job)
    _look_for_counterparts(state, job)
    conditions = _seen_now(state, job, job.phase.conditions)
    if conditions != job.phase.conditions or not conditions.stand or conditions.end_the_job:
        change(state, job, conditions)
        settle(state)
    elif state.dependents.has_work:
        settle(state)


def _queue_or_unfold(state: CoreState, job: Job) -> None:
    """Let a job without conditions wait in the queue. Those tasks of an array join it soon that do
    not wait for a corresponding task."""
    if job.array is None:
        join(state, job)
        return
    state.arrays.look_at(job)
    _look_for_counterparts(state, job)


def _look_for_counterparts(state: CoreState, job: Job) -> None:
    """Have those blocked tasks of an array settled whose corresponding task does not wait or run,
    and those cancelled that can never start, if the submitter wants that."""
    array = job.array
    if array is None or array.corresponds is None:
        return
    there = array.corresponds
    other = state.arrays.live.get(there.array_id) or state.dependents.over.get(there.array_id)
    if other is None or other.array is None:
        # Tasks of the other array whose end is not known have been cancelled, or are lost.
        strand(state, job, _of_unknown_end(state, there.array_id, len(there.indices)))
        ended = array.blocked
    else:
        strand(state, job, other.array.cancelled)
        ended = _ended_alone(array, other.array)
    state.dependents.doubtful.extend(id_of(job.id, rank) for rank in ended)
    end_stranded(state, job)


def _of_unknown_end(state: CoreState, array_id: int, count: int) -> Ranks:
    """Return the ranks of an array that is over, without those tasks whose ends are unsettled."""
    ids = range(id_of(array_id, 0), id_of(array_id, count))
    others = Ranks([(0, count)])
    for rank in [rank_of(array_id, one) for one in state.dependents.unsettled if one in ids]:
        others.take(rank, rank + 1)
    return others


def _ended_alone(array: Array[Job], other: Array[Job]) -> Ranks:
    """Return the ranks of the blocked tasks whose corresponding tasks of the `other` array were
    jobs of their own, and are over."""
    ended = array.blocked.copy()
    for waiting in other.waiting_ranks().intervals():
        ended.take(*array.corresponding(*waiting))
    for rank in other.tasks if ended else ():
        ended.take(*array.corresponding(rank, rank + 1))
    return ended


def _seen_now(state: CoreState, job: Job, conditions: Conditions) -> Conditions:
    """Return the conditions that are left, given what has happened to the other jobs before."""
    conditions = conditions.at(state.now_us)
    return conditions.after(_fate_now(state, job, one) for one in conditions.dependencies)


def _fate_now(state: CoreState, job: Job, one: Dependency) -> Fate:
    if one.relation is Relation.SINGLETON:
        return True if state.dependents.is_first(job) else one
    if one.due_us is not None:  # the other job has started; the time alone is left
        return one
    if (ended := state.dependents.unsettled.get(one.job_id)) is not None:
        return fate_after(one, ended, state.now_us)
    other = state.jobs.get(one.job_id) or state.dependents.over.get(one.job_id)
    if other is None:
        parent = state.arrays.of_task(one.job_id)
        other = None if parent is None else waiting_task(parent, one.job_id)
    return fate_of_lost(one) if other is None else fate(one, other, state.now_us)


def fate_of_lost(one: Dependency) -> Fate:
    """Return the fate of a dependency on a job that is over, and whose end is not known since its
    record is lost."""
    if one.relation in (Relation.AFTER, Relation.AFTER_ANY):
        return True
    return Unmet(one.relation, one.job_id)


def fate(one: Dependency, other: Job, now_us: int) -> Fate:
    """Return the fate of the dependency `one` after what has happened to the other job, on which it
    is."""
    if type(other.phase) is Done:
        return fate_after(one, ended_as(other), now_us)
    begun = other.attempt > 0 if other.array is None else other.array.begun
    if one.relation is not Relation.AFTER or not begun:
        return one
    return _after_start(one, now_us if other.start_us is None else other.start_us, now_us)


def fate_after(one: Dependency, ended: EndedJob, now_us: int) -> Fate:
    """Return the fate of a dependency on a job that is over."""
    if one.relation is Relation.AFTER:
        return _after_start(one, ended.began_us, now_us)
    if one.relation is Relation.AFTER_ANY or ended.succeeded == (one.relation is Relation.AFTER_OK):
        return True
    return Unmet(one.relation, one.job_id, ended.state)


def _after_start(one: Dependency, began_us: int, now_us: int) -> Fate:
    due_us = began_us + one.delay_us
    return True if due_us <= now_us else one._replace(due_us=due_us)


# ---------------------------------------------------------------- news


def settle(state: CoreState) -> None:
    """Change the conditions that depend on the time, and on jobs that have started or ended: as
    many as a call may. For the others the next call comes at once."""
    index = state.dependents
    finish(state)
    _hear(state)
    while (most := MOST_SETTLED - state.settled) > 0:
        numbers = index.due(state.now_us, most)
        while index.doubtful and len(numbers) < most:
            numbers.add(index.doubtful.popleft())
        if not numbers and not index.deserted and not index.stranded:
            break
        state.settled += len(numbers)
        while index.deserted and state.settled < MOST_SETTLED:
            state.settled += 1
            strand(state, *index.deserted.popleft())
        while index.stranded and state.settled < MOST_SETTLED:
            state.settled += 1
            _cancel_stranded(state, index.stranded.popleft())
        _look_at(state, numbers)
        finish(state)
        _hear(state)
    if not index.has_work:
        index.unsettled.clear()


def _hear(state: CoreState) -> None:
    """Find the jobs that the news concern."""
    index, concerned = state.dependents, set[int]()
    while index.news:
        concerned.update(_concerned(state, index.news.popleft()))
    index.doubtful.extend(sorted(concerned))
    while index.dropped:
        parent, ranks = index.dropped.popleft()
        followers = state.arrays.followers.of(parent.id, ranks.intervals())
        index.deserted.extend((follower, ranks) for follower in followers)


def _concerned(state: CoreState, other: Job) -> Iterator[int]:
    """Yield the numbers of the jobs and tasks whose conditions may change, since `other` has
    started or ended."""
    yield from state.dependents.of(other)
    if type(other.phase) is Done:
        yield from state.arrays.followed_by(other)


def look_again(state: CoreState) -> None:
    """Look at all conditions in the first call after a restore: what has happened before it may not
    be settled yet, and jobs that others depend on may be lost."""
    index = state.dependents
    changed = [job.id for job in index.jobs() if _may_change(state, job)]
    following = [job.id for job in state.arrays.live.values() if _follows(array_of(job))]
    index.doubtful.extend(sorted({*changed, *following}))


def _may_change(state: CoreState, job: Job) -> bool:
    conditions = job.conditions
    return conditions.end_the_job or _seen_now(state, job, conditions) != conditions


def _follows(array: Array[Job]) -> bool:
    """Return whether tasks of the array wait for those of another one, or for their cancel."""
    return array.corresponds is not None and bool(array.blocked or array.never)


def _look_at(state: CoreState, numbers: set[int]) -> None:
    """Settle the conditions of jobs and tasks, in the order of their numbers."""
    found = [_at_hand(state, number) for number in sorted(numbers)]
    for job in filter(None, found):
        if job.array is not None and _follows(job.array):
            _look_for_counterparts(state, job)
        if type(job.phase) is Ineligible:
            conditions = _seen_now(state, job, job.phase.conditions)
            if conditions != job.phase.conditions or conditions.end_the_job:
                change(state, job, conditions)


def _at_hand(state: CoreState, number: int) -> Job | None:
    """Return a live job. A task that awaits another one becomes a job; None if the number is of
    nothing that waits for conditions of its own."""
    job = state.jobs.get(number)
    if job is None and (found := state.arrays.waiting(number)) is not None:
        parent, rank = found
        return detach(state, parent, rank) if rank in array_of(parent).blocked else None
    return job


def next_us(state: CoreState, wake_us: int | None) -> int | None:
    """Return `wake_us`, or the time at which a condition comes true, if that is earlier. What has
    started in this call settles conditions at once, in a call of its own."""
    due_us = state.now_us if state.dependents.has_work else state.dependents.next_us()
    if due_us is None or wake_us is None:
        return due_us if wake_us is None else wake_us
    return min(due_us, wake_us)


# ---------------------------------------------------------------- changes of what was asked for


def wait_for(state: CoreState, job: Job, conditions: Conditions) -> None:
    """Replace the conditions of a job that waits. One that is in the queue gives up its place there
    if they do not hold."""
    state.dependents.know_names(conditions.dependencies, state.jobs.values())
    conditions = _seen_now(state, job, conditions)
    if type(job.phase) is not Ineligible:
        if not conditions.stand:
            return
        unqueue(state, job)
    change(state, job, conditions)


def rename(state: CoreState, job: Job, name: str) -> None:
    """Give a job another name. It may be the first of the new one, and make way for others of the
    old one."""
    index = state.dependents
    first = index.leave(job)
    job.name = name
    index.rejoin(job)
    _look_at(state, {one.id for one in (first, job) if one is not None})


# ---------------------------------------------------------------- to the queue, or out


def change(state: CoreState, job: Job, conditions: Conditions) -> None:
    """Give an ineligible job the conditions that are left: it waits for them, joins the queue, or
    is cancelled."""
    if conditions.end_the_job:
        _cancel(state, job, conditions)
    elif conditions.is_to_come:
        defer(state, job, conditions)
    else:
        _admit(state, job)


def defer(state: CoreState, job: Job, conditions: Conditions) -> None:
    state.dependents.remove(job)
    state.move(job, "defer", Ineligible(conditions))
    state.dependents.add(job)
    state.decide(effects.Defer(job.id, conditions))


def _admit(state: CoreState, job: Job) -> None:
    """Let a job take its place in the queue, behind those that have one. A task waits on if its
    array may run no more tasks now."""
    parent = None if job.task is None else state.arrays.live[job.task.array_id]
    if parent is not None and parent.array is not None and not parent.array.may_run_more:
        conditions = NO_CONDITIONS._replace(awaits_turn=True)
        if job.conditions != conditions:
            defer(state, job, conditions)
        return
    state.dependents.remove(job)
    take_seq(state, job)
    state.move(job, "admit", WAITING if job.array is None else UNFOLDING)
    job.eligible_us = state.now_us
    state.note_prediction(job, state.predictions.again(job, state.now_us))
    state.disturbed = True
    state.decide(effects.Admit(job.id, job.seq))
    _queue_or_unfold(state, job)


def take_turn(state: CoreState, task: Job) -> None:
    """Let a task that has waited for the limit of its array alone take its place in the queue."""
    _admit(state, task)


def tasks_of(job: Job) -> list[Job]:
    """Return the tasks of an array that are jobs, in the order of their ranks."""
    return [] if job.array is None else [task for _, task in job.array.tasks_in_order()]


def _cancel(state: CoreState, job: Job, conditions: Conditions) -> None:
    """Cancel a job whose dependencies can never be fulfilled; an array by all of its tasks, some in
    a call. The array waits on with these conditions if tasks of it have begun, as after a
    restore."""
    if job.array is None:
        end_ineligible(state, job, unfulfilled(conditions))
        return
    most = max(1, MOST_SETTLED - state.settled)
    tasks = [task for task in tasks_of(job) if type(task.phase) is Ineligible]
    for task in tasks[:most]:
        end_ineligible(state, task, unfulfilled(conditions))
    state.settled += min(len(tasks), most)
    if len(tasks) >= most:
        state.dependents.doubtful.append(job.id)
    else:
        _drop_some(state, job, [(0, job.array.count)])
        if job.array.waiting:
            state.dependents.doubtful.append(job.id)
        elif len(tasks) < len(job.array.tasks) and job.conditions != conditions:
            defer(state, job, conditions)


def _drop_some(state: CoreState, job: Job, ranks: Sequence[Interval]) -> None:
    """Cancel tasks of an array that are no jobs of their own and can never start. If others await
    many of them one by one, some are left for the next call."""
    most = max(1, MOST_SETTLED - state.settled)
    awaited = drop(state, job, ranks, UNFULFILLED, most)
    state.settled += len(awaited)
    for task in awaited:
        if type(task.phase) is Ineligible:
            end_ineligible(state, task, unfulfilled(task.conditions))


def _cancel_stranded(state: CoreState, job: Job) -> None:
    """Cancel a job that can never start, or the tasks of an array that never can."""
    if job.array is not None:
        _drop_some(state, job, job.array.never.intervals())
        if job.array.never:
            state.dependents.stranded.append(job)
    elif type(job.phase) is Ineligible and job.conditions.end_the_job:
        _cancel(state, job, job.conditions)


def end_ineligible(state: CoreState, job: Job, outcome: Outcome) -> None:
    """End a job that was never eligible, or not any more. It has waited for no resources."""
    now_us = job.eligible_us = state.now_us
    state.dependents.remove(job)
    final = state_after(outcome.cause, None, None)
    state.move(job, "end", Done(final, outcome, now_us))
    del state.jobs[job.id]
    note_end(state, job)
    refusals.forget(state, job)
    state.decide(effects.End(job.id, job.attempt, final, outcome, None, now_us))
