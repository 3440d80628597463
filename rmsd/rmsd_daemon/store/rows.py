"""The reading of rows: a damaged value makes its own row unreadable and no other."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import NoneType
from typing import Any

import msgspec
import structlog
from sqlalchemy import (
    JSON,
    Connection,
    Integer,
    Result,
    Select,
    Table,
    Text,
    bindparam,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from rmsd_core.jobs.conditions import EndedJob
from rmsd_core.jobs.job import Job
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.idempotency import REMEMBERED
from rmsd_daemon.store.nodes import node_of
from rmsd_daemon.store.records import Row, job_of
from rmsd_daemon.store.reservations import reservation_of
from rmsd_daemon.store.tables import (
    AUDIT,
    EVENT,
    EXPLAINING,
    JOB,
    META,
    NODE,
    NOTICE,
    RAN,
    RESERVATION,
    SUBMISSION,
)
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_VARIABLES = 500
"""The number of values that one query names."""
_TAIL = 1000
"""The number of the last events that a start looks at, to report damage."""
SEARCH_S = 10.0
"""The longest search. Clients give up a daemon that is silent for the same time."""
STEPS = 10_000
"""The steps of SQLite's machine between two looks at the clock: some 0.1 ms."""
_ELEMENT_BYTES = 64


def raw(table: Table) -> Select[Any]:
    """Return a query of the table with JSON as text, so that a damaged value affects one row
    only."""
    return select(
        *(
            type_coerce(column, Text).label(column.name)
            if isinstance(column.type, JSON)
            else column
            for column in table.c
        )
    )


def script_of(cursor: Any, job_id: int) -> bytes:
    """Read the JSON of the job's payload. Raises sqlite3.Error, MsgspecError."""
    row = cursor.execute(_SCRIPT, (job_id,)).fetchone()
    if row is None:
        raise msgspec.DecodeError("its row is lost")
    payload: bytes = row[0]
    return payload


def script_text(connection: Connection, job_id: int, most: int) -> str | None:
    """Return up to `most` characters of the job's script; None if it is not stored."""
    row = connection.exec_driver_sql(_SCRIPT_TEXT, (most, job_id)).fetchone()
    return None if row is None else str(row[0])


_SCRIPT_TEXT = (
    "SELECT substr(coalesce(json_extract(payload, '$.script'), ''), 1, ?) FROM script "
    "WHERE job_id = ?"
)
_SCRIPT = "SELECT CAST(payload AS BLOB) FROM script WHERE job_id = ?"
_JOB_NUMBERS = [column.name for column in JOB.c if isinstance(column.type, Integer)]
_NODE_NUMBERS = [column.name for column in NODE.c if isinstance(column.type, Integer)]
_JOB_JSON = [column.name for column in JOB.c if isinstance(column.type, JSON)]
_NODE_JSON = [column.name for column in NODE.c if isinstance(column.type, JSON)]
_RESERVATION_JSON = [column.name for column in RESERVATION.c if isinstance(column.type, JSON)]
# These are built once: SQLAlchemy takes longer to build them than SQLite to carry them out.
JOBS_OF = raw(JOB).where(JOB.c.id.in_(bindparam("ids", expanding=True))).order_by(JOB.c.id)
NODES = raw(NODE)
_RESERVATIONS = raw(RESERVATION)
META_ROWS = select(META)
NOTICES = (
    select(NOTICE.c.job_id, NOTICE.c.event, JOB.c.user, NOTICE.c.target, NOTICE.c.subject)
    .join(JOB, JOB.c.id == NOTICE.c.job_id)
    .where(text("target != ''"), JOB.c.user.not_in(bindparam("without", expanding=True)))
    .order_by(NOTICE.c.job_id, NOTICE.c.event)
    .limit(bindparam("most"))
)


def job_in(values: Row) -> tuple[Job, Details] | None:
    """Return the job of a row with JSON as text. Returns None for a damaged row, which is
    reported."""
    try:
        values |= {name: msgspec.json.decode(values[name]) for name in _JOB_JSON}
        _check_texts(values)
        _check_numbers(values, _JOB_NUMBERS)
        return job_of(values)
    except (ValueError, TypeError, KeyError) as error:
        log.error("job-damaged", job_id=values["id"], error=str(error))
        return None


def arrays_in(connection: Connection, ids: Sequence[int]) -> list[tuple[Job, Details]]:
    """Return those of the stored jobs among `ids` that are arrays. Damaged rows are left out."""
    found: list[tuple[Job, Details]] = []
    for start in range(0, len(ids), _VARIABLES):
        some = JOB.c.id.in_(ids[start : start + _VARIABLES])
        rows = connection.execute(raw(JOB).where(some, JOB.c.array_id == JOB.c.id))
        found += filter(None, (job_in(dict(row)) for row in rows.mappings()))
    return found


