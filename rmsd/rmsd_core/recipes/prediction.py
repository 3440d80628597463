"""Predictions of run times from a user's terminated jobs (thesis 4.2.1, 4.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from heapq import heappush, heappushpop
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import SECOND_US, UNLIMITED_US
from rmsd_core.recipes.recipe import Metric, Recipe

_MILLION = 1_000_000


KEPT = 64
"""The runs that a matched prediction keeps under a key, the latest in arrival order, unless the
window is larger."""

_Run = tuple[int, int, int]
"""A terminated job: place in the arrival order, run time [us], estimate [us]."""


class RecentHistory:
    """Predicts from a window of the user's terminated jobs, the latest in arrival order.

    The windows are those of `recipe.History`. "all": the latest jobs. "immediate": those among the
    latest that have the new job's estimate. "extended": the latest that have it. A window that must
    be full is full when it holds `size` jobs; for "immediate", only those with the estimate count.
    A partial window needs one job.

    The prediction is the metric of the window in whole seconds (floor), at least 1 s. It is never
    above the estimate, at which the job would be killed (4.2.1). Without a window the prediction is
    the estimate. With the fallback "relative" it is the estimate times the accuracy that the user
    has shown so far, in whole seconds (floor), at least 1 s.

    That accuracy is the mean of run time / estimate, at most 1 each, over all of the user's
    terminated jobs. Millionths (floor) make the order of the terminations irrelevant. A user
    without history has shown none, and gets the estimate. The thesis names the scaling (4.6) and
    leaves its definition open.

    It holds `size` runs per user ("extended": per user and estimate). `record` is O(log size),
    `predict_us` O(size log size) at most.
    """

    def __init__(self, recipe: Recipe) -> None:
        history = recipe.history
        self._size = history.size
        self._least = history.size if history.full else 1
        self._by_estimate = history.type == "extended"
        self._alike = history.type == "immediate"
        self._relative = history.fallback == "relative"
        self._metric_us = METRICS_US[history.metric]
        self._latest: dict[object, list[_Run]] = {}  # heaps, the earliest arrival first
        self._accuracy: dict[str, tuple[int, int]] = {}  # user -> (sum in millionths, jobs)

    @property
    def held(self) -> int:
        """Return how many runs are held for predictions to come."""
        return sum(map(len, self._latest.values()))

    def record(
        self,
        user: str,
        seq: int,
        run_us: int,
        estimate_us: int,
        size: int,  # noqa: ARG002 - every size is alike here
    ) -> None:
        latest = self._latest.setdefault(self._key(user, estimate_us), [])
        push = heappush if len(latest) < self._size else heappushpop
        push(latest, (seq, run_us, estimate_us))
        if self._relative:
            total, jobs = self._accuracy.get(user, (0, 0))
            shown = min(_MILLION, run_us * _MILLION // max(1, estimate_us))
            self._accuracy[user] = (total + shown, jobs + 1)

    def window(self, user: str, estimate_us: int) -> Sequence[_Run]:
        """Return the runs that a prediction comes from; none if there are too few."""
        window: Sequence[_Run] = self._latest.get(self._key(user, estimate_us), ())
        if self._alike:
            window = [run for run in window if run[2] == estimate_us]
        return window if len(window) >= self._least else ()

    def seqs_for(self, job: Job) -> set[int]:
        """Return the arrival numbers of the runs that the prediction of a job comes from."""
        return {seq for seq, _, _ in self.window(job.user, job.estimate_us)}

    def predict_us(self, job: Job, now_us: int, running: Sequence[Job]) -> int:  # noqa: ARG002
        return self.by_window_us(job.user, job.estimate_us)

    def by_window_us(self, user: str, estimate_us: int) -> int:
        """Return the prediction for a job of `user` with this estimate."""
        window = self.window(user, estimate_us)
        if not window:
            return self._without_window_us(user, estimate_us)
        metric_s = self._metric_us([run_us for _, run_us, _ in window]) // SECOND_US
        return max(SECOND_US, min(metric_s * SECOND_US, estimate_us))

    def _key(self, user: str, estimate_us: int) -> object:
        return (user, estimate_us) if self._by_estimate else user

    def _without_window_us(self, user: str, estimate_us: int) -> int:
        total, jobs = self._accuracy.get(user, (0, 0))
        if not jobs:
            return max(SECOND_US, estimate_us)
        scaled_s = estimate_us * total // (jobs * _MILLION * SECOND_US)
        return max(1, scaled_s) * SECOND_US


def _average_us(runs_us: list[int]) -> int:
    return sum(runs_us) // len(runs_us)


def _median_us(runs_us: list[int]) -> int:
    """Return the median; of an even number of runs, the mean of the two in the middle."""
    ordered = sorted(runs_us)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) // 2


METRICS_US: dict[Metric, Callable[[list[int]], int]] = {
    "average": _average_us,
    "median": _median_us,
    "minimum": min,
    "maximum": max,
}


class RunsNeeded(NamedTuple):
    """The terminated jobs that predictions look at.

    latest: how many, the latest in arrival order, per user; None: all.
    by_estimate: as many per user and estimate. by_size: as many per user, estimate and size.
    """

    latest: int | None
    by_estimate: bool = False
    by_size: bool = False


def runs_needed(recipe: Recipe) -> RunsNeeded:
    """Return which terminated jobs must be recorded again before the predictor repeats its
    predictions."""
    if recipe.predict in ("estimate", "perfect"):
        return RunsNeeded(0)
    if recipe.predict == "matched":
        return RunsNeeded(max(KEPT, recipe.history.size), by_size=True)
    if recipe.predict != "recent" or recipe.history.fallback == "relative":
        return RunsNeeded(None)
    return RunsNeeded(recipe.history.size, recipe.history.type == "extended")


def multiplied_us(prediction_us: int, times: float) -> int:
    """Return a prediction, however made, as a recipe with this factor uses it (thesis 4.4).

    Multiplied, it is rounded to the nearest second, half up; it is at least 1 s in any case.
    """
    if times == 1:
        return max(SECOND_US, prediction_us)
    seconds = math.floor(prediction_us / SECOND_US * times + 0.5)
    return max(SECOND_US, min(seconds * SECOND_US, UNLIMITED_US))
