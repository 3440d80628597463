"""The filters by which jobs are looked up: in memory, and in the database."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Select, and_, case, literal_column, or_, text

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Ranks
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
    `ended_since_us`: jobs that are not over, or have ended at this time or later. `ranges`: numbers
    beside `ids`, of all tasks of arrays. `tasks`: likewise, of tasks that are named, each of which
    is shown also while it is no job of its own. `expands`: each waiting task of an
    array is shown, instead of one row for all. `is_whole`: arrays count also if all their tasks are
    jobs of their own."""

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
    ranges: Ranks = field(default_factory=Ranks)
    tasks: Ranks = field(default_factory=Ranks)
    expands: bool = False
    is_whole: bool = False

    def seen_by(self, caller: Caller) -> Filter:
        """Return the same filter, without the jobs that the caller may not see."""
        return self if caller.role.covers(Role.OPERATOR) else replace(self, owner=caller.user)

    @property
    def only_users(self) -> Collection[str] | None:
        """Return the users whose jobs may be shown; None: those of all."""
        if self.owner is None:
            return self.users
        return {self.owner} if self.users is None else self.users & {self.owner}

    def holds(self, job: Job, details: Details) -> bool:
        return (
            (self.is_whole or _is_listed(job))
            and listed_state(job) in self.states
            and (self.users is None or job.user in self.users)
            and (self.owner is None or job.user == self.owner)
            and (self.names is None or details.name in self.names)
            and (self.partitions is None or self._is_in(job.partition_name))
            and self.names_job(job.id)
            and job.id < self.before
            and job.submit_us >= self.since_us
            and (not job.state.terminal or (job.end_us or 0) >= self.ended_since_us)
        )

    def _is_in(self, partition_name: str) -> bool:
        assert self.partitions is not None
        return not self.partitions.isdisjoint(partition_name.split(","))

    def names_job(self, job_id: int) -> bool:
        """Return whether the job is among those whose numbers are asked for."""
        if self.ids is None:
            return True
        return job_id in self.ids or job_id in self.ranges or job_id in self.tasks

    def where(self, query: Select[Any]) -> Select[Any]:
        """Return the query of the jobs that may be wanted. If only jobs since some time are wanted,
        the query is restricted to those that are over."""
        if not self.is_whole:
            query = query.where(text(_LISTED))
        if self.states != frozenset(JobState):
            is_array = JOB.c.array_id == JOB.c.id
            state = case(
                (and_(is_array, text(_ALL_LATE)), JobState.DEADLINE.value),
                (is_array, JobState.CANCELLED.value),
                else_=JOB.c.state,
            )
            query = query.where(state.in_([state.value for state in self.states]))
        if self.users is not None:
            query = query.where(JOB.c.user.in_(self.users))
        if self.owner is not None:
            query = query.where(JOB.c.user == self.owner)
        if self.names is not None:
            query = query.where(JOB.c.name.in_(self.names))
        if self.partitions is not None:
            several = text(_IN_PARTITIONS).bindparams(partitions=json.dumps([*self.partitions]))
            query = query.where(or_(JOB.c.partition.in_(self.partitions), several))
        if self.ids is not None:
            intervals = [*self.ranges.intervals(), *self.tasks.intervals()]
            in_ranges = text(_IN_RANGES).bindparams(ranges=json.dumps(intervals))
            query = query.where(or_(JOB.c.id.in_(self.ids), in_ranges))
        if not (self.since_us or self.ended_since_us):
            return query.where(JOB.c.id < self.before)
        # SQLite would rather walk through all jobs by number than sort those that the index of
        # ends has found. It does not know that a sum with zero is the number.
        number = JOB.c.id + literal_column("0")
        ended = JOB.c.end_us >= max(self.since_us, self.ended_since_us)
        query = query.where(ended, JOB.c.submit_us >= self.since_us, number < self.before)
        return query.order_by(number.desc())


# An expression with a comparison for each range would be deeper than SQLite takes.
_IN_RANGES = (
    "job.id IN (SELECT one.id FROM json_each(:ranges) AS range JOIN job AS one"
    " ON one.id >= json_extract(range.value, '$[0]')"
    " AND one.id < json_extract(range.value, '$[1]'))"
)
# Likewise for each partition. A comparison of each job with each name would be long, too.
_IN_PARTITIONS = (
    "instr(partition, ',') AND EXISTS (SELECT 1 FROM"
    " json_each('[\"' || replace(partition, ',', '\",\"') || '\"]') AS one"
    " WHERE one.value IN (SELECT value FROM json_each(:partitions)))"
)
_LISTED = "(array_id IS NULL OR array_id <> id OR json_extract(array, '$.cancelled') <> '[]')"


_ALL_LATE = (
    "json_extract(array, '$.late') <> '[]'"
    " AND json_extract(array, '$.late') = json_extract(array, '$.cancelled')"
)


def _is_listed(job: Job) -> bool:
    """Return whether lists of jobs have this one: an array stands for those of its tasks that are
    no jobs of their own, which wait or were cancelled."""
    array = job.array
    return array is None or bool(array.cancelled if job.state.terminal else array.waiting)


def listed_state(job: Job) -> JobState:
    """Return the state of a job in lists: for an array, that of the tasks that it stands for."""
    if job.array is None or not job.state.terminal:
        return job.state
    late = job.array.late
    all_late = bool(late) and late == job.array.cancelled
    return JobState.DEADLINE if all_late else JobState.CANCELLED


ANY = Filter(frozenset(JobState), is_whole=True)
"""All jobs there are."""
