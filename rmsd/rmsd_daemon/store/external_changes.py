"""The event that a migration or a restore writes, since it changes tables without the core.

The event has the state from which the core is rebuilt next, so that `verification` can repeat the
decisions from then on.
"""

from __future__ import annotations

from sqlalchemy import Connection, func, select, text

from rmsd_daemon.store.records import EXTERNAL_CHANGE, event_row
from rmsd_daemon.store.tables import ATTEMPT, EVENT, JOB, META, NODE


def note_external_change(connection: Connection) -> None:
    """Add an `external-change` event with the tables as they are in the connection's
    transaction."""
    live = connection.execute(select(JOB).where(text("live")).order_by(JOB.c.id)).mappings()
    nodes = connection.execute(select(NODE).order_by(NODE.c.name)).mappings()
    theirs = select(ATTEMPT).where(ATTEMPT.c.job_id.in_(select(JOB.c.id).where(text("live"))))
    attempts = connection.execute(theirs.order_by(ATTEMPT.c.job_id, ATTEMPT.c.attempt)).mappings()
    payload = {
        "jobs": [dict(row) for row in live],
        "attempts": [dict(row) for row in attempts],
        "nodes": [dict(row) for row in nodes],
        "last_id": connection.execute(select(func.max(JOB.c.id))).scalar() or 0,
    }
    meta = {row.key: row.value for row in connection.execute(select(META))}
    latest = connection.execute(select(func.max(EVENT.c.batch))).scalar() or 0
    batch = 1 + max(latest, int(meta.get("batch", 0)))
    row = event_row(batch, int(meta.get("clock_us", 0)), EXTERNAL_CHANGE, None, payload)
    connection.execute(EVENT.insert().values(row))
    store_batch = META.update().where(META.c.key == "batch").values(value=str(batch))
    connection.execute(store_batch)
