"""The restore of a core from the state of an earlier one.

Some jobs change their phases here. A claim may be dropped: others may take its place then, so the
next call of the core decides that (`decide_unclaims`), and it is stored. All other changes are no
effects, and nothing stores them. An expired trial, which is stored as one that runs, expires anew.
A recipe without trials commits the trials that run, and keeps the processors of a killed one until
it is gone. Until such a job changes again, and is stored as it is then, each restore derives them
anew from the same row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    WAITING,
    Claiming,
    Expired,
    Ineligible,
    OnTrial,
    Phase,
    Preempted,
    Running,
    Stopping,
    Trial,
    Waiting,
    with_claim,
)
from rmsd_core.lifecycle import devices, refusals
from rmsd_core.lifecycle.effects import Unclaim
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import take_trial_back
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.vocabulary import Cause


def memory_of(state: CoreState) -> PlannerMemory:
    """Return what `restore` needs beside the jobs."""
    return replace(
        state.planner.memory(state.now_us),
        unsettled={**state.dependents.unsettled},
        to_predict=state.predicting.users_to_do(),
    )


def restore(state: CoreState, jobs: Iterable[Job], memory: PlannerMemory) -> list[Job]:
    """Restore the live jobs as they were. Waiting jobs are set aside until there are nodes. Return
    the jobs whose claims are dropped, in the order of the claims."""
    state.jobs = {job.id: job for job in jobs}
    state.next_seq = max(state.next_seq, *(job.seq + 1 for job in state.jobs.values()), 0)
    state.planner.restore(memory, state.jobs)
    _restore_arrays(state)
    started = [job for job in state.jobs.values() if job.phase.attempt is not None]
    draining = {job.id for job in started if job.draining}
    starts_us = [job.start_us for job in started if job.start_us is not None]
    # The partitions may have been others at these starts.
    state.divided_us = max(starts_us) + 1 if starts_us else 0
    unclaimed = []
    # The rank gives the order in which claims were made.
    for job in sorted(state.jobs.values(), key=_rank):
        if type(job.phase) is not Waiting:  # a job that waits has no claim and holds nothing
            phase = _restored(state, job, draining)
            if phase is not job.phase:
                has_claimed = job.claim is not None
                state.move(job, "restore", phase)
                if has_claimed and job.claim is None:
                    unclaimed.append(job)
            state.holdings.changed(job)
        state.deadlines.look_at(job)
        refusals.restore(state, job)
        _restore_job(state, job)
        if state.predictions.running is not None:
            state.predictions.running.moved(job)
        if state.predictions.following is not None:
            state.predictions.following.moved(job)
        state.planner.limits.moved(job)
        if state.preemptible is not None:
            state.preemptible.moved(job)
    state.dependents.unsettled = {**memory.unsettled}
    if state.predictions.following is not None:
        state.predicting.due = dict.fromkeys(memory.to_predict)
    devices.restore(state)
    return unclaimed


def _restore_arrays(state: CoreState) -> None:
    """Index the arrays, and give them their tasks."""
    for job in state.jobs.values():
        if job.array is not None:
            state.arrays.add(job)
    for job in state.jobs.values():
        if job.task is not None:
            state.arrays.joined(job)
    for job in state.arrays.live.values():
        state.arrays.look_at(job)


def decide_unclaims(state: CoreState, jobs: Iterable[Job]) -> None:
    """Decide, in the first call after the restore, that the claims of these jobs are dropped."""
    for job in jobs:
        state.changed(job)
        state.decide(Unclaim(job.id))


def _rank(job: Job) -> int:
    return -1 if job.remembered.rank is None else job.remembered.rank


def _restore_job(state: CoreState, job: Job) -> None:
    """Take what the job holds and has claimed."""
    phase = job.phase
    waits = type(phase) is Waiting
    if not waits and (held := () if job.draining and job.claim is None else job.releasing()):
        for piece in held:
            state.capacity.take((piece,))
        state.planner.expect(job)
    if state.trials is not None:
        state.trials.restore(job)
    if isinstance(phase, Ineligible):
        state.dependents.add(job)
    state.dependents.join(job, state.jobs.values())
    if waits or job.is_trial or (isinstance(phase, Preempted) and phase.claim is None):
        state.set_aside[job.id] = job


def _restored(state: CoreState, job: Job, draining: set[int]) -> Phase:
    """Return the job's phase in the new core."""
    if state.trials is None:
        return _without_trials(job)
    phase, claim = job.phase, job.claim
    if not state.recipe.disposes:  # then jobs drain for those of higher tiers alone
        if isinstance(phase, Trial):
            return _without_trials(job)
        if claim is not None and claim.kind != "for good":
            take_trial_back(job, claim)
            return with_claim(phase, None)
    return _still_claimed(job, draining)


def _still_claimed(job: Job, draining: set[int]) -> Phase:
    """Return the job's phase without the awaited jobs that hold nothing any more. A job that awaits
    no other has no claim, since no job makes way for it. The job waits again: for its trial, if the
    claim was for a trial. A trial that had expired does so anew."""
    phase = job.phase
    if isinstance(phase, Expired):
        return OnTrial(*phase)
    if (claim := job.claim) is None:
        return phase
    claim = claim._replace(awaits=claim.awaits & draining)
    if claim.awaits:
        return with_claim(phase, claim)
    take_trial_back(job, claim)
    return with_claim(phase, None)


def _without_trials(job: Job) -> Phase:
    """Return the job's phase under a recipe that has no trials any more. The job's trial is
    committed; a killed one waits again."""
    phase = job.phase
    if isinstance(phase, Claiming):
        take_trial_back(job, phase.claim)
        return WAITING
    if isinstance(phase, Trial):
        committed: Phase = Running(phase.attempt)
    elif isinstance(phase, Preempted):
        committed = Stopping(phase.attempt, Cause.TRIAL)
    elif isinstance(phase, Stopping) and phase.draining:
        committed = phase._replace(draining=False)
    else:
        return phase
    CoreState.note_expected_end(job, phase.attempt.start_us + job.prediction_us)
    return committed
