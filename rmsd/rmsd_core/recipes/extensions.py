"""The parts of recipes that third parties may extend: orders, rules of reservation, predictors,
corrections, and whole planners.

An entry point in the group `rmsd.parts` names one of the types in here; a recipe then uses the part
by its name (`easy,order=NAME`, `easy+,predict=NAME`). docs/recipes.md has an example of each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rmsd_core.jobs.job import Job
from rmsd_core.recipes import published_orders as published
from rmsd_core.recipes.aged_area import AgedArea
from rmsd_core.recipes.matched_history import MatchedHistory
from rmsd_core.recipes.prediction import RecentHistory
from rmsd_core.recipes.recipe import Recipe

LXFW_WEIGHT = 0.02

Priority = Callable[[Job, int], float]
"""The priority of a waiting job at a time [us]; larger comes first."""


class PartError(Exception):
    """A third party's part has failed. The message names it, and the package that it is of."""


def alike(job: Job) -> Hashable:
    """Return what jobs have in common that keep their arrival order whatever the time is."""
    return job.user, job.prediction_us, job.size, job.estimate_us


@dataclass(frozen=True, slots=True)
class Order:
    """An order of jobs: of the queue (`order=NAME`), or of backfilling (`backfill=NAME`). Smaller
    keys come first, and ties in arrival order (which the keys in here spell out themselves;
    `register` adds it to others).

    name, source: its name in recipes; one line and a citation.
    key: of a waiting job, by what does not change while its prediction does not; or None.
    priority: of a waiting job at a time, if time matters; evaluated in every pass.
    alike: of a job, by what does not change while its prediction does not. Jobs with equal values
        keep their arrival order, and a pass asks for the priority of the first of them alone.
    growth: how much the priority of a job grows in a microsecond, at most, by what does not change
        while its prediction does not; or None. With it a pass asks for the priorities of the few
        jobs that may be next, and `alike` is not used.
    in_recipe: returns this order with the parameters of a recipe; None if it has no parameters.
    """

    name: str
    source: str
    key: Callable[[Job], Any] | None = None
    priority: Priority | None = None
    alike: Callable[[Job], Hashable] = alike
    growth: Callable[[Job], float] | None = None
    in_recipe: Callable[[Recipe], Order] | None = None


@dataclass(frozen=True, slots=True)
class Reserve:
    """A rule of reservation (`reserve=NAME`): when a waiting job is promised a start, for good.

    due_us: the model time of a job from which on it is promised a start, by what does not change
        while its prediction does not; None: it never is.
    """

    name: str
    source: str
    due_us: Callable[[Job], int | None]


class Predictor(Protocol):
    """A predictor of run times, from those of terminated jobs for one. Nothing changes its
    predictions but `record`, and what `predict_us` is given."""

    def record(self, user: str, seq: int, run_us: int, estimate_us: int, size: int) -> None:
        """Record that a job of `user`, the `seq`-th to arrive, terminated after `run_us`. `size` is
        its number of processors."""

    def predict_us(self, job: Job, now_us: int, running: Sequence[Job]) -> int:
        """Return the prediction for a job at `now_us`. `running` has the jobs of its user that run,
        in arrival order."""


