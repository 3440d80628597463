"""The ends of attempts: by themselves, by an order, or with their nodes. Their jobs end or wait
again.

Simulation rules, "Kills" and "Trial runs".
"""

from __future__ import annotations

from dataclasses import replace

from rmsd_core.jobs.attempt import Attempt, Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    WAITING,
    Claiming,
    Done,
    Executing,
    Expired,
    Ineligible,
    OnTrial,
    Preempted,
    Running,
    Stopping,
    Waiting,
    with_claim,
)
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle import advance, effects, refusals
from rmsd_core.lifecycle.eligibility import end_ineligible
from rmsd_core.lifecycle.holds import hold_again, hold_later
from rmsd_core.lifecycle.inputs import Cancel, Exited
from rmsd_core.lifecycle.starting import confirmed, release_claim, unclaim, void_claim
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.suspending import wake
from rmsd_core.lifecycle.tasks import LATE, drop, note_end
from rmsd_core.lifecycle.waiting import unqueue, wait
from rmsd_core.vocabulary import (
    FOR_HIGHER_TIERS,
    OVERDRAWN,
    RESTARTED,
    Cause,
    Fault,
    HeldBy,
    failed_by_node,
    state_after,
)

TELLS_RUN_TIME = frozenset({Cause.EXIT, Cause.LIMIT, Cause.MEMORY, Cause.QUOTA, Cause.USER})
"""The ends that tell how long a user's jobs run; a lost node does not."""
# See `Event` on the cost of look-ups.
_TRIAL, _NODE, _REQUEUE = Cause.TRIAL, Cause.NODE, Cause.REQUEUE
_NOT_BY_ITSELF = frozenset({Cause.UNKNOWN, Cause.NODE, Cause.TRIAL, Cause.REQUEUE}) | (
    FOR_HIGHER_TIERS
)
"""The causes that a cancel replaces by `USER`, and a deadline by `DEADLINE`."""


# ---------------------------------------------------------------- on one node


def exited(state: CoreState, item: Exited) -> None:
    """Handle the report that a node has nothing of an attempt any more."""
    job = state.jobs.get(item.job_id)
    if job is None or job.attempt != item.attempt:
        return
    attempt = job.phase.attempt
    if attempt is None or item.node not in attempt.open_nodes:
        return
    # A node that had not heard of the suspension lets the job come to its own end.
    was_stopped = item.outcome.cause not in (Cause.EXIT, Cause.LIMIT)
    wake(state, job, item.end_us if was_stopped else 0)
    if item.node == attempt.allocation[0].node:
        attempt.outcome = item.outcome
        if item.outcome.fault is Fault.JOB:  # nothing depends on it, and no row has it
            attempt.outcome = replace(item.outcome, fault=None)
        attempt.end_us = item.end_us
        if refusals.heard(state, job, item):
            unclaim(state, item.node)
    if item.outcome.cpu_s is not None or item.outcome.max_rss_mib is not None:
        attempt.used = attempt.used.plus(item.outcome.cpu_s, item.outcome.max_rss_mib)
    _left(state, job, attempt, item.node)
    if attempt.open_nodes:
        # The script is over, or has lost a node: end the attempt on the other nodes.
        if attempt.outcome:
            _stop(state, job, attempt, Cause.EXIT)
        elif item.outcome.cause in OVERDRAWN:
            _stop(state, job, attempt, item.outcome.cause, item.outcome.message)
        else:
            _stop(state, job, attempt, Cause.NODE)


def node_lost(state: CoreState, node: str) -> None:
    """Close all that attempts have on a node, which is lost."""
    for job in state.holders_on(node):
        attempt = job.phase.attempt
        assert attempt is not None
        wake(state, job, state.now_us)
        if attempt.outcome is None and node == attempt.allocation[0].node:
            attempt.outcome = Outcome(Cause.NODE, message=f"node {node} is lost")
            attempt.end_us = state.now_us
        _left(state, job, attempt, node)
        if attempt.open_nodes:
            _stop(state, job, attempt, Cause.NODE)


