"""The database: one writer, group commits, and what a start needs to read.

SQLite in WAL mode with synchronous=FULL: what is committed survives a power cut.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import structlog
from sqlalchemy import (
    Connection,
    Engine,
    Result,
    Select,
    Table,
    Text,
    bindparam,
    create_engine,
    event,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from rmsd_core.core import TELLS_RUN_TIME
from rmsd_core.job import Job
from rmsd_core.memory import PlannerMemory
from rmsd_core.prediction import RunsNeeded
from rmsd_daemon.copying import CopyError, copy
from rmsd_daemon.given import lacks_inputs, note_given
from rmsd_daemon.keys import REMEMBERED
from rmsd_daemon.records import Row, job_of
from rmsd_daemon.salvage import salvage
from rmsd_daemon.schema import SchemaError, mark, revision_of
from rmsd_daemon.submission import Details, Payload
from rmsd_daemon.tables import (
    ATTEMPT,
    AUDIT,
    EVENT,
    EXPLAINING,
    JOB,
    META,
    NODE,
    NOTICE,
    REVISION,
    SCRIPT,
    SUBMISSION,
    TOKEN,
    metadata,
)
from rmsd_daemon.wal import dropped_tail_bytes
from rmsd_daemon.writing import Changes, write
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_TAIL = 1000
"""How many of the last events a start looks at, to report damage."""
_ID_GAP = 1000
"""Job ids passed over when the latest ones may be lost: none is given out twice."""
ALL_LOST_GAP = 100_000
"""Likewise when nothing says which ones were given out, as after a restore elsewhere."""


class Notice(NamedTuple):
    """Whom to tell that a job is over: a URL or a command."""

    job_id: int
    user: str
    target: str


class StoreError(Exception):
    """The database cannot be used; the message says why and what to do."""


class _DamagedError(StoreError):
    """Pages of the database are damaged."""


@dataclass(slots=True)
class Snapshot:
    """What a core is rebuilt from. history: (user, arrival number, run time, estimate)."""

    jobs: list[tuple[Job, Details]]
    memory: PlannerMemory
    history: list[tuple[str, int, int, int]]
    nodes: list[Row]
    submissions: list[Row]
    meta: dict[str, str]
    next_id: int
    next_seq: int
    next_batch: int


class Store:
    """The database at `path`, made if there is none, and made anew from what can be read if it is
    damaged.

    `commit` is for one writer thread; everything else reads, from any thread.

    Raises:
        StoreError: the file is not ours, of another version, or cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: Connection | None = None
        emptied = path.exists() and path.stat().st_size == 0
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it holds environments
        except OSError as error:
            raise StoreError(f"{path} cannot be used: {error.strerror}") from error
        dropped = dropped_tail_bytes(path)
        if dropped:
            log.error("wal-tail-dropped", file=f"{path}-wal", dropped_bytes=dropped)
        if emptied:  # SQLite would take it for a database that is new
            log.error("database-damaged", file=str(path), error=f"{path} is empty: all is lost")
        self._ids_lost = dropped > 0 or emptied
        self._gap = ALL_LOST_GAP if emptied else _ID_GAP
        try:
            self._engine = _open(path)
        except _DamagedError as damage:
            log.error("database-damaged", file=str(path), error=str(damage))
            self._ids_lost = True
            try:
                log.warning("database-salvaged", damaged_kept_as=str(salvage(path)))
            except (OSError, sqlite3.Error) as error:
                raise StoreError(f"{damage}; it cannot be salvaged either: {error}") from error
            self._engine = _open(path)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._engine.dispose()

    # ------------------------------------------------------------ writing

    def commit(self, changes: Changes) -> None:
        """All of `changes`, durably, or nothing.

        Raises:
            StoreError: nothing was stored, or it is not known whether it was.
        """
        self._write(lambda connection: write(connection, changes))
        self._ids_lost = False  # `changes` say where ids go on

    def give(self, changes: Changes) -> None:
        """As `commit`, of changes that the core has not made: it must be rebuilt from them."""

        def change(connection: Connection) -> None:
            write(connection, changes)
            note_given(connection)

        self._write(change)

    def record(self, changes: Changes) -> None:
        """`changes` that are no business of the core's. Raises StoreError, as `commit`."""
        self._write(lambda connection: write(connection, changes))

    def forget_notice(self, job_id: int) -> None:
        """The job's notice needs no delivery any more. Raises StoreError, as `commit`."""
        delete = NOTICE.delete().where(NOTICE.c.job_id == job_id)
        self._write(lambda connection: connection.execute(delete))

    def _write(self, change: Callable[[Connection], object]) -> None:
        """One transaction of the writer."""
        try:
            if self._writer is None:
                self._writer = self._engine.connect()
            with self._writer.begin():
                change(self._writer)
        except (SQLAlchemyError, sqlite3.Error) as error:
            if self._writer is not None:
                self._writer.invalidate()
                self._writer.close()
                self._writer = None
            raise StoreError(f"{self.path}: {getattr(error, 'orig', None) or error}") from error

    # ------------------------------------------------------------ reading

    def load(self, needed: RunsNeeded) -> Snapshot:
        """The state as of the last commit, with the terminated jobs that predictions look at.
        Damaged rows are reported and skipped.

        Raises:
            StoreError: the database cannot be read.
        """
        try:
            with self._engine.connect() as connection:
                meta = {row.key: row.value for row in connection.execute(select(META))}
                _report_damaged_events(connection)
                return Snapshot(
                    jobs=list(_jobs(connection.execute(_LIVE_JOBS))),
                    memory=_memory(meta.get("planner")),
                    history=_history(connection, needed),
                    nodes=[dict(row) for row in connection.execute(select(NODE)).mappings()],
                    submissions=_submissions(connection),
                    meta=meta,
                    next_id=self._next_id(connection, meta),
                    next_seq=1 + _most(connection, JOB.c.seq, None),
                    next_batch=1 + _most(connection, EVENT.c.batch, meta.get("batch")),
                )
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(f"{self.path} cannot be read: {error}") from error

    def _next_id(self, connection: Connection, meta: dict[str, str]) -> int:
        last = _most(connection, JOB.c.id, meta.get("last_id"))
        if not self._ids_lost:
            return 1 + last
        for column in (SCRIPT.c.job_id, ATTEMPT.c.job_id, EVENT.c.job_id):
            last = _most(connection, column, str(last))
        return 1 + last + self._gap

    def jobs(
        self, where: Callable[[Select[Any]], Select[Any]], limit: int
    ) -> list[tuple[Job, Details]]:
        """The newest `limit` jobs that `where` selects, live or over, newest first."""
        query = where(_raw(JOB)).order_by(JOB.c.id.desc()).limit(limit)
        with self._engine.connect() as connection:
            return list(_jobs(connection.execute(query)))

    def attempts(self, job_id: int) -> list[Row]:
        """The attempts of a job, the first one first."""
        query = select(ATTEMPT).where(ATTEMPT.c.job_id == job_id).order_by(ATTEMPT.c.attempt)
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def notices(self, limit: int, without: Sequence[str]) -> list[Notice]:
        """The URLs and commands that have yet to be told, the first jobs first, except for the
        jobs of some users.

        Raises:
            StoreError: they cannot be read.
        """
        query = (
            select(NOTICE.c.job_id, JOB.c.user, NOTICE.c.target)
            .join(JOB, JOB.c.id == NOTICE.c.job_id)
            .where(JOB.c.user.not_in(without))
            .order_by(NOTICE.c.job_id)
            .limit(limit)
        )
        try:
            with self._engine.connect() as connection:
                return [Notice(*row) for row in connection.execute(query)]
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(f"{self.path} cannot be read: {error}") from error

    def tokens(self) -> list[Row]:
        """All tokens and keys. Raises StoreError."""
        return self._rows(select(TOKEN))

    def audit(self, since_us: int, user: str | None, limit: int) -> list[Row]:
        """The latest `limit` entries of the audit trail from `since_us` on (of `user`), the oldest
        first. Raises StoreError."""
        query = select(AUDIT).where(AUDIT.c.at_us >= since_us)
        if user is not None:
            query = query.where(AUDIT.c.user == user)
        return self._rows(query.order_by(AUDIT.c.id.desc()).limit(limit))[::-1]

    def _rows(self, query: Select[Any]) -> list[Row]:
        try:
            with self._engine.connect() as connection:
                return [dict(row) for row in connection.execute(query).mappings()]
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(f"{self.path} cannot be read: {error}") from error

    def prediction_events(self, job_id: int) -> list[tuple[int, str, Row]]:
        """When the job's prediction was changed or a start promised: (model time, kind, the job's
        columns then), in order. Damaged ones are left out."""
        query = (
            select(EVENT.c.model_us, EVENT.c.kind, type_coerce(EVENT.c.payload, Text))
            .where(EVENT.c.job_id == job_id, text(EXPLAINING))
            .order_by(EVENT.c.id)
        )
        found = []
        with self._engine.connect() as connection:
            for model_us, kind, payload in connection.execute(query):
                try:
                    found.append((model_us, kind, msgspec.json.decode(payload)["job"]))
                except (TypeError, KeyError, *MALFORMED) as error:
                    log.error("event-damaged", job_id=job_id, error=str(error))
        return found

    def runs_of(
        self, user: str, until_us: int, limit: int, estimate_us: int | None
    ) -> list[tuple[int, int, int, int]]:
        """(id, arrival number, run time, estimate) of the latest `limit` jobs of the user that had
        ended by then; with `estimate_us`, of those with this estimate."""
        query = (
            select(JOB.c.id, JOB.c.seq, (JOB.c.end_us - JOB.c.start_us), JOB.c.estimate_us)
            .where(JOB.c.user == user, ~JOB.c.live, JOB.c.start_us.is_not(None))
            .where(JOB.c.end_us <= until_us, JOB.c.cause.in_(_TELLING_CAUSES))
            .order_by(JOB.c.seq.desc())
            .limit(limit)
        )
        if estimate_us is not None:
            query = query.where(JOB.c.estimate_us == estimate_us)
        with self._engine.connect() as connection:
            return [row._tuple() for row in connection.execute(query)]

    def payloads(self, job_ids: Sequence[int]) -> dict[int, Payload | None]:
        """What the jobs run; None where that is damaged."""
        found: dict[int, Payload | None] = dict.fromkeys(job_ids)
        with self._engine.connect() as connection:
            for start in range(0, len(job_ids), 500):
                some = job_ids[start : start + 500]
                for row in connection.execute(_SCRIPTS, {"some": some}):
                    try:
                        found[row.job_id] = msgspec.json.decode(row.payload, type=Payload)
                    except MALFORMED as error:
                        log.error("script-damaged", job_id=row.job_id, error=str(error))
        return found


