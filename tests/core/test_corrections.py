"""The core corrects predictions of jobs that outlive them, and of jobs whose trials ended."""

from __future__ import annotations

import pytest

from rmsd_core.lifecycle.effects import Correct
from rmsd_core.lifecycle.inputs import Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Cause
from tests.core.small_cluster import cluster, exited, job, kinds


def test_an_expired_prediction_becomes_the_estimate_and_then_grows() -> None:
    """By thesis 4.4, the prediction becomes one minute more than the estimate, and then grows by
    15, 30, 60... minutes from now."""
    core = cluster("easy++", nodes=1)
    for number, run_s in ((1, 10), (2, 20)):
        done = job(number, estimate_s=100)
        core.handle(0, [Submit(done)])
        core.handle(run_s * SECOND_US, [exited(done, "n1", run_s)])
    one = job(3, estimate_s=100)
    effects = core.handle(100 * SECOND_US, [Submit(one)])
    assert one.prediction_us == 15 * SECOND_US
    seen = []
    for _ in range(5):
        assert effects.wake_us is not None
        now_us = effects.wake_us
        effects = core.handle(now_us, [])
        assert kinds(effects) == [Correct]
        seen.append((now_us // SECOND_US - 100, one.prediction_us // SECOND_US))
    assert seen == [(15, 100), (100, 160), (160, 1060), (1060, 2860), (2860, 6460)]
    assert one.remembered.corrections == 5


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        # to the double of the estimate, and only then by minutes, counted from the double
        ("easy+,times=2,correct=multiplied", [(30, 200), (200, 260), (260, 1160), (1160, 2960)]),
        ("thesis-x2++", [(30, 200), (200, 260), (260, 1160), (1160, 2960)]),
        ("easy+,times=3,correct=multiplied", [(45, 300), (300, 360), (360, 1260), (1260, 3060)]),
        # the rules' X2+: to the estimate itself
        ("x2+", [(30, 100), (100, 160), (160, 1060), (1060, 2860)]),
        ("easy+,correct=multiplied", [(15, 100), (100, 160), (160, 1060), (1060, 2860)]),
    ],
)
def test_a_multiplied_correction_goes_to_the_multiplied_estimate(
    recipe: str, expected: list[tuple[int, int]]
) -> None:
    """Thesis 4.4: X2 doubles the estimates themselves, so that X2+ corrects to the double."""
    core = cluster(recipe, nodes=1)
    for number, run_s in ((1, 10), (2, 20)):
        done = job(number, estimate_s=100)
        core.handle(0, [Submit(done)])
        core.handle(run_s * SECOND_US, [exited(done, "n1", run_s)])
    one = job(3, estimate_s=100)
    effects = core.handle(100 * SECOND_US, [Submit(one)])
    seen = []
    for _ in expected:
        assert effects.wake_us is not None
        now_us = effects.wake_us
        effects = core.handle(now_us, [])
        seen.append((now_us // SECOND_US - 100, one.prediction_us // SECOND_US))
    assert seen == expected


def test_what_a_trial_has_run_that_an_earlier_daemon_has_killed_is_lost() -> None:
    """After a restore the core has not ordered the kill, and the end of the trial comes all the
    same."""
    core = cluster("timed-easy,trial=10", nodes=1)
    core.handle(0, [Submit(trial := job(1, 4, estimate_s=600))])
    core.handle(7 * SECOND_US, [exited(trial, "n1", 7, Cause.TRIAL)])
    assert (trial.attempt, trial.remembered.lost_us) == (2, 7 * SECOND_US)


def test_a_prediction_is_not_corrected_before_its_run_begins() -> None:
    """What is killed for a job may take longer to leave than the job is predicted to run."""
    core = cluster("timed-easy++,trial=10", nodes=1)
    for at_s, short in ((0, job(1, 4)), (2, job(2, 4))):
        core.handle(at_s * SECOND_US, [Submit(short)])
        core.handle((at_s + 2) * SECOND_US, [exited(short, "n1", at_s + 2)])
    core.handle(5 * SECOND_US, [Submit(first := job(3, 4))])
    core.handle(6 * SECOND_US, [Submit(stubborn := job(4, 4, user="bob"))])
    core.handle(15 * SECOND_US, [])  # the first is on trial no more, and gives way
    core.handle(16 * SECOND_US, [exited(first, "n1", 16, Cause.TRIAL)])
    core.handle(26 * SECOND_US, [])
    assert (stubborn.stop_cause, bool(first.claim)) == (Cause.TRIAL, True)
    predicted_us = first.prediction_us
    assert predicted_us == 2 * SECOND_US
    effects = core.handle(29 * SECOND_US, [])
    assert (effects.decisions, effects.wake_us) == ((), None)
    core.handle(36 * SECOND_US, [exited(stubborn, "n1", 36, Cause.TRIAL)])
    assert (first.start_us, first.prediction_us) == (36 * SECOND_US, predicted_us)
    assert kinds(core.handle(38 * SECOND_US, [])) == [Correct]
    assert predicted_us < first.prediction_us <= first.estimate_us