def array_before(connection: Connection, job_id: int) -> int | None:
    """Return the array to which the job with the next lower number belongs; None if it belongs to
    none."""
    query = select(JOB.c.array_id).where(JOB.c.id < job_id).order_by(JOB.c.id.desc()).limit(1)
    found: int | None = connection.execute(query).scalar()
    return found


def states_of_tasks(connection: Connection, array_id: int, count: int) -> list[tuple[int, str]]:
    """Return the indices and the states of the tasks of an array that are over."""
    numbers = JOB.c.id.between(array_id + 1, array_id + count)
    query = select(JOB.c.array_index, JOB.c.state).where(numbers, text("NOT live"))
    return [row._tuple() for row in connection.execute(query)]


def ends(connection: Connection, ids: Sequence[int]) -> dict[int, EndedJob | None]:
    """Return, by number, how the stored jobs among `ids` have ended; None for one that is live."""
    found: dict[int, EndedJob | None] = {}
    columns = (JOB.c.id, JOB.c.live, JOB.c.state, JOB.c.start_us, JOB.c.end_us)
    for start in range(0, len(ids), _VARIABLES):
        some = JOB.c.id.in_(ids[start : start + _VARIABLES])
        for job_id, live, name, start_us, end_us in connection.execute(
            select(*columns).where(some)
        ):
            state = JobState(name)
            began_us = end_us if start_us is None else start_us
            ended = EndedJob(state is JobState.COMPLETED, began_us, state)
            found[job_id] = None if live else ended
    return found


def owners(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[str, bool]]:
    """Return, by number, the users of the stored jobs among `ids`, and whether each is live."""
    found: dict[int, tuple[str, bool]] = {}
    for start in range(0, len(ids), _VARIABLES):
        some = JOB.c.id.in_(ids[start : start + _VARIABLES])
        for row in connection.execute(select(JOB.c.id, JOB.c.user, JOB.c.live).where(some)):
            found[row.id] = (row.user, row.live)
    return found


def up_to(result: Result[Any], most_bytes: int) -> tuple[list[Any], bool]:
    """Return the first rows of a result, until they have more than `most_bytes`, and whether these
    are all rows."""
    rows, size = [], 0
    for row in result:
        rows.append(row)
        size += sum(map(_bytes_of, row))
        if size > most_bytes:
            return rows, False
    return rows, True


def _bytes_of(value: object) -> int:
    """Return roughly the bytes that a column's value holds in memory."""
    if isinstance(value, str):
        return len(value)
    return _ELEMENT_BYTES * len(value) if isinstance(value, list) else 0


