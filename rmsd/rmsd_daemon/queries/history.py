"""The questions about jobs, answered from the core's memory and the database together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from heapq import merge
from itertools import chain, takewhile
from typing import NamedTuple, TypeVar, TypeVarTuple

import structlog
from sqlalchemy import Connection

from rmsd_core.jobs.array import Array, Indices, id_of, rank_of
from rmsd_core.jobs.conditions import EndedJob
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_core.lifecycle.tasks import as_job
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.vocabulary import LIVE_STATES, JobState
from rmsd_daemon.domain.errors import (
    Malformed,
    NotStored,
    Unavailable,
    no_such_job,
    pruned_job,
)
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.domain.texts import is_number
from rmsd_daemon.domain.undelivered import Undelivered
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.filters import MAX_ID, Filter
from rmsd_daemon.store import rows
from rmsd_daemon.store.failures import DamagedError, SearchError, StoreError
from rmsd_daemon.store.orders import OrderSince, orders_between
from rmsd_daemon.store.past_reservations import ReservationChange, past_reservations
from rmsd_daemon.store.predictions import Prediction, SubmittedJob, predictions_of
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.store import Notice
from rmsd_daemon.store.tables import AuditRow
from rmsd_daemon.store.usage import UsageAsked, usage_of
from rmsd_daemon.store.worst_steps import worst_steps
from rmsd_wire.api.steps import WorstStep
from rmsd_wire.api.usage import UsageRow

log = structlog.get_logger()

_AT_ONCE = 500
"""The number of jobs that are looked at before other callers have their turn (some 1 ms, where
their names are compared)."""
_READ_IDS = 100
_READ_BYTES = 256 << 10
"""The bytes of jobs and text that are read from the database at a time."""
_EVENTS = 1000
"""The number of the latest changes of a job's prediction that are shown."""

Found = tuple[Job, Details]
_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")


class Owned(NamedTuple):
    """The user of a job, and whether the job is live."""

    user: str
    live: bool


