"""The conditions that must come true before a job may start: no hold, a time, the fate of other
jobs.

A job without conditions is *eligible*: it waits for resources alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from rmsd_core.vocabulary import HeldBy, JobState, Relation


class Dependency(NamedTuple):
    """A condition on another job, `job_id` (0 for `SINGLETON`).

    delay_us: how long after the start of the other job the condition comes true (`AFTER` alone).
    due_us: when it does, once the other job has started.
    """

    relation: Relation
    job_id: int = 0
    delay_us: int = 0
    due_us: int | None = None


class Unmet(NamedTuple):
    """A dependency that can never come true. state: how the other job has ended; None if its record
    is lost, or if it is a task that has never been a job of its own."""

    relation: Relation
    job_id: int
    state: JobState | None = None


class EndedJob(NamedTuple):
    """The end of a job, for those that depend on it. began_us: when it started, or when it ended
    without a start. state: how it ended; None if an older version has stored the end."""

    succeeded: bool
    began_us: int
    state: JobState | None = None


class Awaits(NamedTuple):
    """The dependencies of a job, with how they count; see `Conditions`."""

    dependencies: tuple[Dependency, ...] = ()
    any_of: bool = False
    ends_if_never: bool = False
    never: bool = False
    unmet: tuple[Unmet, ...] = ()


class Conditions(NamedTuple):
    """The conditions that are still to come true. A fulfilled dependency is not among them.

    begin_us: the job may not start before this time.
    any_of: one fulfilled dependency suffices.
    never: the dependencies can never be fulfilled; the job waits until it is changed.
    ends_if_never: the job is cancelled instead.
    awaits_turn: the job is a task of an array that may run no more tasks now.
    unmet: the dependencies that can never come true; one, if all have to.
    """

    held_by: HeldBy | None = None
    begin_us: int | None = None
    dependencies: tuple[Dependency, ...] = ()
    any_of: bool = False
    never: bool = False
    ends_if_never: bool = False
    awaits_turn: bool = False
    unmet: tuple[Unmet, ...] = ()

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
    def awaits_name(self) -> bool:
        """Return whether the job waits until no earlier one of its name is live."""
        return any(one.relation is Relation.SINGLETON for one in self.dependencies)

    @property
    def reason(self) -> str:
        """Return Slurm's word for why the job waits."""
        if self.held_by is not None:
            return held_words(self.held_by)
        if self.never:
            return "DependencyNeverSatisfied"
        if self.dependencies:
            return "Dependency"
        return "BeginTime" if self.begin_us is not None else "JobArrayTaskLimit"

    @property
    def awaits(self) -> Awaits:
        """Return the part of the conditions that is on other jobs."""
        return Awaits(self.dependencies, self.any_of, self.ends_if_never, self.never, self.unmet)

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
        suffices = self.any_of and len(left) < len(self.dependencies)
        return self._replace(
            begin_us=None if self.begin_us is None or self.begin_us <= now_us else self.begin_us,
            dependencies=() if suffices else left,
            unmet=() if suffices else self.unmet,
        )

    def after(self, fates: Iterable[Fate]) -> Conditions:
        """Return the conditions after each dependency has met the fate at its place in `fates`. It
        takes one walk over the dependencies, which may be a thousand."""
        left: list[Dependency] = []
        unmet = list(self.unmet)
        for fate in fates:
            if isinstance(fate, Dependency):
                left.append(fate)
            elif isinstance(fate, Unmet):
                unmet.append(fate)
                if not self.any_of:
                    return self._replace(dependencies=(), never=True, unmet=tuple(unmet))
            elif self.any_of:
                return self._replace(dependencies=(), unmet=())
        never = self.never or (self.any_of and bool(self.dependencies) and not left)
        return self._replace(dependencies=tuple(left), never=never, unmet=tuple(unmet))


def held_words(by: HeldBy) -> str:
    """Return Slurm's word for a hold."""
    return "JobHeldUser" if by is HeldBy.USER else "JobHeldAdmin"


Fate = Dependency | Unmet | Literal[True]
"""The fate of a dependency: still to come, perhaps at a time that is known now; it can never come
true; or True: it has come true."""

NO_CONDITIONS = Conditions()
