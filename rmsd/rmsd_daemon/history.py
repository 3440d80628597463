"""Questions about jobs, answered from the core's memory and the database together."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar, TypeVarTuple

import structlog
from sqlalchemy import Select
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from rmsd_core.job import Job
from rmsd_core.vocabulary import CODES, LIVE_STATES, JobState
from rmsd_daemon.auth import Caller, Role
from rmsd_daemon.problems import UNREACHABLE, ApiError, bad_request, no_such_job
from rmsd_daemon.records import Row
from rmsd_daemon.scheduler import Scheduler
from rmsd_daemon.store import Notice
from rmsd_daemon.submission import Details
from rmsd_daemon.tables import JOB

log = structlog.get_logger()

DEFAULT_LIMIT = 1000
_MAX_ID = 1 << 62
_MAX_IDS = 10_000
_STATES = {state.value: state for state in JobState} | {code: s for s, code in CODES.items()}

Found = tuple[Job, Details]
_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which jobs; `limit` None: all (only live jobs are asked for). `owner`: nobody else's."""

    states: frozenset[JobState]
    users: frozenset[str] | None
    names: frozenset[str] | None
    ids: frozenset[int] | None
    limit: int | None
    owner: str | None = None

    def seen_by(self, caller: Caller) -> Filter:
        """The same, without what the caller may not see."""
        return self if caller.role.covers(Role.OPERATOR) else replace(self, owner=caller.user)

    def holds(self, job: Job, details: Details) -> bool:
        return (
            job.state in self.states
            and (self.users is None or job.user in self.users)
            and (self.owner is None or job.user == self.owner)
            and (self.names is None or details.name in self.names)
            and (self.ids is None or job.id in self.ids)
        )

    def where(self, query: Select[Any]) -> Select[Any]:
        if self.states != frozenset(JobState):
            query = query.where(JOB.c.state.in_([state.value for state in self.states]))
        if self.users is not None:
            query = query.where(JOB.c.user.in_(self.users))
        if self.owner is not None:
            query = query.where(JOB.c.user == self.owner)
        if self.names is not None:
            query = query.where(JOB.c.name.in_(self.names))
        if self.ids is not None:
            query = query.where(JOB.c.id.in_(self.ids))
        return query


def parse_filter(query: Mapping[str, str]) -> Filter:
    """The query string of GET /v1/jobs. Live jobs are the default, unless ids are given.

    Raises:
        ApiError: an unknown key or state, or what should be a number is none.
    """
    known = {"states", "user", "name", "ids", "limit"}
    if unknown := sorted(set(query) - known):
        raise bad_request(f"unknown parameter '{unknown[0]}'; there are {', '.join(sorted(known))}")
    ids = None
    if "ids" in query:
        ids = frozenset(parse_number("ids", text) for text in query["ids"].split(",") if text)
        check_ids(ids)
    default = "all" if ids is not None else ""
    states = _states(query.get("states", default))
    limit = DEFAULT_LIMIT if states - LIVE_STATES else None
    if ids is not None:
        limit = None
    if "limit" in query:
        limit = parse_number("limit", query["limit"])
    return Filter(states, _one_of(query.get("user")), _one_of(query.get("name")), ids, limit)


def check_ids(ids: Collection[int]) -> None:
    """Raises ApiError: there are more than one request may name."""
    if len(ids) > _MAX_IDS:
        raise bad_request(f"{len(ids)} job ids are more than {_MAX_IDS}")


def all_of(ids: Iterable[int]) -> Filter:
    """These jobs, whatever became of them."""
    return Filter(frozenset(JobState), None, None, frozenset(ids), None)


def _one_of(text: str | None) -> frozenset[str] | None:
    """Names with commas between them, and the text itself: a name may have commas in it."""
    return None if text is None else frozenset({text, *filter(None, text.split(","))})


def _states(text: str) -> frozenset[JobState]:
    names = [name.strip().upper() for name in text.split(",") if name.strip()]
    if not names:
        return LIVE_STATES
    if "ALL" in names:
        return frozenset(JobState)
    for name in names:
        if name not in _STATES:
            raise bad_request(
                f"unknown state '{name}' in 'states'; there are "
                f"{', '.join(f'{code} {state.value}' for state, code in CODES.items())} and all"
            )
    return frozenset(_STATES[name] for name in names)


def parse_number(field: str, text: str) -> int:
    """Raises ApiError: the parameter is not a usable number."""
    if not is_number(text) or int(text) >= _MAX_ID:
        raise bad_request(f"'{field}' has '{text}', which is not a usable number")
    return int(text)


