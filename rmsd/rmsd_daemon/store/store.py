"""The database: one writer, group commits, and the reads of a start.

SQLite in WAL mode with synchronous=FULL: committed data survive a power cut.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, TypeVarTuple

import msgspec
import structlog
from sqlalchemy import Connection, Engine, Select, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, SQLModel, col
from sqlmodel import select as select_models
from sqlmodel.sql.expression import SelectOfScalar

from rmsd_core.jobs.job import Job
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details, Payload
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.damage import DamageLog, Gate, is_damage
from rmsd_daemon.store.failures import DamagedError, StoreError
from rmsd_daemon.store.live_rows import live_jobs
from rmsd_daemon.store.nodes import lost_nodes
from rmsd_daemon.store.notices import settle_notices
from rmsd_daemon.store.opening import open_database
from rmsd_daemon.store.page_check import PageCheck
from rmsd_daemon.store.planner_rows import memory_of
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.rows import (
    JOBS_OF,
    META_ROWS,
    NODES,
    NOTICES,
    explaining_events,
    history_of,
    in_time,
    job_in,
    latest_entries,
    most,
    next_batch,
    next_seq,
    nodes_in,
    owners,
    report_damaged_events,
    reservations_in,
    script_of,
    submissions,
    up_to,
)
from rmsd_daemon.store.salvage import salvage
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.tables import (
    ATTEMPT,
    EVENT,
    JOB,
    RAN,
    SCRIPT,
    AuditRow,
    TokenRow,
)
from rmsd_daemon.store.transaction import write
from rmsd_daemon.store.wal import dropped_tail_bytes
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_Model = TypeVar("_Model", bound=SQLModel)
_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")

_MOST_ROWS = 1000
_ID_GAP = 1000
"""Job ids passed over when the latest ones may be lost: none is given out twice."""
ALL_LOST_GAP = 100_000
"""Job ids passed over when it is not known which ones were given out, as after a restore
elsewhere."""
SCRIPTS_BYTES = 8 << 20
"""The bytes of scripts and environments that are read at a time: one job may have 5 MiB."""
_MOST_MENDED = 3
"""The number of times that a running daemon replaces a damaged database. Each time keeps a copy,
and a disk that damages one database after the other would be filled with copies."""


class Notice(NamedTuple):
    """The URL, the command or the address to be told of an event of a job. subject: of a mail."""

    job_id: int
    event: str
    user: str
    target: str
    subject: str = ""

    @property
    def key(self) -> tuple[int, str]:
        """Return the key of its row."""
        return self.job_id, self.event


_RUN_US = JOB.c.end_us - JOB.c.start_us


class Store:
    """The database at `path`. A missing one is created, and a damaged one is replaced by a new one
    with its readable rows.

    Writing and `load` are for one writer thread; all other methods read, from any thread. `damage`
    counts the damage that was met since the start.

    Raises:
        StoreError: the file is not rmsd's, of another version, or cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: Connection | None = None
        emptied = path.exists() and path.stat().st_size == 0
        try:
            # private, since it holds environments
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StoreError(f"{path} cannot be used: {error.strerror}") from error
        dropped = dropped_tail_bytes(path)
        if dropped:
            log.error("wal-tail-dropped", file=f"{path}-wal", dropped_bytes=dropped)
        if emptied:  # SQLite would take an empty file for a new database
            log.error("database-damaged", file=str(path), error=f"{path} is empty: all is lost")
        self._ids_lost = dropped > 0 or emptied
        self._gap = ALL_LOST_GAP if emptied else _ID_GAP
        self.damage = DamageLog()
        self._gate = Gate()
        self._mended = 0
        self.must_mend = False  # a write has met damage, and would meet it again
        # A look at the whole file would cost a start more, the longer the history is: `PageCheck`
        # does that beside the work.
        self._engine, _ = self._opened(None)
        self.pages = PageCheck(path)

    def _opened(self, check: str | None) -> tuple[Engine, Path | None]:
        """Open the database, and replace it first if it is damaged. Returns its engine, and the
        place of the damaged one. Raises StoreError."""
        try:
            return open_database(self.path, check), None
        except DamagedError as damage:
            log.error("database-damaged", file=str(self.path), error=str(damage))
            self._ids_lost = True
            try:
                kept_as = salvage(self.path)
            except (OSError, sqlite3.Error) as error:
                raise StoreError(f"{damage}; it cannot be salvaged either: {error}") from error
            log.warning("database-salvaged", damaged_kept_as=str(kept_as))
            if not self.damage.times:
                self.damage.met(damage)
            self.damage.mended(kept_as)
            return open_database(self.path, check), kept_as

    def close(self) -> None:
        self.pages.stop()
        self._close_writer()
        self._engine.dispose()

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    # ------------------------------------------------------------ writing

    def commit(self, changes: Changes) -> None:
        """Store all of `changes`, durably, or nothing.

        Raises:
            StoreError: nothing was stored, or the outcome is not known.
        """
        self.transact(lambda connection: write(connection, changes))
        self._ids_lost = False  # `changes` have the next id

    def record(self, changes: Changes) -> None:
        """Store `changes` that do not concern the core. Raises StoreError, as `commit`."""
        self.transact(lambda connection: write(connection, changes))

    def settle_notices(self, keys: Sequence[tuple[int, str]]) -> None:
        """Delete these notices, which need no delivery any more, and note of an event that may
        come again in the life of a job that it was told. Raises StoreError, as `commit`."""
        self.transact(lambda connection: settle_notices(connection, keys))

    def transact(self, change: Callable[[Connection], object]) -> None:
        """Make one transaction of the writer."""
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
        """Return the exception for an error of the driver, and count damage."""
        cause = getattr(error, "orig", None) or error
        if not is_damage(cause):
            return StoreError(f"{self.path}{what}: {cause}")
        self.damage.met(cause)
        log.error("damage-met", file=str(self.path), error=str(cause))
        return DamagedError(f"{self.path} is damaged: {cause}")

    def check_pages(self) -> None:
        """Look for damage in the whole file, until `close`. Damage that is found is to be
        mended."""
        if (error := self.pages.run()) is not None:
            self._failure(error, " cannot be checked")
            self.must_mend |= is_damage(error)

    # ------------------------------------------------------------ reading

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Open a connection for reading. Raises StoreError, or DamagedError for damage."""
        try:
            with self._gate.reading(), self._engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, sqlite3.Error, *MALFORMED) as error:
            raise self._failure(error, " cannot be read") from error

    def load(self, needed: RunsNeeded) -> Snapshot:
        """Return the state as of the last commit, with the terminated jobs that predictions look
        at.

        Damaged rows are reported and skipped. A database whose damage keeps it from being read or
        written is replaced by a new one with its readable rows, as at a start.

        Raises:
            StoreError: the database cannot be read.
        """
        kept_as = self._mend() if self.must_mend and self._mended < _MOST_MENDED else None
        try:
            snapshot = self._loaded(needed, is_mended=kept_as is not None)
        except DamagedError:
            if self._mended >= _MOST_MENDED:
                raise
            kept_as = self._mend()
            snapshot = self._loaded(needed, is_mended=True)
        snapshot.kept_as = kept_as
        return snapshot

    def _mend(self) -> Path | None:
        """Replace the database if it is damaged. Returns the place of the damaged one. Raises
        StoreError."""
        self.pages.stop()
        with self._gate.alone():
            self._close_writer()
            self._engine.dispose()
            self._engine, kept_as = self._opened("integrity_check")
            self.pages = PageCheck(self.path, "sound")
        self._mended += kept_as is not None
        self.must_mend = False
        return kept_as

    def _loaded(self, needed: RunsNeeded, *, is_mended: bool) -> Snapshot:
        """Read the state. Once the database `is_mended`, jobs may be missing. Raises StoreError."""
        with self._reading() as connection:
            meta = {row.key: row.value for row in connection.execute(META_ROWS)}
            report_damaged_events(connection)
            jobs = live_jobs(connection, 0 if is_mended else int(meta.get("live", 0)))
            nodes = list(nodes_in(connection.execute(NODES)))
            return Snapshot(
                jobs=jobs,
                memory=memory_of(connection, meta.get("planner")),
                history=history_of(connection, needed),
                nodes=[*nodes, *lost_nodes((job for job, _ in jobs), nodes)],
                reservations=reservations_in(connection),
                submissions=submissions(connection),
                tokens=_models(connection, select_models(TokenRow)),
                meta=meta,
                next_id=self._next_id(connection, meta),
                next_seq=next_seq(connection, meta.get("next_seq")),
                next_batch=next_batch(connection, meta.get("batch")),
            )

    def _next_id(self, connection: Connection, meta: dict[str, str]) -> int:
        last = most(connection, JOB.c.id, meta.get("last_id"))
        if not self._ids_lost:
            return 1 + last
        for column in (SCRIPT.c.job_id, ATTEMPT.c.job_id, EVENT.c.job_id):
            last = most(connection, column, str(last))
        return 1 + last + self._gap

    def job_ids(
        self,
        where: Callable[[Select[Any]], Select[Any]],
        limit: int,
        gone: Callable[[], bool] = lambda: False,
    ) -> list[int]:
        """Return the numbers of the newest `limit` jobs that `where` selects, live or over, newest
        first. Raises SearchError, also if the caller is `gone` meanwhile."""
        query = where(select(JOB.c.id)).order_by(JOB.c.id.desc()).limit(limit)
        return self._search(query, gone)

    def jobs_of(self, ids: Sequence[int], most_bytes: int) -> tuple[int, list[tuple[Job, Details]]]:
        """Return the stored jobs among `ids`, which ascend, preceded by the last number that was
        looked up. This is the last one of `ids`, or the job with which `most_bytes` are read."""
        with self._reading() as connection:
            result = connection.execute(JOBS_OF, {"ids": ids})
            names = tuple(result.keys())  # SQLAlchemy's mappings would cost as much as all the rest
            rows, whole = up_to(result, most_bytes)
        found = [one for row in rows if (one := job_in(dict(zip(names, row, strict=True))))]
        return ids[-1] if whole else rows[-1].id, found

    def look_up(
        self, question: Callable[[Connection, *_Asked], _Answer], *asked: *_Asked
    ) -> _Answer:
        """Return the answer to a question of `rows`. Raises StoreError."""
        with self._reading() as connection:
            return question(connection, *asked)

    def whose(self, ids: Sequence[int]) -> dict[int, tuple[str, bool]]:
        """Return, by number, the users of the stored jobs among `ids`, and whether each job is
        live."""
        with self._reading() as connection:
            return owners(connection, ids)

    def attempts(self, job_id: int, after: int, most_bytes: int) -> list[Row]:
        """Return the next attempts of a job after number `after`, in their order, until they have
        `most_bytes`."""
        query = (
            select(ATTEMPT)
            .where(ATTEMPT.c.job_id == job_id, ATTEMPT.c.attempt > after)
            .order_by(ATTEMPT.c.attempt)
        )
        return self._first_rows(query, most_bytes)

    def latest_attempts(self, job_id: int, most_bytes: int) -> list[Row]:
        """Return the latest attempts of a job, in their order, until they have `most_bytes`."""
        query = select(ATTEMPT).where(ATTEMPT.c.job_id == job_id)
        return self._first_rows(query.order_by(ATTEMPT.c.attempt.desc()), most_bytes)[::-1]

    def attempt(self, job_id: int, number: int) -> Row | None:
        """Return an attempt of a job; None if it is not stored."""
        of_it = (ATTEMPT.c.job_id == job_id, ATTEMPT.c.attempt == number)
        return next(iter(self._first_rows(select(ATTEMPT).where(*of_it), 0)), None)

    def _first_rows(self, query: Select[Any], most_bytes: int) -> list[Row]:
        """Return the first rows of a query's result, until they have `most_bytes`."""
        with self._reading() as connection:
            rows, _ = up_to(connection.execute(query.limit(_MOST_ROWS)), most_bytes)
            return [dict(row._mapping) for row in rows]

    def _search(self, query: Select[Any], gone: Callable[[], bool] = lambda: False) -> list[int]:
        """Return the numbers that a query finds, which may look at every row. Raises
        SearchError."""
        with self._reading() as connection, in_time(connection, gone):
            return list(connection.execute(query).scalars())

    def notices(self, limit: int, without: Sequence[str]) -> list[Notice]:
        """Return the notices that are still to be delivered, the oldest jobs first, except for the
        jobs of some users.

        Raises:
            StoreError: they cannot be read.
        """
        asked = {"without": without, "most": limit}
        with self._reading() as connection:
            return [Notice(*row) for row in connection.execute(NOTICES, asked)]

    def audit_ids(
        self, since_us: int, user: str | None, before: int | None, limit: int
    ) -> list[int]:
        """Return the numbers of the latest `limit` entries of the audit trail from `since_us` on
        (of `user`, with numbers below `before`), the latest first. Raises SearchError."""
        return self._search(latest_entries(since_us, user, before).limit(limit))

    def audit(self, ids: Sequence[int]) -> list[AuditRow]:
        """Return these entries of the audit trail, in the order of their numbers. Raises
        StoreError."""
        number = col(AuditRow.id)
        query = select_models(AuditRow).where(number.in_(ids)).order_by(number)
        with self._reading() as connection:
            return _models(connection, query)

    def prediction_events(self, job_id: int, limit: int) -> list[tuple[int, str, Row]]:
        """Return the latest `limit` events that changed the job's prediction or promised a start:
        (model time, kind, the job's columns then), in order. Damaged events are left out.

        Raises StoreError.
        """
        with self._reading() as connection:
            return explaining_events(connection, job_id, limit)

    def runs_of(
        self, user: str, until_us: int, limit: int, estimate_us: int | None
    ) -> list[tuple[int, int, int, int, int]]:
        """Return (id, arrival number, run time, estimate, size) of the latest `limit` jobs of the
        user that had ended by then. With `estimate_us`, only jobs with this estimate count. Raises
        SearchError."""
        query = (
            select(JOB.c.id, JOB.c.seq, _RUN_US, JOB.c.estimate_us, JOB.c.size)
            .where(JOB.c.user == user, JOB.c.end_us <= until_us, text(RAN))
            .order_by(JOB.c.seq.desc())
            .limit(limit)
        )
        if estimate_us is not None:
            query = query.where(JOB.c.estimate_us == estimate_us)
        with self._reading() as connection, in_time(connection):
            return [row._tuple() for row in connection.execute(query)]

    def payloads(self, job_ids: Sequence[int]) -> dict[int, Payload | None]:
        """Read the payloads of the first jobs: of at least one, and of as many as a bounded number
        of bytes allows. A payload is None if it is lost or damaged.

        Raises:
            StoreError: not even the first can be read, for another reason than damage.
        """
        found: dict[int, Payload | None] = {}
        left_bytes = SCRIPTS_BYTES
        with self._reading() as connection:
            cursor = connection.connection.cursor()
            for job_id in job_ids:
                try:
                    payload = script_of(cursor, job_id)
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


def _models(connection: Connection, query: SelectOfScalar[_Model]) -> list[_Model]:
    """Return a query's rows as models. That costs some 4 us a row more than plain rows do."""
    with Session(connection) as session:
        return list(session.exec(query))
