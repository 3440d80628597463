"""The changes that come with time alone: trials and predictions expire."""

from __future__ import annotations

from itertools import takewhile

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired, Running
from rmsd_core.lifecycle import eligibility
from rmsd_core.lifecycle.effects import Correct
from rmsd_core.lifecycle.predicting import survived
from rmsd_core.lifecycle.preemptible import Preemptible
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.trials import Trials
from rmsd_core.lifecycle.waiting import place_anew
from rmsd_core.recipes.correction import corrected_us
from rmsd_core.recipes.extensions import CORRECTIONS
from rmsd_core.recipes.prediction import multiplied_us
from rmsd_core.recipes.recipe import Recipe


def look_at_preemptible(state: CoreState, preemptible: Preemptible) -> None:
    """Have a pass run if jobs may be preempted from now on that had to be left alone."""
    if preemptible.due_us is not None and preemptible.due_us <= state.now_us:
        state.disturbed = True


def expire_trials(state: CoreState, trials: Trials) -> None:
    """Expire the trials whose time is over: from now on they may be killed for other jobs."""
    for job, trial in trials.ending(state.now_us):
        state.planner.forget(job)
        expired = Expired(*trial)
        state.move(job, "expire", expired)
        trials.expire(job, expired)
        place_anew(state, job)
        run_us = trial.end_us - trial.attempt.start_us
        if run_us > job.remembered.survived_us:  # else the trial had expired before a restart
            survived(state, job, run_us)
        state.disturbed = True


def expire_predictions(state: CoreState) -> None:
    """Correct every prediction of a committed run that the job has outlived (thesis 4.2.2)."""
    now_us, releases = state.now_us, state.planner.releases()
    if not releases or releases[0][0] > now_us:
        return
    due = takewhile(lambda release: release[0] <= now_us, releases)
    for job in [job for _, _, job in due if _is_committed(job)]:
        _correct(state, job)


def _correct(state: CoreState, job: Job) -> None:
    attempt, remembered = job.phase.attempt, job.remembered
    assert attempt is not None
    elapsed_us = state.now_us - attempt.start_us - attempt.suspended_us
    longest_us = _longest_us(state.recipe, job)
    state.note_prediction(job, _corrected_us(state.recipe.correct, job, elapsed_us, longest_us))
    remembered.overruns += elapsed_us >= longest_us
    remembered.corrections += 1
    end_us = attempt.start_us + attempt.suspended_us + job.prediction_us
    state.expect_anew(job, end_us)
    state.disturbed = True
    state.changed(job)
    state.decide(Correct(job.id, job.prediction_us, end_us))


def _longest_us(recipe: Recipe, job: Job) -> int:
    """Return the prediction that no correction of the recipe goes beyond, while the job has run for
    less: the user's estimate, or what the thesis makes of it when it doubles estimates (4.4)."""
    if recipe.correct == "multiplied":
        return multiplied_us(job.estimate_us, recipe.times)
    return job.estimate_us


def _corrected_us(correct: str, job: Job, elapsed_us: int, longest_us: int) -> int:
    """Return the new prediction of a job that has run for `elapsed_us`, its old one."""
    rule, made = CORRECTIONS.get(correct), job.remembered
    if rule is not None and elapsed_us < longest_us:
        return min(rule.corrected_us(job, elapsed_us), longest_us)
    return corrected_us(correct, elapsed_us, longest_us, made.corrections, made.overruns)


def next_us(state: CoreState, wake_us: int | None, *, corrects: bool) -> int | None:
    """Return `wake_us`, or the time at which a prediction or a trial expires, a condition comes
    true, or a job can no longer keep its deadline, if that is earlier."""
    if corrects:
        for end_us, _, job in state.planner.releases():
            if _is_committed(job):
                wake_us = end_us if wake_us is None else min(wake_us, end_us)
                break
    if state.trials is not None and (trial_end_us := state.trials.next_end_us) is not None:
        wake_us = trial_end_us if wake_us is None else min(wake_us, trial_end_us)
    preemptible = state.preemptible
    if preemptible is not None and (due_us := preemptible.due_us) is not None:
        wake_us = due_us if wake_us is None else min(wake_us, due_us)
    if (late_us := state.deadlines.next_us()) is not None:
        wake_us = late_us if wake_us is None else min(wake_us, late_us)
    return eligibility.next_us(state, wake_us) if state.dependents else wake_us


def _is_committed(job: Job) -> bool:
    """Return whether the job runs by the base scheduler's decision: neither on trial, nor still
    waiting for a claim. The end of a job that is being stopped is no matter of predictions."""
    return type(job.phase) is Running
