"""Which schema a database has: the number of its revision (`migrations`), in its header.

There, damage to a table cannot take it away, and a start can look at it for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rmsd_daemon.store.tables import APPLICATION_ID, REVISION

Query = Callable[[str], Any]
"""Runs a statement and gives back its rows: of `sqlite3`, or of SQLAlchemy's drivers."""


class SchemaError(Exception):
    """The database is none of ours, or a later rmsd's; the message says which and what to do."""


def revision_of(query: Query, path: Path) -> str | None:
    """The revision of the database that `query` asks; None: there is nothing in it yet.

    Raises:
        SchemaError: it cannot be used. `path` is named then.
    """
    application_id = _one(query, "PRAGMA application_id")
    if application_id != APPLICATION_ID:
        if application_id or _one(query, "SELECT count(*) FROM sqlite_master"):
            raise SchemaError(f"{path} is not a database of rmsd")
        return None
    version = _one(query, "PRAGMA user_version")
    if version in _BEFORE_NUMBERS:
        return _recognized(query, version)
    revision = f"{version:04}"
    if revision > REVISION:
        raise SchemaError(
            f"{path} was written by a later rmsd: it has schema {revision}, and this rmsd knows "
            f"those up to {REVISION}; use that rmsd, or restore a backup from before"
        )
    return revision


_BEFORE_NUMBERS = (1, 2)
"""What the first daemons wrote, who changed tables without another number."""


def _recognized(query: Query, version: int) -> str:
    tables: dict[str, str] = dict(
        tuple(row) for row in query("SELECT name, sql FROM sqlite_master")
    )
    if version == 1:
        return "0002" if "WITHOUT ROWID" in tables["meta"] else "0001"
    if "promoted_us" not in tables["job"]:
        return "0003"
    if "notice" not in tables:
        return "0004"
    if "target" not in tables["notice"]:
        return "0005"
    return "0007" if "event_explaining" in tables else "0006"


def mark(query: Query, revision: str) -> None:
    """Write into the database that it is ours, and which schema it has."""
    query(f"PRAGMA application_id = {APPLICATION_ID}")
    query(f"PRAGMA user_version = {int(revision)}")


def _one(query: Query, statement: str) -> Any:
    [[value]] = query(statement)
    return value