def is_number(text: str) -> bool:
    """Digits, and no more of them than a number has that we count with."""
    return text.isascii() and text.isdigit() and len(text) < 20


def parse_job_id(text: str) -> int:
    """Raises ApiError 404: no job can have this id."""
    if not is_number(text) or int(text) >= _MAX_ID:
        raise no_such_job(text)
    return int(text)


class History:
    """Reads run in threads with connections of their own, so that no commit waits for them."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._readers = ThreadPoolExecutor(2, "reader")

    def close(self) -> None:
        self._readers.shutdown()

    async def find(self, job_id: int) -> Found:
        """The job, live or over. Raises ApiError 404: there is none."""
        await self._scheduler.sound()
        if live := self.live(job_id):
            return live
        if found := await self._read(all_of([job_id]).where, 1):
            return found[0]
        raise no_such_job(job_id)

    async def owner(self, job_id: int) -> str:
        """Whose job it is. Raises ApiError 404: there is none."""
        job, _ = await self.find(job_id)
        return job.user

    def live(self, job_id: int) -> Found | None:
        job = self._scheduler.core.jobs.get(job_id)
        details = self._scheduler.details.get(job_id)  # none before the submit is committed
        return None if job is None or details is None else (job, details)

    async def select(self, wanted: Filter) -> list[Found]:
        """By id; with a limit, the newest of them."""
        scheduler = self._scheduler
        await scheduler.sound()
        if wanted.states - LIVE_STATES:
            stored = await self._read(wanted.where, wanted.limit or _MAX_IDS)
        else:
            stored = await self._ending(wanted)
        details = scheduler.details
        found = {
            job.id: (job, details[job.id])
            for job in scheduler.core.jobs.values()
            if job.id in details and wanted.holds(job, details[job.id])
        }
        for job, its_details in stored:
            if job.id not in scheduler.core.jobs:
                found[job.id] = (job, its_details)
        by_id = sorted(found.values(), key=lambda one: one[0].id)
        return by_id[-wanted.limit :] if wanted.limit else by_id

    async def _ending(self, wanted: Filter) -> list[Found]:
        """Live jobs as they are stored, which are over as the scheduler knows: before that is
        committed, nobody is told."""
        scheduler = self._scheduler
        found: list[Found] = []
        read: set[int] = set()
        while ids := scheduler.details.keys() - scheduler.core.jobs.keys() - read:
            read |= ids
            found += await self._read(all_of(ids).where, len(ids))
        return [one for one in found if wanted.holds(*one)]

    async def attempts(self, job_id: int) -> list[Row]:
        """The starts of the job, the first one first. Raises ApiError 404: there is no such job."""
        await self.find(job_id)
        return await self._ask(self._scheduler.store.attempts, job_id)

    async def prediction_events(self, job_id: int) -> list[tuple[int, str, Row]]:
        """See `Store.prediction_events`."""
        return await self._ask(self._scheduler.store.prediction_events, job_id)

    async def runs_of(
        self, user: str, until_us: int, limit: int, estimate_us: int | None
    ) -> list[tuple[int, int, int, int]]:
        """See `Store.runs_of`."""
        return await self._ask(self._scheduler.store.runs_of, user, until_us, limit, estimate_us)

    async def audit(self, since_us: int, user: str | None, limit: int) -> list[Row]:
        """See `Store.audit`."""
        return await self._ask(self._scheduler.store.audit, since_us, user, limit)

    async def notices(self, limit: int, without: Sequence[str]) -> list[Notice]:
        """See `Store.notices`; it raises what that does."""
        loop = asyncio.get_running_loop()
        notices = self._scheduler.store.notices
        return await loop.run_in_executor(self._readers, notices, limit, without)

    async def _read(self, where: Callable[[Select[Any]], Select[Any]], limit: int) -> list[Found]:
        return await self._ask(self._scheduler.store.jobs, where, limit)

    async def _ask(self, question: Callable[[*_Asked], _Answer], *asked: *_Asked) -> _Answer:
        """Raises ApiError: 503, it cannot be read now, as when no file can be opened; 500, it is
        damaged."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, question, *asked)
        except (SQLAlchemyError, sqlite3.Error) as error:
            log.error("read-failed", error=str(error))
            if isinstance(error, OperationalError | sqlite3.OperationalError):
                detail = f"the database cannot be read now: {error}"
                raise ApiError(503, detail, UNREACHABLE) from error
            raise ApiError(500, f"the database cannot be read: {error}") from error
