"""Advance reservations: nodes, or processors of the one pool, that are set aside for a time.

The planned starts of waiting jobs are reservations, too; an advance reservation is made by an
operator, and no recipe moves it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

Life = Literal["future", "active", "over"]


@dataclass(frozen=True, slots=True)
class AdvanceReservation:
    """A time, and what is set aside then: `nodes` as a whole, or `cores` of a machine whose
    processors are only counted.

    Jobs that name the reservation run inside it, if their user is among `users`, or their account,
    or one above it, among `accounts`. `is_maintenance`: no job runs inside.
    """

    name: str
    start_us: int
    end_us: int
    nodes: tuple[str, ...] = ()
    cores: int = 0
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    is_maintenance: bool = False

    def life_at(self, now_us: int) -> Life:
        """Return the state of the reservation at this time."""
        if now_us < self.start_us:
            return "future"
        return "active" if now_us < self.end_us else "over"

    def meets(self, from_us: int, until_us: int) -> bool:
        """Return whether a part of the time is inside [from, until)."""
        return self.start_us < until_us and from_us < self.end_us

    def admits(self, user: str, accounts: Container[str]) -> bool:
        """Return whether a job of the user may run inside; `accounts`: that of the job, and those
        above it."""
        if self.is_maintenance:
            return False
        return user in self.users or any(one in accounts for one in self.accounts)
