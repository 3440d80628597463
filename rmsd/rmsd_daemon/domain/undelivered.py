"""The notices that were given up, and why: their users are told when they look at the job."""

from __future__ import annotations

_MOST = 10_000
"""The jobs that are remembered; the earliest are forgotten first."""


class Undelivered:
    """The reasons for which notices were given up, by job, since the daemon has started."""

    def __init__(self) -> None:
        self._reasons: dict[int, str] = {}

    def note(self, job_id: int, why: str) -> None:
        """Note that the notice of a job was given up."""
        if len(self._reasons) >= _MOST:
            del self._reasons[next(iter(self._reasons))]
        self._reasons[job_id] = why

    def reason(self, job_id: int) -> str:
        """Return why the job's notice was given up; "" if it was not, for all that is known."""
        return self._reasons.get(job_id, "")
