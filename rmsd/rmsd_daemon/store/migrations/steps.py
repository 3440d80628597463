"""Steps that revisions have in common."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op


def add_columns(table: str, *columns: tuple[str, sa.Column[Any]]) -> None:
    """Add each column behind the one that is named with it.

    Existing rows get its `server_default`. The default itself is dropped afterwards, so that an
    insert that omits the column is an error.
    """
    options = {"sqlite_with_rowid": _has_rowid(table)}
    with op.batch_alter_table(table, recreate="always", table_kwargs=options) as batch:
        for behind, column in columns:
            batch.add_column(column, insert_after=behind)
    filled = [column.name for _, column in columns if column.server_default is not None]
    with op.batch_alter_table(table, table_kwargs=options) as batch:
        for name in filled:
            batch.alter_column(name, server_default=None)


def _has_rowid(table: str) -> bool:
    """Return whether SQLite numbers the table's rows. SQLAlchemy does not reflect that."""
    query = sa.text("SELECT sql FROM sqlite_master WHERE name = :table")
    statement: str = op.get_bind().execute(query, {"table": table}).scalar_one()
    return "WITHOUT ROWID" not in statement
