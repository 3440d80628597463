"""A time in which a job may start, and what tells these times of jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Request
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity


class StartWindow(NamedTuple):
    """A job may start at `from_us` or later, and before `before_us`, where `request` fits."""

    from_us: int
    before_us: int
    request: Request


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

    def could_hold(
        self, capacity: Capacity, request: Request, reservation: AdvanceReservation
    ) -> bool:
        """Return whether a part of the request could be on what the reservation has."""

    def take(self, job: Job, start_us: int) -> None:
        """Count a job that starts then."""

    def give(self, job: Job, start_us: int) -> None:
        """Undo `take`."""
