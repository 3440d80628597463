"""The index of jobs that wait and have a deadline, by the time at which each can no longer keep it.

A job keeps its deadline if its limit ends by then. `late.end_late` ends the jobs that cannot.
"""

from __future__ import annotations

from collections import OrderedDict
from heapq import heapify, heappop, heappush

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import MAY_BE_LATE

_MOST_OUTDATED = 1000
"""The outdated times that are kept, beside as many as there are jobs."""


class Deadlines:
    """A timer for each job that waits and has a deadline.

    `rest`: whether no job ends for its deadline now. A restored backup does not know which of its
    jobs have started since, before the nodes are heard.
    """

    __slots__ = ("_due", "_jobs", "_late", "rest")

    def __init__(self) -> None:
        self.rest = False
        # The late ones, in the order in which they became so. They have no timer any more.
        self._late: OrderedDict[int, Job] = OrderedDict()
        self._due: list[tuple[int, int]] = []  # heap of (time, job id), some of them outdated
        self._jobs: dict[int, tuple[int, Job]] = {}  # the times that are not outdated, by job

    def __bool__(self) -> bool:
        """Return whether a job that waits may have a deadline."""
        return bool(self._due or self._late)

    def look_at(self, job: Job) -> None:
        """Note that the phase, the limit or the deadline of a job may have changed."""
        if job.deadline_us is None or type(job.phase) not in MAY_BE_LATE:
            self._jobs.pop(job.id, None)
            self._late.pop(job.id, None)
            return
        late_us = job.latest_start_us + 1
        known = self._jobs.get(job.id)
        if known is None or known[0] != late_us:
            self._jobs[job.id] = late_us, job
            self._late.pop(job.id, None)
            heappush(self._due, (late_us, job.id))
            if len(self._due) > 2 * len(self._jobs) + _MOST_OUTDATED:
                timed = ((due_us, one) for one, (due_us, _) in self._jobs.items())
                self._due = [(due_us, one) for due_us, one in timed if one not in self._late]
                heapify(self._due)

    def next_us(self) -> int | None:
        """Return when jobs are to be ended next: the time of a job that is late already, or else
        the earliest time at which one becomes so."""
        first = next(iter(self._late), None)
        return self._next_due_us() if first is None else self._jobs[first][0]

    def _next_due_us(self) -> int | None:
        """Return the earliest time of a timer."""
        while self._due and not self.rest:
            due_us, job_id = self._due[0]
            if (known := self._jobs.get(job_id)) is not None and known[0] == due_us:
                return due_us
            heappop(self._due)
        return None

    def is_late(self, now_us: int) -> bool:
        """Return whether there is a job that can no longer keep its deadline."""
        return bool(self._late) or self.is_due(now_us)

    def is_due(self, now_us: int) -> bool:
        """Return whether `expire` has a job to return."""
        due_us = self._next_due_us()
        return due_us is not None and due_us <= now_us

    def expire(self, now_us: int) -> Job | None:
        """Return a job that has become late; None if no other has. Each is returned once, and
        `take` takes it out later."""
        if not self.is_due(now_us):
            return None
        _, job = self._jobs[heappop(self._due)[1]]
        self._late[job.id] = job
        return job

    def take(self) -> Job | None:
        """Take out the job that was the first to be late; None if none is."""
        if not self._late:
            return None
        job_id, job = self._late.popitem(last=False)
        del self._jobs[job_id]
        return job
