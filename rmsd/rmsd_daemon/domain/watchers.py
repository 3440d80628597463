"""Waiting for jobs to change: every long poll of the API ends up here, and every open stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from rmsd_core.jobs.job import Job
from rmsd_daemon.domain.feed import Feed, FeedEntry


class Watchers:
    """Futures by job id, resolved when a commit has changed the job, and the feed of all jobs."""

    def __init__(self) -> None:
        self.feed = Feed()
        self._futures: dict[int, set[asyncio.Future[None]]] = {}

    async def wait(self, job_id: int, timeout_s: float) -> None:
        """Return at the next change of the job, or after `timeout_s` seconds."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._futures.setdefault(job_id, set()).add(future)
        try:
            await asyncio.wait([future], timeout=timeout_s)
        finally:
            if (others := self._futures.get(job_id)) is not None:
                others.discard(future)
                if not others:
                    del self._futures[job_id]

    def notify(self, job_ids: Sequence[int], job_of: Callable[[int], Job]) -> None:
        """Wake those who wait for a change of these jobs, which `job_of` finds."""
        jobs = [job_of(job_id) for job_id in job_ids]
        self.feed.tell([FeedEntry(job.id, job.user, job.state.value) for job in jobs])
        self._wake(job_ids)

    def notify_all(self) -> None:
        """Wake everyone who waits: any job may have changed."""
        self.feed.tell_anew()
        self._wake(list(self._futures))

    def _wake(self, job_ids: Iterable[int]) -> None:
        for job_id in job_ids:
            for future in self._futures.pop(job_id, ()):
                future.set_result(None)
