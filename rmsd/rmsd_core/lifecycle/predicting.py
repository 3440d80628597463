"""The predictions of waiting jobs follow what is known: the history of their user grows, and a job
is known to run longer than it has run so far.

A user may have any number of waiting jobs. So a call of the core predicts a bounded number of jobs
again, and the next calls the others. No pass is run before the round is over, so it sees what a
pass would see if all were done at once. Ends that come meanwhile are followed in another round,
after one pass.

Source: propagation, thesis 4.6.
"""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.effects import Repredict
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.waiting import is_queued, place_anew

MOST_FOLLOWING = 1000
"""The waiting jobs of a user that are predicted again when jobs of the user end, those that arrived
first. The others have their turn as the queue gets shorter."""
MOST_IN_A_CALL = 200
"""The jobs that a call of the core predicts again, which takes 20 to 50 microseconds each."""
_LISTED_PER_PREDICTION = 25
"""The jobs that are listed in the time of one prediction."""


def renew(state: CoreState) -> None:
    """Predict again some jobs of the users whose history has grown."""
    predicting, following = state.predicting, state.predictions.following
    assert following is not None
    if not predicting.is_under_way:
        predicting.users = list(reversed(predicting.due))
        predicting.due.clear()
    to_do = MOST_IN_A_CALL
    while to_do > 0 and predicting.is_under_way:
        if not predicting.left:
            predicting.user = predicting.users.pop()
            predicting.left = following.of(predicting.user, MOST_FOLLOWING)[::-1]
            to_do -= 1 + len(predicting.left) // _LISTED_PER_PREDICTION
        while predicting.left and to_do > 0:
            job = predicting.left.pop()
            if following.has(job):
                _predict(state, job)
            to_do -= 1


def survived(state: CoreState, job: Job, run_us: int) -> None:
    """Note that the job, which waits and has run, is known to run for so long at least."""
    remembered = job.remembered
    remembered.survived_us = max(remembered.survived_us, run_us)
    if state.predictions.conditions:
        _predict(state, job)


def note_preempted(state: CoreState) -> None:
    """Note what the jobs have survived whose trials were killed, once nothing walks over the queue
    any more."""
    preempted, state.preempted = state.preempted, []
    for job, run_us in preempted:
        place_anew(state, job)
        survived(state, job, run_us)


def _predict(state: CoreState, job: Job) -> None:
    prediction_us = state.predictions.of(job, state.now_us)
    if prediction_us == job.prediction_us:
        return
    held_back = state.planner.limits.let_go(job)
    was_queued = not held_back and is_queued(state, job)
    if was_queued:
        state.planner.dequeue(job)
    state.note_prediction(job, prediction_us)
    if held_back:
        state.planner.limits.hold_back(job)
    elif was_queued:
        state.planner.enqueue(job)
    state.predicted(job)
    state.decide(Repredict(job.id, prediction_us))
