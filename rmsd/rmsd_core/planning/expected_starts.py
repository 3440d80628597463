"""The expected starts of the waiting jobs, for callers.

If the planner has a reservation, it is the expected start: the head's shadow time (EASY), or the
plan of the recipes that keep one. For the other jobs it is a projection: running jobs end by their
predictions, and no other job comes. The waiting jobs are laid in queue order, each at its earliest
place. A job without a limit is assumed to run for a day, and a day more whenever that is over. No
decision depends on any of this, and computing it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Capacity, Profile, Release, Shadow, Space
from rmsd_core.model_time import NEVER_US, SECOND_US, UNLIMITED_US
from rmsd_core.planning.planner_state import held_by_trial, in_trial, trial_over_us
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import JobState

DEPTH = 200
"""The number of jobs of the queue that are placed; those behind them have no expected start."""
HORIZON_US = UNLIMITED_US // 2
"""A start or end later than this is that of no job with a limit."""

ASSUMED_US = 86_400 * SECOND_US
"""The time that a job without a limit is assumed to run: that of most jobs with one is shorter."""

Basis = Literal["reservation", "projection", "trial", "claim", "assumption"]
"""The source of an expected start. "reservation": nothing behind the job may delay it;
"projection": the queue laid out; "trial": as soon as its trial fits; "claim": as soon as the trials
that are killed for it have left; "assumption": as "projection" or "trial", and perhaps behind a job
without a limit."""


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
    and its time. left_out: how many waiting jobs are too far behind to be looked at. assumed_us:
    the first end of a job without a limit that was assumed.
    """

    now_us: int
    expected: dict[int, Expected] = field(default_factory=dict)
    head: Job | None = None
    left_out: int = 0
    assumed_us: int = NEVER_US


@dataclass(frozen=True, slots=True)
class Present:
    """The facts from which expected starts are computed, which changes none of them.

    queue: the waiting jobs in queue order, trials that run or have expired among them. heads: its
    first job, or the first of each partition. planned: starts by the standing plan. untried: the
    jobs that wait for a trial, in arrival order. claiming: the jobs that have claimed
    what others are leaving.
    """

    now_us: int
    recipe: Recipe
    capacity: Capacity
    releases: Sequence[Release]
    queue: Sequence[Job]
    heads: Sequence[Job]
    planned: Mapping[Job, int]
    untried: Iterable[Job] = ()
    claiming: Iterable[Job] = ()

    def planned_us(self, job: Job) -> int | None:
        """Return the start that the standing plan has for the job; None if there is none, or it is
        behind a job without a limit."""
        planned_us = self.planned.get(job)
        return None if planned_us is None or planned_us - self.now_us >= HORIZON_US else planned_us


def look_ahead(present: Present, depth: int = DEPTH) -> ExpectedStarts:
    """Return the expected starts. A job without one in them has no known start."""
    starts = ExpectedStarts(present.now_us)
    releases = assumed_releases(present)
    profile = present.capacity.profile(releases, present.now_us)
    starts.assumed_us = min(
        (end_us for end_us, _, job in releases if _endless(job)), default=NEVER_US
    )
    for job in present.claiming:
        assert job.expected_end_us is not None
        length_us = max(
            0, assumed_end_us(job, job.expected_end_us, present.now_us) - present.now_us
        )
        starts.expected[job.id] = Expected(present.now_us, length_us, "claim")
    _expect_trials(starts, profile, present, depth)
    _expect_queue(starts, profile, present, depth)
    return starts


def assumed_releases(present: Present) -> list[Release]:
    """Return what is held, by expected end, with assumed ends of the jobs without a limit."""
    now_us = present.now_us
    return sorted(
        (assumed_end_us(job, end_us, now_us), seq, job) for end_us, seq, job in present.releases
    )


