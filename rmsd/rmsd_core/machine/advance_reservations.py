"""Advance reservations: nodes, or processors of the one pool, that are set aside for a time.

The planned starts of waiting jobs are reservations, too; an advance reservation is made by an
operator, and no recipe moves it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Literal

from rmsd_core.model_time import DAY_US

Life = Literal["future", "active", "over"]
_WEEK = 7


def day_of_week(at_us: int) -> int:
    """Return the day of the week of a model time, 0 to 6, from the day with which that begins."""
    return at_us // DAY_US % _WEEK


@dataclass(frozen=True, slots=True)
class AdvanceReservation:
    """A time, and what is set aside then: `nodes` as a whole, or `cores` of a machine whose
    processors are only counted.

    Jobs that name the reservation run inside it, if their user is among `users` or `members`, or
    their account, or one above it, among `accounts`. `members`: the users that have been found to
    be of one of the `groups`. `is_maintenance`: no job runs inside.

    `every_us`: the time after which the reservation repeats; 0: it does not. The start and the end
    are those of the first instance that is not over. `until_us`: no instance begins then or later;
    0: there is no such time. `weekdays`: the days of the week on which a reservation that repeats
    daily has instances, a bit for each; 0: all. Bit 0 is the day with which model time begins.
    """

    name: str
    start_us: int
    end_us: int
    nodes: tuple[str, ...] = ()
    cores: int = 0
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    is_maintenance: bool = False
    groups: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    every_us: int = 0
    until_us: int = 0
    weekdays: int = 0

    @property
    def can_be(self) -> bool:
        """Return whether a reservation can have these times. A damaged record may tell others, for
        which the search for the next instance might never end."""
        if not (self.start_us < self.end_us and self.every_us >= 0):
            return False
        return not self.weekdays or (self.every_us == DAY_US and 0 < self.weekdays < 1 << _WEEK)

    def life_at(self, now_us: int) -> Life:
        """Return the state of the reservation at this time."""
        if now_us < self.start_us:
            return "future"
        return "active" if now_us < self.end_us else "over"

    def meets(self, from_us: int, until_us: int) -> bool:
        """Return whether a part of the time is inside [from, until)."""
        return self.start_us < until_us and from_us < self.end_us

    def first_at(self, now_us: int) -> AdvanceReservation | None:
        """Return the first instance that is not over at this time; None if there is none."""
        if now_us < self.end_us:
            return self
        if not self.every_us:
            return None
        by_us = ((now_us - self.end_us) // self.every_us + 1) * self.every_us
        while self.weekdays and not self.weekdays >> day_of_week(self.start_us + by_us) & 1:
            by_us += self.every_us
        if self.until_us and self.start_us + by_us >= self.until_us:
            return None
        return replace(self, start_us=self.start_us + by_us, end_us=self.end_us + by_us)

    def collides(self, other: AdvanceReservation) -> bool:
        """Return whether an instance of this reservation and one of the other have a part of their
        times in common. If both repeat, one interval divides the other."""
        rare, often = (self, other) if self.every_us >= other.every_us else (other, self)
        # The first two instances of the rare one that end after the other begins tell for all later
        # ones: these meet the other in the same way. With days of the week, so do those of a week.
        count = 1 + _WEEK if self.weekdays or other.weekdays else 2
        one = rare.first_at(often.start_us)
        for _ in range(count):
            if one is None:
                return False
            if often._is_inside(one):
                return True
            one = one.first_at(one.end_us)
        return False

    def _is_inside(self, other: AdvanceReservation) -> bool:
        """Return whether an instance of this has a part in the present instance of the other."""
        found = self.first_at(other.start_us)
        return found is not None and found.meets(other.start_us, other.end_us)

    def admits(self, user: str, accounts: Container[str]) -> bool:
        """Return whether a job of the user may run inside; `accounts`: that of the job, and those
        above it."""
        if self.is_maintenance:
            return False
        if user in self.users or user in self.members:
            return True
        return any(one in accounts for one in self.accounts)
