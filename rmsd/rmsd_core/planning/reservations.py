"""Reservations: where the planned jobs lie in the profile, from pass to pass.

Simulation rules, "conservative": standing reservations are placed again, and one that no longer
fits is void. Then one job after the other is lifted out and put at its earliest start. Placing
again what still fits changes nothing, and a job finds nothing sooner unless something was given
back since its last look. So while the profile lasts, only the changes are looked at.

Live, a kill or a report takes a moment that no plan knows of. It would make each of several
reservations that follow one another without a gap void, and put it behind any job that fits. So
live reservations slip by that moment, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Profile, Space
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.planning.planner_state import PlannerState, held_by_trial, in_trial, trial_over_us


class Reservations:
    """The planned starts of waiting jobs.

    stands: whether they stand from pass to pass; else every pass begins with none.
    head: the first planned job that does not start now, after `place`.
    next_us: the earliest planned start, after the pass.
    """

    def __init__(self, state: PlannerState, *, stands: bool) -> None:
        self._state = state
        self._stands = stands
        self._lasts = stands and not state.recipe.trial_us
        self._profile: Profile | None = None
        self._spaces: dict[Job, Space] = {}
        # the time of each release in the profile, and its space
        self._running: dict[Job, tuple[int, Space]] = {}
        # True if a trial was committed in this pass on other processors than the plan had for the
        # job.
        self._trial_moved = False
        self._machine = -1
        # The latest time, and the nodes or pool, of what was given back since the jobs' last look.
        self._given_us = -1
        self._given_at: set[int] | None = set()
        self.starts_us: dict[Job, int] = {}
        self.next_us: int | None = None
        self.head: Job | None = None

    def __contains__(self, job: Job) -> bool:
        return job in self.starts_us

    @property
    def profile(self) -> Profile:
        """Return the profile of this pass."""
        assert self._profile is not None
        return self._profile

    def restart_from(self, starts_us: dict[Job, int]) -> None:
        """Replace the plan by these starts. The next pass finds their places."""
        self.starts_us = starts_us
        self._profile = None

    def drop(self, job: Job) -> None:
        """Remove the job from the plan."""
        start_us = self.starts_us.pop(job, None)
        space = self._spaces.pop(job, None)
        if start_us is None or self._profile is None:
            return
        if self._machine == self._state.capacity.machine:  # otherwise the profile is made anew
            self._profile.give(space, start_us, job.prediction_us)
            self._give_notice(self._profile, space, start_us + job.prediction_us)

    # ------------------------------------------------------------ placing again

    def place_standing(self, planned: list[Job], now_us: int) -> None:
        """Bring the profile to `now_us`, with the reservations that still fit."""
        profile = self._profile
        if profile is None or not self._renew(profile, planned, now_us):
            self._build(planned, now_us)

    def _build(self, planned: list[Job], now_us: int) -> None:
        state = self._state
        before_us = self.starts_us if self._stands else {}
        self._profile = profile = state.capacity.profile(state.releases, now_us)
        self.starts_us, self._spaces = {}, {}
        self._place_again(profile, planned, before_us, now_us)
        self._given_us, self._given_at = NEVER_US, None
        state.changes = [] if self._lasts else None
        self._machine = state.capacity.machine
        self._running = {}
        if state.changes is not None:
            soonest_us = now_us + SECOND_US
            for end_us, _, job in state.releases:
                self._running[job] = max(end_us, soonest_us), _held(profile, job)

    def _place_again(
        self, profile: Profile, jobs: Iterable[Job], starts_us: dict[Job, int], now_us: int
    ) -> None:
        if self._state.slip_us:
            self._place_slipping(profile, jobs, starts_us, now_us)
            return
        for job in jobs:
            start_us = starts_us.get(job)
            if start_us is None:
                continue
            start_us = max(start_us, now_us, trial_over_us(job, now_us, self._state.recipe))
            space = profile.space_at(job.request, start_us, job.prediction_us)
            if space is not None:
                self._put(job, start_us, space)

    def _place_slipping(
        self, profile: Profile, jobs: Iterable[Job], starts_us: dict[Job, int], now_us: int
    ) -> None:
        """Place the jobs in the order of their starts, so that none overtakes another by the moment
        it is late."""
        reserved = [job for job in jobs if job in starts_us]
        reserved.sort(key=starts_us.__getitem__)  # stable: equal starts stay in planning order
        for job in reserved:
            over_us = trial_over_us(job, now_us, self._state.recipe)
            start_us = max(starts_us[job], now_us, over_us)
            found = profile.earliest(job.request, job.prediction_us, start_us)
            if found is not None and found[0] <= start_us + self._state.slip_us:
                self._put(job, *found)

    def _renew(self, profile: Profile, planned: list[Job], now_us: int) -> bool:
        """Update the profile of the last pass. Returns False if the changes do not allow that."""
        if self._state.changes is None or self._machine != self._state.capacity.machine:
            return False
        if self.next_us is not None and self.next_us < now_us:
            return False  # a live pass comes late: place the missed starts from now on
        profile.advance(now_us)
        self._apply_changes(profile, now_us)
        self._extend_overdue(profile, now_us)
        if (span := profile.overdrawn()) is not None:
            if self._state.slip_us:
                return False
            first_us, last_us = span
            hit = [
                job
                for job in planned
                if (start_us := self.starts_us.get(job)) is not None
                and start_us < last_us
                and start_us + job.prediction_us > first_us
            ]
            starts_us = {job: self.starts_us[job] for job in hit}
            for job in hit:
                self.drop(job)
            self._place_again(profile, hit, starts_us, now_us)
        return True

    def _apply_changes(self, profile: Profile, now_us: int) -> None:
        assert self._state.changes is not None
        for job, held in self._state.changes:
            if held:
                # A start of None lets the job wait again.
                end_us = max(job.expected_end_us or 0, now_us + SECOND_US)
                space = _held(profile, job)
                profile.take(space, now_us, end_us - now_us)
                self._running[job] = end_us, space
            else:
                end_us, space = self._running.pop(job)
                if end_us > now_us:
                    profile.give(space, now_us, end_us - now_us)
                    self._give_notice(profile, space, end_us)
        self._state.changes.clear()

    def _extend_overdue(self, profile: Profile, now_us: int) -> None:
        """Let the jobs that run beyond their predictions release a second from now."""
        soonest_us = now_us + SECOND_US
        for end_us, _, job in self._state.releases:
            if end_us >= soonest_us:
                break
            planned_us, space = self._running[job]
            if planned_us < soonest_us:
                begin_us = max(planned_us, now_us)
                profile.take(space, begin_us, soonest_us - begin_us)
                self._running[job] = soonest_us, space

    # ------------------------------------------------------------ lifting out

    def place(self, planned: list[Job], now_us: int, depth: int | None) -> list[Job]:
        """Put one job after the other at its earliest start, until `depth` of them must wait.
        Returns the jobs that start now, in order."""
        profile, starts_us, spaces = self.profile, self.starts_us, self._spaces
        recipe = self._state.recipe
        tries = recipe.trial_us > 0
        starting: list[Job] = []
        self._trial_moved = False
        self.head = None
        waiting = 0
        given_us, given_at = self._given_us, self._given_at
        self._given_us, self._given_at = -1, set()
        most = profile.most_free(now_us, given_us) if given_us >= 0 else -1
        for job in planned:
            start_us = starts_us.get(job)
            if start_us is None:
                found = self._earliest(profile, job, now_us)
                if found is None:
                    continue
                starts_us[job], spaces[job] = start_us, space = found
                profile.take(space, start_us, job.prediction_us)
            elif job.size <= most:
                length_us, space = job.prediction_us, spaces[job]
                found = profile.sooner(
                    job.request,
                    space,
                    start_us,
                    length_us,
                    max(now_us, trial_over_us(job, now_us, recipe)) if tries else now_us,
                    given_us,
                    given_at,
                )
                if found is not None:
                    # Jobs behind it look there in this pass, jobs ahead of it in the next.
                    end_us = start_us + length_us
                    if end_us > given_us:
                        given_us = end_us
                    if given_at is not None:
                        given_at |= profile.nodes_of(space)
                    self._give_notice(profile, space, end_us)
                    most = NEVER_US
                    profile.give(space, start_us, length_us)
                    starts_us[job], spaces[job] = start_us, space = found
                    profile.take(space, start_us, length_us)
            if start_us == now_us:
                starting.append(job)
                continue
            if self.head is None:
                self.head = job
            if job.record.reserved_at_us is None:
                self._state.reserve(job, now_us, start_us)
            waiting += 1
            if waiting == depth:
                break
        return starting

    def _earliest(self, profile: Profile, job: Job, now_us: int) -> tuple[int, Space] | None:
        request, length_us = job.request, job.prediction_us
        if in_trial(job, now_us):
            over_us = trial_over_us(job, now_us, self._state.recipe)
            return profile.earliest(request, length_us, over_us)
        if held := held_by_trial(job):
            space = profile.space_of(held)
            if profile.holds(space, now_us, length_us):
                return now_us, space
        return profile.earliest(request, length_us, now_us)

    def _give_notice(self, profile: Profile, space: Space, until_us: int) -> None:
        if until_us > self._given_us:
            self._given_us = until_us
        if self._given_at is not None:
            self._given_at |= profile.nodes_of(space)

    def _put(self, job: Job, start_us: int, space: Space) -> None:
        self.profile.take(space, start_us, job.prediction_us)
        self.starts_us[job] = start_us
        self._spaces[job] = space

    # ------------------------------------------------------------ starting

    def starting_space(self, job: Job, now_us: int) -> Space | None:
        """Return the space in which a job that `place` has returned starts. An expired trial is
        committed on the processors it already holds; if the plan had reserved them for another job,
        that job is planned again. Returns None if the job has no space now, and waits."""
        profile, length_us, space = self.profile, job.prediction_us, self._spaces[job]
        if held := held_by_trial(job):
            here = profile.space_of(held)
            if here != space:
                profile.give(space, now_us, length_us)
                profile.take(here, now_us, length_us)
                self._spaces[job], self._trial_moved = here, True
        elif self._trial_moved:
            self.drop(job)
            found = profile.earliest(job.request, length_us, now_us)
            if found is not None:
                self._put(job, *found)
            if found is None or found[0] > now_us:
                return None
        return self._spaces[job]

    def started(self, job: Job, space: Space, now_us: int) -> None:
        """Note that the job starts now in `space`, which it has been given in the profile."""
        self.starts_us.pop(job, None)
        self._spaces.pop(job, None)
        if self._state.changes is not None:
            self._running[job] = now_us + job.prediction_us, space

    def passed(self) -> None:
        """Note that the pass is over; its own starts are no changes for the next one."""
        self.next_us = min(self.starts_us.values(), default=None)
        if self._state.changes is not None:
            self._state.changes.clear()


def _held(profile: Profile, job: Job) -> Space:
    """Return what the job will give back, if nodes of its own have not done so already."""
    return profile.space_of(job.releasing())
