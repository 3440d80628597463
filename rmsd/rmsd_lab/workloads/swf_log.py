"""A log in the Standard Workload Format: a job with all 18 fields, and how it is written.

The format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html (version 2.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_lab.workloads.swf import TraceJob


class LogJob(NamedTuple):
    """The fields of a line, in order. Times in seconds, of which CPU time alone may have a
    fraction; -1 is not known."""

    number: int
    submit_s: int
    wait_s: int
    run_s: int
    allocated: int
    cpu_s: float = -1
    used_kib: int = -1
    requested: int = -1
    estimate_s: int = -1
    requested_kib: int = -1
    status: int = -1
    user: int = -1
    group: int = -1
    executable: int = -1
    queue: int = -1
    partition: int = -1
    preceding: int = -1
    think_s: int = -1


def format_log(header: Iterable[tuple[str, str]], jobs: Iterable[LogJob]) -> Iterator[str]:
    """Yield the lines of the file. Header values must be on one line each."""
    for key, value in header:
        yield f"; {key}: {value}\n"
    yield from map(line_of, jobs)


def line_of(job: LogJob) -> str:
    return " ".join(map(str, job)) + "\n"


def trace_job(job: LogJob) -> TraceJob:
    """Return the job as the scheduler gets it, by the same rules as `parse_swf`."""
    run_s = job.run_s if job.run_s != -1 else int(job.cpu_s)
    return TraceJob(
        job.number,
        job.submit_s,
        run_s,
        job.allocated,
        job.estimate_s if job.estimate_s > 0 else max(1, run_s),
        str(job.user),
        job.status,
        job.preceding,
        job.think_s,
        str(job.group),
    )


def nearest_s(us: int) -> int:
    """Return a time in whole seconds, rounded to the nearest, halves up."""
    return (us + SECOND_US // 2) // SECOND_US


def at_least_s(us: int) -> int:
    """Return a time in whole seconds, rounded up, so that no limit becomes shorter than a run
    within it."""
    return -(-us // SECOND_US)