# ---------------------------------------------------------------- the engine


def _open(path: Path) -> Engine:
    engine = _engine(path)
    try:
        with engine.begin() as connection:
            found = revision_of(connection.exec_driver_sql, path)
            if found is None:
                metadata.create_all(connection)
                mark(connection.exec_driver_sql, REVISION)
            else:
                _check_pages(connection, path)
        if found is not None and found != REVISION:
            _migrate(engine, path, found)
    except DatabaseError as error:
        engine.dispose()
        message = f"{path} cannot be used: {error.orig}"
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            raise _DamagedError(message) from error
        raise StoreError(message) from error
    except SchemaError as error:
        engine.dispose()
        raise StoreError(f"{error}, or use another --state-dir") from error
    except StoreError:
        engine.dispose()
        raise
    return engine


def _migrate(engine: Engine, path: Path, found: str) -> None:
    """Bring the database to the present schema, in one transaction, with a copy of it beside."""
    from rmsd_daemon.migrations import upgrade

    kept = path.with_name(f"{path.name}.before-{REVISION}")
    log.info("migrating", file=str(path), schema=found, to=REVISION, copy=str(kept))
    try:
        copy(path, kept)
        with engine.begin() as connection:
            upgrade(connection, found)
            if lacks_inputs(connection):
                note_given(connection)
    except (CopyError, OSError, SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(
            f"{path} cannot be brought from schema {found} to {REVISION}, and is as it was: "
            f"{getattr(error, 'orig', None) or error}"
        ) from error
    log.info("migrated", file=str(path), schema=REVISION)


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        json_deserializer=msgspec.json.decode,
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _pragmas(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute("PRAGMA busy_timeout = 10000")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -65536")
        # A short log is written over and over; growing it costs a commit twice as much.
        connection.execute("PRAGMA wal_autocheckpoint = 400")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _check_pages(connection: Connection, path: Path) -> None:
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        raise _DamagedError(f"{path} cannot be used: {found}")


# ---------------------------------------------------------------- reading rows


def _raw(table: Table) -> Select[Any]:
    """The table's columns with JSON as text, so that one damaged value spoils one row only."""
    return select(
        *(
            type_coerce(column, Text).label(column.name) if column.name in _JSON else column
            for column in table.c
        )
    )


_SCRIPTS = select(SCRIPT).where(SCRIPT.c.job_id.in_(bindparam("some", expanding=True)))
_JSON = ("request", "details", "allocation", "open_nodes", "claim", "awaits")
_LIVE_JOBS = _raw(JOB).where(text("live"))  # built once: a failed commit is read over again, too


def _jobs(result: Result[Any]) -> Iterator[tuple[Job, Details]]:
    names = tuple(result.keys())  # SQLAlchemy's mappings would cost as much as all the rest
    for row in result:
        values = dict(zip(names, row, strict=True))
        try:
            values |= {name: msgspec.json.decode(values[name]) for name in _JSON}
            yield job_of(values)
        except (ValueError, TypeError, KeyError) as error:
            log.error("job-damaged", job_id=values["id"], error=str(error))


_TELLING_CAUSES = [cause.value for cause in sorted(TELLS_RUN_TIME)]
"""Ends that say something about how long a user's jobs run."""


def _history(connection: Connection, needed: RunsNeeded) -> list[tuple[str, int, int, int]]:
    """(user, arrival number, run time, estimate) of the terminated jobs whose end tells it."""
    return [row._tuple() for row in connection.execute(_history_query(needed))]


@cache
def _history_query(needed: RunsNeeded) -> Select[Any]:
    groups = [JOB.c.user, JOB.c.estimate_us] if needed.by_estimate else [JOB.c.user]
    rank = func.row_number().over(partition_by=groups, order_by=JOB.c.seq.desc())
    run = JOB.c.end_us - JOB.c.start_us
    ended = (
        select(JOB.c.user, JOB.c.seq, run.label("run"), JOB.c.estimate_us, rank.label("rank"))
        .where(~JOB.c.live, JOB.c.start_us.is_not(None))
        .where(JOB.c.cause.in_(_TELLING_CAUSES))
        .subquery()
    )
    query = select(ended.c.user, ended.c.seq, ended.c.run, ended.c.estimate_us)
    if needed.latest is not None:
        query = query.where(ended.c.rank <= needed.latest)
    return query


def _memory(stored: str | None) -> PlannerMemory:
    try:
        return msgspec.json.decode(stored or "{}", type=PlannerMemory)
    except MALFORMED as error:
        log.error("planner-damaged", error=str(error))
        return PlannerMemory()


def _submissions(connection: Connection) -> list[Row]:
    return [dict(row) for row in connection.execute(_NEWEST_SUBMISSIONS).mappings()][::-1]


_NEWEST_SUBMISSIONS = select(SUBMISSION).order_by(SUBMISSION.c.first_id.desc()).limit(REMEMBERED)


def _most(connection: Connection, column: Any, noted: str | None) -> int:
    return max(connection.execute(select(func.max(column))).scalar() or 0, int(noted or 0))


def _report_damaged_events(connection: Connection) -> None:
    """Restarting needs no event, so damage is said and passed over."""
    try:
        for row in connection.execute(_NEWEST_EVENTS):
            try:
                msgspec.json.decode(row.payload)
            except (TypeError, *MALFORMED) as error:
                log.error("event-damaged", event_id=row.id, error=str(error))
    except (SQLAlchemyError, sqlite3.Error) as error:
        log.error("events-damaged", error=str(error))


_NEWEST_EVENTS = (
    select(EVENT.c.id, type_coerce(EVENT.c.payload, Text).label("payload"))
    .order_by(EVENT.c.id.desc())
    .limit(_TAIL)
)
