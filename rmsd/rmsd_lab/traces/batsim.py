"""A trace as a workload of Batsim: JSON with the jobs, each of which is a delay.

The format: https://batsim.readthedocs.io/en/latest/input-workload.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rmsd_lab.workloads.swf import TraceJob


def can_be_delay(job: TraceJob) -> bool:
    """Return whether a job can be in a workload of Batsim: its size and its times are known, and it
    takes some time. Batsim refuses a delay of 0."""
    return job.submit_s >= 0 and job.run_s > 0 and job.size > 0


def batsim_workload(jobs: Sequence[TraceJob], processors: int, about: str) -> dict[str, Any]:
    """Return the workload as an object for JSON. Times are in seconds.

    A job's profile is named after its run time, since many jobs run for the same time. Batsim kills
    a job at its `walltime`, which is the estimate; the simulations of rmsd let it run on unless
    they are asked not to. So a job that ran for longer than its estimate has no walltime.
    """
    return {
        "description": about,
        "nb_res": processors,
        "jobs": [
            {
                "id": str(job.number),
                "subtime": job.submit_s,
                "res": job.size,
                "profile": _profile(job),
                **({"walltime": job.estimate_s} if job.estimate_s >= job.run_s else {}),
                "user": job.user,
            }
            for job in jobs
        ],
        "profiles": {_profile(job): {"type": "delay", "delay": job.run_s} for job in jobs},
    }


def _profile(job: TraceJob) -> str:
    return f"delay-{job.run_s}"
