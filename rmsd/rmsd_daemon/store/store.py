"""The database: one writer, group commits, and what a start needs to read.

SQLite in WAL mode with synchronous=FULL: what is committed survives a power cut.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import structlog
from sqlalchemy import (
    Connection,
    Engine,
    Result,
    Select,
    Table,
    Text,
    create_engine,
    event,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from sqlmodel import Session, SQLModel, col
from sqlmodel import select as select_models
from sqlmodel.sql.expression import SelectOfScalar

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.ending import TELLS_RUN_TIME
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details, Payload
from rmsd_daemon.store.copying import CopyError, copy
from rmsd_daemon.store.damage import DamageLog, Gate, is_damage, lost_nodes, text_or_bytes
from rmsd_daemon.store.given import note_given
from rmsd_daemon.store.keys import REMEMBERED
from rmsd_daemon.store.records import Row, job_of, node_of
from rmsd_daemon.store.salvage import salvage
from rmsd_daemon.store.schema import SchemaError, mark, revision_of
from rmsd_daemon.store.tables import (
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
    Audit,
    Token,
    metadata,
)
from rmsd_daemon.store.wal import dropped_tail_bytes
from rmsd_daemon.store.writing import Changes, write
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_Model = TypeVar("_Model", bound=SQLModel)

_TAIL = 1000
"""How many of the last events a start looks at, to report damage."""
_SEARCH_S = 10.0
"""Clients give up a daemon that is silent for as long."""
_STEPS = 10_000
"""How many steps of SQLite's machine there are between two looks at the clock: some 0.1 ms."""
_VARIABLES = 500
"""How many values one query names."""
_MOST_ROWS = 1000
_ELEMENT_BYTES = 64
_ID_GAP = 1000
"""Job ids passed over when the latest ones may be lost: none is given out twice."""
ALL_LOST_GAP = 100_000
"""Likewise when nothing says which ones were given out, as after a restore elsewhere."""
_SCRIPTS_BYTES = 8 << 20
"""How much of scripts and environments is read at a time: one job may have 5 MiB."""
_MOST_MENDED = 3
"""How often a running daemon replaces a damaged database. Each time keeps a copy, and a disk that
damages one after the other would be filled with copies."""


class Notice(NamedTuple):
    """Whom to tell that a job is over: a URL or a command."""

    job_id: int
    user: str
    target: str


class StoreError(Exception):
    """The database cannot be used; the message says why and what to do."""


class SearchError(Exception):
    """A search through all rows of a table took too long, and was given up."""


class DamagedError(StoreError):
    """Pages or records of the database are damaged."""


@dataclass(slots=True)
class Snapshot:
    """What a core is rebuilt from. history: (user, arrival number, run time, estimate).
    kept_as: where the damaged database is that was replaced just before; None: none was."""

    jobs: list[tuple[Job, Details]]
    memory: PlannerMemory
    history: list[tuple[str, int, int, int]]
    nodes: list[Row]
    submissions: list[Row]
    meta: dict[str, str]
    next_id: int
    next_seq: int
    next_batch: int
    kept_as: Path | None = None


