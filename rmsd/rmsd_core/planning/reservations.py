"""Reservations: where the planned jobs lie in the profile, from pass to pass.

Simulation rules, "conservative": standing reservations are placed again, and one that no longer
fits is void. Then one job after the other is lifted out and put at its earliest start. Placing
again what still fits changes nothing, and a job finds nothing sooner unless something was given
back since its last look. So while the profile lasts, only the changes are looked at.

Live, a kill or a report takes a moment that no plan knows of. It would make each of several
reservations that follow one another without a gap void, and put it behind any job that fits. So
live reservations slip by that moment, one after the other.

A pass of a daemon may end before all jobs are placed or lifted out. Then the next one goes on with
what is planned, whatever has happened meanwhile. Jobs whose time has come start in each part, so
that none of them is late when the next part begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Profile, Space
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.planner_state import PlannerState, held_by_trial, in_trial, trial_over_us
from rmsd_core.planning.running_profile import Change, RunningProfile
from rmsd_core.planning.start_windows import earliest, sooner

Planned = Callable[[], Iterable[Job]]
"""The jobs to plan, in planning order."""


@dataclass(slots=True)
class _Given:
    """The capacity that was given back: none after `until_us` (None: nothing was given back), and
    none on other nodes than `nodes` (None: on any)."""

    until_us: int | None = None
    nodes: int | None = 0

    def note(self, profile: Profile, space: Space, until_us: int) -> None:
        if self.until_us is None or until_us > self.until_us:
            self.until_us = until_us
        if self.nodes is not None:
            self.nodes |= profile.nodes_of(space)

    def add(self, other: _Given) -> None:
        """Add what was given back elsewhere."""
        if other.until_us is None:
            return
        self.until_us = max(self.until_us or 0, other.until_us)
        if self.nodes is not None:
            self.nodes = None if other.nodes is None else self.nodes | other.nodes


@dataclass(slots=True)
class _Cut:
    """The job at which a pass was cut, what the jobs from there on are still to look at, and what
    was given back for the pass that follows. The job is None if all jobs have looked."""

    job: Job | None
    given: _Given
    later: _Given


class Reservations:
    """The planned starts of waiting jobs.

    stands: whether they stand from pass to pass; else every pass begins with none, but for one that
        goes on.
    starts_us: the planned starts, also of jobs that are still to be placed again.
    head: the first planned job that does not start now, after `place`.
    next_us: the earliest planned start, after the pass.
    """

    def __init__(self, state: PlannerState, *, stands: bool) -> None:
        self._state = state
        self._stands = stands
        self._lasts = stands and not state.recipe.trial_us
        self._profile: Profile | None = None
        self._spaces: dict[Job, Space] = {}
        # A live plan is made anew whenever a pass comes late.
        self._running = RunningProfile(state, keeps=not self._lasts or state.slip_us > 0)
        # True if a trial was committed in this pass on other processors than the plan had for the
        # job.
        self._trial_moved = False
        self._given = _Given()  # since the jobs' last look
        self._cut: _Cut | None = None  # where the last pass was cut
        self._left: list[Job] = []  # the jobs that are still to be placed again, the next one last
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
        self._profile = self._cut = None
        self._left.clear()

    def drop(self, job: Job) -> None:
        """Remove the job from the plan."""
        start_us = self.starts_us.pop(job, None)
        space = self._spaces.pop(job, None)
        if start_us is None or space is None or self._profile is None:
            return
        if (windows := self._state.windows) is not None:
            windows.give(job, start_us)
        if self._running.is_of_this_machine():  # otherwise the profile is made anew
            self._profile.give(space, start_us, job.prediction_us)
            self._given.note(self._profile, space, start_us + job.prediction_us)

    def look_at_all(self) -> None:
        """Look for a sooner start of every job in the next pass: some may be placed where they
        could not be before."""
        self._given = _Given(NEVER_US, None)

    # ------------------------------------------------------------ placing again

    def place_standing(self, planned: Planned, now_us: int) -> None:
        """Bring the profile to `now_us`, with the reservations that still fit."""
        profile, changes = self._profile, self._running.update(now_us)
        windows = self._state.windows
        if windows is not None and windows.counts:  # new ones, which know of no planned start
            profile = None
        if profile is None or changes is None or not self._renew(profile, changes, planned, now_us):
            self._build(planned, now_us)
        self._place_again(self.profile, now_us)

    def _reserved(self, planned: Planned) -> Iterator[Job]:
        """Yield the jobs that have a reservation, in planning order."""
        return islice((job for job in planned() if job in self.starts_us), len(self.starts_us))

    @property
    def _may_be_cut(self) -> bool:
        """Return whether a pass may end before it is over. The place of a trial depends on those of
        the others, and windows that count begin anew with each part."""
        windows = self._state.windows
        return not self._state.recipe.trial_us and (windows is None or not windows.counts)

    def is_spent(self, more: int = 0) -> bool:
        """Return whether the pass ends here, and the next one goes on: see
        `PlannerState.is_spent`."""
        profile, state = self.profile, self._state
        if self._may_be_cut:
            state.looks_left -= profile.looks
        profile.looks = 0
        return state.is_spent(more)

    def _build(self, planned: Planned, now_us: int) -> None:
        reserved = list(self._reserved(planned)) if self._stands else []
        self.starts_us = {job: self.starts_us[job] for job in reserved}
        self._profile, self._spaces = self._running.copy(now_us), {}
        self._cut = None
        self.look_at_all()
        if self._state.slip_us:
            # None may overtake another by the moment it is late. Equal starts stay in planning
            # order.
            reserved.sort(key=self.starts_us.__getitem__)
        self._left = reserved[::-1]

    def _place_again(self, profile: Profile, now_us: int) -> None:
        """Place reservations where they were, or as much later as they may slip."""
        left, slip_us, recipe = self._left, self._state.slip_us, self._state.recipe
        while left and not (self._may_be_cut and self.is_spent()):
            job = left.pop()
            if job not in self.starts_us or job in self._spaces:  # The job waits no more, or anew.
                continue
            over_us = trial_over_us(job, now_us, recipe)
            start_us = max(self.starts_us.pop(job), now_us, over_us)
            too_late_us = start_us + slip_us + 1
            found = self._first(profile, job, start_us, too_late_us)
            if found is not None:
                self._put(job, *found)

    def _renew(
        self, profile: Profile, changes: list[Change], planned: Planned, now_us: int
    ) -> bool:
        """Update the profile of the last pass. Returns False if the changes do not allow that."""
        if self.next_us is not None and self.next_us < now_us and not self._left:
            return False  # a live pass comes late: place the missed starts from now on
        if self._left:  # place these later from now on, too
            # The places begin in the past, which the profile forgets below.
            self._lift([job for job in self._spaces if self.starts_us[job] < now_us])
        profile.advance(now_us)
        for change in changes:
            change.apply_to(profile)
            if not change.is_held:
                self._given.note(profile, change.space, change.end_us)
        if changes and (span := profile.overdrawn()) is not None:
            if self._state.slip_us and not self._left:
                return False
            self._lift(self._hit(self._reserved(planned), *span))
        return True

    def _hit(self, jobs: Iterable[Job], first_us: int, last_us: int) -> list[Job]:
        """Return those of the jobs whose places reach into the time between two others."""
        return [
            job
            for job in jobs
            if job in self._spaces
            and self.starts_us[job] < last_us
            and self.starts_us[job] + job.prediction_us > first_us
        ]

    def _lift(self, jobs: list[Job]) -> None:
        """Take these jobs out of the profile, to be placed again."""
        starts_us = {job: self.starts_us[job] for job in jobs}
        for job in jobs:
            self.drop(job)
        self.starts_us |= starts_us
        self._left += jobs[::-1]
        if self._state.slip_us:
            self._left.sort(key=self.starts_us.__getitem__, reverse=True)

    # ------------------------------------------------------------ lifting out

    # long: one loop, in which each job is placed beside those before it
    def place(self, planned: Iterable[Job], now_us: int, full: set[str | None]) -> list[Job]:
        """Put one job after the other at its earliest start. When as many of a partition must wait
        as the recipe's depth says, only jobs that have a reservation follow. `planned` yields no
        more jobs of the partitions that are then in `full`. Returns the jobs that start now, in
        order."""
        self.head = None
        if self._left:
            return self._with_due([], now_us)
        profile, starts_us, spaces = self.profile, self.starts_us, self._spaces
        recipe = self._state.recipe
        depth, tries = recipe.depth or NEVER_US, recipe.trial_us > 0
        standing = len(starts_us)
        starting: list[Job] = []
        self._trial_moved = False
        waiting: dict[str | None, int] = {}
        given, self._given = self._given, _Given()
        if (cut := self._cut) is not None:
            given, self._cut = self._goes_on(cut, given), None
        most = 0
        if given.until_us is not None:
            most = profile.most_free(now_us, given.until_us)
        for job in planned:
            # Jobs whose time has come start in any case, as many as may.
            if self._ends_at(job, now_us, len(starting)):
                given.add(cut.given if cut is not None else _Given())
                self._cut = _Cut(job, given, replace(self._given))
                return self._with_due(starting, now_us)
            if cut is not None and job is cut.job:
                given.add(cut.given)
                cut, most = None, NEVER_US
            if job in starts_us:
                standing -= 1
                if given.until_us is not None and job.size <= most:
                    over_us = trial_over_us(job, now_us, recipe) if tries else now_us
                    found = sooner(
                        self._state.windows,
                        profile,
                        job,
                        (starts_us[job], spaces[job]),
                        (max(now_us, over_us), given.until_us),
                        given.nodes,
                    )
                    if found is not None:
                        self._move_up(job, found, given)
                        most = NEVER_US
            elif waiting.get(job.request.partition, 0) < depth:
                if (found := self._earliest(profile, job, now_us)) is None:
                    _count(waiting, job)  # a search for nothing counts as well
                    continue
                self._put(job, *found)
            elif standing:
                continue
            else:
                full.add(job.request.partition)
                if len(full) >= self._state.partition_count:
                    break
                continue
            start_us = starts_us[job]
            if start_us == now_us:
                starting.append(job)
                continue
            if self.head is None:
                self.head = job
            if job.remembered.reserved_at_us is None:
                self._state.reserve(job, now_us, start_us)
            _count(waiting, job)
        if cut is not None and cut.given.until_us is not None:  # the job waits no more
            self._given.add(cut.given)
            # The others look in the next pass.
            self._cut, self._state.is_cut = _Cut(None, _Given(), _Given()), not tries
        return starting

    def _ends_at(self, job: Job, now_us: int, starting: int) -> bool:
        """Return whether the pass ends before it looks at this job, while so many start."""
        if self._state.recipe.trial_us or not self.is_spent(starting):
            return False
        return self.starts_us.get(job) != now_us or self._state.starts_left <= starting

    def _with_due(self, starting: list[Job], now_us: int) -> list[Job]:
        """Return these jobs and the others in the plan whose time has come, as many as may
        start."""
        due = [job for job in self._spaces if self.starts_us[job] == now_us]
        others = set(due).difference(starting)
        more = sorted(others, key=lambda job: job.seq)
        return starting + more[: max(0, self._state.starts_left - len(starting))]

    def _goes_on(self, cut: _Cut, given: _Given) -> _Given:
        """Return what the jobs before the one at which the last pass was cut look at: nothing, if
        the pass goes on as if it had not been cut, since nothing else was given back."""
        if given == cut.later:
            self._given = given
            return _Given()
        return given

    def _move_up(self, job: Job, found: tuple[int, Space], given: _Given) -> None:
        """Give the job the earlier start and the space that were found. What it had is given
        back."""
        profile, length_us = self.profile, job.prediction_us
        space, start_us = self._spaces[job], self.starts_us[job]
        # Jobs behind it look there in this pass, jobs ahead of it in the next.
        given.note(profile, space, start_us + length_us)
        self._given.note(profile, space, start_us + length_us)
        profile.give(space, start_us, length_us)
        if (windows := self._state.windows) is not None:
            windows.give(job, start_us)
        self._put(job, *found)

    def _first(
        self, profile: Profile, job: Job, not_before_us: int, before_us: int = NEVER_US
    ) -> tuple[int, Space] | None:
        """Return the first start of the job in [not_before, before), and its space."""
        length_us, windows = job.prediction_us, self._state.windows
        return earliest(windows, profile, job, length_us, not_before_us, before_us)

    def _earliest(self, profile: Profile, job: Job, now_us: int) -> tuple[int, Space] | None:
        if in_trial(job, now_us):
            over_us = trial_over_us(job, now_us, self._state.recipe)
            return self._first(profile, job, over_us)
        if held := held_by_trial(job):
            space = profile.space_of(held)
            if profile.holds(space, now_us, job.prediction_us):
                return now_us, space
        return self._first(profile, job, now_us)

    def _put(self, job: Job, start_us: int, space: Space) -> None:
        self.profile.take(space, start_us, job.prediction_us)
        if (windows := self._state.windows) is not None:
            windows.take(job, start_us)
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
            found = self._first(profile, job, now_us)
            if found is not None:
                self._put(job, *found)
            if found is None or found[0] > now_us:
                return None
        return self._spaces[job]

    def starts(self, job: Job) -> None:
        """Note that the job, which is in the plan, starts now."""
        if (windows := self._state.windows) is not None:
            windows.give(job, self.starts_us[job])  # the start takes it again
        self.started(job)

    def started(self, job: Job) -> None:
        """Note that the job starts now, in the space that it has been given in the profile."""
        self.starts_us.pop(job, None)
        self._spaces.pop(job, None)

    def passed(self, now_us: int) -> None:
        """Note that the pass is over, or cut; its own starts are no changes for the next one."""
        self.next_us = None if self._left else min(self.starts_us.values(), default=None)
        goes_on = self._state.is_cut and self._may_be_cut
        if goes_on and self._cut is None and not self._left:  # only others may start
            self._cut = _Cut(None, _Given(), replace(self._given))
        if not (self._lasts or goes_on) or self._running.update(now_us) is None:
            self._profile = self._cut = None


def _count(waiting: dict[str | None, int], job: Job) -> None:
    """Count a job that must wait, by the partition in whose queue it is."""
    partition = job.request.partition
    waiting[partition] = waiting.get(partition, 0) + 1
