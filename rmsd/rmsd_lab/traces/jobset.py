"""A trace as a job set: the CSV of Batsim's jobs that evalys reads (`JobSet.from_csv`).

The columns: https://batsim.readthedocs.io/en/latest/output-jobs.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rmsd_lab.charts.rows import RowRange, RowSpan, Want, packed
from rmsd_lab.workloads.swf_log import LogJob

COLUMNS = (
    *("job_id", "workload_name", "submission_time", "requested_number_of_resources"),
    *("requested_time", "success", "starting_time", "execution_time", "finish_time"),
    *("waiting_time", "turnaround_time", "stretch", "allocated_resources"),
)

_COMPLETED = 1

Row = tuple[int | float | str, ...]


def has_happened(job: LogJob) -> bool:
    """Return whether it is known when, how long and on how many processors a job ran. Other jobs
    cannot be in a job set."""
    return min(job.submit_s, job.wait_s, job.run_s) >= 0 and job.allocated > 0


def jobset(jobs: Sequence[LogJob], processors: int, workload: str) -> Iterator[Row]:
    """Return the rows of jobs that have happened, in the jobs' order. Times are in seconds.

    A trace does not say which processors a job had: they are made up by first fit. Those of a job
    for which the machine had too few free processors at its time are numbered from `processors` on.
    """
    spans = [
        RowSpan(_start_s(job), _start_s(job) + job.run_s, (Want(0, processors, job.allocated),))
        for job in jobs
    ]
    for job, pieces in zip(jobs, packed(spans, processors), strict=True):
        turnaround_s = job.wait_s + job.run_s
        yield (
            job.number,
            workload,
            job.submit_s,
            job.requested if job.requested > 0 else job.allocated,
            job.estimate_s,
            "" if job.status < 0 else int(job.status == _COMPLETED),
            _start_s(job),
            job.run_s,
            _start_s(job) + job.run_s,
            job.wait_s,
            turnaround_s,
            turnaround_s / job.run_s if job.run_s else "inf",
            _intervals(pieces),
        )


def _start_s(job: LogJob) -> int:
    return job.submit_s + job.wait_s


def _intervals(pieces: Iterable[RowRange]) -> str:
    """Return a set of processors as evalys writes it: `0-3 7 9-12`."""
    return " ".join(
        f"{first}-{first + rows - 1}" if rows > 1 else str(first) for first, rows in pieces
    )
