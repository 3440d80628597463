"""The choice of jobs of a trace: those that are wanted, and those that can be simulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rmsd_lab.traces.reading import LogReader
from rmsd_lab.workloads.swf import TraceError, takes_part
from rmsd_lab.workloads.swf_log import LogJob, trace_job


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions that all must hold; None: no condition.

    Sizes are in allocated processors, run times in seconds (the CPU time where there is none), and
    `since_s` <= submit < `until_s`. What is not known is in no range.
    """

    users: frozenset[int] | None = None
    statuses: frozenset[int] | None = None
    least_size: int | None = None
    most_size: int | None = None
    least_run_s: int | None = None
    most_run_s: int | None = None
    since_s: int | None = None
    until_s: int | None = None

    def takes(self, job: LogJob) -> bool:
        until_s = None if self.until_s is None else self.until_s - 1
        return (
            (self.users is None or job.user in self.users)
            and (self.statuses is None or job.status in self.statuses)
            and _within(job.allocated, self.least_size, self.most_size)
            and _within(trace_job(job).run_s, self.least_run_s, self.most_run_s)
            and _within(job.submit_s, self.since_s, until_s)
        )


def _within(value: int, least: int | None, most: int | None) -> bool:
    if least is None and most is None:
        return True
    return value >= 0 and (least is None or value >= least) and (most is None or value <= most)


def why_not_simulated(job: LogJob, processors: int) -> str | None:
    """Return why a job cannot take part in a simulation on so many processors; None if it can."""
    simulated = trace_job(job)
    if takes_part(simulated, processors):
        return None
    if simulated.submit_s < 0:
        return "submit time not known"
    if simulated.run_s < 0:
        return "run time not known"
    return "number of processors not known" if simulated.size <= 0 else "larger than the machine"


def in_arrival_order(log: LogReader) -> Iterator[LogJob]:
    """Yield the jobs, for callers that need them in arrival order. Jobs without a submit time are
    not checked.

    Raises:
        TraceError: one was submitted before the one above it.
    """
    latest_s = 0
    for job in log:
        if 0 <= job.submit_s < latest_s:
            raise TraceError(
                f"line {log.line}: submitted at {job.submit_s}, after a line with {latest_s}; "
                "`rmsd trace clean` sorts a trace"
            )
        latest_s = max(latest_s, job.submit_s)
        yield job
