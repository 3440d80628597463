"""The schema of a backup is the one that rmsd makes: another one would change by itself what must
not go back, or leave out what is written later."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from rmsd_daemon.store.tables import metadata

_CLAUSES = re.compile(r"\b(CHECK|CONFLICT|GENERATED|REFERENCES|COLLATE)\b|\bAS\s*\(", re.IGNORECASE)
"""The clauses of a table by which an insert does something else; no table of rmsd's has one."""


def difference(new: Path) -> str | None:
    """Return in words what a database of the present schema has that rmsd never makes, and that
    changes what is written to it: a trigger, or a table that is another one; None if it has nothing
    like that. More tables, and more indexes that are not unique, do no harm."""
    with closing(sqlite3.connect(new)) as database:
        return next(_differences(database), None)


def _differences(database: sqlite3.Connection) -> Iterator[str]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    made = {(kind, name): (table, sql) for kind, name, table, sql in database.execute(query)}
    for (kind, name), (table, _) in made.items():
        if kind == "trigger":
            yield f"a trigger {name!r} on its table {table!r}"
    for table, described in metadata.tables.items():
        _, sql = made.get(("table", table), ("", ""))
        if not sql.upper().startswith("CREATE TABLE"):
            yield f"no table {table!r}"
        elif (clause := _CLAUSES.search(sql)) is not None:
            yield f"a table {table!r} with {clause[0].upper()}"
        found = {name for (name,) in database.execute(_COLUMNS, {"table": table})}
        if others := found ^ set(described.c.keys()):
            yield f"a table {table!r} with other columns: {', '.join(sorted(others))}"
        for (name,) in database.execute(_UNIQUE, {"table": table}):
            yield f"a unique index {name!r} on its table {table!r}"


_COLUMNS = "SELECT name FROM pragma_table_xinfo(:table)"
_UNIQUE = """SELECT name FROM pragma_index_list(:table) WHERE "unique" AND origin != 'pk'"""