@dataclass(frozen=True, slots=True)
class PredictorPart:
    """A named predictor; `make` returns a fresh one. None: the planner needs no predictor."""

    name: str
    source: str
    make: Callable[[Recipe], Predictor] | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction of expired predictions (`correct=NAME`).

    corrected_us: the new prediction, counted from the start, of a job that has run for so long
        [us], which is its old prediction and less than its estimate. A correction above the
        estimate is cut there. From the estimate on, rmsd corrects as always.
    """

    name: str
    source: str
    corrected_us: Callable[[Job, int], int]


class View(Protocol):
    """The present, as a third party's planner sees it in one pass. A job that the pass has started
    does not wait any more, and runs.

    now_us: the model time. free: how many processors are free.
    wake_us: when there is to be another pass even if nothing happens; the planner sets it, and None
        is never.
    """

    now_us: int
    wake_us: int | None

    @property
    def free(self) -> int: ...

    def waiting(self) -> Iterator[Job]:
        """Yield the waiting jobs, in the order of the recipe."""

    def running(self) -> Sequence[tuple[int, int, Job]]:
        """Return what is held, by expected end: that end [us], the arrival number, and the job."""

    def fits(self, job: Job) -> bool:
        """Return whether the job can be placed on what is free now."""

    def can_start(self, job: Job) -> bool:
        """Return whether the job waits here, and fits."""


class CustomPlanner(Protocol):
    """A third party's planner. It decides by what it sees in one pass: what it keeps from one pass
    to the next, a restart loses."""

    def starting(self, view: View) -> Iterable[Job]:
        """Return the jobs to start now, one after the other. As a generator, the planner sees each
        job run before it yields the next one."""


@dataclass(frozen=True, slots=True)
class PlannerPart:
    """A whole planner (`planner=NAME`), in place of reservations and backfilling; `make` returns a
    fresh one."""

    name: str
    source: str
    make: Callable[[Recipe], CustomPlanner]


def lxfw(job: Job, now_us: int) -> float:
    """Return Largest eXpansion Factor and Wait (thesis 3.10): (w + e) / e + 0.02 w, with w in
    hours."""
    wait_s, prediction_s = (now_us - job.eligible_us) / 1_000_000, job.prediction_us / 1_000_000
    return (wait_s + prediction_s) / prediction_s + LXFW_WEIGHT * (wait_s / 3600)


def _aged_area(area: AgedArea, in_recipe: Callable[[Recipe], Order] | None = None) -> Order:
    source = "aged and small: (wait + c) / (run time x size^x)"
    return Order(
        "aged-area", source, priority=area.priority, growth=area.growth, in_recipe=in_recipe
    )


_PUBLISHED = (
    _aged_area(AgedArea(), lambda recipe: _aged_area(recipe.aging)),
    Order("saf", "smallest area first; JSSPP'17", key=published.smallest_area),
    Order("f1", "log r x n + 870 log s, smallest first; SC'17", key=published.f1),
    Order("f2", "sqrt r x n + 25600 log s, smallest first; SC'17", key=published.f2),
    Order("f3", "r x n + 6.86e6 log s, smallest first; SC'17", key=published.f3),
    Order("f4", "r x sqrt n + 5.3e5 log s, smallest first; SC'17", key=published.f4),
    Order(
        "wfp3",
        "largest (wait / r)^3 x n; Tang 2009",
        priority=published.wfp3,
        growth=published.wfp3_growth,
    ),
    Order(
        "unicef",
        "largest wait / (log2 n x r); Tang 2009",
        priority=published.unicef,
        growth=published.unicef_growth,
    ),
)

ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order("arrival", "first come first served", key=lambda job: job.seq),
        Order(
            "shortest",
            "shortest prediction first (SJF)",
            key=lambda job: (job.prediction_us, job.seq),
        ),
        Order(
            "longest",
            "longest prediction first (LJF)",
            key=lambda job: (-job.prediction_us, job.seq),
        ),
        Order(
            "lxfw",
            "largest expansion factor and wait; thesis 3.10",
            priority=lxfw,
            growth=lambda job: 1 / job.prediction_us + LXFW_WEIGHT / 3_600_000_000,
        ),
        Order("priority", "the largest sum of age, size and fair share; Slurm, multifactor"),
        Order("dynp", "shortest, arrival or longest, by the mean prediction; dynP 5"),
        *_PUBLISHED,
    )
}

PREDICTORS: dict[str, PredictorPart] = {
    part.name: part
    for part in (
        PredictorPart("estimate", "the user's estimate"),
        PredictorPart(
            "recent", "the user's latest terminated jobs; thesis 4.2.1, 4.6", RecentHistory
        ),
        PredictorPart("matched", "the user's runs that resemble the job; JSSPP'98", MatchedHistory),
        PredictorPart("perfect", "the run time, in simulation alone; thesis 4.2.3"),
    )
}

BACKFILL_ORDERS: dict[str, Order] = {order.name: order for order in _PUBLISHED}
"""The orders in which jobs may be backfilled, beside those that the planner has built in."""

# Third parties' parts of the kinds that rmsd's own planner has built in.
RESERVES: dict[str, Reserve] = {}
CORRECTIONS: dict[str, Correction] = {}
PLANNERS: dict[str, PlannerPart] = {}
