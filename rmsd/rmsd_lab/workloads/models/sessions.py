"""Jobs that a user submits in a row."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab.workloads.swf import TraceJob

SESSION_GAP_S = 3600
"""A user who submits nothing for longer than this begins a new session."""

UNKNOWN_USER = "-1"


def sessions(jobs: Sequence[TraceJob]) -> list[list[int]]:
    """Return the positions of each session's jobs, in the order in which sessions begin. A job
    whose user is not known is a session of its own.

    jobs: in arrival order.
    """
    found: list[list[int]] = []
    latest: dict[str, list[int]] = {}
    for at, job in enumerate(jobs):
        session = latest.get(job.user)
        if session and job.submit_s - jobs[session[-1]].submit_s <= SESSION_GAP_S:
            session.append(at)
            continue
        found.append([at])
        if job.user != UNKNOWN_USER:
            latest[job.user] = found[-1]
    return found