class Store:
    """The database at `path`, made if there is none, and made anew from what can be read if it is
    damaged.

    Writing and `load` are for one writer thread; everything else reads, from any thread. `damage`
    counts what was found damaged since the start.

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
        self.damage = DamageLog()
        self._gate = Gate()
        self._mended = 0
        self.must_mend = False  # a write has met damage: the same write would meet it again
        self._engine, _ = self._opened("quick_check")

    def _opened(self, check: str) -> tuple[Engine, Path | None]:
        """Open the database, and replace it first if it is damaged. Returns its engine, and where
        the damaged one is kept. Raises StoreError."""
        try:
            return _open(self.path, check), None
        except DamagedError as damage:
            log.error("database-damaged", file=str(self.path), error=str(damage))
            self._ids_lost = True
            try:
                kept_as = salvage(self.path)
            except (OSError, sqlite3.Error) as error:
                raise StoreError(f"{damage}; it cannot be salvaged either: {error}") from error
            log.warning("database-salvaged", damaged_kept_as=str(kept_as))
            return _open(self.path, check), kept_as

    def close(self) -> None:
        self._close_writer()
        self._engine.dispose()

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

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

    def forget_notices(self, job_ids: Sequence[int]) -> None:
        """The jobs' notices need no delivery any more. Raises StoreError, as `commit`."""
        delete = NOTICE.delete().where(NOTICE.c.job_id.in_(job_ids))
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
            self._close_writer()
            failure = self._failure(error, "")
            self.must_mend |= isinstance(failure, DamagedError)
            raise failure from error

    def _failure(self, error: Exception, what: str) -> StoreError:
        """Return what to raise for an error of the driver's, and count damage."""
        cause = getattr(error, "orig", None) or error
        if not is_damage(cause):
            return StoreError(f"{self.path}{what}: {cause}")
        self.damage.met(cause)
        log.error("damage-met", file=str(self.path), error=str(cause))
        return DamagedError(f"{self.path} is damaged: {cause}")

    # ------------------------------------------------------------ reading

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Open a connection to read with. Raises StoreError, and for damage DamagedError."""
        try:
            with self._gate.reading(), self._engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, sqlite3.Error, *MALFORMED) as error:
            raise self._failure(error, " cannot be read") from error

    def load(self, needed: RunsNeeded) -> Snapshot:
        """The state as of the last commit, with the terminated jobs that predictions look at.
        Damaged rows are reported and skipped. A database whose damage keeps it from being read or
        written is replaced by what can be read of it, as at a start.

        Raises:
            StoreError: the database cannot be read.
        """
        kept_as = self._mend() if self.must_mend and self._mended < _MOST_MENDED else None
        try:
            snapshot = self._loaded(needed)
        except DamagedError:
            if self._mended >= _MOST_MENDED:
                raise
            kept_as = self._mend()
            snapshot = self._loaded(needed)
        snapshot.kept_as = kept_as
        return snapshot

    def _mend(self) -> Path | None:
        """Replace the database if it is damaged. Returns where the damaged one is kept. Raises
        StoreError."""
        with self._gate.alone():
            self._close_writer()
            self._engine.dispose()
            self._engine, kept_as = self._opened("integrity_check")
        self._mended += kept_as is not None
        self.must_mend = False
        return kept_as

    def _loaded(self, needed: RunsNeeded) -> Snapshot:
        with self._reading() as connection:
            meta = {row.key: row.value for row in connection.execute(select(META))}
            _report_damaged_events(connection)
            jobs = list(_jobs(connection.execute(_LIVE_JOBS)))
            nodes = list(_nodes(connection.execute(_NODES)))
            return Snapshot(
                jobs=jobs,
                memory=_memory(meta.get("planner")),
                history=_history(connection, needed),
                nodes=[*nodes, *lost_nodes((job for job, _ in jobs), nodes)],
                submissions=_submissions(connection),
                meta=meta,
                next_id=self._next_id(connection, meta),
                next_seq=1 + _most(connection, JOB.c.seq, None),
                next_batch=1 + _most(connection, EVENT.c.batch, meta.get("batch")),
            )

    def _next_id(self, connection: Connection, meta: dict[str, str]) -> int:
        last = _most(connection, JOB.c.id, meta.get("last_id"))
        if not self._ids_lost:
            return 1 + last
        for column in (SCRIPT.c.job_id, ATTEMPT.c.job_id, EVENT.c.job_id):
            last = _most(connection, column, str(last))
        return 1 + last + self._gap

    def job_ids(self, where: Callable[[Select[Any]], Select[Any]], limit: int) -> list[int]:
        """The numbers of the newest `limit` jobs that `where` selects, live or over, newest first.
        Raises SearchError."""
        query = where(select(JOB.c.id)).order_by(JOB.c.id.desc()).limit(limit)
        return self._search(query)

    def jobs_of(self, ids: Sequence[int], most_bytes: int) -> tuple[int, list[tuple[Job, Details]]]:
        """The stored jobs among `ids`, which ascend, behind the number up to which they were looked
        for: the last one of `ids`, or that of the job with which `most_bytes` are read."""
        query = _raw(JOB).where(JOB.c.id.in_(ids)).order_by(JOB.c.id)
        with self._reading() as connection:
            result = connection.execute(query)
            names = tuple(result.keys())  # SQLAlchemy's mappings would cost as much as all the rest
            rows, whole = _up_to(result, most_bytes)
        found = [one for row in rows if (one := _job(dict(zip(names, row, strict=True))))]
        return ids[-1] if whole else rows[-1].id, found

    def whose(self, ids: Sequence[int]) -> dict[int, tuple[str, bool]]:
        """By number, whose the stored jobs among `ids` are, and whether they are live."""
        found: dict[int, tuple[str, bool]] = {}
        with self._reading() as connection:
            for start in range(0, len(ids), _VARIABLES):
                some = JOB.c.id.in_(ids[start : start + _VARIABLES])
                for row in connection.execute(select(JOB.c.id, JOB.c.user, JOB.c.live).where(some)):
                    found[row.id] = (row.user, row.live)
        return found

    def attempts(self, job_id: int, after: int, most_bytes: int) -> list[Row]:
        """The next attempts of a job after number `after`, the first one first, until they have
        `most_bytes`."""
        query = (
            select(ATTEMPT)
            .where(ATTEMPT.c.job_id == job_id, ATTEMPT.c.attempt > after)
            .order_by(ATTEMPT.c.attempt)
        )
        return self._first_rows(query, most_bytes)

    def latest_attempts(self, job_id: int, most_bytes: int) -> list[Row]:
        """The latest attempts of a job, the first of them first, until they have `most_bytes`."""
        query = select(ATTEMPT).where(ATTEMPT.c.job_id == job_id)
        return self._first_rows(query.order_by(ATTEMPT.c.attempt.desc()), most_bytes)[::-1]

    def attempt(self, job_id: int, number: int) -> Row | None:
        """An attempt of a job; None if it is not stored."""
        of_it = (ATTEMPT.c.job_id == job_id, ATTEMPT.c.attempt == number)
        return next(iter(self._first_rows(select(ATTEMPT).where(*of_it), 0)), None)

    def _first_rows(self, query: Select[Any], most_bytes: int) -> list[Row]:
        """The first rows of a query's result, until they have `most_bytes`."""
        with self._reading() as connection:
            rows, _ = _up_to(connection.execute(query.limit(_MOST_ROWS)), most_bytes)
            return [dict(row._mapping) for row in rows]

    def _search(self, query: Select[Any]) -> list[int]:
        """The numbers that a query finds, which may look at every row. Raises SearchError."""
        with self._reading() as connection, _in_time(connection):
            return list(connection.execute(query).scalars())

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
        with self._reading() as connection:
            return [Notice(*row) for row in connection.execute(query)]

    def tokens(self) -> list[Token]:
        """All tokens and keys. Raises StoreError."""
        return self._models(select_models(Token))

    def audit_ids(
        self, since_us: int, user: str | None, before: int | None, limit: int
    ) -> list[int]:
        """The numbers of the latest `limit` entries of the audit trail from `since_us` on (of
        `user`, with numbers below `before`), the latest first. Raises SearchError."""
        query = select(AUDIT.c.id).where(AUDIT.c.at_us >= since_us)
        if user is not None:
            query = query.where(AUDIT.c.user == user)
        if before is not None:
            query = query.where(AUDIT.c.id < before)
        return self._search(query.order_by(AUDIT.c.id.desc()).limit(limit))

    def audit(self, ids: Sequence[int]) -> list[Audit]:
        """Return these entries of the audit trail, in the order of their numbers. Raises
        StoreError."""
        number = col(Audit.id)
        return self._models(select_models(Audit).where(number.in_(ids)).order_by(number))

    def _models(self, query: SelectOfScalar[_Model]) -> list[_Model]:
        """Return a query's rows as models. That costs some 4 us a row more than plain rows do."""
        with self._reading() as connection, Session(connection) as session:
            return list(session.exec(query))

    def prediction_events(self, job_id: int, limit: int) -> list[tuple[int, str, Row]]:
        """The latest `limit` times that the job's prediction was changed or a start promised:
        (model time, kind, the job's columns then), in order. Damaged ones are left out.

        Raises StoreError.
        """
        query = (
            select(EVENT.c.model_us, EVENT.c.kind, type_coerce(EVENT.c.payload, Text))
            .where(EVENT.c.job_id == job_id, text(EXPLAINING))
            .order_by(EVENT.c.id.desc())
            .limit(limit)
        )
        found = []
        with self._reading() as connection:
            for model_us, kind, payload in list(connection.execute(query))[::-1]:
                try:
                    found.append((model_us, kind, msgspec.json.decode(payload)["job"]))
                except (TypeError, KeyError, *MALFORMED) as error:
                    log.error("event-damaged", job_id=job_id, error=str(error))
        return found

    def runs_of(
        self, user: str, until_us: int, limit: int, estimate_us: int | None
    ) -> list[tuple[int, int, int, int]]:
        """(id, arrival number, run time, estimate) of the latest `limit` jobs of the user that had
        ended by then; with `estimate_us`, of those with this estimate. Raises StoreError."""
        query = (
            select(JOB.c.id, JOB.c.seq, (JOB.c.end_us - JOB.c.start_us), JOB.c.estimate_us)
            .where(JOB.c.user == user, ~JOB.c.live, JOB.c.start_us.is_not(None))
            .where(JOB.c.end_us <= until_us, JOB.c.cause.in_(_TELLING_CAUSES))
            .order_by(JOB.c.seq.desc())
            .limit(limit)
        )
        if estimate_us is not None:
            query = query.where(JOB.c.estimate_us == estimate_us)
        with self._reading() as connection:
            return [row._tuple() for row in connection.execute(query)]

    def payloads(self, job_ids: Sequence[int]) -> dict[int, Payload | None]:
        """Read what the first of the jobs run: of at least one job, and of as many as a bounded
        number of bytes allows. None where a script is lost or damaged.

        Raises:
            StoreError: not even the first can be read, for another reason than damage.
        """
        found: dict[int, Payload | None] = {}
        left_bytes = _SCRIPTS_BYTES
        with self._reading() as connection:
            cursor = connection.connection.cursor()
            for job_id in job_ids:
                try:
                    payload = _script(cursor, job_id)
                    found[job_id] = msgspec.json.decode(payload, type=Payload)
                    left_bytes -= len(payload)
                except (sqlite3.Error, *MALFORMED) as error:
                    if not is_damage(error):
                        if found:
                            break
                        raise
                    found[job_id] = None
                    self.damage.met(error)
                    log.error("script-damaged", job_id=job_id, error=str(error))
                if left_bytes <= 0:
                    break
        return found


