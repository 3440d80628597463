"""A time in which a job may start, and what tells these times of jobs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import neg
from typing import NamedTuple, Protocol

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Request
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import LongestLimit


class StartWindow(NamedTuple):
    """A job may start at `from_us` or later, and before `before_us`, where `request` fits."""

    from_us: int
    before_us: int
    request: Request


class LongestLimits:
    """The longest limits of jobs of no reservation by their size, see `LongestLimit`. `free[i]`
    processors are left to a job that is longer than `until_us[i - 1]`, and not than
    `until_us[i]`."""

    def __init__(self, free: Sequence[int], until_us: Sequence[int]) -> None:
        self._free = free
        self._until_us = (-1, *until_us, NEVER_US)
        self._found: dict[int, int] = {}

    def __call__(self, size: int) -> int:
        found = self._found.get(size)
        if found is None:
            first_short = bisect_left(self._free, 1 - size, key=neg)
            found = self._found[size] = self._until_us[first_short]
        return found


class StartWindows(Protocol):
    """The windows of jobs, as of one pass.

    counts: whether windows depend on other jobs, which `take` and `give` count. reservations: by
        name.
    """

    counts: bool
    reservations: Mapping[str, AdvanceReservation]

    def of(self, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        """Yield the windows that are not over at `not_before_us`, in order."""

    def request_at(self, job: Job, at_us: int) -> Request | None:
        """Return the request to be placed if the job starts then; None: it may not."""

    def longest_in(self, capacity: Capacity, now_us: int) -> Callable[[str | None], LongestLimit]:
        """Return the longest limits of jobs that start now in a partition, or (None) anywhere. They
        hold as long as free capacity only shrinks."""

    def could_hold(
        self, capacity: Capacity, request: Request, reservation: AdvanceReservation
    ) -> bool:
        """Return whether a part of the request could be on what the reservation has."""

    def take(self, job: Job, start_us: int) -> None:
        """Count a job that starts then."""

    def give(self, job: Job, start_us: int) -> None:
        """Undo `take`."""
