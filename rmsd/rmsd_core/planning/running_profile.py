"""The profile of the running jobs alone: what is free before any reservation is placed.

The profile is kept from pass to pass, and only the jobs that began or ceased to hold something are
looked at. A plan that is made anew begins with a copy.
"""

from __future__ import annotations

from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Profile, Space
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.planner_state import PlannerState


class Change(NamedTuple):
    """A change of the profile: `space` is held from `start_us` to `end_us`, or no longer."""

    space: Space
    start_us: int
    end_us: int
    is_held: bool

    def apply_to(self, profile: Profile) -> None:
        change = profile.take if self.is_held else profile.give
        change(self.space, self.start_us, self.end_us - self.start_us)


class RunningProfile:
    """The free capacity beside the running jobs, by their expected ends.

    keeps: whether the profile itself is kept. Otherwise only its changes are, and each copy is made
        anew, which is quicker where copies are rare.
    """

    def __init__(self, state: PlannerState, *, keeps: bool) -> None:
        self._state = state
        self._keeps = keeps
        self._profile: Profile | None = None
        self._machine: int | None = None
        # when each job gives back its space in the profile
        self._spaces: dict[Job, tuple[int, Space]] = {}

    def is_of_this_machine(self) -> bool:
        """Return whether the machine is still that of the profile."""
        return self._machine == self._state.capacity.machine

    def copy(self, now_us: int) -> Profile:
        """Return the profile as of the update at `now_us`, to place reservations in."""
        if not self._keeps:
            return self._state.capacity.profile(self._state.releases, now_us)
        assert self._profile is not None
        return self._profile.copy()

    def update(self, now_us: int) -> list[Change] | None:
        """Bring the profile to `now_us`. Return what has changed since the last update; None if the
        profile is one of another machine than it was."""
        profile = self._profile
        if profile is None:
            self._make(now_us)
            return None
        is_of_this_machine = self.is_of_this_machine()
        if not is_of_this_machine and not (self._keeps and profile.may_renew()):
            self._make(now_us)
            return None
        changes = self._changes(profile, now_us)
        self._extend_overdue(changes, now_us)
        if self._keeps:
            profile.advance(now_us)
            for change in changes:
                change.apply_to(profile)
        if is_of_this_machine:
            return changes
        profile.renew(self._spaces)
        self._machine = self._state.capacity.machine
        return None

    def _make(self, now_us: int) -> None:
        state, soonest_us = self._state, now_us + SECOND_US
        self._machine = state.capacity.machine
        self._profile = profile = state.capacity.profile((), now_us)
        self._spaces = {
            job: (max(end_us, soonest_us), profile.end(job, job.releasing(), end_us))
            for end_us, _, job in state.releases
        }
        state.changes = []

    def _changes(self, profile: Profile, now_us: int) -> list[Change]:
        """Return what began or ceased to be held."""
        state = self._state
        assert state.changes is not None
        changes: list[Change] = []
        for job, is_held in state.changes:
            if is_held:
                # A job that waits again has no expected end.
                end_us = max(job.expected_end_us or 0, now_us + SECOND_US)
                space = _held(profile, job)
                self._spaces[job] = end_us, space
            else:
                end_us, space = self._spaces.pop(job)
            if end_us > now_us:
                changes.append(Change(space, now_us, end_us, is_held))
        state.changes.clear()
        return changes

    def _extend_overdue(self, changes: list[Change], now_us: int) -> None:
        """Let the jobs that run beyond their predictions release a second from now."""
        soonest_us = now_us + SECOND_US
        for end_us, _, job in self._state.releases:
            if end_us >= soonest_us:
                break
            planned_us, space = self._spaces[job]
            if planned_us < soonest_us:
                changes.append(Change(space, max(planned_us, now_us), soonest_us, True))
                self._spaces[job] = soonest_us, space


def _held(profile: Profile, job: Job) -> Space:
    """Return what the job will give back, if nodes of its own have not done so already."""
    return profile.space_of(job.releasing())
