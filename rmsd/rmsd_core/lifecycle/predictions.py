"""The predicted run times of jobs under a recipe."""

from __future__ import annotations

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Executing
from rmsd_core.lifecycle.predicted_jobs import PredictedJobs
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.extensions import PREDICTORS, Predictor
from rmsd_core.recipes.matched_history import MatchedHistory
from rmsd_core.recipes.prediction import RecentHistory, multiplied_us
from rmsd_core.recipes.recipe import Recipe


class RunningJobs:
    """The jobs that run, by user; on trial as well."""

    def __init__(self) -> None:
        self._by_user: dict[str, dict[int, Job]] = {}

    def moved(self, job: Job) -> None:
        """Note that the phase of the job has changed."""
        if isinstance(job.phase, Executing):
            self._by_user.setdefault(job.user, {})[job.id] = job
        elif (jobs := self._by_user.get(job.user)) is not None:
            jobs.pop(job.id, None)
            if not jobs:
                del self._by_user[job.user]

    def of(self, user: str) -> tuple[Job, ...]:
        """Return the running jobs of a user, in arrival order."""
        return tuple(sorted(self._by_user.get(user, {}).values(), key=lambda job: job.seq))


class Predictions:
    """The predictions of one recipe. `learns`: they come from terminated jobs. `following`: the
    waiting jobs whose predictions a terminated job changes (thesis 4.6); None: it changes none.
    `conditions`: predictions
    depend on what a job has survived. `running`: the jobs that third parties' predictors see; None
    if there is no such predictor."""

    def __init__(self, recipe: Recipe) -> None:
        make = PREDICTORS[recipe.predict].make
        self._predictor: Predictor | None = make(recipe) if make else None
        self._is_perfect = recipe.predict == "perfect"
        self._times = recipe.times
        has_own = self._predictor is None or isinstance(
            self._predictor, RecentHistory | MatchedHistory
        )
        self.running = None if has_own else RunningJobs()
        self.learns = self._predictor is not None
        self.conditions = recipe.predict == "matched" and recipe.history.survived
        propagates = self.learns and recipe.history.propagate
        self.following = PredictedJobs() if propagates else None

    def of(self, job: Job, now_us: int, run_us: int | None = None) -> int:
        """Return the predicted run time of a job in model microseconds, as of `now_us`. `run_us`
        is the real run time, for perfect predictions."""
        if self._is_perfect:
            assert run_us is not None
            prediction_us = max(run_us, SECOND_US)
        elif self._predictor is not None:
            running = () if self.running is None else self.running.of(job.user)
            prediction_us = self._predictor.predict_us(job, now_us, running)
        else:
            prediction_us = job.estimate_us
        if self._times == 1 and prediction_us >= SECOND_US:
            return prediction_us
        return multiplied_us(prediction_us, self._times)

    def again(self, job: Job, now_us: int) -> int:
        """Return the prediction of a job that takes a place in the queue after its submit. A
        perfect one stays."""
        return job.prediction_us if self._is_perfect else self.of(job, now_us)

    def learn(self, user: str, seq: int, run_us: int, estimate_us: int, size: int) -> None:
        """Record that a job of `user`, the `seq`-th to arrive, of `size` processors, has run for
        `run_us`."""
        if self._predictor is not None:
            self._predictor.record(user, seq, run_us, estimate_us, size)
