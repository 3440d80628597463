""" "Prediction and correction" of the simulation rules."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from rmsd_core.recipes.recipe import Recipe
from tests.core.oracle.job import Job


def predict(waiting: Job, terminated: Sequence[Job], recipe: Recipe) -> int:
    """Return the prediction for a job as of now; `terminated` are its user's jobs that have."""
    job = waiting.trace
    predicted = max(1, job.estimate_s)
    if recipe.predict == "perfect":
        predicted = max(1, job.run_s)
    elif recipe.predict == "matched":
        predicted = _matched(waiting, terminated, recipe)
    elif recipe.predict == "recent":
        latest = sorted(terminated, key=lambda done: done.seq)[-2:]
        if len(latest) == 2:
            mean = sum(done.run for done in latest) // 2
            predicted = min(max(1, mean), job.estimate_s)
    return max(1, floor(predicted * Fraction(recipe.times) + Fraction(1, 2)))


def _matched(job: Job, terminated: Sequence[Job], recipe: Recipe) -> int:
    """Return the prediction by the first key with two runs that are long enough; of each key the
    latest 64 are kept."""
    estimate = max(1, job.trace.estimate_s)
    survived = job.survived if recipe.history.survived else 0
    predicted = estimate
    for key in recipe.history.keys:
        alike = [
            done
            for done in sorted(terminated, key=lambda done: done.seq)
            if ("estimate" not in key or done.trace.estimate_s == job.trace.estimate_s)
            and ("size" not in key or done.size == job.size)
        ]
        longer = [done.run for done in alike[-64:] if not survived or done.run > survived]
        if len(longer) >= 2:
            predicted = min(max(1, (longer[-1] + longer[-2]) // 2), estimate)
            break
    return min(estimate, max(predicted, 2 * survived)) if predicted <= survived else predicted


def correct(job: Job, now: int, recipe: Recipe) -> None:
    """Correct the prediction of a running job whose expected end has come."""
    elapsed = now - job.start
    longest = job.trace.estimate_s
    if recipe.correct == "multiplied":  # the same factor as a first prediction's
        longest = max(1, floor(max(1, longest) * Fraction(recipe.times) + Fraction(1, 2)))
    if elapsed < longest:
        job.prediction = longest
        return
    job.overruns += 1
    minutes = 1 if job.overruns == 1 else 15 * 2 ** (job.overruns - 2)
    job.prediction = elapsed + 60 * minutes
