"""Fairness against a fair start: what a job would have got if, from its arrival on, no job passed
another. Selective, section 5; thesis 3.7."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from rmsd_core.model_time import BOUND_S, SECOND_US
from rmsd_lab.measures.categories import Boundaries
from rmsd_lab.measures.metrics import Distribution, distribution, mean, share
from rmsd_lab.schedule import Scheduled


def fair_starts_us(reference: Sequence[Scheduled], processors: int) -> list[int]:
    """Return the fair start time of every job, FST(J) [us], in `reference`'s order.

    Args:
        reference: the schedule of the same jobs under conservative backfilling, in arrival order.
            With the users' estimates: the reference of Selective, section 5; with exact ones: that
            of thesis 3.7.
        processors: the machine's.

    FST(J) is J's start if, at the instant of its arrival, the reference went on as strict FCFS
    without backfilling. Jobs that run then end when they end; jobs that wait start in arrival
    order.

    The continuation is kept from one arrival to the next, as long as the reference does what it
    foresaw. A new job is appended in O(log R), with R jobs running. Every start that it did not
    foresee (a backfilled job has passed others) makes it stale. The next arrival computes it anew,
    in Q steps of O(log R) with Q jobs waiting. The whole takes O(n log n) for starts in arrival
    order, O(n (R + Q log R)) at worst. This is linear in the jobs at a fixed load: CTC's 77,000
    take 0.4 s, 100,000 generated ones at a load of 0.8 take 0.9 s. It is not linear if the queue
    grows without end: at a load of 1, with 900 waiting in the mean, they take 20 s.

    Raises:
        ValueError: `reference` is not in arrival order, or a job is larger than the machine.
    """
    _check(reference, processors)
    by_start = sorted(range(len(reference)), key=lambda at: reference[at].start_us)
    started = 0
    running: list[tuple[int, int]] = []  # (end, size), a heap
    free = processors
    waiting: dict[int, int] = {}  # key: arrival; value: where the job is, and its start as foreseen
    foreseen = _StrictFcfs(running, free)
    fair: list[int] = []
    for at, job in enumerate(reference):
        now_us = job.submit_us
        stale = False
        while (other := reference[by_start[started]]).start_us < now_us:
            stale |= waiting.pop(by_start[started]) != other.start_us
            heappush(running, (other.end_us, other.size))
            free -= other.size
            started += 1
        while running and running[0][0] <= now_us:
            free += heappop(running)[1]
        if stale or (waiting and next(iter(waiting.values())) < now_us):
            foreseen = _StrictFcfs(running, free)
            for other_at in waiting:
                waiting[other_at] = foreseen.start_us(reference[other_at], now_us)
        waiting[at] = foreseen.start_us(job, now_us)
        fair.append(waiting[at])
    return fair


def _check(reference: Sequence[Scheduled], processors: int) -> None:
    if any(one.submit_us > next_one.submit_us for one, next_one in pairwise(reference)):
        raise ValueError("the reference is not in arrival order")
    for job in reference:
        if job.size > processors:
            raise ValueError(f"job {job.job_id} is larger than {processors} processors")


class _StrictFcfs:
    """FCFS without backfilling with known run times: one job after the other is appended."""

    __slots__ = ("_free", "_last_us", "_releases")

    def __init__(self, running: list[tuple[int, int]], free: int) -> None:
        """Copy `running`, a heap of (end, size). `free` is the number of processors that are not in
        use."""
        self._releases = running.copy()
        self._free = free
        self._last_us = 0

    def start_us(self, job: Scheduled, now_us: int) -> int:
        """Append `job`, and tell its start: not before `now_us`, nor before any job ahead of it."""
        start_us = max(self._last_us, now_us)
        while self._free < job.size:
            end_us, size = heappop(self._releases)
            self._free += size
            start_us = max(start_us, end_us)
        self._free -= job.size
        heappush(self._releases, (start_us + job.run_us, job.size))
        self._last_us = start_us
        return start_us


HISTOGRAM = ("<=1", "1-1.5", "1.5-2", "2-4", ">4")
_UPPER = (1.0, 1.5, 2.0, 4.0)


class Treatment(NamedTuple):
    """The slowdowns of jobs against their fair slowdowns (Selective, section 5, Table 9).

    histogram: the part of them whose slowdown is so many times their fair slowdown.
    """

    jobs: int
    fair_slowdown_mean: float | None
    histogram: dict[str, float | None]


def treatment(jobs: Sequence[Scheduled], fair_us: Sequence[int]) -> Treatment:
    """Return how jobs fared against their fair starts; `fair_us` has one start for each of `jobs`.

    fair slowdown = (fair wait + run) / run. Run times below 10 s count as 10 s in both slowdowns,
    as in all slowdowns of the paper (section 2), else a job of no length would have none.
    """
    ratios = [_ratio(job, start_us) for job, start_us in zip(jobs, fair_us, strict=True)]
    groups = [sum(ratio > upper for upper in _UPPER) for ratio in ratios]
    return Treatment(
        len(jobs),
        mean(
            _slowdown(start_us - job.submit_us, job)
            for job, start_us in zip(jobs, fair_us, strict=True)
        ),
        {name: share(group == at for group in groups) for at, name in enumerate(HISTOGRAM)},
    )


def treatment_by_length(
    jobs: Sequence[Scheduled], fair_us: Sequence[int], boundaries: Boundaries
) -> dict[str, Treatment]:
    """Return the treatment of the jobs by their length in seconds (Selective, Fig. 7)."""
    uppers_us = boundaries.lengths_us
    names = [f"<={upper_us // SECOND_US}" for upper_us in uppers_us]
    names.append(f">{uppers_us[-1] // SECOND_US}" if uppers_us else "any")
    members: list[list[int]] = [[] for _ in names]
    for at, job in enumerate(jobs):
        members[sum(job.run_us > upper_us for upper_us in uppers_us)].append(at)
    return {
        name: treatment([jobs[at] for at in chosen], [fair_us[at] for at in chosen])
        for name, chosen in zip(names, members, strict=True)
    }


class Unfairness(NamedTuple):
    """The delays of jobs beyond their fair starts (thesis 3.7, after Sabin and Sadayappan).

    unfairness_s: the mean of max(0, start - FST) over all jobs.
    late_rate: the part of the jobs that started later than fair.
    late_s: by how much those did.
    """

    unfairness_s: float | None
    late_rate: float | None
    late_s: Distribution | None


def unfairness(jobs: Sequence[Scheduled], fair_us: Sequence[int]) -> Unfairness:
    """Return the delays of jobs beyond their fair starts. `fair_us` has one start for each of
    `jobs`, from a reference with exact estimates."""
    late_s = [
        max(0, job.submit_us + job.wait_us - start_us) / SECOND_US
        for job, start_us in zip(jobs, fair_us, strict=True)
    ]
    return Unfairness(
        mean(late_s),
        share(late > 0 for late in late_s),
        distribution(late for late in late_s if late > 0),
    )


def _ratio(job: Scheduled, fair_us: int) -> float:
    return _slowdown(job.wait_us, job) / _slowdown(fair_us - job.submit_us, job)


def _slowdown(wait_us: int, job: Scheduled) -> float:
    bounded_us = max(BOUND_S * SECOND_US, job.run_us)
    return (wait_us + bounded_us) / bounded_us