class JobHistory:
    """Reads jobs, in threads with connections of their own, so that no commit waits for them."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.undelivered = Undelivered()
        self._readers = ThreadPoolExecutor(2, "reader")
        # searches are long: one at a time leaves a reader to short questions
        self._searching = asyncio.Lock()

    def close(self) -> None:
        self._readers.shutdown()

    async def find(self, job_id: int) -> Found:
        """Return the job, live or over. Raises NotFound if there is none."""
        await self._scheduler.sound()
        if live := self.live(job_id):
            return live
        _, found = await self._stored(job_id)
        if not found and (task := await self._cancelled_task(job_id)) is not None:
            return task
        if not found:
            pruned = job_id <= self._scheduler.cluster.pruned_id
            raise pruned_job(job_id) if pruned else no_such_job(job_id)
        return found[0]

    async def _stored(self, job_id: int) -> tuple[int, list[Found]]:
        return await self.ask(self._scheduler.store.jobs_of, [job_id], 0)

    async def _cancelled_task(self, job_id: int) -> Found | None:
        """Return a task that was cancelled before it was a job of its own, of an array that is
        over; None if there is none."""
        array_id = await self._look_up(rows.array_before, job_id)
        _, found = (0, []) if array_id is None else await self._stored(array_id)
        if not found or (array := found[0][0].array) is None:
            return None
        rank = rank_of(found[0][0].id, job_id)
        if rank not in array.cancelled:
            return None
        return as_job(found[0][0], rank), found[0][1].of_task()

    async def number(self, name: str) -> int:
        """Return the number of the task that `name` names: ARRAY_INDEX.

        Raises:
            NotFound: there is no such job.
        """
        array_id, _, index = name.partition("_")
        if not (is_number(array_id) and is_number(index)) or int(array_id) >= MAX_ID:
            raise no_such_job(name)
        job, _ = await self.find(int(array_id))
        rank = None if job.array is None else job.array.indices.rank(int(index))
        if rank is None:
            raise no_such_job(name)
        return id_of(job.id, rank)

    async def tasks_over(self, array_id: int, array: Array[Job]) -> dict[int, bool]:
        """Return, by index, which tasks of an array are over by the last commit, and whether each
        has succeeded."""
        count = len(array.indices)
        over = await self._look_up(rows.states_of_tasks, array_id, count)
        dropped = {array.indices.index(rank): False for rank in array.cancelled}
        return dropped | {index: JobState(state) is JobState.COMPLETED for index, state in over}

    async def ends(self, ids: Sequence[int]) -> dict[int, EndedJob | None]:
        """Return how those of the jobs have ended that are stored; None for one that is live by the
        last commit."""
        return await self._look_up(rows.ends, ids)

    async def arrays(self, ids: Sequence[int]) -> dict[int, Indices]:
        """Return the indices of those of the jobs that are arrays, live or over."""
        await self._scheduler.sound()
        live = {job_id: live for job_id in ids if (live := self.live(job_id)) is not None}
        over = [job_id for job_id in ids if job_id not in live]
        stored = await self._look_up(rows.arrays_in, over) if over else []
        told = [*live.items(), *((job.id, (job, details)) for job, details in stored)]
        return {job_id: job.array.indices for job_id, (job, _) in told if job.array is not None}

    async def refuse_pruned(self, ids: Sequence[int]) -> None:
        """Raise NotFound if one of the jobs of a repeated submit was deleted meanwhile."""
        if ids[0] <= self._scheduler.cluster.pruned_id:
            known = await self.whose(ids)
            for job_id in ids:
                if job_id not in known:
                    raise pruned_job(job_id)

    async def owner(self, job_id: int) -> str:
        """Return the user of the job. Raises NotFound if there is none."""
        job, _ = await self.find(job_id)
        return job.user

    def live(self, job_id: int) -> Found | None:
        return self._scheduler.cluster.live(job_id)

    async def page(
        self, wanted: Filter, gone: Callable[[], bool] = lambda: False
    ) -> tuple[list[int], int | None]:
        """Return the numbers of the jobs to show, which ascend; and, if older jobs may be wanted as
        well, the number below which these are. The search is given up once the caller is `gone`, as
        another thread asks."""
        await self._scheduler.sound()
        # First the live jobs: a job that ends in between is in the database by then.
        found = {*await self._live_ids(wanted)}
        if wanted.states - LIVE_STATES:
            job_ids = self._scheduler.store.job_ids
            async with self._searching:
                found.update(await self.ask(job_ids, wanted.where, wanted.limit + 1, gone))
        newest = sorted(found)[-wanted.limit :]
        return newest, newest[0] if len(found) > len(newest) else None

    async def _live_ids(self, wanted: Filter) -> list[int]:
        """Return the numbers of the newest live jobs that may be wanted, and one more than are
        wanted if there are that many."""
        found: list[int] = []
        for looked_at, job_id in enumerate(self._newest_first(wanted)):
            if looked_at % _AT_ONCE == 0:
                await asyncio.sleep(0)
            if self._may_be(job_id, wanted):
                found.append(job_id)
                if len(found) > wanted.limit:
                    break
        return found

    def _newest_first(self, wanted: Filter) -> Iterator[int]:
        """Yield the numbers below `wanted.before` among which those of the wanted live jobs are,
        the highest first. The waiting tasks of arrays are numbered only as far as the caller
        reads, so that a page costs what it has and not what the arrays have."""
        details, index = self._scheduler.details, self._scheduler.cluster.index
        known: Container[int] = details
        users = wanted.only_users
        named_so = None if wanted.names is None else details.with_names(wanted.names)
        numbers = index.newest_first(wanted.before, wanted.states, users, named_so)
        tasks: list[Interval] = []
        if wanted.ids is not None:
            known = named = self._named(wanted, wanted.ids)
            numbers = iter(sorted((one for one in named if one < wanted.before), reverse=True))
            tasks += wanted.tasks.intervals()
        arrays = set[int]()
        if wanted.expands and JobState.PENDING in wanted.states:
            for job in [one for one in self._scheduler.core.arrays() if one.id in known]:
                assert job.array is not None
                arrays.add(job.id)
                tasks += (
                    (id_of(job.id, first), id_of(job.id, end))
                    for first, end in job.array.waiting_ranks().intervals()
                )
        last = wanted.before
        runs = chain.from_iterable(
            reversed(range(first, min(end, wanted.before)))
            for first, end in reversed(Ranks(tasks).intervals())
            if first < wanted.before
        )
        for job_id in merge(numbers, runs, reverse=True):
            if job_id < last and job_id not in arrays:
                last = job_id
                yield job_id

    def _named(self, wanted: Filter, ids: Iterable[int]) -> set[int]:
        """Return the numbers of the live jobs with records of their own that are named, by `ids`
        or in the ranges of `wanted`."""
        details = self._scheduler.details
        known = {job_id for job_id in ids if self.live(job_id) is not None}
        if len(details) < len(wanted.ranges):
            known.update(filter(wanted.ranges.__contains__, details))
        else:
            known.update(filter(details.__contains__, wanted.ranges))
        return known

    def _may_be(self, job_id: int, wanted: Filter) -> bool:
        """Return whether the live job is wanted. While its end is not committed, the database tells
        its state."""
        if (details := self._scheduler.details.get(job_id)) is None:
            return (live := self.live(job_id)) is not None and wanted.holds(*live)
        job = self._scheduler.core.jobs.get(job_id)
        return job is None or wanted.holds(job, details)

    async def shown(self, ids: Sequence[int], wanted: Filter) -> AsyncIterator[Found]:
        """Yield the jobs of these numbers, which ascend, each as it is when it is asked for. Jobs
        that are not wanted any more by then are left out."""
        at = 0
        while at < len(ids):
            await self._scheduler.sound()
            if live := self.live(ids[at]):
                at += 1
                if wanted.holds(*live):
                    yield live
                continue
            over = list(takewhile(lambda job_id: not self.live(job_id), ids[at : at + _READ_IDS]))
            read_to, stored = await self.ask(self._scheduler.store.jobs_of, over, _READ_BYTES)
            at += over.index(read_to) + 1
            for found in stored:
                if wanted.holds(*found):
                    yield found

    async def whose(self, ids: Sequence[int]) -> dict[int, Owned]:
        """Return, by number, the users of those of the jobs that exist, and whether they are
        live."""
        await self._scheduler.sound()
        live = {job_id: Owned(job[0].user, True) for job_id in ids if (job := self.live(job_id))}
        over = [job_id for job_id in ids if job_id not in live]
        stored = await self.ask(self._scheduler.store.whose, over) if over else {}
        return live | {job_id: Owned(*found) for job_id, found in stored.items()}

    async def attempts(self, job_id: int) -> AsyncIterator[Row]:
        """Yield the starts of the job, the first one first."""
        after = 0
        while found := await self.ask(self._scheduler.store.attempts, job_id, after, _READ_BYTES):
            for row in found:
                yield row
            after = found[-1]["attempt"]

    async def latest_attempts(self, job_id: int) -> list[Row]:
        """Return the latest starts of the job, in their order: as many as fit into an answer."""
        return await self.ask(self._scheduler.store.latest_attempts, job_id, _READ_BYTES)

    async def attempt(self, job_id: int, number: int) -> Row | None:
        """Return a start of the job; None if it is not stored."""
        return await self.ask(self._scheduler.store.attempt, job_id, number)

    async def script(self, job: Job, most: int) -> str | None:
        """Return up to `most` characters of the job's script; None if it is not stored. The tasks
        of an array have one together."""
        source = job.id if job.task is None else job.task.array_id
        return await self._look_up(rows.script_text, source, most)

    async def worst_steps(self, job_ids: Sequence[int], user: str | None) -> list[WorstStep]:
        """Return what `worst_steps` returns."""
        return await self._look_up(worst_steps, job_ids, user)

    async def prediction_events(self, job_id: int) -> list[tuple[int, str, Row]]:
        """Return what `Store.prediction_events` returns."""
        return await self.ask(self._scheduler.store.prediction_events, job_id, _EVENTS)

    async def predictions(self, jobs: Sequence[SubmittedJob]) -> dict[int, list[Prediction]]:
        """Return what `predictions_of` returns."""
        return await self._look_up(predictions_of, jobs)

    async def runs_of(
        self, user: str, until_us: int, limit: int, estimate_us: int | None
    ) -> list[tuple[int, int, int, int, int]] | None:
        """See `Store.runs_of`. Return None if the search takes too long."""
        asked = (user, until_us, limit, estimate_us)
        async with self._searching:
            try:
                return await self.ask(self._scheduler.store.runs_of, *asked)
            except Malformed:
                return None

    async def usage(self, asked: UsageAsked, gone: Callable[[], bool]) -> list[UsageRow]:
        """Return the processor time that was used. See `usage_of`."""
        async with self._searching:
            return await self._look_up(usage_of, asked, gone)

    async def orders(
        self, since_us: int, until_us: int, gone: Callable[[], bool]
    ) -> list[OrderSince]:
        """Return the orders that the queue was in. See `orders_between`."""
        async with self._searching:
            return await self._look_up(orders_between, since_us, until_us, gone)

    async def reservations(
        self, now: Sequence[AdvanceReservation], since_us: int, gone: Callable[[], bool]
    ) -> list[ReservationChange]:
        """Return the reservations that there were since a time. See `past_reservations`."""
        async with self._searching:
            return await self._look_up(past_reservations, now, since_us, gone)

    async def audit_page(
        self, since_us: int, user: str | None, before: int | None, limit: int
    ) -> tuple[list[int], int | None]:
        """Return the numbers of the entries to show, which ascend; and, if there are older ones,
        the number below which these are. See `Store.audit_ids`."""
        asked = (since_us, user, before, limit + 1)
        async with self._searching:
            found = await self.ask(self._scheduler.store.audit_ids, *asked)
        newest = found[:limit][::-1]
        return newest, newest[0] if len(found) > limit else None

    async def audit(self, ids: Sequence[int]) -> AsyncIterator[AuditRow]:
        """Yield these entries of the audit trail."""
        for at in range(0, len(ids), _READ_IDS):
            for one in await self.ask(self._scheduler.store.audit, ids[at : at + _READ_IDS]):
                yield one

    async def notices(self, limit: int, without: Sequence[str]) -> list[Notice]:
        """Return the notices of `Store.notices`. Raises StoreError."""
        loop = asyncio.get_running_loop()
        notices = self._scheduler.store.notices
        return await loop.run_in_executor(self._readers, notices, limit, without)

    async def _look_up(
        self, question: Callable[[Connection, *_Asked], _Answer], *asked: *_Asked
    ) -> _Answer:
        """Ask a question of `rows`. Raises DaemonError, as `ask`."""
        return await self.ask(self._scheduler.store.look_up, question, *asked)

    async def ask(self, question: Callable[[*_Asked], _Answer], *asked: *_Asked) -> _Answer:
        """Ask the database in a reader's thread. Raises Unavailable if it cannot be read now, as
        when no file can be opened; NotStored if it is damaged there; Malformed if the search takes
        too long."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, question, *asked)
        except SearchError as error:
            detail = f"{error}: ask for less of the history, with 'ids' or 'since_us'"
            raise Malformed(detail) from error
        except DamagedError as error:
            detail = f"{error}; what can be read is told by other requests, see `rmsd status`"
            raise NotStored(detail) from error
        except StoreError as error:
            log.error("read-failed", error=str(error))
            detail = f"the database cannot be read now: {error}"
            raise Unavailable(detail) from error
