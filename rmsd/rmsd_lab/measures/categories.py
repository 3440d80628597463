"""Metrics by kinds of jobs: short or long, narrow or wide; failing jobs, short jobs, both.

Jobs are classified by their real run time and their size, whatever the scheduler believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import mean, share
from rmsd_lab.schedule import Scheduled

CATEGORIES = ("SN", "SW", "LN", "LW")


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The boundaries between the kinds of jobs.

    long_us, wide: jobs that run longer are long, larger ones wide (Selective, Table 1; LANL's wide
        jobs have more than 64 processors, Table 2).
    short_us: jobs that run no longer are those that a trial of this length sees to their end. The
        number of short jobs in Fig. 7 of Timed is reproduced with "no longer", not with "shorter".
    lengths_us: ascending upper ends of the lengths by which fairness is shown; what is longer than
        the last is a length of its own. Fig. 7 of Selective does not say its own.
    """

    long_us: int = 3600 * SECOND_US
    wide: int = 8
    short_us: int = 90 * SECOND_US
    lengths_us: tuple[int, ...] = (600 * SECOND_US, 3600 * SECOND_US, 28800 * SECOND_US)

    def category(self, job: Scheduled) -> str:
        """Return the category of a job: "SN", "SW", "LN" or "LW" (Selective, 2.1)."""
        length = "L" if job.run_us > self.long_us else "S"
        return length + ("W" if job.size > self.wide else "N")

    def is_short(self, job: Scheduled) -> bool:
        """Return whether a trial of this length runs the job to its end (Timed, 3.2)."""
        return job.run_us <= self.short_us


class CategoryTimes(NamedTuple):
    """The wait and response times of the jobs of one kind; None if there are no such jobs.

    share: the part of all counted jobs that is of this kind.
    """

    jobs: int
    share: float | None
    wait_mean_s: float | None
    wait_max_s: float | None
    response_mean_s: float | None
    response_max_s: float | None
    bounded_slowdown_mean: float | None
    bounded_slowdown_max: float | None


def by_category(jobs: Sequence[Scheduled], boundaries: Boundaries) -> dict[str, CategoryTimes]:
    """Return the figures of the four categories and of "all" jobs (Selective, 2.1, 4.2: averages
    and worst cases)."""
    members: dict[str, list[Scheduled]] = {name: [] for name in CATEGORIES}
    for job in jobs:
        members[boundaries.category(job)].append(job)
    kinds = {name: _kind(chosen, len(jobs)) for name, chosen in members.items()}
    return kinds | {"all": _kind(jobs, len(jobs))}


def by_failure(jobs: Sequence[Scheduled], boundaries: Boundaries) -> dict[str, CategoryTimes]:
    """Return the figures of "all", "failing", "short" and "failed_short" jobs (Timed, 3.1, Figs. 4,
    6, 8 and 9)."""
    short = [job for job in jobs if boundaries.is_short(job)]
    chosen = {
        "all": jobs,
        "failing": [job for job in jobs if job.failed],
        "short": short,
        "failed_short": [job for job in short if job.failed],
    }
    return {name: _kind(members, len(jobs)) for name, members in chosen.items()}


def short_among_failing(jobs: Sequence[Scheduled], boundaries: Boundaries) -> float | None:
    """Return the part of the failing jobs that is short, 0 to 1 (Timed, Fig. 7); None if no job
    fails."""
    return share(boundaries.is_short(job) for job in jobs if job.failed)


def _kind(jobs: Sequence[Scheduled], of: int) -> CategoryTimes:
    waits_s = [job.wait_us / SECOND_US for job in jobs]
    responses_s = [job.response_us / SECOND_US for job in jobs]
    slowdowns = [job.bounded_slowdown for job in jobs]
    return CategoryTimes(
        len(jobs),
        len(jobs) / of if of else None,
        mean(waits_s),
        max(waits_s, default=None),
        mean(responses_s),
        max(responses_s, default=None),
        mean(slowdowns),
        max(slowdowns, default=None),
    )
