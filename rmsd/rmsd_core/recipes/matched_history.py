"""The prediction `matched`: the latest runs of the same user that resemble the job.

Rule: each key of the recipe (`keys`) names what a run and the job have in common, always the user.
The first key under which there are enough runs (`window`) makes the prediction: the metric of the
latest of them in arrival order, in whole seconds (floor), at least 1 s, and never above the
estimate. If no key has enough, the prediction is the estimate.

A job that has outlived its trial, or a run that was killed for others, is known to run longer than
that (`survived`). Then only longer runs count, and a prediction that is not longer becomes twice
what the job has survived, or the estimate if that is less.

Reason: users run the same program with the same estimate and size again and again. A run that has
all of that in common tells more than a later one that has not, and a user without such runs still
has others.

Source: rmsd's own; the idea of templates is of W. Smith, I. Foster, V. Taylor, "Predicting
Application Run Times Using Historical Information", JSSPP'98.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.prediction import KEPT, METRICS_US
from rmsd_core.recipes.recipe import Recipe

_Run = tuple[int, int]
"""A terminated job: place in the arrival order, run time [us]."""

_MOST_KNOWN = 1000
"""The metrics that are kept of a user, whose jobs may have any number of estimates and sizes."""

_KEYS: dict[str, Callable[[str, int, int], object]] = {
    "user+estimate+size": lambda user, estimate_us, size: (user, estimate_us, size),
    "user+estimate": lambda user, estimate_us, _: (user, estimate_us),
    "user+size": lambda user, _, size: (user, size),
    "user": lambda user, _estimate_us, _size: user,
}
"""The keys: functions that return what a run and a job have in common."""


class MatchedHistory:
    """The terminated jobs by the keys of the recipe. `record` and `predict_us` cost the same
    however many jobs have terminated."""

    def __init__(self, recipe: Recipe) -> None:
        history = recipe.history
        self._least = history.size
        self._kept = max(KEPT, history.size)
        self._conditions = history.survived
        self._metric_us = METRICS_US[history.metric]
        self._tables: list[tuple[Callable[[str, int, int], object], dict[object, list[_Run]]]] = [
            (_KEYS[key], {}) for key in history.keys
        ]
        self._metrics: dict[str, dict[tuple[int, int], int | None]] = {}
        """The results of `_metric_of` since the user's latest run, by user, then by estimate and
        size: a user's waiting jobs are predicted again together, and most are alike."""

    def record(self, user: str, seq: int, run_us: int, estimate_us: int, size: int) -> None:
        for key, table in self._tables:
            runs = table.setdefault(key(user, estimate_us, size), [])
            insort(runs, (seq, run_us))
            if len(runs) > self._kept:
                del runs[0]
        self._metrics.pop(user, None)

    def window(self, job: Job) -> Sequence[_Run]:
        """Return the runs that the prediction of a job comes from; none if no key has enough."""
        survived_us = job.remembered.survived_us if self._conditions else 0
        for key, table in self._tables:
            runs = table.get(key(job.user, job.estimate_us, job.size), ())
            if survived_us:
                runs = [run for run in runs if run[1] > survived_us]
            if len(runs) >= self._least:
                return runs[-self._least :]
        return ()

    def seqs_for(self, job: Job) -> set[int]:
        """Return the arrival numbers of the runs that the prediction of a job comes from."""
        return {seq for seq, _ in self.window(job)}

    def predict_us(self, job: Job, now_us: int, running: Sequence[Job]) -> int:  # noqa: ARG002
        estimate_us = max(SECOND_US, job.estimate_us)
        survived_us = job.remembered.survived_us if self._conditions else 0
        metric_us = self._metric_of(job) if survived_us else self._known_metric_of(job)
        if metric_us is None:
            return estimate_us
        prediction_us = max(SECOND_US, min(metric_us, estimate_us))
        if prediction_us <= survived_us:
            prediction_us = min(estimate_us, 2 * survived_us)
        return prediction_us

    def _known_metric_of(self, job: Job) -> int | None:
        known = self._metrics.setdefault(job.user, {})
        alike = job.estimate_us, job.size
        if alike not in known:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[alike] = self._metric_of(job)
        return known[alike]

    def _metric_of(self, job: Job) -> int | None:
        """Return the metric of the job's window in whole seconds [us]; None if there is none."""
        window = self.window(job)
        if not window:
            return None
        return self._metric_us([run_us for _, run_us in window]) // SECOND_US * SECOND_US
