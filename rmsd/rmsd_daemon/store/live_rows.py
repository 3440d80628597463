"""The reading of the live jobs, which is most of what a start does if many jobs wait.

Nearly all live jobs wait, and have never run: two thirds of their columns have the values that a
submit writes. Of such a row only the other columns are read, and a job is made of them directly.
All other rows, damaged ones among them, take the way of a single job (`rows.job_in`). What many
jobs have in common, as their details and requests, is decoded once and shared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import NoneType
from typing import Any, Generic, TypeVar

import msgspec
from sqlalchemy import Boolean, Connection, Integer

from rmsd_core.jobs.array import ArrayTask
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request, processors
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.failures import DamagedError
from rmsd_daemon.store.records import changing_columns
from rmsd_daemon.store.rows import JOBS_OF, job_in
from rmsd_daemon.store.tables import JOB

_AT_ONCE = 1000
"""The rows that are in memory beside the jobs that are made of them."""
_VARIABLES = 500
"""The number of values that one query names."""
MOST_SHARED = 10_000
"""The most different texts of which the values are kept, until they are forgotten."""
DIFFERING = (
    *("id", "user", "name", "submit_us", "estimate_us", "deadline_us", "request", "size"),
    *("requeue", "restartable", "details", "array_id", "array_index", "seq", "eligible_us"),
    *("prediction_us", "reserved_at_us", "reserved_rank", "reserved_us", "promoted_us"),
    "partition",
)
"""The columns in which jobs differ that wait and have never run."""

_Live = tuple[Job, Details]
_Value = TypeVar("_Value")


def _usual_values() -> dict[str, Any]:
    """Return the other columns of a job that waits and has never run."""
    job = Job(id=0, user="", submit_us=0, request=processors(1), estimate_us=0)
    columns = changing_columns(job).items()
    return {name: _stored(value) for name, value in columns if name not in DIFFERING}


def _stored(value: object) -> object:
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value


USUAL = _usual_values()
_QUERY = (
    f"SELECT {', '.join(f'{JOB.name}.{name}' for name in DIFFERING)}, "
    f"{' AND '.join(f'{name} IS ?' for name in USUAL)} FROM job WHERE live"
)


def live_jobs(connection: Connection, expected: int) -> list[_Live]:
    """Return the live jobs. Damaged rows are reported and left out.

    Raises:
        DamagedError: there are fewer rows than the `expected` ones.
    """
    usual, jobs = _UsualRows(), dict[int, _Live | None]()
    database: Any = connection.connection.driver_connection
    with _texts_as_bytes(database):
        cursor = database.execute(_QUERY, tuple(USUAL.values()))
        while rows := cursor.fetchmany(_AT_ONCE):
            jobs.update([(row[0], usual.job_in(row)) for row in rows])
    if len(jobs) < expected:
        raise DamagedError(f"{expected} jobs are live, and {len(jobs)} are found")
    others = [job_id for job_id, found in jobs.items() if found is None]
    for start in range(0, len(others), _VARIABLES):
        result = connection.execute(JOBS_OF, {"ids": others[start : start + _VARIABLES]})
        names = tuple(result.keys())
        for row in result:
            jobs[row.id] = job_in(dict(zip(names, row, strict=True)))
    return [found for found in jobs.values() if found is not None]


@contextmanager
def _texts_as_bytes(database: sqlite3.Connection) -> Iterator[None]:
    """Have texts read as bytes: a function that is called for each text takes longer than all
    else."""
    before = database.text_factory
    database.text_factory = bytes
    try:
        yield
    finally:
        database.text_factory = before


class SharedValues(dict[bytes, _Value], Generic[_Value]):
    """The values of texts, each made once. After very many different texts all are forgotten."""

    def __init__(self, make: Callable[[bytes], _Value]) -> None:
        self._make = make

    def __missing__(self, raw: bytes) -> _Value:
        value = self._make(raw)
        if len(self) >= MOST_SHARED:
            self.clear()
        self[raw] = value
        return value


_COMPONENTS = msgspec.json.Decoder(tuple[Component, ...])


def _request(raw: bytes) -> tuple[Request, tuple[str, ...]]:
    """Return a request, and the partitions that it names."""
    request = Request(_COMPONENTS.decode(raw))
    return request, request.partitions


def _kinds(kind: object) -> set[type]:
    """Return the types of the values in a sound column of this type, with texts as bytes."""
    if isinstance(kind, Boolean):
        return {int}
    return {int, NoneType} if isinstance(kind, Integer) else {bytes}


_KINDS = [_kinds(JOB.c[name].type) for name in DIFFERING]


class _UsualRows:
    """Makes jobs of rows of `_QUERY`."""

    def __init__(self) -> None:
        self._texts = SharedValues(bytes.decode)
        self._details = SharedValues(msgspec.json.Decoder(Details).decode)
        self._requests = SharedValues(_request)
        # The keys are the types of a row's values; the value is True if the row is sound.
        self._sound: dict[tuple[type, ...], bool] = {}

    def job_in(self, row: tuple[Any, ...]) -> _Live | None:
        """Return the job of a row, if it waits, has never run, and its row is sound."""
        types = tuple(map(type, row))
        if types not in self._sound:
            self._sound[types] = all(map(_holds, _KINDS, types))
        if not row[-1] or not self._sound[types]:
            return None
        try:
            return self._waiting(row)
        except ValueError:
            return None

    def _waiting(self, row: tuple[Any, ...]) -> _Live | None:
        """Return the job of a row, which waits and has never run; None if it is an array. Raises
        ValueError."""
        (
            job_id, user, name, submit_us, estimate_us, deadline_us, asked, _, requeue, restartable,
            detailed, array_id, array_index, seq, eligible_us, prediction_us, reserved_at_us,
            reserved_rank, reserved_us, promoted_us, partition, _,
        ) = row  # fmt: skip
        details = self._details[detailed]
        if details.array is not None:
            return None
        request, partitions = self._requests[asked]
        job = Job(
            id=job_id,
            user=self._texts[user],
            submit_us=submit_us,
            request=request,
            estimate_us=estimate_us,
            requeue=bool(requeue),
            restartable=bool(restartable),
            name=self._texts[name],
            deadline_us=deadline_us,
            account=details.account,
            qos=details.qos,
            nice=details.nice,
            licenses=details.licenses,
            reservation=details.reservation,
            seq=seq,
            eligible_us=eligible_us,
            prediction_us=prediction_us,
        )
        if array_index is not None:
            job.task = ArrayTask(array_id, array_index)
        if partitions and (named := self._texts[partition]) in partitions:
            job.partition = named
        if reserved_us is not None or reserved_at_us is not None or reserved_rank is not None:
            job.remembered.reserved_at_us = reserved_at_us
            job.record.reserved_rank, job.record.reserved_us = reserved_rank, reserved_us
        if promoted_us is not None:
            job.remembered.promoted_us = promoted_us
        return job, details


def _holds(kinds: set[type], kind: type) -> bool:
    return kind in kinds
