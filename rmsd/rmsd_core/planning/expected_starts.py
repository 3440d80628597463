"""The expected starts of the waiting jobs, for callers.

If the planner has a reservation, it is the expected start: the head's shadow time (EASY), or the
plan of the recipes that keep one. For the other jobs it is a projection: running jobs end by their
predictions, and no other job comes. The waiting jobs are laid in queue order, each at its earliest
place. No decision depends on any of this, and computing it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Capacity, Profile, Release, Shadow, Space
from rmsd_core.model_time import UNLIMITED_US
from rmsd_core.planning.planner_state import held_by_trial, in_trial, trial_over_us
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import JobState

DEPTH = 200
"""The number of jobs of the queue that are placed; those behind them have no expected start."""
HORIZON_US = UNLIMITED_US // 2
"""A start later than this waits for a job without a limit, and is not expected."""

Basis = Literal["reservation", "projection", "trial", "claim"]
"""The source of an expected start. "reservation": nothing behind the job may delay it;
"projection": the queue laid out; "trial": as soon as its trial fits; "claim": as soon as the trials
that are killed for it have left."""


class Expected(NamedTuple):
    """A waiting job is expected to run from `start_us` for `length_us`, on the nodes of these bits
    (none: anywhere in the one pool)."""

    start_us: int
    length_us: int
    basis: Basis
    nodes: int = 0

    @property
    def end_us(self) -> int:
        return self.start_us + self.length_us


@dataclass(slots=True)
class ExpectedStarts:
    """The expected starts at `now_us`, the plan's time.

    expected: by job id, in the order of laying. head: the job that has the one reservation of EASY,
    and its time. left_out: how many waiting jobs are too far behind to be looked at.
    """

    now_us: int
    expected: dict[int, Expected] = field(default_factory=dict)
    head: Job | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Present:
    """The facts from which expected starts are computed, which changes none of them.

    queue: the waiting jobs in queue order, trials that run or have expired among them. planned:
    starts by the standing plan. untried: the jobs that wait for a trial, in arrival order.
    claiming: the jobs that have claimed what others are leaving.
    """

    now_us: int
    recipe: Recipe
    capacity: Capacity
    releases: Sequence[Release]
    queue: Sequence[Job]
    planned: Mapping[Job, int]
    untried: Iterable[Job] = ()
    claiming: Iterable[Job] = ()


def look_ahead(present: Present, depth: int = DEPTH) -> ExpectedStarts:
    """Return the expected starts. A job without one in them has no known start."""
    starts = ExpectedStarts(present.now_us)
    profile = present.capacity.profile(present.releases, present.now_us)
    for job in present.claiming:
        assert job.expected_end_us is not None
        length_us = max(0, job.expected_end_us - present.now_us)
        starts.expected[job.id] = Expected(present.now_us, length_us, "claim")
    _expect_trials(starts, profile, present, depth)
    _expect_queue(starts, profile, present, depth)
    return starts


def _expect_trials(starts: ExpectedStarts, profile: Profile, present: Present, depth: int) -> None:
    """Place trials in arrival order as soon as they fit, whatever is reserved (Timed, 2)."""
    for job in islice(present.untried, depth):
        length_us = min(job.prediction_us, present.recipe.trial_us)
        if (found := profile.earliest(job.request, length_us, present.now_us)) is not None:
            _expect(starts, profile, job, found, length_us, "trial")


def _expect_queue(starts: ExpectedStarts, profile: Profile, present: Present, depth: int) -> None:
    recipe = present.recipe
    turn_us = present.now_us
    for at, job in enumerate(_in_order_of_plan(present)):
        waits = job.state is JobState.PENDING and job.id not in starts.expected
        if at >= depth:
            _beyond(starts, present, job, waits=waits)
            continue
        if not waits and job.prediction_us <= present.recipe.trial_us:
            continue  # the job fits into its trial
        found, basis = _place(starts, profile, present, job, turn_us, first=at == 0)
        if found is None:
            continue
        if recipe.in_turn:
            turn_us = found[0]
        if waits:
            _expect(starts, profile, job, found, job.prediction_us, basis)
        else:
            profile.take(found[1], found[0], job.prediction_us)


def _beyond(starts: ExpectedStarts, present: Present, job: Job, *, waits: bool) -> None:
    """Take the start of a job that is too far behind to be laid from the plan, if the plan has
    one."""
    if (planned_us := present.planned.get(job)) is not None:
        if waits and planned_us - starts.now_us < HORIZON_US:
            start_us = max(planned_us, starts.now_us)
            starts.expected[job.id] = Expected(start_us, job.prediction_us, "reservation")
    else:
        starts.left_out += waits


def _in_order_of_plan(present: Present) -> Iterable[Job]:
    """Return the jobs in the order of laying: those with a reservation before those that must fit
    beside it."""
    if present.recipe.reserve in ("nobody", "head"):
        return present.queue
    return [
        *(job for job in present.queue if job in present.planned),
        *(job for job in present.queue if job not in present.planned),
    ]


def _place(
    starts: ExpectedStarts,
    profile: Profile,
    present: Present,
    job: Job,
    turn_us: int,
    *,
    first: bool,
) -> tuple[tuple[int, Space] | None, Basis]:
    now_us, recipe = present.now_us, present.recipe
    length_us = job.prediction_us
    if job.id in starts.expected:  # the trial comes first
        not_before_us = max(turn_us, starts.expected[job.id].end_us)
        return profile.earliest(job.request, length_us, not_before_us), "projection"
    not_before_us = max(turn_us, trial_over_us(job, now_us, recipe))
    if (planned_us := present.planned.get(job)) is not None:
        start_us = max(planned_us, not_before_us)
        space = profile.space_at(job.request, start_us, length_us)
        if space is not None:
            return (start_us, space), "reservation"
        return profile.earliest(job.request, length_us, start_us), "reservation"
    if first and recipe.reserve == "head":
        starts.head = job
        return _at_shadow(profile, present, job), "reservation"
    held = held_by_trial(job)
    if held and not in_trial(job, now_us):
        space = profile.space_of(held)
        if profile.holds(space, not_before_us, length_us):
            return (not_before_us, space), "projection"
    return profile.earliest(job.request, length_us, not_before_us), "projection"


def _at_shadow(profile: Profile, present: Present, head: Job) -> tuple[int, Space] | None:
    """Return the start that EASY has for the head, and its space. The head fits there unless a job
    is overdue, which the shadow counts as about to end (simulation rules, "EASY")."""
    shadow = shadow_of(present, head)
    return profile.earliest(head.request, head.prediction_us, shadow.time_us)


def shadow_of(present: Present, head: Job) -> Shadow:
    """Return the reservation that EASY has for the first job of the queue."""
    recipe, now_us = present.recipe, present.now_us
    not_before_us = trial_over_us(head, now_us, recipe)
    return present.capacity.shadow(
        head.request, present.releases, now_us, not_before_us, recipe.extra
    )


def _expect(
    starts: ExpectedStarts,
    profile: Profile,
    job: Job,
    found: tuple[int, Space],
    length_us: int,
    basis: Basis,
) -> None:
    start_us, space = found
    profile.take(space, start_us, length_us)
    if start_us - starts.now_us < HORIZON_US:
        nodes = profile.nodes_of(space)
        starts.expected[job.id] = Expected(start_us, length_us, basis, nodes)