# ---------------------------------------------------------------- the engine


def _open(path: Path, check: str) -> Engine:
    """`check`: the pragma that looks for damaged pages."""
    engine = _engine(path)
    try:
        with engine.begin() as connection:
            found = revision_of(connection.exec_driver_sql, path)
            if found is None:
                metadata.create_all(connection)
                mark(connection.exec_driver_sql, REVISION)
            else:
                _check_pages(connection, path, check)
        if found is not None and found != REVISION:
            _migrate(engine, path, found)
    except DatabaseError as error:
        engine.dispose()
        message = f"{path} cannot be used: {error.orig}"
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            raise DamagedError(message) from error
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
    from rmsd_daemon.store.migrations import upgrade

    kept = path.with_name(f"{path.name}.before-{REVISION}")
    log.info("migrating", file=str(path), schema=found, to=REVISION, copy=str(kept))
    try:
        copy(path, kept)
        with engine.begin() as connection:
            upgrade(connection, found)
            note_given(connection)
    except (CopyError, OSError, SQLAlchemyError, sqlite3.Error, *MALFORMED) as error:
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
        connection.text_factory = text_or_bytes
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


def _check_pages(connection: Connection, path: Path, check: str) -> None:
    found = connection.exec_driver_sql(f"PRAGMA {check}(1)").scalar_one()
    if found != "ok":
        raise DamagedError(f"{path} cannot be used: {found}")


