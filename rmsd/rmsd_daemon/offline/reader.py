"""A reader of a state directory from outside: the daemon may run meanwhile, and is not disturbed.

All is read in one transaction, so that it is the state of one commit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from rmsd_core.jobs.accounts import Policies
from rmsd_core.lifecycle.tasks import as_job
from rmsd_core.machine.nodes import Node
from rmsd_core.machine.partitions import Partition
from rmsd_daemon.callers.audit import audit_view
from rmsd_daemon.queries.views import attempt_view, job_view
from rmsd_daemon.setup.state_dir import acting_for_owner
from rmsd_daemon.store.copying import reading_of
from rmsd_daemon.store.nodes import node_of
from rmsd_daemon.store.partitions import partitions_of
from rmsd_daemon.store.past_reservations import (
    TELLING,
    ReservationChange,
    changes_in,
    in_force_since,
)
from rmsd_daemon.store.policies import policies_of
from rmsd_daemon.store.records import RESTORED, Row, job_of
from rmsd_daemon.store.reservations import reservation_of
from rmsd_daemon.store.schema import SchemaError, revision_of
from rmsd_daemon.store.tables import JSON_COLUMNS, REVISION, AuditRow
from rmsd_wire.api.audit import AuditView
from rmsd_wire.malformed import MALFORMED

DAMAGED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""The errors of whoever reads a value of another type, or another number, than rmsd stores."""
_BOOLEAN = ("live", "requeue", "restartable", "backfilled", "tried", "draining")


class ReadingError(Exception):
    """The state directory cannot be read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The records of a daemon. views: `JobView`s of all jobs as the API lists them. attempts:
    `AttemptView`s, by job, of those that were started more than once or wait again. recipe,
    capacity, rate: of the last start. clock_us: model time of the last commit. partitions and
    policies: those in force then; no partitions if all nodes are one. reservations: those that
    there were."""

    views: list[Row]
    attempts: dict[int, list[Row]]
    nodes: list[Node]
    recipe: str
    capacity: str
    clock_us: int
    rate: float
    partitions: tuple[Partition, ...]
    policies: Policies
    reservations: list[ReservationChange]


