"""The parameters of requests for jobs: the words and numbers of their paths and query strings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, literal_column

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import CODES, LIVE_STATES, JobState
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import Malformed, no_such_job
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.tables import JOB
from rmsd_wire.api.list_limits import DEFAULT_LIMIT, MAX_LIMIT

MAX_ID = 1 << 62
_MAX_IDS = 10_000
_STATES = {state.value: state for state in JobState} | {code: s for s, code in CODES.items()}


@dataclass(frozen=True, slots=True)
class Filter:
    """The jobs that a request asks for: the newest `limit` with numbers below `before`. `owner`:
    the only user whose jobs may be shown. `since_us`: jobs submitted at this time or later.
    `ended_since_us`: jobs that are not over, or have ended at this time or later."""

    states: frozenset[JobState]
    users: frozenset[str] | None = None
    names: frozenset[str] | None = None
    ids: frozenset[int] | None = None
    limit: int = MAX_LIMIT
    before: int = MAX_ID
    owner: str | None = None
    since_us: int = 0
    ended_since_us: int = 0

    def seen_by(self, caller: Caller) -> Filter:
        """Return the same filter, without the jobs that the caller may not see."""
        return self if caller.role.covers(Role.OPERATOR) else replace(self, owner=caller.user)

    def holds(self, job: Job, details: Details) -> bool:
        return (
            job.state in self.states
            and (self.users is None or job.user in self.users)
            and (self.owner is None or job.user == self.owner)
            and (self.names is None or details.name in self.names)
            and (self.ids is None or job.id in self.ids)
            and job.id < self.before
            and job.submit_us >= self.since_us
            and (not job.state.terminal or (job.end_us or 0) >= self.ended_since_us)
        )

    def where(self, query: Select[Any]) -> Select[Any]:
        """Return the query of jobs, restricted to those that are over and may be wanted, if only
        jobs since some time are wanted; else to all that may be wanted."""
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
        if not (self.since_us or self.ended_since_us):
            return query.where(JOB.c.id < self.before)
        # SQLite would rather walk through all jobs by number than sort those that the index of
        # ends has found. It does not know that a sum with zero is the number.
        number = JOB.c.id + literal_column("0")
        ended = JOB.c.end_us >= max(self.since_us, self.ended_since_us)
        query = query.where(ended, JOB.c.submit_us >= self.since_us, number < self.before)
        return query.order_by(number.desc())


def parse_filter(query: Mapping[str, str]) -> Filter:
    """Return the filter of a query string of GET /v1/jobs. Live jobs are the default, unless ids
    are given.

    Raises:
        DaemonError: a key or state is unknown, or a value that should be a number is none.
    """
    known = {"states", "user", "name", "ids", "since_us", "ended_since_us", "limit", "before"}
    if unknown := sorted(set(query) - known):
        raise Malformed(f"unknown parameter '{unknown[0]}'; there are {', '.join(sorted(known))}")
    ids = None
    if "ids" in query:
        ids = frozenset(parse_number("ids", text) for text in query["ids"].split(",") if text)
        check_ids(ids)
    default = "all" if ids is not None else ""
    states = _states(query.get("states", default))
    before = query.get("before")
    return Filter(
        states,
        users=_one_of(query.get("user")),
        names=_one_of(query.get("name")),
        ids=ids,
        limit=parse_limit(query, DEFAULT_LIMIT if ids is None else _MAX_IDS),
        before=MAX_ID if before is None else parse_number("before", before),
        since_us=parse_number("since_us", query.get("since_us", "0")),
        ended_since_us=parse_number("ended_since_us", query.get("ended_since_us", "0")),
    )


def parse_limit(query: Mapping[str, str], default: int) -> int:
    """Return the `limit` of a query string, at most `MAX_LIMIT`. Raises DaemonError if it is no
    number."""
    limit = parse_number("limit", query.get("limit", str(default)))
    if not limit:
        raise Malformed("'limit' is 0; it must be at least 1")
    return min(limit, MAX_LIMIT)


def check_ids(ids: Collection[int]) -> None:
    """Raise DaemonError if there are more ids than one request may name."""
    if len(ids) > _MAX_IDS:
        raise Malformed(f"{len(ids)} job ids are more than {_MAX_IDS}")


ANY = Filter(frozenset(JobState))
"""All jobs there are."""


def _one_of(text: str | None) -> frozenset[str] | None:
    """Return names separated by commas, and the text itself: a name may contain commas."""
    return None if text is None else frozenset({text, *filter(None, text.split(","))})


def _states(text: str) -> frozenset[JobState]:
    names = [name.strip().upper() for name in text.split(",") if name.strip()]
    if not names:
        return LIVE_STATES
    if "ALL" in names:
        return frozenset(JobState)
    for name in names:
        if name not in _STATES:
            raise Malformed(
                f"unknown state '{name}' in 'states'; there are "
                f"{', '.join(f'{code} {state.value}' for state, code in CODES.items())} and all"
            )
    return frozenset(_STATES[name] for name in names)


def parse_number(field: str, text: str) -> int:
    """Return a number of the query string. Raises DaemonError if the parameter is not a usable
    number."""
    if not is_number(text) or int(text) >= MAX_ID:
        raise Malformed(f"'{field}' has '{text}', which is not a usable number")
    return int(text)


def is_number(text: str) -> bool:
    """Return whether the text is digits, and not more of them than a 64-bit number has."""
    return text.isascii() and text.isdigit() and len(text) < 20


def parse_job_id(text: str) -> int:
    """Return the number of a job. Raises NotFound if no job can have it."""
    if not is_number(text) or int(text) >= MAX_ID:
        raise no_such_job(text)
    return int(text)
