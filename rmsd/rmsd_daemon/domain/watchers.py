"""Waiting for a job to change: every long poll of the API ends up here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable


class Watchers:
    """Futures by job id, resolved when a commit has changed the job."""

    def __init__(self) -> None:
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

    def notify(self, job_ids: Iterable[int]) -> None:
        for job_id in job_ids:
            for future in self._futures.pop(job_id, ()):
                future.set_result(None)

    def notify_all(self) -> None:
        self.notify(list(self._futures))