@contextmanager
def snapshot(state_dir: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of `state_dir` as of its last commit, read-only. Root opens it with the
    rights of the directory's owner.

    Raises:
        ReadingError: there is none, it is not rmsd's or of another version, or it cannot be read
            now or later.
    """
    path = state_dir / "rmsd.db"
    try:
        with closing(_opened(path)) as database:
            database.row_factory = sqlite3.Row
            _check(database, path)
            yield database
    except (sqlite3.Error, *MALFORMED) as error:
        raise ReadingError(f"{path} cannot be read: {error}") from error


def _opened(path: Path) -> sqlite3.Connection:
    """Open a database with the rights of the owner of its directory. If root opened it, SQLite
    would give that owner the log beside it, whosever file lies there by then.

    Raises:
        ReadingError, sqlite3.Error: see `snapshot`.
    """
    try:
        with acting_for_owner(path.parent) as directory:
            if (directory / path.name).is_file():
                return reading_of(directory / path.name)
    except OSError as error:
        raise ReadingError(f"{path} cannot be read: {error.strerror}") from error
    raise ReadingError(f"{path.parent} is no state directory of rmsd: there is no {path.name}")


def _check(database: sqlite3.Connection, path: Path) -> None:
    try:
        revision = revision_of(database.execute, path)
    except SchemaError as error:
        raise ReadingError(str(error)) from error
    if revision != REVISION:
        raise ReadingError(
            f"{path} has schema {revision}, this rmsd reads {REVISION}; the next `rmsd start` "
            "brings it there, or use the rmsd that wrote it"
        )


def rows(database: sqlite3.Connection, query: str, *values: object) -> Iterator[Row]:
    """Yield the rows of a query, with JSON decoded. Raises sqlite3.Error, MsgspecError."""
    for found in database.execute(query, values):
        yield {name: _decoded(name, found[name]) for name in found.keys()}  # noqa: SIM118


def _decoded(name: str, value: Any) -> Any:
    if name in JSON_COLUMNS:
        return msgspec.json.decode(value)
    return bool(value) if name in _BOOLEAN else value


def recorded(state_dir: Path, *, apart: bool = False) -> Recorded:
    """Return the records that `rmsd history` and `rmsd gantt` need. `apart`: with each waiting task
    of an array by itself, instead of one row for all.

    Raises:
        ReadingError: see `snapshot`; a job's record is damaged.
    """
    with snapshot(state_dir) as database:
        starts = list(rows(database, _LAST_START))
        if not starts:
            raise ReadingError(f"{state_dir} has no history: nothing was ever committed there")
        meta = {row["key"]: row["value"] for row in rows(database, "SELECT * FROM meta")}
        try:
            return _recorded(database, starts[0]["payload"], int(meta.get("clock_us", 0)), apart)
        except DAMAGED as error:
            raise ReadingError(f"{state_dir} has a damaged record: {error!r}") from error


def _recorded(database: sqlite3.Connection, start: Row, clock_us: int, apart: bool) -> Recorded:
    return Recorded(
        [
            view
            for row in rows(database, "SELECT * FROM job ORDER BY id")
            for view in _views(row, clock_us, apart)
        ],
        _attempts(database),
        [node_of(row) for row in rows(database, _NODES)],
        start["recipe"],
        start["capacity"],
        clock_us,
        start["rate"],
        partitions_of(next(rows(database, _PARTITIONS))["payload"]["partitions"]),
        policies_of(next(rows(database, _POLICIES))["payload"].get("policies")),
        _reservations(database),
    )


def _reservations(database: sqlite3.Connection) -> list[ReservationChange]:
    now = [reservation_of(row) for row in rows(database, "SELECT * FROM reservation")]
    return in_force_since(changes_in((*row,) for row in database.execute(TELLING)), now, 0)


def audit_of(state_dir: Path, since_us: int, user: str | None, limit: int) -> list[Row]:
    """Return the latest `limit` entries of the audit trail from `since_us` on (of `user`), as the
    API lists them.

    Raises:
        ReadingError: see `snapshot`.
    """
    of_user = "" if user is None else "AND user = ?"
    query = f"SELECT * FROM audit WHERE at_us >= ? {of_user} ORDER BY id DESC LIMIT ?"
    values = [since_us, *([] if user is None else [user]), limit]
    with snapshot(state_dir) as database:
        entries: list[Row] = [
            msgspec.to_builtins(audit_view(AuditRow(**row)))
            for row in rows(database, query, *values)
        ]
        msgspec.convert(entries, list[AuditView])  # SQLite stores values of any type
    return entries[::-1]


_LAST_START = f"SELECT payload FROM event WHERE kind = '{RESTORED}' ORDER BY id DESC LIMIT 1"


_PARTITIONS = f"""SELECT payload FROM event WHERE kind IN ('{RESTORED}', 'partitions')
    ORDER BY id DESC LIMIT 1"""
_POLICIES = f"""SELECT payload FROM event WHERE kind IN ('{RESTORED}', 'policies')
    ORDER BY id DESC LIMIT 1"""
_NODES = "SELECT * FROM node ORDER BY name"
_STARTED_ANEW = """SELECT * FROM attempt WHERE job_id IN
    (SELECT id FROM job WHERE attempt > 1 OR attempt = 1 AND start_us IS NULL)
    ORDER BY job_id, attempt"""


def _attempts(database: sqlite3.Connection) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows(database, _STARTED_ANEW):
        view: Row = msgspec.to_builtins(attempt_view(row))
        found.setdefault(row["job_id"], []).append(view)
    return found


def _views(row: Row, now_us: int, apart: bool) -> list[Row]:
    """Return the view of a job, or those of the tasks of an array that are no jobs: one for all
    that wait or were cancelled, or, `apart`, one for each that waits."""
    try:
        job, details = job_of(row)
        jobs = [(job, details)]
        if job.array is not None and job.state.terminal:
            jobs = jobs if job.array.cancelled else []
        elif job.array is not None and apart:
            of_task = details.of_task()
            jobs = [(as_job(job, rank), of_task) for rank in job.array.waiting_ranks()]
        return [msgspec.to_builtins(job_view(*one, "", now_us)) for one in jobs]
    except DAMAGED as error:
        raise ReadingError(f"the record of job {row['id']} is damaged: {error}") from error
