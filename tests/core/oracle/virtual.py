""" "Urgent jobs" of the simulation rules: plain EASY beside, with lists, as a yardstick."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.recipes.recipe import Urgency
from tests.core.oracle.job import Job, Phase


class Virtual:
    """The virtual EASY of the oracle.

    waiting: in arrival order. started: when the jobs started that run. look: when each of these is
    looked at again; None: its real run goes on, and the virtual one with it.
    """

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self.waiting: list[Job] = []
        self.arrived: set[int] = set()
        self.started: dict[Job, int] = {}
        self.look: dict[Job, int | None] = {}
        self.longest = 0

    def longest_wait(self, now: int) -> int:
        ages = [now - job.trace.submit_s for job in self.waiting[:1]]
        return max([self.longest, *ages])

    def advance(self, now: int) -> None:
        """Handle what happens before `now`, by what is known before `now`."""
        while looks := [at for at in self.look.values() if at is not None and at < now]:
            self._happen(min(looks), [])

    def settle(self, now: int, jobs: Sequence[Job]) -> None:
        """Apply what happens at `now`, after the real events."""
        for job in self.look:
            if job.phase is Phase.DONE:
                self.look[job] = now
        new = [job for job in jobs if job.seq not in self.arrived]
        self.arrived |= {job.seq for job in new}
        self._happen(now, new)

    def killed(self, job: Job, now: int) -> None:
        """Look at the virtual run that goes on with a job whose real run is killed."""
        if job in self.look and self.look[job] is None:
            self.look[job] = now

    def _happen(self, now: int, new: Sequence[Job]) -> None:
        self.waiting += new
        due = [job for job, at in self.look.items() if at is not None and at <= now]
        is_changed = bool(new)
        for job in due:
            end = self._end(job, now)
            if end is not None and end <= now:
                del self.started[job], self.look[job]
                is_changed = True
            else:
                self.look[job] = end
        if is_changed:
            self._easy(now)
            self._happen(now, [])

    def _end(self, job: Job, now: int) -> int | None:
        """Return when the job's virtual run ends, as far as is known."""
        start = self.started[job]
        if job.phase is Phase.DONE:
            return start + job.run
        length = max(job.prediction, job.survived + 1)
        if job.runs:
            elapsed = now - job.start + 1
            if start >= job.start and elapsed >= length:
                return None
            length = max(length, elapsed)
        return start + length

    def _easy(self, now: int) -> None:
        free = self.processors - sum(job.size for job in self.started)
        while self.waiting and self.waiting[0].size <= free:
            free -= self.waiting[0].size
            self._start(self.waiting[0], now)
        if not self.waiting:
            return
        head, *behind = self.waiting
        releases = [
            (max(now, start + max(1, job.trace.estimate_s)), job.size)
            for job, start in self.started.items()
        ]

        def free_at(instant: int) -> int:
            return free + sum(size for at, size in releases if at <= instant)

        shadow = min(at for at, _ in releases if free_at(at) >= head.size)
        extra = free_at(shadow) - head.size
        for job in behind:
            if job.size > free:
                continue
            if now + max(1, job.trace.estimate_s) > shadow:
                if job.size > extra:
                    continue
                extra -= job.size
            free -= job.size
            self._start(job, now)

    def _start(self, job: Job, now: int) -> None:
        self.waiting.remove(job)
        self.longest = max(self.longest, now - job.trace.submit_s)
        self.started[job] = now
        self.look[job] = self._end(job, now)


def mark_urgent(queue: Sequence[Job], rule: Urgency, virtual: Virtual, now: int) -> None:
    """Mark the jobs urgent, for good, that have waited for too long."""
    patience = rule.fraction * virtual.longest_wait(now)
    if rule.ceiling_us is not None and patience > rule.ceiling_us / 1_000_000:
        patience = rule.ceiling_us / 1_000_000
    patience = max(patience, rule.floor_us / 1_000_000)
    for job in queue:
        job.urgent = job.urgent or now - job.trace.submit_s > patience