# ---------------------------------------------------------------- reading rows


def _raw(table: Table) -> Select[Any]:
    """The table's columns with JSON as text, so that one damaged value spoils one row only."""
    return select(
        *(
            type_coerce(column, Text).label(column.name) if column.name in _JSON else column
            for column in table.c
        )
    )


def _script(cursor: Any, job_id: int) -> bytes:
    """Read the JSON of what the job runs. Raises sqlite3.Error, MsgspecError."""
    row = cursor.execute(_SCRIPT, (job_id,)).fetchone()
    if row is None:
        raise msgspec.DecodeError("its row is lost")
    payload: bytes = row[0]
    return payload


_SCRIPT = "SELECT CAST(payload AS BLOB) FROM script WHERE job_id = ?"
_JSON = ("request", "details", "allocation", "open_nodes", "claim", "awaits", "features")
_JOB_JSON = [name for name in _JSON if name in JOB.c]
_LIVE_JOBS = _raw(JOB).where(text("live"))  # built once: a failed commit is read over again, too
_NODES = _raw(NODE)


def _jobs(result: Result[Any]) -> Iterator[tuple[Job, Details]]:
    names = tuple(result.keys())  # SQLAlchemy's mappings would cost as much as all the rest
    for row in result:
        if found := _job(dict(zip(names, row, strict=True))):
            yield found


