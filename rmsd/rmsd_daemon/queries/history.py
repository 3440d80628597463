"""Questions about jobs, answered from the core's memory and the database together."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from typing import NamedTuple, TypeVar, TypeVarTuple

import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import LIVE_STATES
from rmsd_daemon.domain.errors import Malformed, NotStored, Unavailable, no_such_job
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.filters import Filter
from rmsd_daemon.store.failures import DamagedError, SearchError, StoreError
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.store import Notice
from rmsd_daemon.store.tables import Audit

log = structlog.get_logger()

_AT_ONCE = 1000
"""Of a long list of jobs: then others have their turn (some 0.5 ms)."""
_READ_IDS = 100
_READ_BYTES = 256 << 10
"""What is read from the database at a time, in jobs and in text."""
_EVENTS = 1000
"""Of the changes of a job's prediction, the latest that are told."""

Found = tuple[Job, Details]
_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")


class Owned(NamedTuple):
    """Whose a job is, and whether it waits or runs."""

    user: str
    live: bool


class History:
    """Reads run in threads with connections of their own, so that no commit waits for them."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._readers = ThreadPoolExecutor(2, "reader")
        self._searching = asyncio.Lock()  # searches are long, and leave a reader to short questions

    def close(self) -> None:
        self._readers.shutdown()

    async def find(self, job_id: int) -> Found:
        """The job, live or over. Raises NotFound: there is none."""
        await self._scheduler.sound()
        if live := self.live(job_id):
            return live
        _, found = await self._ask(self._scheduler.store.jobs_of, [job_id], 0)
        if not found:
            raise no_such_job(job_id)
        return found[0]

    async def owner(self, job_id: int) -> str:
        """Whose job it is. Raises NotFound: there is none."""
        job, _ = await self.find(job_id)
        return job.user

    def live(self, job_id: int) -> Found | None:
        job = self._scheduler.core.jobs.get(job_id)
        details = self._scheduler.details.get(job_id)  # none before the submit is committed
        return None if job is None or details is None else (job, details)

    async def page(self, wanted: Filter) -> tuple[list[int], int | None]:
        """The numbers of the jobs to show, which ascend; and, if older jobs may be wanted as well,
        the number below which these are."""
        await self._scheduler.sound()
        # A job that ends in between is in the database by then, and so in one of the two at least.
        found = {*await self._live_ids(wanted)}
        if wanted.states - LIVE_STATES:
            job_ids = self._scheduler.store.job_ids
            async with self._searching:
                found.update(await self._ask(job_ids, wanted.where, wanted.limit + 1))
        newest = sorted(found)[-wanted.limit :]
        return newest, newest[0] if len(found) > len(newest) else None

    async def _live_ids(self, wanted: Filter) -> list[int]:
        """The numbers of the newest live jobs that may be wanted: one more than are, if there are
        so many."""
        details = self._scheduler.details
        known = sorted(details if wanted.ids is None else wanted.ids & details.keys())
        found: list[int] = []
        for looked_at, at in enumerate(reversed(range(bisect_left(known, wanted.before)))):
            if looked_at % _AT_ONCE == 0:
                await asyncio.sleep(0)
            if self._may_be(known[at], wanted):
                found.append(known[at])
                if len(found) > wanted.limit:
                    break
        return found

    def _may_be(self, job_id: int, wanted: Filter) -> bool:
        """Whether the live job is wanted. Of one whose end is not committed yet, the database
        says how it is."""
        if (details := self._scheduler.details.get(job_id)) is None:
            return False
        job = self._scheduler.core.jobs.get(job_id)
        return job is None or wanted.holds(job, details)

    async def shown(self, ids: Sequence[int], wanted: Filter) -> AsyncIterator[Found]:
        """The jobs of these numbers, which ascend, each as it is when it is asked for. Those that
        are not wanted any more by then are left out."""
        at = 0
        while at < len(ids):
            await self._scheduler.sound()
            if live := self.live(ids[at]):
                at += 1
                if wanted.holds(*live):
                    yield live
                continue
            over = list(takewhile(lambda job_id: not self.live(job_id), ids[at : at + _READ_IDS]))
            read_to, stored = await self._ask(self._scheduler.store.jobs_of, over, _READ_BYTES)
            at += over.index(read_to) + 1
            for found in stored:
                if wanted.holds(*found):
                    yield found

    async def whose(self, ids: Sequence[int]) -> dict[int, Owned]:
        """Whose the jobs are and whether they are live, by number, of those that there are."""
        await self._scheduler.sound()
        live = {job_id: Owned(job[0].user, True) for job_id in ids if (job := self.live(job_id))}
        over = [job_id for job_id in ids if job_id not in live]
        stored = await self._ask(self._scheduler.store.whose, over) if over else {}
        return live | {job_id: Owned(*found) for job_id, found in stored.items()}

    async def attempts(self, job_id: int) -> AsyncIterator[Row]:
        """The starts of the job, the first one first."""
        after = 0
        while rows := await self._ask(self._scheduler.store.attempts, job_id, after, _READ_BYTES):
            for row in rows:
                yield row
            after = rows[-1]["attempt"]

    async def latest_attempts(self, job_id: int) -> list[Row]:
        """The latest starts of the job, the first of them first: as many as fit into an answer."""
        return await self._ask(self._scheduler.store.latest_attempts, job_id, _READ_BYTES)

    async def attempt(self, job_id: int, number: int) -> Row | None:
        """A start of the job; None if it is not stored."""
        return await self._ask(self._scheduler.store.attempt, job_id, number)

    async def prediction_events(self, job_id: int) -> list[tuple[int, str, Row]]:
        """See `Store.prediction_events`."""
        return await self._ask(self._scheduler.store.prediction_events, job_id, _EVENTS)

    async def runs_of(
        self, user: str, until_us: int, limit: int, estimate_us: int | None
    ) -> list[tuple[int, int, int, int]] | None:
        """See `Store.runs_of`. Return None if the search takes too long."""
        asked = (user, until_us, limit, estimate_us)
        async with self._searching:
            try:
                return await self._ask(self._scheduler.store.runs_of, *asked)
            except Malformed:
                return None

    async def audit_page(
        self, since_us: int, user: str | None, before: int | None, limit: int
    ) -> tuple[list[int], int | None]:
        """The numbers of the entries to show, which ascend; and, if there are older ones, the
        number below which these are. See `Store.audit_ids`."""
        asked = (since_us, user, before, limit + 1)
        async with self._searching:
            found = await self._ask(self._scheduler.store.audit_ids, *asked)
        newest = found[:limit][::-1]
        return newest, newest[0] if len(found) > limit else None

    async def audit(self, ids: Sequence[int]) -> AsyncIterator[Audit]:
        """These entries of the audit trail."""
        for at in range(0, len(ids), _READ_IDS):
            for one in await self._ask(self._scheduler.store.audit, ids[at : at + _READ_IDS]):
                yield one

    async def notices(self, limit: int, without: Sequence[str]) -> list[Notice]:
        """See `Store.notices`; it raises what that does."""
        loop = asyncio.get_running_loop()
        notices = self._scheduler.store.notices
        return await loop.run_in_executor(self._readers, notices, limit, without)

    async def _ask(self, question: Callable[[*_Asked], _Answer], *asked: *_Asked) -> _Answer:
        """Raises Unavailable: it cannot be read now, as when no file can be opened; 507, it is
        damaged where this is stored; 400, the search takes too long."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, question, *asked)
        except SearchError as error:
            detail = f"{error}: ask for less of the history, with 'ids' or 'user'"
            raise Malformed(detail) from error
        except DamagedError as error:
            detail = f"{error}; what can be read is told by other requests, see `rmsd status`"
            raise NotStored(detail) from error
        except StoreError as error:
            log.error("read-failed", error=str(error))
            detail = f"the database cannot be read now: {error}"
            raise Unavailable(detail) from error