def assumed_end_us(job: Job, end_us: int, now_us: int) -> int:
    """Return the expected end of a job that runs until `end_us`. Without a limit, this is the end
    of the day that the job is in, counted from its start."""
    if end_us - now_us < HORIZON_US:
        return end_us
    begun_us = now_us if job.start_us is None else min(job.start_us, now_us)
    return begun_us + ((now_us - begun_us) // ASSUMED_US + 1) * ASSUMED_US


def _length_us(job: Job) -> int:
    """Return how long a waiting job is expected to run."""
    return job.prediction_us if job.prediction_us < HORIZON_US else ASSUMED_US


def _endless(job: Job) -> bool:
    return job.prediction_us >= HORIZON_US


def _expect_trials(starts: ExpectedStarts, profile: Profile, present: Present, depth: int) -> None:
    """Place trials in arrival order as soon as they fit, whatever is reserved (Timed, 2)."""
    for job in islice(present.untried, depth):
        length_us = min(_length_us(job), present.recipe.trial_us)
        if (found := profile.earliest(job.request, length_us, present.now_us)) is not None:
            _expect(starts, profile, job, found, length_us, "trial")


def _expect_queue(starts: ExpectedStarts, profile: Profile, present: Present, depth: int) -> None:
    recipe = present.recipe
    turns_us: dict[str | None, int] = {}  # used if no job passes another
    for at, job in enumerate(_in_order_of_plan(present)):
        waits = job.state is JobState.PENDING and job.id not in starts.expected
        if at >= depth:
            _beyond(starts, present, job, waits=waits)
            continue
        if not waits and job.prediction_us <= present.recipe.trial_us:
            continue  # the job fits into its trial
        turn_us = turns_us.get(job.request.partition, present.now_us)
        found, basis = _place(starts, profile, present, job, turn_us, first=job in present.heads)
        if found is None:
            continue
        if recipe.in_turn:
            turns_us[job.request.partition] = found[0]
        if waits:
            _expect(starts, profile, job, found, _length_us(job), basis)
        else:
            profile.take(found[1], found[0], _length_us(job))
        if _endless(job):
            starts.assumed_us = min(starts.assumed_us, found[0] + ASSUMED_US)


def _beyond(starts: ExpectedStarts, present: Present, job: Job, *, waits: bool) -> None:
    """Take the start of a job that is too far behind to be laid from the plan, if the plan has
    one."""
    if (planned_us := present.planned_us(job)) is not None:
        if waits:
            start_us = max(planned_us, starts.now_us)
            starts.expected[job.id] = Expected(start_us, _length_us(job), "reservation")
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
    length_us = _length_us(job)
    if job.id in starts.expected:  # the trial comes first
        not_before_us = max(turn_us, starts.expected[job.id].end_us)
        return profile.earliest(job.request, length_us, not_before_us), "projection"
    not_before_us = max(turn_us, trial_over_us(job, now_us, recipe))
    if (planned_us := present.planned_us(job)) is not None:
        start_us = max(planned_us, not_before_us)
        space = profile.space_at(job.request, start_us, length_us)
        if space is not None:
            return (start_us, space), "reservation"
        return profile.earliest(job.request, length_us, start_us), "reservation"
    if first and recipe.reserve == "head":
        starts.head = job
        shadow_us = shadow_of(present, job).time_us
        if shadow_us - now_us < HORIZON_US:
            # EASY's start for the head. The head fits there unless a job is overdue, which the
            # shadow counts as about to end (simulation rules, "EASY").
            return profile.earliest(job.request, length_us, shadow_us), "reservation"
    held = held_by_trial(job)
    if held and not in_trial(job, now_us):
        space = profile.space_of(held)
        if profile.holds(space, not_before_us, length_us):
            return (not_before_us, space), "projection"
    return profile.earliest(job.request, length_us, not_before_us), "projection"


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
    if basis in ("projection", "trial") and start_us >= starts.assumed_us:
        basis = "assumption"
    if start_us - starts.now_us < HORIZON_US:
        nodes = profile.nodes_of(space)
        starts.expected[job.id] = Expected(start_us, length_us, basis, nodes)
