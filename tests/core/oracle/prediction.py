""" "Prediction and correction" of the simulation rules."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.oracle.job import Job


def predict(job: TraceJob, terminated: Sequence[Job], recipe: Recipe) -> int:
    """The prediction for a job that arrives now; `terminated` are its user's jobs that have."""
    predicted = max(1, job.estimate_s)
    if recipe.predict == "perfect":
        predicted = max(1, job.run_s)
    elif recipe.predict == "recent":
        latest = sorted(terminated, key=lambda done: done.seq)[-2:]
        if len(latest) == 2:
            mean = sum(done.run for done in latest) // 2
            predicted = min(max(1, mean), job.estimate_s)
    return max(1, floor(predicted * Fraction(recipe.times) + Fraction(1, 2)))


def correct(job: Job, now: int, recipe: Recipe) -> None:
    """The expected end of a running job has come."""
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
