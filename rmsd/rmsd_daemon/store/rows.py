"""The reading of rows: a damaged value makes its own row unreadable and no other."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import msgspec
import structlog
from sqlalchemy import (
    Connection,
    Result,
    Select,
    Table,
    Text,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.ending import TELLS_RUN_TIME
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.idempotency import REMEMBERED
from rmsd_daemon.store.records import Row, job_of, node_of
from rmsd_daemon.store.tables import (
    EVENT,
    JOB,
    NODE,
    SUBMISSION,
)
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

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
            type_coerce(column, Text).label(column.name) if column.name in _JSON else column
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


_SCRIPT = "SELECT CAST(payload AS BLOB) FROM script WHERE job_id = ?"
_JSON = ("request", "details", "allocation", "open_nodes", "claim", "awaits", "features")
_JOB_JSON = [name for name in _JSON if name in JOB.c]
# built once, since it is needed after each failed commit, too
LIVE_JOBS = raw(JOB).where(text("live"))
NODES = raw(NODE)


def jobs_in(result: Result[Any]) -> Iterator[tuple[Job, Details]]:
    names = tuple(result.keys())  # SQLAlchemy's mappings would cost as much as all the rest
    for row in result:
        if found := job_in(dict(zip(names, row, strict=True))):
            yield found


def job_in(values: Row) -> tuple[Job, Details] | None:
    """Return the job of a row with JSON as text. Returns None for a damaged row, which is
    reported."""
    try:
        values |= {name: msgspec.json.decode(values[name]) for name in _JOB_JSON}
        _check_texts(values)
        return job_of(values)
    except (ValueError, TypeError, KeyError) as error:
        log.error("job-damaged", job_id=values["id"], error=str(error))
        return None


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


TELLING_CAUSES = [cause.value for cause in sorted(TELLS_RUN_TIME)]
"""The causes of ends that tell how long a user's jobs run."""


def history_of(connection: Connection, needed: RunsNeeded) -> list[tuple[str, int, int, int]]:
    """Return (user, arrival number, run time, estimate) of the terminated jobs whose ends are
    known."""
    return [row._tuple() for row in connection.execute(_history_query(needed))]


@cache
def _history_query(needed: RunsNeeded) -> Select[Any]:
    groups = [JOB.c.user, JOB.c.estimate_us] if needed.by_estimate else [JOB.c.user]
    rank = func.row_number().over(partition_by=groups, order_by=JOB.c.seq.desc())
    run = JOB.c.end_us - JOB.c.start_us
    ended = (
        select(JOB.c.user, JOB.c.seq, run.label("run"), JOB.c.estimate_us, rank.label("rank"))
        .where(~JOB.c.live, JOB.c.start_us.is_not(None))
        .where(JOB.c.cause.in_(TELLING_CAUSES))
        .subquery()
    )
    query = select(ended.c.user, ended.c.seq, ended.c.run, ended.c.estimate_us)
    if needed.latest is not None:
        query = query.where(ended.c.rank <= needed.latest)
    return query


def memory_of(stored: str | None) -> PlannerMemory:
    try:
        return msgspec.json.decode(stored or "{}", type=PlannerMemory)
    except MALFORMED as error:
        log.error("planner-damaged", error=str(error))
        return PlannerMemory()


def submissions(connection: Connection) -> list[Row]:
    return [dict(row) for row in connection.execute(_NEWEST_SUBMISSIONS).mappings()][::-1]


_NEWEST_SUBMISSIONS = select(SUBMISSION).order_by(SUBMISSION.c.first_id.desc()).limit(REMEMBERED)


def most(connection: Connection, column: Any, noted: str | None) -> int:
    return max(connection.execute(select(func.max(column))).scalar() or 0, int(noted or 0))


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
