"""Starvation thresholds: which waiting jobs have waited long enough to be promised a start.

Selective, 4.1 (thresholds), 7 (adaptive ones); simulation rules, "selective". A threshold may also
be a wait (`after`): expansion factors let long jobs wait for weeks, since a factor of 3 is two
hours for a job of an hour, and two weeks for a job of a week.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import BOUND_S, NEVER_US, SECOND_US
from rmsd_core.planning.timed_jobs import TimedJobs
from rmsd_core.recipes.recipe import Starvation


def expansion_factor(job: Job, now_us: int) -> float:
    """Return the expansion factor (XFactor): (wait so far + prediction) / prediction."""
    return (now_us - job.eligible_us + job.prediction_us) / job.prediction_us


def category(job: Job, starvation: Starvation) -> int:
    """Return 0 to 3: SN, SW, LN, LW, by the prediction."""
    return 2 * (job.prediction_us > starvation.long_us) + (job.size > starvation.wide)


def _by_promotion(job: Job) -> tuple[int, int]:
    assert job.remembered.promoted_us is not None
    return job.remembered.promoted_us, job.seq


class Promotions:
    """Jobs that wait without a promise, and those that have been promoted, for good.

    due_us: the rule of a third party, which says when a job is promoted, in place of thresholds.
        (The threshold of a wait is such a rule as well.)
    """

    def __init__(
        self, starvation: Starvation, due_us: Callable[[Job], int | None] | None = None
    ) -> None:
        self._starvation = starvation
        if starvation.source == "wait" and due_us is None:
            due_us = self._past_wait_us
        self._due_us = due_us
        self._adaptive = starvation.source == "adaptive" and due_us is None
        self._promoted: dict[Job, None] = {}
        self._watched: dict[Job, None] = {}
        self._due = TimedJobs()  # each with the approximate time of its promotion
        groups = 4 if starvation.differential else 1
        self._slowdowns = [0.0] * groups
        self._ended = [0] * groups

    def watch(self, job: Job) -> None:
        if job.remembered.promoted_us is not None:
            self._promoted = dict.fromkeys(sorted([*self._promoted, job], key=_by_promotion))
            return
        self._watched[job] = None
        if not self._adaptive:
            self._due.put(job, self._about_us(job))

    def forget(self, job: Job) -> None:
        self._watched.pop(job, None)
        self._due.discard(job)
        self._promoted.pop(job, None)

    def promoted(self) -> Iterable[Job]:
        """Return the promoted jobs in the order of their promotion."""
        return self._promoted.keys()

    def due(self, now_us: int) -> list[Job]:
        """Return the watched jobs past their thresholds, in arrival order. They are to be promoted,
        or forgotten."""
        due = [job for job in self._may_be_due(now_us) if self._is_due(job, now_us)]
        return sorted(due, key=lambda job: job.seq)

    def promote(self, due: list[Job], now_us: int) -> None:
        """Promote these watched jobs, which are in arrival order."""
        promoted_us = max(now_us, self._latest_us() + 1) if due else now_us
        for job in due:
            job.remembered.promoted_us = promoted_us
            del self._watched[job]
            self._promoted[job] = None

    def _latest_us(self) -> int:
        """Return the latest promotion. (A second pass of the same instant promotes a microsecond
        after the first one, so that the order of promotion follows from what is stored.)"""
        latest = next(reversed(self._promoted), None)
        return -1 if latest is None else _by_promotion(latest)[0]

    def next_us(self) -> int:
        """Return a time before which no watched job becomes due, unless one ends and thresholds are
        adaptive."""
        if self._adaptive:
            return min(map(self._about_us, self._watched), default=NEVER_US)
        first_us = self._due.first_us()
        return NEVER_US if first_us is None else first_us

    @property
    def averages(self) -> tuple[list[float], list[int]]:
        """Return, by category, the sum of the slowdowns of terminated jobs, and the number of these
        jobs."""
        return self._slowdowns, self._ended

    def restore(self, slowdowns: Sequence[float], ended: Sequence[int]) -> None:
        """Continue with these averages, if they are of the same categories."""
        if len(slowdowns) == len(ended) == len(self._ended):
            self._slowdowns, self._ended = list(slowdowns), list(ended)

    def ended(self, job: Job, start_us: int, end_us: int) -> None:
        """Add a terminated job to the running average of the slowdowns."""
        if self._adaptive:
            run_us = max(BOUND_S * SECOND_US, end_us - start_us)
            group = self._group(job)
            self._slowdowns[group] += max(1.0, (end_us - job.eligible_us) / run_us)
            self._ended[group] += 1

    def threshold(self, job: Job) -> float:
        """Return the expansion factor past which the job is promised a start."""
        group = self._group(job)
        if not self._adaptive:
            return self._starvation.values[group]
        ended = self._ended[group]
        average = self._slowdowns[group] / ended if ended else 1.0
        return self._starvation.scale * average

    def _past_wait_us(self, job: Job) -> int:
        """Return the first time at which the job has waited for more than the threshold."""
        return job.eligible_us + self._starvation.after_us + 1

    def _group(self, job: Job) -> int:
        return category(job, self._starvation) if self._starvation.differential else 0

    def _is_due(self, job: Job, now_us: int) -> bool:
        if self._due_us is not None:
            return self._about_us(job) <= now_us
        return expansion_factor(job, now_us) > self.threshold(job)

    def _about_us(self, job: Job) -> int:
        """Return a time a little before the job's expansion factor passes its threshold; or just
        the time that the third party's rule says."""
        if self._due_us is not None:
            due_us = self._due_us(job)
            return NEVER_US if due_us is None else due_us
        return job.eligible_us + int((self.threshold(job) - 1) * job.prediction_us) - SECOND_US

    def _may_be_due(self, now_us: int) -> list[Job]:
        if self._adaptive:
            return list(self._watched)
        near = self._due.take_until(now_us)
        for job in near:
            if not self._is_due(job, now_us):
                self._due.put(job, now_us + 1)
        return near
