"""The statements of a transaction, compiled once.

SQLAlchemy builds them from the tables, and the driver runs them. SQLAlchemy's own execution costs
0.1 ms a statement, which is more than all of a small commit's rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import JSON, Connection, Delete, Insert, Table, Update, bindparam, text, tuple_
from sqlalchemy.dialects.sqlite import dialect, insert

from rmsd_daemon.store.attempts import ATTEMPT_END_COLUMNS
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.records import AMENDED_COLUMNS, CHANGING_COLUMNS, Row
from rmsd_daemon.store.tables import (
    ATTEMPT,
    AUDIT,
    EVENT,
    JOB,
    META,
    NODE,
    NOTICE,
    PLANNED,
    RESERVATION,
    SCRIPT,
    SUBMISSION,
    TOKEN,
    USED,
    USED_IN,
    VIRTUAL,
    WORST_STEP,
)


class _Statement:
    """An SQL statement with named parameters, and the names of those that are JSON."""

    def __init__(
        self, statement: Insert | Update | Delete, table: Table, columns: Iterable[str]
    ) -> None:
        names = list(columns)
        named: Any = dialect(paramstyle="named")
        self.sql = str(statement.compile(dialect=named, column_keys=names))
        self._json = [name for name in names if isinstance(table.c[name].type, JSON)]

    def run(self, cursor: Any, rows: Sequence[Row]) -> None:
        if rows:
            cursor.executemany(self.sql, [self._encoded(row) for row in rows])

    def _encoded(self, row: Row) -> Row:
        return row | {name: msgspec.json.encode(row[name]).decode() for name in self._json}


def _names(table: Table) -> list[str]:
    return [column.name for column in table.c]


def _upsert(table: Table) -> _Statement:
    statement = insert(table)
    values = {name: statement.excluded[name] for name in _names(table)}
    keys = [column.name for column in table.primary_key]
    update = statement.on_conflict_do_update(index_elements=keys, set_=values)
    return _Statement(update, table, _names(table))


def _without(names: list[str], *left_out: str) -> list[str]:
    return [name for name in names if name not in left_out]


_NEW_EVENT = _Statement(EVENT.insert(), EVENT, _without(_names(EVENT), "id"))
_NEW_JOB = _Statement(JOB.insert(), JOB, _names(JOB))
_NEW_SCRIPT = _Statement(SCRIPT.insert(), SCRIPT, _names(SCRIPT))
_JOB_CHANGES = _Statement(JOB.update().where(JOB.c.id == bindparam("b_id")), JOB, CHANGING_COLUMNS)
_PREDICTIONS = _Statement(JOB.update().where(JOB.c.id == bindparam("b_id")), JOB, ["prediction_us"])
_UPDATES = _Statement(JOB.update().where(JOB.c.id == bindparam("b_id")), JOB, AMENDED_COLUMNS)
_NEW_ATTEMPT = _Statement(ATTEMPT.insert(), ATTEMPT, _names(ATTEMPT))
_ATTEMPT_END = _Statement(
    ATTEMPT.update().where(
        ATTEMPT.c.job_id == bindparam("b_job_id"), ATTEMPT.c.attempt == bindparam("b_attempt")
    ),
    ATTEMPT,
    ATTEMPT_END_COLUMNS,
)
_WORST_STEP_KEY = [column.name for column in WORST_STEP.primary_key]
_NEW_WORST_STEP = insert(WORST_STEP)
_END = (_NEW_WORST_STEP.excluded.exit_code, _NEW_WORST_STEP.excluded.signal)
_WORST_STEP = _Statement(
    _NEW_WORST_STEP.on_conflict_do_update(
        index_elements=_WORST_STEP_KEY,
        set_={"exit_code": _END[0], "signal": _END[1]},
        where=tuple_(*_END) > tuple_(WORST_STEP.c.exit_code, WORST_STEP.c.signal),
    ),
    WORST_STEP,
    _names(WORST_STEP),
)
_NODE = _upsert(NODE)
_GONE_NODE = _Statement(NODE.delete().where(NODE.c.name == bindparam("b_name")), NODE, ())
_RESERVATION = _upsert(RESERVATION)
_GONE_RESERVATION = _Statement(
    RESERVATION.delete().where(RESERVATION.c.name == bindparam("b_name")), RESERVATION, ()
)
_SUBMISSION = _upsert(SUBMISSION)
_PLANNED = _upsert(PLANNED)
_UNPLANNED = _Statement(
    PLANNED.delete().where(PLANNED.c.job_id == bindparam("b_job_id")), PLANNED, ()
)
_USED = _upsert(USED)
_UNUSED = _Statement(USED.delete().where(USED.c.user == bindparam("b_user")), USED, ())
_USED_IN = _upsert(USED_IN)
_UNUSED_IN = _Statement(
    USED_IN.delete().where(
        USED_IN.c.account == bindparam("b_account"), USED_IN.c.user == bindparam("b_user")
    ),
    USED_IN,
    (),
)
_VIRTUAL = _upsert(VIRTUAL)
_NOT_VIRTUAL = _Statement(
    VIRTUAL.delete().where(VIRTUAL.c.job_id == bindparam("b_job_id")), VIRTUAL, ()
)
_NOTICE = _Statement(insert(NOTICE).on_conflict_do_nothing(), NOTICE, _names(NOTICE))
_NO_MORE_TOLD = _Statement(
    NOTICE.delete().where(NOTICE.c.job_id == bindparam("b_job_id"), text("target = ''")),
    NOTICE,
    (),
)
_TOKEN = _upsert(TOKEN)
_AUDIT = _Statement(AUDIT.insert(), AUDIT, _without(_names(AUDIT), "id"))
_META = _upsert(META)


def write(connection: Connection, changes: Changes) -> None:
    """Execute `changes` in the connection's transaction. Raises sqlite3.Error."""
    cursor = connection.connection.cursor()
    try:
        _NEW_EVENT.run(cursor, changes.events)
        _NEW_JOB.run(cursor, changes.new_jobs)
        _NEW_SCRIPT.run(cursor, changes.scripts)
        _JOB_CHANGES.run(cursor, changes.job_changes)
        _PREDICTIONS.run(cursor, changes.predictions)
        _UPDATES.run(cursor, changes.updates)
        _NEW_ATTEMPT.run(cursor, changes.new_attempts)
        _ATTEMPT_END.run(cursor, changes.attempt_ends)
        _WORST_STEP.run(cursor, changes.worst_steps)
        _NODE.run(cursor, changes.nodes)
        _GONE_NODE.run(cursor, changes.gone_nodes)
        _GONE_RESERVATION.run(cursor, changes.gone_reservations)
        _RESERVATION.run(cursor, changes.reservations)
        _SUBMISSION.run(cursor, changes.submissions)
        _PLANNED.run(cursor, changes.planned)
        _UNPLANNED.run(cursor, changes.unplanned)
        _USED.run(cursor, changes.used)
        _UNUSED.run(cursor, changes.unused)
        _USED_IN.run(cursor, changes.used_in)
        _UNUSED_IN.run(cursor, changes.unused_in)
        _VIRTUAL.run(cursor, changes.virtual)
        _NOT_VIRTUAL.run(cursor, changes.not_virtual)
        _NO_MORE_TOLD.run(cursor, changes.no_more_told)
        _NOTICE.run(cursor, changes.notices)
        _TOKEN.run(cursor, changes.tokens)
        _AUDIT.run(cursor, changes.audit)
        _META.run(cursor, [{"key": key, "value": text} for key, text in changes.meta.items()])
    finally:
        cursor.close()
