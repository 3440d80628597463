"""The conditions that must come true before a job may start: no hold, a time, the fate of other
jobs.

A job without conditions is *eligible*: it waits for resources alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rmsd_core.vocabulary import HeldBy, Relation


class Dependency(NamedTuple):
    """A condition on another job, `job_id` (0 for `SINGLETON`).

    delay_us: how long after the start of the other job the condition comes true (`AFTER` alone).
    due_us: when it does, once the other job has started.
    """

    relation: Relation
    job_id: int = 0
    delay_us: int = 0
    due_us: int | None = None


class EndedJob(NamedTuple):
    """The end of a job, for those that depend on it. began_us: when it started, or when it ended
    without a start."""

    succeeded: bool
    began_us: int


class Awaits(NamedTuple):
    """The dependencies of a job, with how they count; see `Conditions`."""

    dependencies: tuple[Dependency, ...] = ()
    any_of: bool = False
    ends_if_never: bool = False
    never: bool = False


class Conditions(NamedTuple):
    """The conditions that are still to come true. A fulfilled dependency is not among them.

    begin_us: the job may not start before this time.
    any_of: one fulfilled dependency suffices.
    never: the dependencies can never be fulfilled; the job waits until it is changed.
    ends_if_never: the job is cancelled instead.
    awaits_turn: the job is a task of an array that may run no more tasks now.
    """

    held_by: HeldBy | None = None
    begin_us: int | None = None
    dependencies: tuple[Dependency, ...] = ()
    any_of: bool = False
    never: bool = False
    ends_if_never: bool = False
    awaits_turn: bool = False

    @property
    def stand(self) -> bool:
        """Return whether a condition is left."""
        return self.is_to_come or self.awaits_turn

    @property
    def is_to_come(self) -> bool:
        """Return whether a condition is left beside the turn of a task in its array."""
        return bool(
            self.held_by is not None or self.begin_us is not None or self.dependencies or self.never
        )

    @property
    def end_the_job(self) -> bool:
        """Return whether the job is to be cancelled."""
        return self.never and self.ends_if_never

    @property
    def reason(self) -> str:
        """Return Slurm's word for why the job waits."""
        if self.held_by is not None:
            return "JobHeldUser" if self.held_by is HeldBy.USER else "JobHeldAdmin"
        if self.never:
            return "DependencyNeverSatisfied"
        if self.dependencies:
            return "Dependency"
        return "BeginTime" if self.begin_us is not None else "JobArrayTaskLimit"

    @property
    def awaits(self) -> Awaits:
        """Return the part of the conditions that is on other jobs."""
        return Awaits(self.dependencies, self.any_of, self.ends_if_never, self.never)

    def next_us(self) -> int | None:
        """Return the earliest time at which a condition comes true by itself."""
        times_us = [one.due_us for one in self.dependencies if one.due_us is not None]
        if self.begin_us is not None:
            times_us.append(self.begin_us)
        return min(times_us, default=None)

    def at(self, now_us: int) -> Conditions:
        """Return the conditions that are left at `now_us`."""
        left = tuple(
            [one for one in self.dependencies if one.due_us is None or one.due_us > now_us]
        )
        fulfilled = len(left) < len(self.dependencies)
        return self._replace(
            begin_us=None if self.begin_us is None or self.begin_us <= now_us else self.begin_us,
            dependencies=() if fulfilled and self.any_of else left,
        )

    def after(self, fates: Iterable[Fate]) -> Conditions:
        """Return the conditions after each dependency has met the fate at its place in `fates`. It
        takes one walk over the dependencies, which may be a thousand."""
        left: list[Dependency] = []
        for fate in fates:
            if isinstance(fate, Dependency):
                left.append(fate)
            elif fate == self.any_of:  # the first that decides about all
                return self._replace(dependencies=(), never=not fate)
        if self.any_of and self.dependencies and not left:
            return self._replace(dependencies=(), never=True)
        return self._replace(dependencies=tuple(left))


Fate = Dependency | bool
"""The fate of a dependency: still to come, perhaps at a time that is known now; True: it has come
true; False: it can never come true."""

NO_CONDITIONS = Conditions()