@contextmanager
def in_time(connection: Connection, gone: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Abort a query that takes too long, or whose caller is `gone`: no other thread can interrupt
    one that waits for SQLite.

    Raises:
        SearchError: the query took too long, or its caller is gone.
    """
    database: Any = connection.connection.driver_connection
    give_up_s = time.monotonic() + SEARCH_S
    database.set_progress_handler(lambda: gone() or time.monotonic() >= give_up_s, STEPS)
    try:
        yield
    except DatabaseError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            raise
        why = "its caller is gone" if gone() else f"nothing was found within {SEARCH_S:g} s"
        raise SearchError(why) from error
    finally:
        database.set_progress_handler(None, 0)


def nodes_in(result: Result[Any]) -> Iterator[Row]:
    for row in result.mappings():
        try:
            values = {**row} | {name: msgspec.json.decode(row[name]) for name in _NODE_JSON}
            _check_numbers(values, _NODE_NUMBERS)
            node_of(values)
            yield values
        except (ValueError, TypeError) as error:
            log.error("node-damaged", node=row["name"], error=str(error))


def reservations_in(connection: Connection) -> list[AdvanceReservation]:
    """Return the advance reservations, without those whose rows are damaged."""
    found = []
    for row in connection.execute(_RESERVATIONS).mappings():
        try:
            lists = {name: msgspec.json.decode(row[name]) for name in _RESERVATION_JSON}
            found.append(reservation_of({**row} | lists))
        except (ValueError, TypeError) as error:
            log.error("reservation-damaged", reservation=row["name"], error=str(error))
    return found


def _check_texts(row: Row) -> None:
    """Refuse a job's row in which a text has another type. Raises DecodeError."""
    for name in ("user", "name", "message"):
        if type(row[name]) is not str:
            raise msgspec.DecodeError(f"'{name}' is no text")


def _check_numbers(row: Row, names: Iterable[str]) -> None:
    """Refuse a row in which a number has another type. Raises DecodeError."""
    for name in names:
        if type(row[name]) not in (int, NoneType):
            raise msgspec.DecodeError(f"'{name}' is no number")


def history_of(connection: Connection, needed: RunsNeeded) -> list[tuple[str, int, int, int, int]]:
    """Return (user, arrival number, run time, estimate, size) of the terminated jobs that
    predictions look at, without those whose rows are damaged. The latest runs of each user cost
    the same, however many others there are."""
    if needed.latest == 0:
        return []
    if needed.latest is None:
        query = f"SELECT {_RUN} FROM job INDEXED BY job_ran WHERE {RAN}"
    elif needed.by_size:
        query = _latest_of_each("user, estimate_us, size")
    elif needed.by_estimate:
        query = _latest_of_each("user, estimate_us")
    else:
        query = _LATEST_OF_USERS
    found = connection.execute(text(query), {"latest": needed.latest} if needed.latest else {})
    rows = [row._tuple() for row in found]
    return [row for row in rows if tuple(map(type, row)) == _RUN_TYPES and row[2] >= 0]


_RUN_TYPES = (str, int, int, int, int)
_RUN = "user, seq, end_us - start_us, estimate_us, size"


def _latest_of_each(alike: str) -> str:
    """Return the query of the latest runs of the jobs that have these columns in common."""
    return f"""SELECT user, seq, run_us, estimate_us, size FROM (
        SELECT user, seq, end_us - start_us AS run_us, estimate_us, size,
            row_number() OVER (PARTITION BY {alike} ORDER BY seq DESC) AS place
        FROM job INDEXED BY job_ran WHERE {RAN})
        WHERE place <= :latest"""


_LATEST_OF_USERS = f"""WITH RECURSIVE of(user) AS (
        SELECT min(user) FROM job INDEXED BY job_ran WHERE {RAN}
        UNION ALL
        SELECT (SELECT min(user) FROM job INDEXED BY job_ran WHERE {RAN} AND user > of.user)
        FROM of WHERE of.user IS NOT NULL)
    SELECT {_RUN.replace("user", "job.user", 1)} FROM of CROSS JOIN job WHERE job.id IN (
        SELECT id FROM job INDEXED BY job_ran WHERE {RAN} AND user = of.user
        ORDER BY seq DESC LIMIT :latest)"""
"""The users are found one after the other in the index, without a look at all of their jobs."""


def explaining_events(
    connection: Connection, job_id: int, limit: int
) -> list[tuple[int, str, Row]]:
    """Return what `Store.prediction_events` returns."""
    query = (
        select(EVENT.c.model_us, EVENT.c.kind, type_coerce(EVENT.c.payload, Text))
        .where(EVENT.c.job_id == job_id, text(EXPLAINING))
        .order_by(EVENT.c.id.desc())
        .limit(limit)
    )
    found = []
    for model_us, kind, payload in list(connection.execute(query))[::-1]:
        try:
            found.append((model_us, kind, msgspec.json.decode(payload)["job"]))
        except (TypeError, KeyError, *MALFORMED) as error:
            log.error("event-damaged", job_id=job_id, error=str(error))
    return found


def latest_entries(since_us: int, user: str | None, before: int | None) -> Select[Any]:
    """Return the query of the numbers of the audit entries from `since_us` on, the latest first."""
    query = select(AUDIT.c.id).where(AUDIT.c.at_us >= since_us)
    if user is not None:
        query = query.where(AUDIT.c.user == user)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    return query.order_by(AUDIT.c.id.desc())


def submissions(connection: Connection) -> list[Row]:
    """Return the rows of the latest keys, the oldest first."""
    found = connection.execute(_NEWEST_SUBMISSIONS)
    names = tuple(found.keys())
    return [dict(zip(names, row, strict=True)) for row in found][::-1]


_NEWEST_SUBMISSIONS = select(SUBMISSION).order_by(SUBMISSION.c.first_id.desc()).limit(REMEMBERED)


def most(connection: Connection, column: Any, noted: str | None) -> int:
    return max(connection.execute(select(func.max(column))).scalar() or 0, int(noted or 0))


def next_seq(connection: Connection, noted: str | None) -> int:
    """Return the arrival number of the next job: the one that was `noted`, or, if damage has taken
    that, one more than that of any job."""
    return int(noted) if noted is not None else 1 + most(connection, JOB.c.seq, None)


def next_batch(connection: Connection, noted: str | None) -> int:
    """Return the number of the next batch. The last event has that of the last one."""
    last = connection.execute(_LAST_BATCH).scalar() or 0
    return 1 + max(last, int(noted or 0))


_LAST_BATCH = select(EVENT.c.batch).order_by(EVENT.c.id.desc()).limit(1)


def report_damaged_events(connection: Connection) -> None:
    """Report damage among the newest events. A restart needs no event, so it goes on."""
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
