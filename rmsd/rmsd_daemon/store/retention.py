"""Retention: what is older than the settings keep is deleted, a little in one transaction.

Events are deleted from the oldest on, up to a snapshot from which `verification` goes on. Jobs are
deleted with all that is theirs, and a `pruned` event names them, since predictions do not look at
their runs any more after the next start. Keys that no start reads, and old entries of the audit
trail, have no events.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from rmsd_daemon.store.idempotency import REMEMBERED
from rmsd_daemon.store.records import PRUNED, event_row
from rmsd_daemon.store.tables import ATTEMPT, EVENT, META, NOTICE, PLANNED, RAN, SCRIPT, WORST_STEP

OF_JOBS = (SCRIPT, ATTEMPT, WORST_STEP, NOTICE, PLANNED)
"""The tables whose rows go with their jobs, by `job_id`."""
EVENTS_FROM = "events_from"
"""The key in `meta` of the first event that is kept. Those before it are deleted bit by bit."""
SNAPSHOTS = "snapshots"
"""The key in `meta` of the snapshots among the events: pairs of event and model time."""
PRUNED_ID = "pruned_id"
"""The key in `meta` of the highest number of a job that was deleted."""
_MOST_FREE = 8
"""Pages are given back to the disk if more than one in so many is free."""


@dataclass(frozen=True, slots=True)
class KeptFor:
    """The times for which events, and jobs that are over, are kept [us]; None: for ever."""

    events_us: int | None = None
    history_us: int | None = None


EVERYTHING = KeptFor()


@dataclass(frozen=True, slots=True)
class PruningStep:
    """The result of one transaction. what: the kind of rows that were deleted. jobs: the numbers of
    the jobs among them; then the event has the batch number that was to be used."""

    what: str
    rows: int
    jobs: Sequence[int] = ()


def prune(
    connection: Connection, kept: KeptFor, now_us: int, most: int, batch: int
) -> PruningStep | None:
    """Delete up to `most` rows of one kind that are too old. Return None if there are none.

    now_us: model time. An event gets the number `batch`.
    """
    return (
        _prune_jobs(connection, kept, now_us, most, batch)
        or _prune_events(connection, kept, now_us, most)
        or _prune_keys(connection, most)
        or _prune_audit(connection, kept, most)
        or _prune_tokens(connection, kept, most)
        or _free_pages(connection, most)
    )


def _prune_jobs(
    connection: Connection, kept: KeptFor, now_us: int, most: int, batch: int
) -> PruningStep | None:
    if kept.history_us is None:
        return None
    bounds = {"before_us": now_us - kept.history_us, "most": most}
    found = [list(row) for row in connection.execute(OLD_JOBS, bounds)]
    if not found:
        return None
    ids = [{"job_id": row[0]} for row in found]
    for table in OF_JOBS:
        connection.execute(text(f"DELETE FROM {table.name} WHERE job_id = :job_id"), ids)
    connection.execute(text("DELETE FROM job WHERE id = :job_id"), ids)
    event = event_row(batch, now_us, PRUNED, None, {"jobs": found})
    connection.execute(EVENT.insert(), [event])
    last = max(row[0] for row in found)
    noted = int(_meta(connection, PRUNED_ID) or 0)
    values = {PRUNED_ID: str(max(last, noted)), "batch": str(batch), "clock_us": str(now_us)}
    set_meta(connection, values)
    return PruningStep("job", len(found), [row[0] for row in found])


OLD_JOBS = text(
    f"""SELECT id, user, seq, CASE WHEN {RAN} THEN end_us - start_us END, estimate_us,
        size
    FROM job INDEXED BY job_end WHERE end_us IS NOT NULL AND end_us < :before_us AND NOT live
    ORDER BY end_us LIMIT :most"""
)


def _prune_events(
    connection: Connection, kept: KeptFor, now_us: int, most: int
) -> PruningStep | None:
    if kept.events_us is None:
        return None
    first = int(_meta(connection, EVENTS_FROM) or 0)
    old = [event for event, at_us in snapshots(connection) if at_us <= now_us - kept.events_us]
    if old and old[-1] > first:
        first = old[-1]
        set_meta(connection, {EVENTS_FROM: str(first)})
    return _delete(connection, "event", "id", "id < :first", most, first=first)


def _prune_keys(connection: Connection, most: int) -> PruningStep | None:
    """Delete the keys that no start reads."""
    first = connection.execute(_FIRST_KEY, {"remembered": REMEMBERED}).scalar()
    if first is None:
        return None
    return _delete(connection, "submission", "first_id", "first_id <= :first", most, first=first)


_FIRST_KEY = text(
    "SELECT first_id FROM submission ORDER BY first_id DESC LIMIT 1 OFFSET :remembered"
)


def _prune_audit(connection: Connection, kept: KeptFor, most: int) -> PruningStep | None:
    """Delete old entries. The latest one stays, so that no number is given twice."""
    if kept.history_us is None:
        return None
    before_us = time.time_ns() // 1000 - kept.history_us
    where = "at_us < :before_us AND id < (SELECT max(id) FROM audit)"
    # The entries are in the order of their times but for steps of the clock.
    first = connection.execute(text("SELECT at_us FROM audit ORDER BY id LIMIT 1")).scalar()
    if first is None or first >= before_us:
        return None
    return _delete(connection, "audit", "id", where, most, before_us=before_us)


def _prune_tokens(connection: Connection, kept: KeptFor, most: int) -> PruningStep | None:
    """Delete tokens that ended long ago, after those that were made with them. The daemon that runs
    still lists them."""
    if kept.history_us is None:
        return None
    before_us = time.time_ns() // 1000 - kept.history_us
    where = """(revoked_us < :before_us OR expires_us < :before_us)
        AND id NOT IN (SELECT made_with FROM token)"""
    return _delete(connection, "token", "id", where, most, before_us=before_us)


def _free_pages(connection: Connection, most: int) -> PruningStep | None:
    """Give pages at the end of the file back to the disk."""
    free, pages = (
        connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
        for name in ("freelist_count", "page_count")
    )
    moves = connection.exec_driver_sql("PRAGMA auto_vacuum").scalar_one() != 0
    if not moves or free * _MOST_FREE <= pages:
        return None
    cursor = connection.connection.cursor()
    cursor.execute(f"PRAGMA incremental_vacuum({most})").fetchall()  # each row moves a page
    cursor.close()
    return PruningStep("page", min(most, free))


def _delete(
    connection: Connection, table: str, key: str, where: str, most: int, **values: Any
) -> PruningStep | None:
    query = f"SELECT {key} FROM {table} WHERE {where} ORDER BY {key} LIMIT :most"
    statement = text(f"DELETE FROM {table} WHERE {key} IN ({query})")
    count = connection.execute(statement, {**values, "most": most}).rowcount
    return PruningStep(table, count) if count else None


def snapshots(connection: Connection) -> list[tuple[int, int]]:
    """Return the snapshots among the events, as pairs of event and model time, in order. The
    beginning of the events counts as one: from there the jobs and nodes come to be."""
    if (noted := _meta(connection, SNAPSHOTS)) is not None:
        return [(event, at_us) for event, at_us in json.loads(noted)]
    first, first_us = connection.execute(_FIRST_EVENTS).one()
    if first_us is None:
        return []
    found = [(int(first), int(first_us))]
    set_meta(connection, {SNAPSHOTS: json.dumps(found)})
    return found


_FIRST_EVENTS = text(
    """SELECT (SELECT id FROM event ORDER BY id LIMIT 1),
        (SELECT model_us FROM event WHERE model_us > 0 ORDER BY id LIMIT 1)"""
)
"""The first event, and when the events begin. The first one of a new database has no time: its
clock stands at 0 until there is an input."""


def add_snapshot(connection: Connection, event: int, at_us: int) -> None:
    """Note a snapshot, and forget those before the first kept event."""
    first = int(_meta(connection, EVENTS_FROM) or 0)
    known = [one for one in snapshots(connection) if one[0] >= first]
    set_meta(connection, {SNAPSHOTS: json.dumps([*known, (event, at_us)])})


def _meta(connection: Connection, key: str) -> str | None:
    return connection.execute(_META, {"key": key}).scalar()


_META = text("SELECT value FROM meta WHERE key = :key")


def set_meta(connection: Connection, values: dict[str, str]) -> None:
    """Store values in `meta`."""
    connection.execute(
        META.insert().prefix_with("OR REPLACE"),
        [{"key": key, "value": value} for key, value in values.items()],
    )
