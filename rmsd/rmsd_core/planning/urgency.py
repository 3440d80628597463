"""The urgent jobs: those that have waited for too long, measured by the virtual EASY.

Rule: a job that the base scheduler has still to start becomes urgent, for good, if it has waited
for longer than a fraction of the longest wait under the virtual EASY so far, and for longer than a
floor; or for longer than a ceiling above the floor, if there is one. Urgent jobs precede all
others, in arrival order.

Reason: orders that prefer short and narrow jobs let some others wait for months. The floor keeps a
quiet machine, where the longest wait is some minutes, from being scheduled in arrival order. The
ceiling is for a busy one: where the longest wait is a week, a fraction of it lets many jobs wait
for days.

Source: rmsd's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    HOLDING,
    TO_START,
    Done,
    Waiting,
)
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.planning.timed_jobs import TimedJobs
from rmsd_core.planning.virtual_easy import VirtualEasy
from rmsd_core.recipes.recipe import Urgency

"""The phases of a job that the base scheduler has still to start, or waits for its place."""


class UrgentJobs:
    """Finds the jobs that become urgent. `virtual`: what their waits are compared with.
    `most_starts`: for it, see `Core`."""

    def __init__(self, rule: Urgency, cores: Callable[[], int], most_starts: int) -> None:
        self._rule = rule
        self.virtual = VirtualEasy(cores, most_starts)
        self._waiting = TimedJobs()  # each with the time since which it waits

    def watch(self, job: Job) -> None:
        """Note that the job waits from now on, or again."""
        since_us = job.eligible_us
        if job.remembered.promoted_us is None and self._waiting.time_of(job) != since_us:
            self._waiting.put(job, since_us)

    def moved(self, job: Job, now_us: int) -> None:
        """Note that the phase of a job has changed."""
        if type(job.phase) is Done:
            self._waiting.discard(job)
        self.virtual.moved(job, now_us)

    def becoming(self, now_us: int) -> list[Job]:
        """Return the jobs that become urgent now, in arrival order."""
        first_us = self._waiting.first_us()
        if first_us is None or now_us - first_us <= self._rule.floor_us:
            return []
        # These are the jobs that have waited for longer than their patience, in whole microseconds.
        due = self._waiting.take_until(now_us - int(self._patience_us()) - 1)
        found = [job for job in due if type(job.phase) in TO_START]
        return sorted(found, key=lambda job: job.seq)

    def _patience_us(self) -> float:
        rule = self._rule
        patience_us = rule.fraction * self.virtual.longest_us()
        if rule.ceiling_us is not None:
            patience_us = min(patience_us, rule.ceiling_us)
        return max(patience_us, rule.floor_us)

    def owned(self) -> list[object]:
        """Return the many objects from which urgent jobs are found, in any order."""
        return [*self._waiting.known, *self.virtual.owned()]

    def restore(self, memory: PlannerMemory, jobs: Mapping[int, Job]) -> None:
        """Continue from `memory`, or, if it has no virtual EASY, begin with the live jobs."""
        for job in jobs.values():
            if type(job.phase) in TO_START:
                self.watch(job)
        if memory.longest_us is not None:
            self.virtual.restore(memory.virtual, memory.longest_us, jobs)
            return
        counted = HOLDING | {Waiting}
        live = [job for job in jobs.values() if type(job.phase) in counted]
        self.virtual.begin_with(sorted(live, key=lambda job: job.seq))
