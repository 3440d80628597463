"""The starts of jobs: on trial, for good, or on a claim once other jobs have left it."""

from __future__ import annotations

from collections.abc import Set

from rmsd_core.jobs.attempt import begun
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    ClaimedPlace,
    Executing,
    Expired,
    OnTrial,
    Preempted,
    Running,
    StartKind,
    with_claim,
)
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle import advance, devices, effects, refusals
from rmsd_core.lifecycle.inputs import Launched
from rmsd_core.lifecycle.predicting import note_preempted
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials, take_trial_back
from rmsd_core.lifecycle.waiting import place_anew, unqueue, wait
from rmsd_core.machine.partitions import partition_of
from rmsd_core.vocabulary import Cause


def start(state: CoreState, job: Job, allocation: Allocation, behind: Job | None) -> None:
    """Start the job for good, as the base scheduler decided; it is backfilled past `behind`, if
    given."""
    record = job.record
    record.behind = behind.id if behind is not None else None
    record.backfilled = behind is not None
    trials, phase = state.trials, job.phase
    if trials is not None:
        if isinstance(phase, Expired):
            trials.commit(job, phase)
            state.planner.spend_start()
            state.move(job, "start", Running(phase.attempt))
            state.expect(job, phase.attempt.start_us + job.prediction_us)
            state.decide(effects.Commit(job.id))
            return
        trials.leave(job)
    state.planner.count_start(job)
    _occupy(state, job, allocation, "for good")


def start_trials(state: CoreState, trials: Trials) -> None:
    """Start trials where they fit, in arrival order, before the base scheduler has its turn.

    A job that a limit refuses is held back if it fits. The candidates are more than those that fit,
    by bounds that another core need not have, and a job that is held back loses its reservation.
    """
    tried: list[Job] = []
    held: list[Job] = []
    for job in trials.candidates(state.planner.windows, state.now_us):
        if state.planner.is_spent():
            break
        allocation = state.planner.place(job, state.now_us)
        if allocation is None:
            continue
        if state.planner.is_refused(job, state.now_us):
            held.append(job)
        else:
            start_trial(state, job, allocation)
            tried.append(job)
    trials.tried(tried)
    for job in held:
        state.planner.hold_back(job)
    note_preempted(state)


def start_trial(state: CoreState, job: Job, allocation: Allocation) -> None:
    """Give the job its trial run."""
    state.planner.count_start(job)
    job.record.behind, job.record.backfilled = None, False
    _occupy(state, job, allocation, "trial")


def start_idle(state: CoreState, trials: Trials, job: Job) -> bool:
    """Start a speculation of the job, and return whether it fits on what would idle, or is being
    given back by killed runs: what expired trials hold must not count as free now. The run is to be
    disposed of (`dispose`) once it may count as free itself."""
    allocation = state.planner.place(job, state.now_us)
    if allocation is None:
        return False
    if trials.gives(job):
        trials.tried([job])
    state.planner.count_start(job)
    job.record.behind, job.record.backfilled = None, False
    state.capacity.take(allocation)
    _claim_or_launch(state, job, allocation, "speculation", trials.awaited(job, allocation))
    return True


def dispose(state: CoreState, trials: Trials, job: Job) -> None:
    """Let a speculation that runs count as free from now on. One with a claim does not run yet."""
    phase = job.phase
    if not isinstance(phase, OnTrial):
        return
    expired = Expired(*phase)
    state.move(job, "expire", expired)
    place_anew(state, job)
    trials.expire(job, expired)


def _occupy(state: CoreState, job: Job, allocation: Allocation, kind: StartKind) -> None:
    """Take the allocation, and launch the job on it now or when other jobs have left it."""
    state.capacity.take(allocation)
    trials = state.trials
    if trials is not None:
        for victim in trials.victims_on(allocation):
            _preempt(state, trials, victim, job)
        awaits = trials.claim(job, allocation)
        _claim_or_launch(state, job, allocation, kind, awaits)
        return
    _claim_or_launch(state, job, allocation, kind, frozenset())


def _claim_or_launch(
    state: CoreState, job: Job, place: Allocation, kind: StartKind, awaits: frozenset[int]
) -> None:
    """Launch the job on a place that it has taken, or let it claim the place if it awaits others
    there."""
    if state.planner.windows is not None:
        state.planner.windows.take(job, state.now_us)
    if not awaits:
        launch(state, job, place, kind)
        return
    trial_end_us = state.now_us + state.recipe.trial_us if kind == "trial" else None
    claim = ClaimedPlace(place, awaits, kind, trial_end_us)
    state.move(job, "claim", with_claim(job.phase, claim))
    _expect(state, job, kind)
    state.decide(effects.Claim(job.id, place, awaits))


