"""The schema of a backup is the one that rmsd makes: another one would change by itself what must
not go back, or leave out what is written later."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex

from rmsd_daemon.store.tables import metadata

_CLAUSES = re.compile(r"\b(CHECK|CONFLICT|GENERATED|REFERENCES|COLLATE)\b", re.IGNORECASE)
"""The clauses of a table by which an insert does something else; no table of rmsd's has one.
Generated columns need no such word: SQLite hides them among the columns."""


def difference(new: Path) -> str | None:
    """Return in words what a database of the present schema has that rmsd never makes, and that
    changes what is written to it: a trigger, a table that is another one, or an index that refuses
    rows; None if it has nothing like that. More tables, and more indexes of columns that are not
    unique, do no harm."""
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
        found = database.execute(_COLUMNS, {"table": table}).fetchall()
        if others := {name for name, _ in found} ^ set(described.c.keys()):
            yield f"a table {table!r} with other columns: {', '.join(sorted(others))}"
        key = [name for name, place in sorted(found, key=lambda one: one[1]) if place]
        if key != [column.name for column in described.primary_key]:
            yield f"a table {table!r} with another key: {', '.join(key)}"
        yield from _other_indexes(database, described)


def _other_indexes(database: sqlite3.Connection, described: Table) -> Iterator[str]:
    """Yield the indexes that refuse rows. The value of an expression may be an error for each row
    that is written."""
    own = {
        str(index.name): str(CreateIndex(index).compile(dialect=sqlite.dialect()))
        for index in described.indexes
    }
    for name, sql, is_unique in database.execute(_INDEXES, {"table": described.name}):
        what = f"index {name!r} on its table {described.name!r}"
        if is_unique:
            yield f"a unique {what}"
        elif _words(sql) == _words(own.get(name)):
            continue
        elif database.execute(_COMPUTES, {"index": name}).fetchone() is not None:
            yield f"an {what} of an expression"


def _words(sql: str | None) -> list[str]:
    return (sql or "").split()


_COLUMNS = "SELECT name, pk FROM pragma_table_xinfo(:table) WHERE NOT hidden"
_INDEXES = """SELECT name, (SELECT sql FROM sqlite_master WHERE type = 'index' AND name = one.name),
    "unique" FROM pragma_index_list(:table) AS one WHERE origin != 'pk'"""
_COMPUTES = """SELECT 1 FROM pragma_index_xinfo(:index) WHERE cid = -2
    UNION SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = :index AND sql LIKE '%WHERE%'
"""
