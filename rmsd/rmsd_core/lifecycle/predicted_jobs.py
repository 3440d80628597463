"""The waiting jobs whose predictions follow the history of their users."""

from __future__ import annotations

from itertools import islice

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired, Preempted, Unfolding, Waiting
from rmsd_core.planning.queue import WaitingIndex

_FOLLOW: frozenset[type] = frozenset({Waiting, Unfolding, Expired, Preempted})


class PredictedJobs:
    """The jobs that the base scheduler has still to start, apart from running trials and claims, by
    user in arrival order. Wherever they wait, in the queue, set aside or held back, they are found
    without a look at the jobs of others."""

    def __init__(self) -> None:
        self._by_user: dict[str, WaitingIndex] = {}
        self._jobs: dict[int, Job] = {}

    def moved(self, job: Job) -> None:
        """Note that the phase of the job has changed, or that the job is new."""
        phase = type(job.phase)
        if phase is Waiting or (phase in _FOLLOW and job.claim is None):
            if job.id not in self._jobs:
                self._jobs[job.id] = job
                if job.user not in self._by_user:
                    self._by_user[job.user] = WaitingIndex(_by_arrival)
                self._by_user[job.user].add(job)
        elif self._jobs.pop(job.id, None) is not None:
            jobs = self._by_user[job.user]
            jobs.remove(job)
            if not len(jobs):
                del self._by_user[job.user]

    def of(self, user: str, most: int) -> list[Job]:
        """Return the `most` jobs of a user that arrived first."""
        return list(islice(iter(self._by_user.get(user, ())), most))

    def has(self, job: Job) -> bool:
        return self._jobs.get(job.id) is job

    def known(self) -> list[list[int]]:
        """Return the numbers of the jobs, for each user in arrival order."""
        return [[job.id for job in self._by_user[user]] for user in sorted(self._by_user)]


def _by_arrival(job: Job) -> tuple[int, int]:
    """Return the place of a job; an array has the arrival number of its first task."""
    return job.seq, job.id
