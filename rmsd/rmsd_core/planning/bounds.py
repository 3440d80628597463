"""The conditions that a pass has a queue look at, so that it yields the few jobs that may start."""

from __future__ import annotations

from collections.abc import Callable

from rmsd_core.jobs.job import Job
from rmsd_core.planning.least_requests import MayPlace, RefusedKinds

LongestLimit = Callable[[int], int]
"""A function from a size to the longest limit with which a job of that size, and of no advance
reservation, may start now: an upper bound, which does not grow with the size. -1: with none."""


class Bounds:
    """The bounds of a candidate: size <= free, and length <= window or size <= extra.

    may_start: another necessary condition, or None. A queue asks it of its jobs if it has to rank
        them, which takes longer.
    longest_in: the longest limits beside advance reservations in a partition, or (None) anywhere;
        None if there are no reservations.
    may_place: whether a request may start now, for a length; a necessary condition. A queue asks it
        of the least requests of many jobs. None: the size says all. refused: those that it was
        asked of, and that may not start.
    urgent_first: whether urgent jobs precede the others.
    """

    __slots__ = (
        "extra",
        "free",
        "longest_in",
        "may_place",
        "may_start",
        "refused",
        "urgent_first",
        "window_us",
    )

    def __init__(
        self,
        free: int,
        window_us: int,
        extra: int,
        may_start: Callable[[Job], bool] | None = None,
        longest_in: Callable[[str | None], LongestLimit] | None = None,
        may_place: MayPlace | None = None,
        *,
        urgent_first: bool = True,
    ) -> None:
        self.free = free
        self.window_us = window_us
        self.extra = extra
        self.may_start = may_start
        self.longest_in = longest_in
        self.may_place = may_place
        self.urgent_first = urgent_first
        self.refused = RefusedKinds()

    def longest(self) -> LongestLimit | None:
        """Return the longest limits by size; None if there are no reservations."""
        return None if self.longest_in is None else self.longest_in(None)