def _job(values: Row) -> tuple[Job, Details] | None:
    """The job of a row with JSON as text; None if that is damaged, which is reported."""
    try:
        values |= {name: msgspec.json.decode(values[name]) for name in _JOB_JSON}
        _check_texts(values)
        return job_of(values)
    except (ValueError, TypeError, KeyError) as error:
        log.error("job-damaged", job_id=values["id"], error=str(error))
        return None


def _up_to(result: Result[Any], most_bytes: int) -> tuple[list[Any], bool]:
    """The first rows of a result, until they have more than `most_bytes`, and whether these are
    all."""
    rows, size = [], 0
    for row in result:
        rows.append(row)
        size += sum(map(_bytes_of, row))
        if size > most_bytes:
            return rows, False
    return rows, True


def _bytes_of(value: object) -> int:
    """Roughly what a column's value holds in memory."""
    if isinstance(value, str):
        return len(value)
    return _ELEMENT_BYTES * len(value) if isinstance(value, list) else 0


@contextmanager
def _in_time(connection: Connection) -> Iterator[None]:
    """Give up a query that takes too long: nobody can interrupt a thread that waits for SQLite.

    Raises:
        SearchError: it took too long.
    """
    database: Any = connection.connection.driver_connection
    give_up_s = time.monotonic() + _SEARCH_S
    database.set_progress_handler(lambda: time.monotonic() >= give_up_s, _STEPS)
    try:
        yield
    except DatabaseError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            raise
        raise SearchError(f"nothing was found within {_SEARCH_S:g} s") from error
    finally:
        database.set_progress_handler(None, 0)


def _nodes(result: Result[Any]) -> Iterator[Row]:
    for row in result.mappings():
        try:
            values = {**row, "features": msgspec.json.decode(row["features"])}
            node_of(values)
            yield values
        except (ValueError, TypeError) as error:
            log.error("node-damaged", node=row["name"], error=str(error))


def _check_texts(row: Row) -> None:
    """Refuse a job's row in which a text has another type. Raises DecodeError."""
    for name in ("user", "name", "message"):
        if type(row[name]) is not str:
            raise msgspec.DecodeError(f"'{name}' is no text")


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