def _left(state: CoreState, job: Job, attempt: Attempt, node: str) -> None:
    """Close a node's part of the attempt; if it was the last part, the attempt is over."""
    state.changed(job)
    draining = False
    if state.trials is not None:
        end_trial(state, job)
        draining = job.draining
    for piece in attempt.pieces_on(node):
        give_back(state, piece, draining=draining)
    attempt.close(node)
    state.holdings.left(job, node)
    if not attempt.open_nodes:
        _finish(state, job, attempt, draining=draining)
    elif not draining:
        state.planner.shrink(job)


def give_back(state: CoreState, piece: Piece, *, draining: bool) -> None:
    """Free what an attempt was given on a node, or, if the attempt is `draining`, note that it is
    released."""
    if draining:
        assert state.trials is not None
        state.trials.released(piece)
    else:
        state.capacity.give(piece)
        state.disturbed = True


def end_trial(state: CoreState, job: Job) -> None:
    """End the trial of a job, if it runs on one: the base need not start the job any more."""
    phase = job.phase
    if type(phase) is OnTrial or type(phase) is Expired:
        unqueue(state, job)
        if type(phase) is Expired:
            assert state.trials is not None
            state.trials.drain(job, phase)
        stopping = Stopping(phase.attempt, None, draining=type(phase) is Expired)
        state.move(job, "stop", stopping)
        state.disturbed = True


def _stop(state: CoreState, job: Job, attempt: Attempt, cause: Cause, message: str = "") -> None:
    """Order the nodes to end the attempt, unless they have the order already."""
    phase = job.phase
    if isinstance(phase, Preempted) or (isinstance(phase, Stopping) and phase.cause is not None):
        return
    draining = isinstance(phase, Stopping) and phase.draining
    state.move(job, "stop", Stopping(attempt, cause, draining, message))
    if not draining:
        _expect_end_now(state, job)
    state.order_end(job, attempt, cause)


def _expect_end_now(state: CoreState, job: Job) -> None:
    """Have the planner expect the rest of an attempt back at once, as it does of a job that is
    overdue. By the prediction, the rest might seem to be held for hours, and others would be
    backfilled into what the head of the queue gets a moment later."""
    assert job.expected_end_us is not None
    if job.expected_end_us > state.now_us:
        state.expect_anew(job, state.now_us)
        state.disturbed = True


# ---------------------------------------------------------------- on all nodes


def _finish(state: CoreState, job: Job, attempt: Attempt, *, draining: bool) -> None:
    """End or requeue a job whose attempt no node holds any more."""
    phase = job.phase
    stop_cause = None if type(phase) is Running else job.stop_cause
    if not draining:
        state.planner.forget(job)
    if stop_cause is not None or len(attempt.allocation) > 1:
        attempt.outcome = _outcome_of(attempt, stop_cause, job.stop_message)
    outcome = attempt.outcome
    assert outcome is not None
    # A daemon whose database has been replaced by a backup may have ordered the end of the trial.
    killed = outcome.cause in RESTARTED or (stop_cause is _TRIAL and outcome.cause is _NODE)
    if killed and isinstance(phase, Preempted) and job.requeue_hold is None:
        _requeue_tried(state, job, phase)
    elif killed and isinstance(phase, Preempted):
        _requeue_queued(state, job, attempt)
    elif killed or stop_cause is _REQUEUE or (outcome.cause is _NODE and job.requeue):
        requeue(state, job, attempt)
    elif _was_refused(job, outcome) and refusals.goes_on(state, job):
        _requeue_queued(state, job, attempt)
    else:
        _end(state, job, attempt, stop_cause)
    if draining:
        assert state.trials is not None
        confirmed(state, state.trials, job)


def _was_refused(job: Job, outcome: Outcome) -> bool:
    """Return whether the node of the script could not start it, in the attempt that is over."""
    return (
        outcome.cause is Cause.LAUNCH
        and bool(job.refusals)
        and job.refusals[-1].attempt == job.attempt
    )


