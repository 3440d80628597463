"""The schema of a database: the number of its revision (`migrations`), in the header of the file.

In the header, damage to a table cannot destroy the number, and a start can read it at no cost.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rmsd_daemon.store.tables import APPLICATION_ID, BASE, REVISION

Query = Callable[[str], Any]
"""Runs a statement and returns its rows: of `sqlite3`, or of SQLAlchemy's drivers."""


class SchemaError(Exception):
    """The database is not rmsd's, or has a schema that this rmsd does not know. The message says
    which it is and what to do."""


def revision_of(query: Query, path: Path) -> str | None:
    """Return the revision of the database that `query` asks, or None if the database is empty.

    Raises:
        SchemaError: the database, which the message calls `path`, cannot be used.
    """
    application_id = _one(query, "PRAGMA application_id")
    if application_id != APPLICATION_ID:
        if application_id or _one(query, "SELECT count(*) FROM sqlite_master"):
            raise SchemaError(f"{path} is not a database of rmsd")
        return None
    revision = f"{_one(query, 'PRAGMA user_version'):04}"
    if revision > REVISION:
        raise SchemaError(
            f"{path} was written by a later rmsd: it has schema {revision}, and this rmsd knows "
            f"those up to {REVISION}; use that rmsd, or restore a backup from before"
        )
    if revision < BASE:
        raise SchemaError(
            f"{path} was written by an rmsd from before the first release: it has schema "
            f"{revision}, and this rmsd knows those from {BASE} on; use that rmsd"
        )
    return revision


def mark(query: Query, revision: str) -> None:
    """Write into the database's header that it is rmsd's, and which schema it has."""
    query(f"PRAGMA application_id = {APPLICATION_ID}")
    query(f"PRAGMA user_version = {int(revision)}")


def _one(query: Query, statement: str) -> Any:
    [[value]] = query(statement)
    return value
