"""Events with the state from which the core is rebuilt next: live jobs, their attempts, and nodes.

A migration or a restore changes tables without the core, and writes an `external-change`. A daemon
writes a `snapshot`, so that older events can be deleted (`retention`). From both, `verification`
can repeat the decisions that follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import BindParameter, Connection, bindparam, func, select, text

from rmsd_daemon.store.records import EXTERNAL_CHANGE, SNAPSHOT, Row, event_row
from rmsd_daemon.store.retention import add_snapshot, set_meta
from rmsd_daemon.store.tables import ATTEMPT, EVENT, JOB, META, NODE, RESERVATION

_AT_ONCE = 500
"""The number of jobs in one event."""


def note_external_change(connection: Connection) -> None:
    """Add `external-change` events with the tables as they are in the connection's
    transaction."""
    _note(connection, EXTERNAL_CHANGE, 0)


def note_snapshot(connection: Connection, now_us: int) -> None:
    """Add `snapshot` events with the tables as they are in the connection's transaction. It is
    `now_us` in model time, which nothing else may have stored."""
    _note(connection, SNAPSHOT, now_us)


def _note(connection: Connection, kind: str, now_us: int) -> None:
    meta = {row.key: row.value for row in connection.execute(_META)}
    last = connection.execute(_LAST).scalar() or 0
    batch = 1 + max(last, int(meta.get("batch", 0)))
    now_us = max(now_us, int(meta.get("clock_us", 0)))
    first = 1 + (connection.execute(_LAST_ID).scalar() or 0)
    for payload in _payloads(connection):
        row = event_row(batch, now_us, kind, None, payload)
        connection.execute(_INSERT, row)
    set_meta(connection, {"batch": str(batch), "clock_us": str(now_us)})
    add_snapshot(connection, first, now_us)


_LAST = select(EVENT.c.batch).order_by(EVENT.c.id.desc()).limit(1)
_LAST_ID = select(func.max(EVENT.c.id))
_META = select(META)
_INSERT = EVENT.insert()


def _payloads(connection: Connection) -> Iterator[Row]:
    """Yield the payloads of the events. The first one has the nodes and the advance reservations as
    well."""
    nodes = connection.execute(_NODES).mappings()
    ids = list(connection.execute(_LIVE).scalars())
    yield {
        "nodes": [dict(row) for row in nodes],
        "reservations": [dict(row) for row in connection.execute(_RESERVATIONS).mappings()],
        "last_id": connection.execute(_LAST_JOB).scalar() or 0,
        **_of_jobs(connection, ids[:_AT_ONCE]),
    }
    for at in range(_AT_ONCE, len(ids), _AT_ONCE):
        yield _of_jobs(connection, ids[at : at + _AT_ONCE])


def _of_jobs(connection: Connection, ids: Sequence[int]) -> Row:
    jobs, attempts = (connection.execute(query, {"ids": ids}) for query in (_JOBS, _ATTEMPTS))
    return {
        "jobs": [dict(row) for row in jobs.mappings()],
        "attempts": [dict(row) for row in attempts.mappings()],
    }


_IDS: BindParameter[Sequence[int]] = bindparam("ids", expanding=True)
_NODES = select(NODE).order_by(NODE.c.name)
_RESERVATIONS = select(RESERVATION).order_by(RESERVATION.c.name)
_LIVE = select(JOB.c.id).where(text("live")).order_by(JOB.c.id)
_LAST_JOB = select(func.max(JOB.c.id))
_JOBS = select(JOB).where(JOB.c.id.in_(_IDS)).order_by(JOB.c.id)
_ATTEMPTS = (
    select(ATTEMPT).where(ATTEMPT.c.job_id.in_(_IDS)).order_by(ATTEMPT.c.job_id, ATTEMPT.c.attempt)
)
