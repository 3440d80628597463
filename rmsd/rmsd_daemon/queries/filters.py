"""The filters by which jobs are looked up: in memory, and in the database."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, literal_column, or_

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import JobState
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.tables import JOB
from rmsd_wire.api.list_limits import MAX_LIMIT

MAX_ID = 1 << 62
"""No job has this number, or a larger one."""


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
    partitions: frozenset[str] | None = None

    def seen_by(self, caller: Caller) -> Filter:
        """Return the same filter, without the jobs that the caller may not see."""
        return self if caller.role.covers(Role.OPERATOR) else replace(self, owner=caller.user)

    def holds(self, job: Job, details: Details) -> bool:
        return (
            job.state in self.states
            and (self.users is None or job.user in self.users)
            and (self.owner is None or job.user == self.owner)
            and (self.names is None or details.name in self.names)
            and (self.partitions is None or self._is_in(job.partition_name))
            and (self.ids is None or job.id in self.ids)
            and job.id < self.before
            and job.submit_us >= self.since_us
            and (not job.state.terminal or (job.end_us or 0) >= self.ended_since_us)
        )

    def _is_in(self, partition_name: str) -> bool:
        assert self.partitions is not None
        return not self.partitions.isdisjoint(partition_name.split(","))

    def where(self, query: Select[Any]) -> Select[Any]:
        """Return the query of the jobs that may be wanted. If only jobs since some time are wanted,
        the query is restricted to those that are over."""
        if self.states != frozenset(JobState):
            query = query.where(JOB.c.state.in_([state.value for state in self.states]))
        if self.users is not None:
            query = query.where(JOB.c.user.in_(self.users))
        if self.owner is not None:
            query = query.where(JOB.c.user == self.owner)
        if self.names is not None:
            query = query.where(JOB.c.name.in_(self.names))
        if self.partitions is not None:
            query = query.where(
                or_(
                    JOB.c.partition.in_(self.partitions),
                    *[
                        ("," + JOB.c.partition + ",").contains(f",{name},", autoescape=True)
                        for name in self.partitions
                    ],
                )
            )
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


ANY = Filter(frozenset(JobState))
"""All jobs there are."""
