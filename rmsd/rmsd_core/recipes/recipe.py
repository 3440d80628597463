"""Recipes: a scheduler is a point in a small space of parts, not a class.

Sources, here and in the presets. Thesis: D. Tsafrir, "Modeling, Evaluating, and Improving the
Performance of Supercomputer Scheduling", 2006. Selective: S. Srinivasan et al., "Selective
Reservation Strategies for Backfill Job Scheduling", JSSPP 2002. Timed: O. Thebe et al., "Scheduling
Restartable Jobs with Short Test Runs", JSSPP 2009. dynP: A. Streit, "On Job Scheduling for
HPC-Clusters and the dynP Scheduler", HiPC 2001; "A Self-Tuning ... dynP", 2002.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rmsd_core.model_time import DAY_US, SECOND_US
from rmsd_core.recipes.aged_area import AgedArea

Belief = Literal["prediction", "estimate"]
Extra = Literal["instant", "needed"]
WindowType = Literal["all", "immediate", "extended"]
Metric = Literal["average", "median", "minimum", "maximum"]
Fallback = Literal["estimate", "relative"]
MATCHING_KEYS = ("user+estimate+size", "user+estimate", "user+size", "user")
ThresholdSource = Literal["given", "conservative", "well-estimated", "adaptive", "wait"]


@dataclass(frozen=True, slots=True)
class History:
    """The way from a user's terminated jobs to a prediction (thesis 4.6); the defaults are its 4.2.

    size: how many jobs the window holds.
    type: "all", the latest jobs; "immediate", those of the latest that have the new job's estimate;
        "extended", the latest that have it.
    full: whether the window must be full; otherwise a partial one is used as it is.
    fallback: without a prediction, the estimate, or the estimate times the accuracy that the user
        has shown so far ("relative").
    propagate: whether the predictions of waiting jobs follow when the history grows.
    keys: what a run and the job have in common in a matched prediction; the first with enough runs
        counts (`matched_history`). The type, the fullness and the fallback mean nothing there.
    survived: whether such a prediction looks only at runs that are longer than what the job has
        survived.
    """

    size: int = 2
    type: WindowType = "all"
    full: bool = True
    metric: Metric = "average"
    fallback: Fallback = "estimate"
    propagate: bool = False
    keys: tuple[str, ...] = MATCHING_KEYS
    survived: bool = True


@dataclass(frozen=True, slots=True)
class Starvation:
    """The threshold of a waiting job: past this expansion factor it is promised a start (Selective,
    4.1, 7).

    source: "given", the values; from a conservative run of the same trace, over all jobs
        ("conservative") or over those that ran half their estimate or more ("well-estimated");
        "adaptive", the running average of the jobs that have ended; or "wait", no expansion factor
        but a wait of more than `after_us`.
    values: one threshold for all, or one each for SN, SW, LN, LW; none yet unless given.
    differential: whether categories have thresholds of their own.
    scale: what the average is multiplied with (scaled-adaptive: above 1).
    long_us, wide: predictions above are long, sizes above are wide (Selective, 2.1).
    """

    source: ThresholdSource = "conservative"
    values: tuple[float, ...] = ()
    differential: bool = False
    scale: float = 1.0
    long_us: int = 3600 * SECOND_US
    wide: int = 8
    after_us: int = DAY_US


@dataclass(frozen=True, slots=True)
class Urgency:
    """The rule by which a job that has waited for too long precedes all others (`starve`).

    fraction: of the longest wait under the virtual EASY. floor_us: no shorter wait is too long.
    ceiling_us: a longer wait is too long, whatever the fraction is; None: there is no such wait.
    believes: what an urgent head's reservation rests on, and which lengths backfilled jobs must
        keep beside it: "prediction", or "estimate" where that is longer.
    """

    fraction: float = 0.6
    floor_us: int = 6 * 3600 * SECOND_US
    ceiling_us: int | None = None
    believes: Belief = "prediction"


@dataclass(frozen=True, slots=True)
class Switching:
    """The thresholds at which dynP changes its order (dynP, section 5): by the mean prediction of
    the waiting jobs, if `min_queue` of them wait."""

    lower_us: int = 7200 * SECOND_US
    upper_us: int = 9000 * SECOND_US
    min_queue: int = 5


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the order "priority", in points.

    age: for each day that a job has waited. size: for each of its processors.
    share: for the fair-share factor of its user, which is 1 without usage and falls towards 0.
    by: whose usage counts: that of the "user", or of the user within the "account" as well.
    half_life_us: the time in which usage decays to a half.
    """

    age: int = 1000
    size: int = 0
    share: int = 10_000
    by: str = "user"
    half_life_us: int = 7 * DAY_US


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parts of one scheduler. `name` is the text it was parsed from, in its short form.

    order: who is next: "arrival", "shortest", "longest" (prediction), "lxfw" (largest expansion
        factor and wait, thesis 3.10), "priority" (the sum of age, size and fair share by
        `weights`), "dynp" (switches among the first three), "aged-area" (by `aging`), an order of
        `published_orders`, or a part that a third party registered.
    reserve: who is promised a start. "nobody": nothing passes the head of the queue; "head": the
        head has a reservation that backfilled jobs must respect (EASY); "first": the first `depth`
        jobs have; "everyone" (conservative); "starved": those past a threshold (selective);
        "planner": `planner` decides; or a rule of a third party.
    depth: how many jobs that must wait are promised a start at most, the first in planning order;
        None: any number. Jobs beyond are promised nothing, and start by backfilling alone.
    backfill: the order in which jobs without a reservation are tried: not at all, as the queue, or
        the shortest prediction first (SJBF, thesis 4.2.3), or in an order of a third party.
    fit: whose end a backfilled job must keep: by its prediction, or by the user's estimate (the
        second remedy of thesis 4.3).
    extra: which releases at the shadow time count for what is left beside the head: all of that
        "instant", or, in the order of the release list, only those that are "needed" until the head
        fits (thesis 2.3).
    promise: what reported reservations are computed from: predictions, or the users' estimates
        (double booking, the first remedy of thesis 4.3). Planning does not look at it.
    predict: "estimate", the user's; "recent", from the user's `history`, never above the estimate;
        "matched", from those runs of the `history` that resemble the job; "perfect", the run time
        (simulation alone); or a part that a third party registered.
    times: what the prediction, however made, is multiplied with.
    correct: what an expired prediction becomes (thesis 4.2.2, 4.6). "no": the job counts as about
        to end. Or a correction that a third party registered.
    trial_us: how long a job's first run lasts at least before it may be killed for others; 0: no
        trials (Timed).
    kill: which expired trial is killed first for others: the "longest-expired" one (the simulation
        rules), or the one with the "least-elapsed" time, so that the least work is lost.
    starve: which jobs have waited for too long and precede all others: "no" jobs, or those past a
        part of the longest wait in a "virtual-easy" beside (`urgency`, planning/urgency.py).
    remaining: whether runs that may be killed for others count with the time that they have still
        to run (planning/remaining_beside.py).
    speculates: whether what would idle runs waiting jobs, which may be killed for others at any
        time (lifecycle/speculation.py).
    planner: "parts", as the parts above say; or a planner that a third party registered.
    """

    name: str
    source: str
    order: str = "arrival"
    reserve: str = "head"
    depth: int | None = None
    backfill: str = "queue"
    fit: Belief = "prediction"
    extra: Extra = "instant"
    promise: Belief = "prediction"
    predict: str = "estimate"
    history: History = field(default_factory=History)
    times: float = 1.0
    correct: str = "no"
    starvation: Starvation = field(default_factory=Starvation)
    switching: Switching = field(default_factory=Switching)
    weights: Weights = field(default_factory=Weights)
    aging: AgedArea = field(default_factory=AgedArea)
    starve: str = "no"
    urgency: Urgency = field(default_factory=Urgency)
    trial_us: int = 0
    kill: str = "longest-expired"
    remaining: bool = False
    speculates: bool = False
    planner: str = "parts"

    @property
    def corrects(self) -> bool:
        return self.correct != "no"

    @property
    def plans_for_many(self) -> bool:
        """Return whether the number of reservations grows with the queue, unless `depth` bounds
        it."""
        return self.reserve == "everyone" or self.promotes

    @property
    def promotes(self) -> bool:
        """Return whether a rule tells when a job is promised a start for good: the one of starved
        jobs, or a third party's."""
        return self.reserve not in ("nobody", "head", "first", "everyone", "planner")

    @property
    def disposes(self) -> bool:
        """Return whether some runs may be killed for others."""
        return self.trial_us > 0 or self.speculates

    @property
    def has_urgent(self) -> bool:
        """Return whether jobs become urgent."""
        return self.starve != "no"

    @property
    def has_planner(self) -> bool:
        """Return whether a third party's planner plans."""
        return self.planner != "parts"

    @property
    def in_turn(self) -> bool:
        """Return whether nothing passes the first in the queue."""
        return self.reserve == "nobody" or (self.reserve == "head" and self.backfill == "none")

    @property
    def needs_users(self) -> bool:
        """Return whether the recipe makes no sense on a trace that does not know its users."""
        return self.learns or self.order == "priority"

    @property
    def learns(self) -> bool:
        """Return whether predictions come from terminated jobs."""
        return self.predict not in ("estimate", "perfect")

    def why_not_live(self) -> str | None:
        """Return why the recipe runs in simulation alone, or None."""
        if self.predict == "perfect":
            return "predict=perfect knows how long jobs run, which no live system does"
        if self.reserve == "starved" and self.starvation.source in (
            "conservative",
            "well-estimated",
        ):
            return (
                "its threshold comes from a conservative run of the whole trace; give one "
                "(threshold=5, or thresholds=SN/SW/LN/LW), or say threshold=adaptive"
            )
        return None
