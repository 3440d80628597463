"""A schedule as the lines of a log, and a log as a schedule."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_core.model_time import SECOND_US
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab.workloads.swf_log import LogJob, at_least_s, nearest_s

_COMPLETED, _FAILED = 1, 0


def logged(schedule: Schedule) -> list[LogJob]:
    """Return the jobs as lines of a log, in arrival order, times rounded to whole seconds. Users
    that are no numbers are numbered in the order of their first jobs."""
    numbers: dict[str, int] = {}
    found = []
    for job in schedule.jobs:
        submit_s, start_s = nearest_s(job.submit_us), nearest_s(job.start_us)
        known = job.user.removeprefix("-").isascii() and job.user.removeprefix("-").isdigit()
        user = int(job.user) if known else numbers.setdefault(job.user, len(numbers) + 1)
        found.append(
            LogJob(
                job.job_id,
                submit_s,
                start_s - submit_s,
                nearest_s(job.end_us) - start_s,
                job.size,
                requested=job.size,
                estimate_s=-1 if job.estimate_us < 0 else at_least_s(job.estimate_us),
                status=_FAILED if job.failed else _COMPLETED,
                user=user,
            )
        )
    return found


def as_schedule(jobs: Iterable[LogJob], processors: int) -> Schedule:
    """Return the schedule of jobs that have happened (`jobset.has_happened`), in arrival order.
    What a log does not tell of a job is not known."""
    found = [
        Scheduled(
            job.number,
            job.submit_s * SECOND_US,
            (job.submit_s + job.wait_s) * SECOND_US,
            (job.submit_s + job.wait_s + job.run_s) * SECOND_US,
            job.run_s * SECOND_US,
            job.allocated,
            None,
            str(job.user),
            -1 if job.estimate_s < 0 else job.estimate_s * SECOND_US,
            job.status == _FAILED,
            corrections=-1,
            attempts=-1,
            lost_us=-1,
        )
        for job in jobs
    ]
    return Schedule(sorted(found, key=lambda job: job.submit_us), processors)
