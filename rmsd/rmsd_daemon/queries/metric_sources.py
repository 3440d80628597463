"""The sources of the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rmsd_daemon.loop.job_counters import JobCounters
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.loop.timings import Timings
from rmsd_daemon.queries.status import Counts


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the daemon's metrics.

    counts: of the present jobs and nodes. answers: the durations of answers by operation.
    """

    scheduler: Scheduler
    counts: Counts
    answers: Mapping[str, Timings]
    recipe: str

    @property
    def jobs(self) -> JobCounters:
        return self.scheduler.job_counters
