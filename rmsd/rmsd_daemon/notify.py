"""Telling a URL that a job is over: the notices that are stored with a job's end, delivered.

A notice is a row that is committed with the job's end and deleted when it was delivered or given
up, so a restarted daemon delivers what is left: at least once. Nothing waits for a delivery.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import msgspec
import structlog
from aiohttp import ClientError, ClientSession, ClientTimeout

from rmsd_daemon import views
from rmsd_daemon.history import History
from rmsd_daemon.problems import ApiError
from rmsd_daemon.scheduler import Scheduler
from rmsd_daemon.store import StoreError

log = structlog.get_logger()

_AT_ONCE = 32
_TIMEOUT_S = 10.0
_PAUSES_S = (1.0, 5.0, 30.0)
"""Between the attempts to deliver a notice; after the last one it is given up."""


class Notifier:
    """Delivers every notice in the store, a limited number of them at a time."""

    def __init__(self, scheduler: Scheduler, history: History) -> None:
        self._scheduler = scheduler
        self._history = history
        self._deliveries: dict[int, asyncio.Task[None]] = {}
        self._settled: set[int] = set()  # whatever became of their rows

    async def run(self) -> None:
        """Until cancelled; deliveries that are under way then are left for the next start."""
        async with ClientSession(timeout=ClientTimeout(_TIMEOUT_S)) as session:
            try:
                while True:
                    await self._scheduler.notices.wait()
                    self._scheduler.notices.clear()
                    try:
                        await self._begin(session)
                    except StoreError as error:
                        log.error("notices-not-read", error=str(error))
                        await asyncio.sleep(_PAUSES_S[-1])
                        self._scheduler.notices.set()
            finally:
                for task in self._deliveries.values():
                    task.cancel()
                await asyncio.gather(*self._deliveries.values(), return_exceptions=True)

    async def _begin(self, session: ClientSession) -> None:
        """Begin deliveries, as many as may go on at once."""
        for job_id, url in (await self._history.notices(len(self._settled) + _AT_ONCE)).items():
            if len(self._deliveries) >= _AT_ONCE:
                return
            if job_id not in self._deliveries and job_id not in self._settled:
                task = asyncio.create_task(self._deliver(session, job_id, url))
                self._deliveries[job_id] = task

    async def _deliver(self, session: ClientSession, job_id: int, url: str) -> None:
        problem = await self._attempts(session, job_id, url)
        if problem:
            log.warning("notice-given-up", job_id=job_id, host=urlsplit(url).hostname, why=problem)
        self._settled.add(job_id)
        try:
            await self._scheduler.forget_notice(job_id)
            self._settled.discard(job_id)
        except StoreError as error:
            log.error("notice-not-deleted", job_id=job_id, error=str(error))
        del self._deliveries[job_id]
        self._scheduler.notices.set()  # there is room for another

    async def _attempts(self, session: ClientSession, job_id: int, url: str) -> str:
        """Try until it is delivered; returns "", or why it is given up."""
        problem = ""
        for pause_s in (0.0, *_PAUSES_S):
            await asyncio.sleep(pause_s)
            problem = await self._attempt(session, job_id, url)
            if not problem:
                return ""
            log.info("notice-failed", job_id=job_id, host=urlsplit(url).hostname, why=problem)
        return problem

    async def _attempt(self, session: ClientSession, job_id: int, url: str) -> str:
        """POST the job, as GET /v1/jobs/{id} answers it; returns "", or what went wrong."""
        try:
            job, details = await self._history.find(job_id)
            view = views.job_view(job, details, "", self._scheduler.clock.now_us())
            body = msgspec.json.encode({"schema": "rmsd.job/1", "job": view})
            headers = {"Content-Type": "application/json"}
            # A redirect could lead where the submitter's own URL was not meant to.
            async with session.post(
                url, data=body, headers=headers, allow_redirects=False
            ) as response:
                return "" if response.ok and response.status < 300 else f"HTTP {response.status}"
        except TimeoutError:
            return f"no answer within {_TIMEOUT_S:g} s"
        except (ClientError, OSError, ValueError, ApiError) as error:
            return f"{type(error).__name__}: {error}"