def _preempt(state: CoreState, trials: Trials, victim: Job, other: Job) -> None:
    """Kill an expired trial or a speculation for the other job."""
    phase = victim.phase
    assert isinstance(phase, Expired)
    trials.drain(victim, phase)
    message = f"job {other.label} needed its processors" if phase.is_speculation else ""
    state.move(victim, "preempt", Preempted(phase.attempt, message=message))
    state.preempted.append((victim, state.now_us - phase.attempt.start_us))
    state.order_end(victim, phase.attempt, Cause.TRIAL)


def launch(state: CoreState, job: Job, allocation: Allocation, kind: StartKind) -> None:
    """Start the next attempt of the job on an allocation that it has taken."""
    now_us = state.now_us
    allocation = devices.with_numbers(state, allocation)
    attempt = begun(allocation, now_us)
    job.attempt += 1
    job.partition = partition_of(state.partitions, job, [piece.node for piece in allocation])
    trial_end_us = None
    if kind == "for good":
        state.move(job, "start", Running(attempt))
    elif kind == "trial":
        assert state.trials is not None
        trial_end_us = now_us + state.recipe.trial_us
        trial = OnTrial(attempt, trial_end_us)
        state.move(job, "try", trial)
        state.trials.begin(job, trial)
    else:
        trial_end_us = now_us
        state.move(job, "try", OnTrial(attempt, trial_end_us, is_speculation=True))
    if kind == "speculation":  # no end is expected of what counts as free at once
        state.note_expected_end(job, now_us)
    else:
        _expect(state, job, kind)
    state.dependents.started(job)
    started = effects.Start(job.id, job.attempt, now_us, allocation, trial_end_us)
    state.decisions.append(started)


def _expect(state: CoreState, job: Job, kind: StartKind) -> None:
    """Let the planner expect the end of the job, which starts now: by its prediction, a trial by
    its own end, and a speculation that has claimed its place at once."""
    length_us = job.prediction_us
    if kind != "for good":
        length_us = min(length_us, state.recipe.trial_us if kind == "trial" else 0)
    state.expect(job, state.now_us + length_us)


def launched(state: CoreState, item: Launched) -> None:
    """Note that the script of an attempt runs."""
    job = state.jobs.get(item.job_id)
    if job is None or job.attempt != item.attempt:
        return
    phase = job.phase
    if isinstance(phase, Executing) and not phase.attempt.launched:
        phase.attempt.launched = True
        state.changed(job)
        refusals.launched_on(state, phase.attempt.allocation[0].node)


# ---------------------------------------------------------------- claims


def confirmed(state: CoreState, trials: Trials, job: Job) -> None:
    """Note that all nodes have confirmed the end of the draining job, and start the claimants that
    awaited this job alone."""
    for claimant in trials.confirmed(job):
        claim = _left(state, claimant, claimant.awaits)
        if not advance.keeps(state, claimant, claim.place):
            void_claim(state, claimant)
        else:
            state.planner.forget(claimant)
            kind = claim.kind
            if kind == "trial" and not state.recipe.trial_us:  # the recipe had trials before
                kind = "speculation"
            launch(state, claimant, claim.place, kind)
            if kind == "speculation":
                dispose(state, trials, claimant)


def note_left(state: CoreState, trials: Trials) -> None:
    """Let the claimants await the jobs no more that have left in this call, while others are still
    there."""
    for claimant, left in trials.take_left().items():
        _left(state, claimant, left)
        state.decide(effects.Await(claimant.id, frozenset(left)))


def _left(state: CoreState, job: Job, left: Set[int]) -> ClaimedPlace:
    """Let the claim of a job await these no more. Returns the claim."""
    claim = job.claim
    assert claim is not None
    claim = claim._replace(awaits=claim.awaits - left)
    state.move(job, "leave", with_claim(job.phase, claim))
    return claim


def release_claim(state: CoreState, job: Job) -> None:
    """Give up the job's claim; the job then waits for nothing."""
    claim = job.claim
    assert state.trials is not None
    assert claim is not None
    state.trials.drop_claim(job)
    state.planner.forget(job)
    for piece in claim.place:
        state.capacity.give(piece)
    state.note_expected_end(job, None)
    if claim.kind != "for good":
        unqueue(state, job)


def unclaim(state: CoreState, node: str) -> None:
    """Void the claims on a node that takes nothing new: their jobs are planned again."""
    for job in state.claimants_on(node):
        void_claim(state, job)


def void_claim(state: CoreState, job: Job) -> None:
    """Let the job wait again, as if it had never had its claim."""
    claim = job.claim
    assert claim is not None
    release_claim(state, job)
    take_trial_back(job, claim)
    state.move(job, "unclaim", with_claim(job.phase, None))
    wait(state, job)
    state.disturbed = True
    state.decide(effects.Unclaim(job.id))