def _outcome_of(attempt: Attempt, stop_cause: Cause | None, stop_message: str) -> Outcome:
    """Return the outcome of the whole attempt: the report of the batch host, and the use on all
    nodes. The cause is the attempt's, since the script may have seen only a consequence of it."""
    outcome = attempt.outcome
    assert outcome is not None
    if len(attempt.allocation) > 1:
        cpu_s, max_rss_mib = attempt.used
        outcome = replace(outcome, cpu_s=cpu_s, max_rss_mib=max_rss_mib)
    if stop_cause in (Cause.USER, Cause.DEADLINE) and (
        outcome.cause in _NOT_BY_ITSELF or failed_by_node(outcome.cause, outcome.fault)
    ):
        message = LATE.message if stop_cause is Cause.DEADLINE else outcome.message
        return replace(outcome, cause=stop_cause, message=message)
    for_others = stop_cause is Cause.TRIAL or stop_cause in FOR_HIGHER_TIERS
    if for_others and outcome.cause is Cause.EXIT and len(attempt.allocation) > 1:
        assert stop_cause is not None
        outcome = replace(outcome, cause=stop_cause)  # the script saw the kill on its other nodes
    if for_others and outcome.cause is stop_cause and stop_message:
        return replace(outcome, message=stop_message)
    if stop_cause in OVERDRAWN:
        assert stop_cause is not None
        return replace(outcome, cause=stop_cause, message=stop_message or outcome.message)
    return outcome


def _end(state: CoreState, job: Job, attempt: Attempt, stop_cause: Cause | None) -> None:
    """Move a job to its end."""
    outcome, start_us, end_us = attempt.outcome, attempt.start_us, attempt.end_us
    assert outcome is not None
    assert end_us is not None
    if type(job.phase) is Preempted:
        withdraw(state, job)  # the script ended before the kill
    final = state_after(outcome.cause, outcome.exit_code, outcome.signal)
    state.move(job, "end", Done(final, outcome, end_us, attempt, stop_cause))
    if outcome.cause in TELLS_RUN_TIME:
        state.planner.ended(job, start_us, end_us)
        if state.predictions.learns:
            run_us = end_us - start_us
            state.predictions.learn(job.user, job.seq, run_us, job.estimate_us, job.size)
            if state.predictions.following is not None:
                state.predicting.due[job.user] = None
    del state.jobs[job.id]
    note_end(state, job)
    refusals.forget(state, job)
    ended = effects.End(job.id, job.attempt, final, outcome, start_us, end_us)
    state.decisions.append(ended)


def withdraw(state: CoreState, job: Job) -> None:
    """Withdraw the job from all waiting, though its attempt may still run."""
    if job.claim is not None:
        release_claim(state, job)
    else:
        unqueue(state, job)
    state.disturbed = True


def _requeue_tried(state: CoreState, job: Job, phase: Preempted) -> None:
    """Put the job of a killed trial back at its place in the queue, or start it on its claim."""
    _note_lost(state, job, phase.attempt, of_trial=True)
    state.move(job, "requeue", with_claim(WAITING, phase.claim))
    if phase.claim is None and not advance.is_possible(state, job, job.request):
        state.sort_anew = True


def _requeue_queued(state: CoreState, job: Job, attempt: Attempt) -> None:
    """Put a job back that may be in the queue, or have a claim: its node could not start it, or it
    is to be held. If its script has not run, this is no restart, and `requeue` does not matter."""
    if type(job.phase) is Preempted:
        if job.claim is not None:
            void_claim(state, job)
        unqueue(state, job)
    requeue(state, job, attempt)


def requeue(state: CoreState, job: Job, attempt: Attempt) -> None:
    """Put the job, which is in no queue, back at its old place, or hold it."""
    outcome, remembered = attempt.outcome, job.remembered
    _note_lost(state, job, attempt, of_trial=outcome is not None and outcome.cause is _TRIAL)
    state.move(job, "requeue", WAITING)
    remembered.corrections = remembered.overruns = 0
    job.record.behind, job.record.backfilled = None, False
    state.note_expected_end(job, None)
    state.note_prediction(job, state.predictions.again(job, state.now_us))
    if job.requeue_hold is None:
        wait(state, job)
    else:
        hold_again(state, job, job.requeue_hold)
    state.disturbed = True


