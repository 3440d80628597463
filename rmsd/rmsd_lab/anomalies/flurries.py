"""Workload flurries: surges of a single user's activity that dominate the workload for a limited
time (thesis 6.3).

The thesis defines them in words and shows them in jobs and in processes submitted per week. A week
of a user is a flurry here if the user alone submits as much as all users together do in a usual
week, in jobs or in processes. The activity is then at least double the usual, which is where the
thesis's examples begin. The usual week is the median one, which flurries do not move.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal

from rmsd_lab.workloads.swf_log import LogJob, trace_job

WEEK_S = 7 * 86400
LEAST_WEEKS = 4
"""The least number of full weeks that have a usual week."""
SESSION_GAP_S = 3600
"""A flurry goes on beyond its weeks while the user's jobs come at least that often."""

Kind = Literal["jobs", "processes"]
KINDS: tuple[Kind, ...] = ("jobs", "processes")
_UNKNOWN_USER = -1


class NoUsualWeek(ValueError):
    """The trace has too few weeks to tell what is usual, or hardly any with jobs."""


class Activity:
    """Jobs and processes submitted by week, in all and by user.

    Processes are processors asked for; where a trace does not say, those that the job got. A job
    of which neither is known counts as a job alone; one without a submit time is not looked at.
    """

    def __init__(self) -> None:
        self.jobs = 0
        self.processes = 0
        self.weeks: dict[Kind, Counter[int]] = {kind: Counter() for kind in KINDS}
        self.by_user: dict[Kind, Counter[tuple[int, int]]] = {kind: Counter() for kind in KINDS}
        self._first_s: int | None = None

    def add(self, job: LogJob) -> None:
        if job.submit_s < 0:
            return
        if self._first_s is None:
            self._first_s = job.submit_s
        processes = max(0, _size(job))
        self.jobs += 1
        self.processes += processes
        key = job.user, self.week_of(job.submit_s)
        for kind, count in zip(KINDS, (1, processes), strict=True):
            self.weeks[kind][key[1]] += count
            self.by_user[kind][key] += count

    def week_of(self, submit_s: int) -> int:
        """Return the week of a submit time. Week 0 begins with the first job that was read."""
        return (submit_s - (self._first_s or 0)) // WEEK_S

    def usual(self, kind: Kind) -> float:
        """Return what is submitted in the median full week; the last week is not full. The usual
        number of processes is 0 if few jobs state theirs.

        Raises:
            NoUsualWeek: there are fewer than `LEAST_WEEKS`, or nothing in the median one.
        """
        weeks = self.weeks[kind]
        full = range(min(weeks, default=0), max(weeks, default=0))
        if len(full) < LEAST_WEEKS:
            raise NoUsualWeek(
                f"the trace spans {len(full)} full weeks; with fewer than {LEAST_WEEKS} it "
                "cannot be told what a usual one is"
            )
        empty = len(full) - sum(week in full for week in self.weeks["jobs"])
        if 2 * empty > len(full):
            raise NoUsualWeek(
                f"in {empty:,} of its {len(full):,} weeks nothing is submitted, so that none is a "
                "usual one; is a submit time wrong?"
            )
        return float(median(weeks[week] for week in full))

    def peaks(self, times: float, kinds: Iterable[Kind] = KINDS) -> dict[int, dict[int, Peak]]:
        """Return, by user and week, the kinds in which the user reaches `times` the usual week.

        Raises:
            NoUsualWeek: see `usual`.
        """
        found: dict[int, dict[int, Peak]] = defaultdict(dict)
        for kind in kinds:
            usual = self.usual(kind)
            for (user, week), count in self.by_user[kind].items():
                if user != _UNKNOWN_USER and usual and count >= times * usual:
                    found[user].setdefault(week, {})[kind] = count / usual
        return dict(found)


Peak = dict[Kind, float]
"""The usual weeks that a user's week is worth, by the kinds in which it is a flurry."""


