"""Parts of recipes of my own. Change what is below, and delete what you do not need.

Simulate with this file, or run a cluster with it:

    export RMSD_PARTS=$PWD/FILE
    rmsd simulate trace.swf --recipe easy++,order=my-order
    rmsd start --recipe easy++,order=my-order

From Python: `lab.load_parts("FILE")`, then `lab.simulate("trace.swf", "easy++,order=my-order")`.

All times are integers of model time in microseconds. A part decides by its arguments alone, without
a clock and without randomness: a daemon that was restarted must decide the same again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.recipes.extensions import Order, PlannerPart, PredictorPart, View
from rmsd_core.recipes.recipe import Recipe

MINUTE_US = 60_000_000
DAY_US = 24 * 60 * MINUTE_US


def my_priority(job: Job, now_us: int) -> float:
    """Return the priority of a waiting job; the largest comes first.

    Here small jobs come first, by predicted time x processors, and the wait counts: a day of it
    makes up for an area ten times as large.
    """
    wait_days = (now_us - job.eligible_us) / DAY_US
    return float(10**wait_days / max(1, job.prediction_us * job.size))


class MyPredictor:
    """Predict that a job runs as long as its user's last one did, or for its estimate."""

    def __init__(self, recipe: Recipe) -> None:
        self._last_us: dict[str, int] = {}

    def record(self, user: str, seq: int, run_us: int, estimate_us: int, size: int) -> None:
        """Take note of a job that is over. After a restart all jobs come again."""
        self._last_us[user] = run_us

    def predict_us(self, job: Job, now_us: int, running: Sequence[Job]) -> int:
        """Return the predicted run time of a job; `running` are its user's running jobs."""
        return min(self._last_us.get(job.user, job.estimate_us), job.estimate_us)


class MyPlanner:
    """Start whatever fits, in the order of the queue. No job is promised a start."""

    def __init__(self, recipe: Recipe) -> None:
        pass

    def starting(self, view: View) -> Iterator[Job]:
        """Yield the jobs to start now, one after the other."""
        for job in view.waiting():
            if view.fits(job):
                yield job


my_order = Order("my-order", "small jobs first, aged by the day; mine", priority=my_priority)
my_predictor = PredictorPart("my-predictor", "as the user's last job; mine", MyPredictor)
my_planner = PlannerPart("my-planner", "whatever fits; mine", MyPlanner)