def _note_lost(state: CoreState, job: Job, attempt: Attempt, *, of_trial: bool) -> None:
    """Decide that the job is requeued after the attempt. What a killed trial has run is counted."""
    outcome, end_us = attempt.outcome, attempt.end_us
    assert outcome is not None
    assert end_us is not None
    if of_trial:
        job.remembered.lost_us += end_us - attempt.start_us
    start_us, node = attempt.start_us, attempt.allocation[0].node
    state.decide(effects.Requeue(job.id, job.attempt, outcome, start_us, end_us, node))


# ---------------------------------------------------------------- by a user


def cancel(state: CoreState, item: Cancel) -> None:
    """Cancel a job for a user or administrator; of an array, all tasks or those at its ranks."""
    job_id, ranks, by = item.job_id, item.ranks, item.by or None
    job = state.jobs.get(job_id)
    if job is None:
        if (found := state.arrays.waiting(job_id)) is not None:
            parent, rank = found
            _cancel_tasks(state, parent, ((rank, rank + 1),), by)
    elif job.array is not None:
        _cancel_tasks(state, job, ((0, job.array.count),) if ranks is None else ranks, by)
    else:
        _cancel_job(state, job, by)


def _cancel_tasks(
    state: CoreState, parent: Job, ranks: tuple[Interval, ...], by: str | None
) -> None:
    array = parent.array
    assert array is not None
    wanted, before = Ranks(ranks), len(array.cancelled)
    jobs = [task for rank, task in array.tasks_in_order() if rank in wanted]
    jobs += drop(state, parent, tuple(wanted.intervals()))
    if len(array.cancelled) > before:
        parent.record.cancelled_by = by
    for task in jobs:
        _cancel_job(state, task, by)


def _cancel_job(state: CoreState, job: Job, by: str | None) -> None:
    wake(state, job, state.now_us)
    phase = job.phase
    if isinstance(phase, Stopping) and not _would_run_again(phase):
        return
    job.record.cancelled_by = by
    if isinstance(phase, Waiting | Claiming):
        end_waiting(state, job, Outcome(Cause.USER))
    elif isinstance(phase, Ineligible):
        end_ineligible(state, job, Outcome(Cause.USER))
    elif isinstance(phase, Preempted):
        withdraw(state, job)
        state.move(job, "stop", Stopping(phase.attempt, Cause.USER, draining=True))
    elif isinstance(phase, Stopping):
        # change the cause, so that the job is not requeued
        state.move(job, "stop", phase._replace(cause=Cause.USER))
    elif isinstance(phase, Executing):
        end_trial(state, job)
        _stop(state, job, phase.attempt, Cause.USER)


def _would_run_again(phase: Stopping) -> bool:
    return phase.cause is Cause.NODE or phase.cause in RESTARTED


def put_back(state: CoreState, job_id: int, held_by: HeldBy | None = None) -> None:
    """End the attempt of a running job, which waits again once its nodes have confirmed it, and is
    held then if an account wants that. Of an array, put back all tasks that run."""
    job = state.jobs.get(job_id)
    if job is None:
        return
    tasks = [] if job.array is None else job.array.tasks_in_order()
    for one in (job, *(task for _, task in tasks)):
        wake(state, one, state.now_us)
        if isinstance(phase := one.phase, Executing):
            if held_by is not None:
                hold_later(state, one, held_by)
            end_trial(state, one)
            _stop(state, one, phase.attempt, Cause.REQUEUE)


def end_waiting(state: CoreState, job: Job, outcome: Outcome) -> None:
    """End a job that is in the queue, is set aside, or has claimed a place."""
    withdraw(state, job)
    now_us, final = state.now_us, state_after(outcome.cause, None, None)
    state.move(job, "end", Done(final, outcome, now_us))
    del state.jobs[job.id]
    note_end(state, job)
    refusals.forget(state, job)
    state.decide(effects.End(job.id, job.attempt, final, outcome, None, now_us))
