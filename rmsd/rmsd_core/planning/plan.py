"""One pass of the recipes that plan several jobs over a profile: the first n, all jobs, or those
past a starvation threshold. Simulation rules, "Plans over a profile"."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.machine.capacity import Profile, Space
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.planning.planner_state import (
    PlannerState,
    StartJob,
    held_by_trial,
    holds_nothing,
    in_trial,
)
from rmsd_core.planning.repeated_passes import RepeatedPasses
from rmsd_core.planning.reservations import Reservations
from rmsd_core.planning.start_windows import longest_in, request_now
from rmsd_core.planning.starvation import Promotions
from rmsd_core.recipes.extensions import RESERVES
from rmsd_core.recipes.recipe import Recipe


@dataclass(slots=True)
class _RefusedJobs:
    """The jobs that have found no space beside a plan. at: the time, and how often something had
    been given back in the profile."""

    profile: Profile | None = None
    at: tuple[int, int] = (0, 0)
    jobs: set[Job] = field(default_factory=set)


class PlanPass:
    """The pass of the recipes with reserve "first", "everyone" and "starved".

    Reservations stand from pass to pass in arrival order, and for promoted jobs in the order of
    their promotion. In other orders the plan is made anew.
    """

    def __init__(self, state: PlannerState) -> None:
        self._state = state
        recipe = state.recipe
        self._promotions = _promotions(recipe)
        self._stands = recipe.promotes or (
            recipe.reserve == "everyone" and recipe.order == "arrival"
        )
        self._reservations = Reservations(state, stands=self._stands)
        self._repeated = RepeatedPasses(state, self._promotions)
        self._held_changes = 0
        self._refused = _RefusedJobs()
        self.wake_us: int | None = None

    def enqueue(self, job: Job) -> None:
        """Let the job wait from now on."""
        self._state.enqueue(job)
        if self._promotions is not None:
            self._promotions.watch(job)

    def ended(self, job: Job, start_us: int, end_us: int) -> None:
        """Note that the job has terminated; adaptive thresholds follow."""
        if self._promotions is not None:
            self._promotions.ended(job, start_us, end_us)

    def planned(self, now_us: int) -> Mapping[Job, int]:
        """Return the planned starts of the last pass, adjusted to the present [us]."""
        starts_us = self._reservations.starts_us
        repeated = self._repeated
        return repeated.seen_from(now_us, starts_us) if repeated.skipped_us else starts_us

    def dequeue(self, job: Job) -> None:
        """Let the job wait no more. Raises KeyError if it does not."""
        self._state.dequeue(job)
        self.forget(job)

    def hold_back(self, job: Job) -> None:
        """Hold back a job in the queue that would pass a limit."""
        self._state.hold_back(job)
        self.forget(job)

    def forget(self, job: Job) -> None:
        """Note that the job does not wait any more."""
        self._reservations.drop(job)
        self._refused.jobs.discard(job)
        if self._promotions is not None:
            self._promotions.forget(job)

    def look_at_all(self) -> None:
        """Look for a sooner start of every job: some may run where they could not before."""
        self._reservations.look_at_all()

    def look_again(self, now_us: int) -> None:
        """Skip no more passes if what is held, or until when, has changed without a pass. (A killed
        trial has left, and the job that had claimed its place has started.)"""
        if self._repeated.skipped_us and self._state.held_changes != self._held_changes:
            self._repeated.skip_no_more(now_us)
            self._set_wake()

    def _set_wake(self) -> None:
        self.wake_us = self._reservations.next_us
        if self.wake_us is not None:
            self.wake_us += self._repeated.skipped_us

    def memory(self, now_us: int) -> PlannerMemory:
        """Return what stands from pass to pass, and the averages that thresholds come from. Passes
        that were skipped up to `now_us` count as done."""
        slowdowns, ended = self._promotions.averages if self._promotions else ([], [])
        starts_us = self.planned(now_us + 1) if self._stands else {}
        return PlannerMemory(
            slowdowns=list(slowdowns),
            ended=list(ended),
            planned_us={job.id: start_us for job, start_us in starts_us.items()},
        )

    def restore(self, memory: PlannerMemory, jobs: Mapping[int, Job]) -> None:
        """Continue from `memory`; `jobs` are the live ones, by id."""
        if self._promotions is not None:
            self._promotions.restore(memory.slowdowns, memory.ended)
        planned = memory.planned_us.items()
        self._reservations.restart_from({jobs[at]: us for at, us in planned if at in jobs})

    def run(self, now_us: int, start: StartJob, *, undisturbed: bool) -> None:
        """Run one pass; `undisturbed`: nothing but the time has changed since the last one."""
        reservations = self._reservations
        if self._repeated.skipped_us:
            reservations.restart_from(self._repeated.caught_up(now_us, reservations.starts_us))
        if self._promotions is not None:
            self._promote(self._promotions, now_us)
        reservations.place_standing(lambda: self._planned(now_us), now_us)
        full: set[str | None] = set()
        held: dict[Job, None] = {}
        planned = self._within_limits(self._planned(now_us, full), held, now_us)
        starting = reservations.place(planned, now_us, full)
        self._start_planned(starting, held, now_us, start)
        backfills = self._state.recipe.backfill != "none"
        # A pass that was cut has not planned all jobs beside which others may start.
        backfills = backfills and not self._state.is_cut
        beside = backfills and self._start_beside(held, now_us, start)
        if self._state.limits.in_force and (starting or beside):  # these may have used up a limit
            refusal = self._state.limits.refusal
            held |= {job: None for job in reservations.starts_us if refusal(job) is not None}
        for job in held:
            self.hold_back(job)
        reservations.passed(now_us)
        # A pass that is like the one before may leave another plan if there are windows.
        alike = undisturbed and self._state.windows is None and not self._state.is_cut
        if alike and not starting and not beside and not held:
            self._repeated.passed(now_us, dict(reservations.starts_us))
        else:
            self._repeated.forget()
        self._held_changes = self._state.held_changes
        self._set_wake()
        if held:  # others may start where these would have
            self.wake_us = now_us

    def _promote(self, promotions: Promotions, now_us: int) -> None:
        """Promote the jobs that are due. One that a limit refuses is held back instead, as it would
        have been if an earlier pass had looked at it."""
        limits = self._state.limits
        due = promotions.due(now_us)
        if limits.in_force:
            for job in due:
                if limits.refusal(job) is not None:
                    self.hold_back(job)
            due = [job for job in due if job not in limits]
        promotions.promote(due, now_us)
        self._state.promised.update(dict.fromkeys(due))

    def _within_limits(
        self, jobs: Iterable[Job], held: dict[Job, None], now_us: int
    ) -> Iterable[Job]:
        """Return the jobs without those that are refused, which are added to `held`. A job with a
        reservation is refused only if it would pass a limit."""
        state, limits, reservations = self._state, self._state.limits, self._reservations
        if not limits.in_force:
            return jobs

        def keeps(job: Job) -> bool:
            if limits.refusal(job) is None and (
                job in reservations or not limits.comes_too_early(job, state.queue, now_us)
            ):
                return True
            held[job] = None
            return False

        return filter(keeps, jobs)

    def _planned(self, now_us: int, full: Container[str | None] = ()) -> Iterable[Job]:
        """Return the jobs to plan, in planning order; no more of the partitions that are in
        `full`."""
        if self._promotions is None:
            partitioned = self._state.partitioned
            if partitioned is not None:
                return partitioned.jobs_but(now_us, full)
            return self._state.queue.jobs(now_us)
        return self._promotions.promoted()

    # ------------------------------------------------------------ starts

    def _start_planned(
        self, starting: list[Job], held: dict[Job, None], now_us: int, start: StartJob
    ) -> None:
        """Start the jobs whose time has come, but for those that would pass a limit since others
        have started: these are added to `held`."""
        profile, head = self._reservations.profile, self._reservations.head
        for job in self._within_limits(starting, held, now_us):
            space = self._reservations.starting_space(job, now_us)
            if space is None:
                continue
            allocation = held_by_trial(job) or profile.allocation(job.request, space)
            assert allocation is not None
            self._reservations.starts(job)
            self._state.dequeue(job)
            self.forget(job)
            start(job, allocation, head if head is not None and head.seq < job.seq else None)

    def _start_beside(self, held: dict[Job, None], now_us: int, start: StartJob) -> bool:
        """Start the jobs without a reservation that fit now and beside the plan, and pass no limit:
        others are added to `held`. Returns whether any started."""
        state, reservations = self._state, self._reservations
        if not state.queue.any_within(state.capacity.free):
            return False
        profile, length = reservations.profile, state.fit_length
        capacity, may_hold, tries = state.capacity, profile.may_hold, state.recipe.trial_us > 0

        refused = self._refused_beside(now_us)

        def may_place(request: Request, length_us: int) -> bool:
            if not tries and reservations.is_spent():
                return True  # the pass ends at the next candidate
            # The profile is asked first about devices: the capacity looks at each node for them.
            if any(one.needs is not None for one in request.components):
                return may_hold(request, length_us) and capacity.may_place(request)
            return capacity.may_place(request) and may_hold(request, length_us)

        bounds = Bounds(
            0,
            0,
            0,
            lambda job: not holds_nothing(job) or may_hold(job.request, length(job)),
            longest_in(state.windows, capacity, now_us),
            None if capacity.alike else may_place,
        )
        self._narrow(bounds, now_us)
        started: list[Job] = []
        for job in state.backfill.candidates(bounds, now_us):
            if not tries and reservations.is_spent():
                break
            if job in refused:
                continue
            on_trial = held_by_trial(job) if tries else ()
            if not on_trial and not may_hold(job.request, length(job)):
                continue
            if job in reservations or (tries and in_trial(job, now_us)):
                continue
            space = self._space_beside(job, on_trial, now_us)
            if space is None:
                refused.add(job)
                continue
            # More jobs are candidates than fit, by bounds that another core need not have.
            if state.is_refused(job, now_us):
                held[job] = None
                continue
            profile.take(space, now_us, job.prediction_us)
            allocation = on_trial or profile.allocation(job.request, space)
            assert allocation is not None
            reservations.started(job)
            started.append(job)
            start(job, allocation, reservations.head)
            self._narrow(bounds, now_us)
        for job in started:
            state.dequeue(job)
            self.forget(job)
        return bool(started)

    def _refused_beside(self, now_us: int) -> set[Job]:
        """Return the jobs that have found no space in an earlier part of this pass. Since then
        nothing was given back: otherwise there are none."""
        profile, before = self._reservations.profile, self._refused
        if before.profile is not profile or before.at != (now_us, profile.gives):
            self._refused = _RefusedJobs(profile, (now_us, profile.gives))
        return self._refused.jobs

    def _space_beside(self, job: Job, held: Allocation, now_us: int) -> Space | None:
        """Return the space in which the job can start now without disturbing the plan. `held`: what
        its expired trial holds."""
        profile = self._reservations.profile
        length_us = self._state.fit_length(job)
        if held:
            space = profile.space_of(held)
            return space if profile.holds(space, now_us, length_us) else None
        request = request_now(self._state.windows, job, now_us)
        return None if request is None else profile.space_at(request, now_us, length_us)

    def _narrow(self, bounds: Bounds, now_us: int) -> None:
        step_us, bounds.extra = self._reservations.profile.step()
        bounds.window_us = step_us - now_us
        bounds.free = self._state.capacity.free


def _promotions(recipe: Recipe) -> Promotions | None:
    if not recipe.promotes:
        return None
    rule = RESERVES.get(recipe.reserve)
    return Promotions(recipe.starvation, rule.due_us if rule else None)
