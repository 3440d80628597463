"""One pass of the recipes that plan several jobs over a profile: the first n, everyone, or those
past a starvation threshold. Simulation rules, "Plans over a profile"."""

from __future__ import annotations

from rmsd_core.capacity import Profile, Space
from rmsd_core.drift import Drift
from rmsd_core.job import Allocation, Job
from rmsd_core.starvation import Promotions
from rmsd_core.state import PlannerState, StartJob, held_by_trial, in_trial
from rmsd_core.waiting import Bounds


class PlanPass:
    """reserve "first", "everyone" and "starved".

    In arrival order, and for promoted jobs in the order of their promotion, reservations stand from
    pass to pass; in other orders the plan is made anew.
    """

    def __init__(self, state: PlannerState) -> None:
        self._state = state
        recipe = state.recipe
        self._promotions = Promotions(recipe.starvation) if recipe.reserve == "starved" else None
        self._stands = recipe.reserve == "starved" or (
            recipe.reserve == "everyone" and recipe.order == "arrival"
        )
        self._starts_us: dict[Job, int] = {}
        self._drift = Drift(state, self._promotions)
        self.wake_us: int | None = None

    def watch(self, job: Job) -> None:
        """The job waits from now on."""
        if self._promotions is not None:
            self._promotions.watch(job)

    def ended(self, job: Job) -> None:
        """The job has terminated; adaptive thresholds follow."""
        if self._promotions is not None:
            self._promotions.ended(job)

    def planned_us(self, job: Job) -> int | None:
        """When the standing plan has the job start, if it is part of it."""
        return self._starts_us.get(job)

    def forget(self, job: Job) -> None:
        """The job does not wait any more."""
        self._starts_us.pop(job, None)
        if self._promotions is not None:
            self._promotions.forget(job)

    def run(self, now_us: int, start: StartJob) -> None:
        state = self._state
        self._drift.catch_up(now_us, self._starts_us)
        before_us, self._starts_us = self._starts_us, {}
        profile = state.capacity.profile(state.releases, now_us)
        planned = self._planned(now_us)
        laid = self._lay(profile, planned, before_us, now_us) if self._stands else {}
        go = self._place(profile, planned, laid, now_us)
        self._start_planned(profile, go, start)
        beside = state.recipe.reserve != "everyone" and self._start_beside(profile, now_us, start)
        self.wake_us = min(self._starts_us.values(), default=None)
        self._drift.passed(now_us, before_us, self._starts_us, changed=bool(go) or beside)
        if self.wake_us is not None:
            self.wake_us += self._drift.skipped_us

    # ------------------------------------------------------------ the plan

    def _planned(self, now_us: int) -> list[Job]:
        """The jobs to plan, in planning order."""
        if self._promotions is None:
            return list(self._state.queue.jobs(now_us))
        self._promotions.promote_due(now_us)
        return self._promotions.promoted()

    def _lay(
        self, profile: Profile, planned: list[Job], before_us: dict[Job, int], now_us: int
    ) -> dict[Job, tuple[int, Space]]:
        """Lay the standing reservations down again; one that no longer fits is void."""
        laid: dict[Job, tuple[int, Space]] = {}
        for job in planned:
            start_us = before_us.get(job)
            if start_us is None:
                continue
            start_us = max(start_us, now_us, job.trial_end_us)
            space = profile.space_at(job.request, start_us, job.prediction_us)
            if space is not None:
                profile.take(space, start_us, job.prediction_us)
                laid[job] = start_us, space
        return laid

    def _place(
        self,
        profile: Profile,
        planned: list[Job],
        laid: dict[Job, tuple[int, Space]],
        now_us: int,
    ) -> list[tuple[Job, Space]]:
        """Put one job after another at its earliest start, the first `depth` of them if only those
        are promised one; returns those that start now, in order."""
        go: list[tuple[Job, Space]] = []
        depth = self._state.recipe.depth if self._state.recipe.reserve == "first" else -1
        for job in planned:
            length_us = job.prediction_us
            if (standing := laid.get(job)) is not None:
                profile.give(standing[1], standing[0], length_us)
            found = self._earliest(profile, job, now_us)
            if found is None:
                continue
            start_us, space = found
            profile.take(space, start_us, length_us)
            if start_us == now_us:
                go.append((job, space))
                continue
            self._starts_us[job] = start_us
            if job.reserved_at_us < 0:
                self._state.reserve(job, now_us, start_us)
            if len(self._starts_us) == depth:
                break
        return go

    def _earliest(self, profile: Profile, job: Job, now_us: int) -> tuple[int, Space] | None:
        if held := held_by_trial(job):
            if in_trial(job, now_us):
                return profile.earliest(job.request, job.prediction_us, job.trial_end_us)
            space = profile.space_of(held)
            if profile.holds(space, now_us, job.prediction_us):
                return now_us, space
        return profile.earliest(job.request, job.prediction_us, now_us)

    # ------------------------------------------------------------ starts

    def _start_planned(
        self, profile: Profile, go: list[tuple[Job, Space]], start: StartJob
    ) -> None:
        head = next(iter(self._starts_us), None)
        for job, space in go:
            allocation = held_by_trial(job) or profile.allocation(job.request, space)
            assert allocation is not None
            self._state.dequeue(job)
            self.forget(job)
            start(job, allocation, head if head is not None and head.seq < job.seq else None)

    def _start_beside(self, profile: Profile, now_us: int, start: StartJob) -> bool:
        """Start the jobs without a reservation that fit now and beside the plan; whether any."""
        state = self._state
        if not state.queue.any_within(state.capacity.free):
            return False
        head = next(iter(self._starts_us), None)
        bounds = Bounds(0, 0, 0)
        self._narrow(bounds, profile, now_us)
        started: list[Job] = []
        for job in state.backfill.candidates(bounds, now_us):
            if job in self._starts_us or in_trial(job, now_us):
                continue
            allocation = self._beside(profile, job, now_us)
            if allocation is not None:
                started.append(job)
                start(job, allocation, head)
                self._narrow(bounds, profile, now_us)
        for job in started:
            state.dequeue(job)
            self.forget(job)
        return bool(started)

    def _beside(self, profile: Profile, job: Job, now_us: int) -> Allocation | None:
        """Where the job starts now without disturbing the plan; the profile is told."""
        length_us = self._state.fit_length(job)
        held = held_by_trial(job)
        if held:
            space = profile.space_of(held)
            if not profile.holds(space, now_us, length_us):
                return None
        else:
            space = profile.space_at(job.request, now_us, length_us)
            if space is None:
                return None
        profile.take(space, now_us, job.prediction_us)
        return held or profile.allocation(job.request, space)

    def _narrow(self, bounds: Bounds, profile: Profile, now_us: int) -> None:
        step_us, bounds.extra = profile.step()
        bounds.window_us = step_us - now_us
        bounds.free = self._state.capacity.free
