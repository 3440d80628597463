"""Jobs that are looked at when a time of theirs has come."""

from __future__ import annotations

from collections.abc import KeysView
from heapq import heapify, heappop, heappush

from rmsd_core.jobs.job import Job

_SPARE = 1000


class TimedJobs:
    """Jobs, each with one time [us]. A job that leaves is forgotten at once: users may have jobs
    come and go all day, and those that are over must take neither memory nor time."""

    def __init__(self) -> None:
        self._times: list[int] = []  # a heap; some have no job any more
        self._at: dict[int, dict[Job, None]] = {}  # the jobs by their time
        self._time_of: dict[Job, int] = {}

    @property
    def known(self) -> KeysView[Job]:
        """Return the jobs."""
        return self._time_of.keys()

    def time_of(self, job: Job) -> int | None:
        """Return the time of a job; None if it has none."""
        return self._time_of.get(job)

    def put(self, job: Job, at_us: int) -> None:
        """Give a job a time, in place of the one that it has."""
        self.discard(job)
        self._time_of[job] = at_us
        if at_us not in self._at:
            self._at[at_us] = {}
            heappush(self._times, at_us)
        self._at[at_us][job] = None

    def discard(self, job: Job) -> None:
        """Forget a job, if it is known."""
        at_us = self._time_of.pop(job, None)
        if at_us is None:
            return
        del self._at[at_us][job]
        if not self._at[at_us]:
            del self._at[at_us]
            if len(self._times) > 2 * len(self._at) + _SPARE:
                self._times = list(self._at)
                heapify(self._times)

    def first_us(self) -> int | None:
        """Return the earliest time; None if there are no jobs."""
        while self._times and self._times[0] not in self._at:
            heappop(self._times)
        return self._times[0] if self._times else None

    def take_until(self, now_us: int) -> list[Job]:
        """Return the jobs whose time has come, and forget them."""
        found: list[Job] = []
        while self._times and self._times[0] <= now_us:
            found += self._at.pop(heappop(self._times), ())
        for job in found:
            del self._time_of[job]
        return found