@dataclass(frozen=True, slots=True)
class Flurry:
    """All that `user` submitted from `since_s` to `until_s`, both included.

    peaks: the highest in usual weeks. size, estimate_s: the most frequent ones, with the share of
    the jobs that have them; size below 1: not known. run_s, interarrival_s: medians; None: not
    known, or a single job.
    """

    user: int
    since_s: int
    until_s: int
    peaks: Peak
    jobs: int
    processes: int
    size: int
    size_share: float
    estimate_s: int
    estimate_share: float
    run_s: float | None
    interarrival_s: float | None

    def has(self, user: int, submit_s: int) -> bool:
        return user == self.user and self.since_s <= submit_s <= self.until_s


@dataclass(slots=True)
class Suspects:
    """The jobs of the users with peaks, from a second look at the trace."""

    peaks: Mapping[int, Mapping[int, Peak]]
    activity: Activity
    jobs: dict[int, list[LogJob]] = field(default_factory=lambda: defaultdict(list))

    def add(self, job: LogJob) -> None:
        if job.submit_s >= 0 and job.user in self.peaks:
            self.jobs[job.user].append(job)

    def flurries(self) -> list[Flurry]:
        """Return the flurries in the order of their beginnings. Flurries that touch or overlap are
        one."""
        found = [
            flurry
            for user, weeks in self.peaks.items()
            for flurry in self._of_user(sorted(self.jobs[user], key=_submit), weeks)
        ]
        return sorted(found, key=lambda flurry: (flurry.since_s, flurry.user))

    def _of_user(self, jobs: Sequence[LogJob], weeks: Mapping[int, Peak]) -> list[Flurry]:
        inside = [self.activity.week_of(job.submit_s) in weeks for job in jobs]
        for order in (range(1, len(jobs)), range(len(jobs) - 2, -1, -1)):
            step = 1 if order.step > 0 else -1
            for at in order:
                gap_s = abs(jobs[at].submit_s - jobs[at - step].submit_s)
                inside[at] |= inside[at - step] and gap_s <= SESSION_GAP_S
        flurries = []
        run: list[LogJob] = []
        for job, belongs in zip(jobs, inside, strict=True):
            if run and not (belongs and job.submit_s - run[-1].submit_s < WEEK_S):
                flurries.append(self._flurry(run, weeks))
                run = []
            if belongs:
                run.append(job)
        return [*flurries, self._flurry(run, weeks)] if run else flurries

    def _flurry(self, jobs: Sequence[LogJob], weeks: Mapping[int, Peak]) -> Flurry:
        peaks: Peak = {}
        for week in {self.activity.week_of(job.submit_s) for job in jobs} & weeks.keys():
            for kind, times in weeks[week].items():
                peaks[kind] = max(times, peaks.get(kind, 0.0))
        size, size_share = _mode([_size(job) for job in jobs])
        estimate_s, estimate_share = _mode([job.estimate_s for job in jobs])
        runs_s = [run_s for run_s in (trace_job(job).run_s for job in jobs) if run_s >= 0]
        gaps_s = [after.submit_s - before.submit_s for before, after in pairwise(jobs)]
        return Flurry(
            jobs[0].user,
            jobs[0].submit_s,
            jobs[-1].submit_s,
            peaks,
            len(jobs),
            sum(max(0, _size(job)) for job in jobs),
            size,
            size_share,
            estimate_s,
            estimate_share,
            median(runs_s) if runs_s else None,
            median(gaps_s) if gaps_s else None,
        )


def _size(job: LogJob) -> int:
    """Return the processors that a job asked for, or else got. The thesis counts submitted
    processes. A number below 1 means that the size is not known."""
    return job.requested if job.requested > 0 else job.allocated


def _submit(job: LogJob) -> int:
    return job.submit_s


def _mode(values: Sequence[int]) -> tuple[int, float]:
    """Return the most frequent value and its share of all values, 0 to 1."""
    [(value, count)] = Counter(values).most_common(1)
    return value, count / len(values)
