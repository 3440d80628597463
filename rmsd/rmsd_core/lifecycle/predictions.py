"""The predicted run times of jobs under a recipe."""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.extensions import PREDICTORS
from rmsd_core.recipes.prediction import Predictor, multiplied_us
from rmsd_core.recipes.recipe import Recipe


class Predictions:
    """The predictions of one recipe. `learns`: they come from terminated jobs. `propagates`: a
    terminated job changes the predictions of waiting jobs (thesis 4.6)."""

    def __init__(self, recipe: Recipe) -> None:
        make = PREDICTORS[recipe.predict].make
        self._predictor: Predictor | None = make(recipe) if make else None
        self._is_perfect = recipe.predict == "perfect"
        self._times = recipe.times
        self.learns = self._predictor is not None
        self.propagates = self.learns and recipe.history.propagate

    def of(self, job: Job, run_us: int | None = None) -> int:
        """Return the predicted run time of a job in model microseconds. `run_us` is the real run
        time, for perfect predictions."""
        if self._is_perfect:
            assert run_us is not None
            prediction_us = max(run_us, SECOND_US)
        elif self._predictor is not None:
            prediction_us = self._predictor.predict_us(job.user, job.estimate_us)
        else:
            prediction_us = job.estimate_us
        if self._times == 1 and prediction_us >= SECOND_US:
            return prediction_us
        return multiplied_us(prediction_us, self._times)

    def again(self, job: Job) -> int:
        """Return the prediction of a job that takes a place in the queue after its submit. A
        perfect one stays."""
        return job.prediction_us if self._is_perfect else self.of(job)

    def learn(self, user: str, seq: int, run_us: int, estimate_us: int) -> None:
        """Record that a job of `user`, the `seq`-th to arrive, has run for `run_us`."""
        if self._predictor is not None:
            self._predictor.record(user, seq, run_us, estimate_us)
