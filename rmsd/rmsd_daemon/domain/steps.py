"""The steps of jobs, as far as the daemon remembers them: since its start, and the latest ones."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rmsd_wire.api.steps import StepBody, StepEndBody, StepView

MOST_OF_JOB = 200
"""The steps that are remembered of one job."""
MOST_OF_USER = 2000
"""The steps that are remembered of all the jobs of one user."""


class StepRecords:
    """The steps of jobs, by job. Nothing is decided by them: they are for those who ask."""

    def __init__(self, known_from_us: int = 0) -> None:
        """Begin with no steps. Those before `known_from_us` are not known."""
        self._known_from_us = known_from_us
        self._forgotten_us: dict[str, int] = {}  # the start of each user's latest forgotten step
        self._by_job: dict[int, list[StepView]] = {}
        self._next: dict[int, int] = {}
        self._jobs_of: dict[str, dict[int, None]] = {}  # in the order of their first steps
        self._counts: dict[str, int] = {}

    def begin(self, user: str, job_id: int, attempt: int, body: StepBody, now_us: int) -> int:
        """Remember a step that begins. Returns its number in the job."""
        if job_id not in self._by_job:
            self._by_job[job_id] = []
            self._jobs_of.setdefault(user, {})[job_id] = None
        number = self._next.get(job_id, 0)
        self._next[job_id] = number + 1
        own = self._by_job[job_id]
        own.append(
            StepView(
                job_id=job_id,
                attempt=attempt,
                number=number,
                name=body.name,
                nodelist=body.nodelist,
                tasks=body.tasks,
                cpus=body.cpus,
                start_us=now_us,
                end_us=None,
                exit_code=0,
                signal=0,
                cpu_s=None,
                max_rss_mib=None,
                parts=body.parts,
            )
        )
        self._counts[user] = self._counts.get(user, 0) + 1
        if len(own) > MOST_OF_JOB:
            self._forget(user, own[:1])
            del own[0]
            self._counts[user] -= 1
        self._forget_oldest(user, job_id)
        return number

    def end(self, job_id: int, number: int, body: StepEndBody, now_us: int) -> None:
        """Note the end of a step, once; one that is not remembered is left out."""
        own = self._by_job.get(job_id, [])
        for i, step in enumerate(own):
            if step.number == number and step.end_us is None:
                own[i] = msgspec.structs.replace(
                    step,
                    end_us=now_us,
                    exit_code=body.exit_code,
                    signal=body.signal,
                    cpu_s=body.cpu_s,
                    max_rss_mib=body.max_rss_mib,
                    figures=body.figures,
                    cause="TIMEOUT" if body.timed_out else step.cause,
                )

    def attempt_of(self, job_id: int, number: int) -> int | None:
        """Return the attempt that a step belongs to; None if the step is not remembered."""
        found = (step for step in self._by_job.get(job_id, ()) if step.number == number)
        return next((step.attempt for step in found), None)

    def cancel(self, job_id: int, attempt: int, number: int) -> None:
        """Note that a step is cancelled; its `srun` tells of its end."""
        own = self._by_job.get(job_id, [])
        for i, step in enumerate(own):
            if (step.attempt, step.number) == (attempt, number):
                own[i] = msgspec.structs.replace(step, cause="CANCELLED")

    def of(self, job_ids: Iterable[int], user: str | None) -> list[StepView]:
        """Return the steps of jobs; with `user` only of those that are this user's."""
        own = None if user is None else self._jobs_of.get(user, {})
        return [
            step
            for job_id in job_ids
            if own is None or job_id in own
            for step in self._by_job.get(job_id, ())
        ]

    def known_from_us(self, user: str | None) -> int:
        """Return the time after which no step of a user has been forgotten, or of all users. All
        steps of a job that started later are remembered."""
        if user is None:
            return max(self._known_from_us, *self._forgotten_us.values(), 0)
        return max(self._known_from_us, self._forgotten_us.get(user, 0))

    def _forget(self, user: str, steps: list[StepView]) -> None:
        latest_us = max((step.start_us for step in steps), default=0)
        self._forgotten_us[user] = max(latest_us, self._forgotten_us.get(user, 0))

    def _forget_oldest(self, user: str, but: int) -> None:
        """Forget the first jobs of a user with too many steps, though not job `but`."""
        jobs = self._jobs_of[user]
        while self._counts[user] > MOST_OF_USER:
            oldest = next(job_id for job_id in jobs if job_id != but or len(jobs) == 1)
            del jobs[oldest]
            forgotten = self._by_job.pop(oldest)
            self._forget(user, forgotten)
            self._counts[user] -= len(forgotten)
            self._next.pop(oldest)
