"""What several revisions do."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op


def add_columns(table: str, *columns: tuple[str, sa.Column[Any]]) -> None:
    """Add each column behind the one named with it. Its `server_default` is what the rows of before
    get, and nothing else: a row without it is a mistake from then on."""
    with op.batch_alter_table(table, recreate="always") as batch:
        for behind, column in columns:
            batch.add_column(column, insert_after=behind)
    filled = [column.name for _, column in columns if column.server_default is not None]
    with op.batch_alter_table(table) as batch:
        for name in filled:
            batch.alter_column(name, server_default=None)


def columns_of(table: str) -> set[str]:
    """The names of the table's columns; none if there is no such table."""
    inspector = sa.inspect(op.get_bind())
    if not inspector.has_table(table):
        return set()
    return {column["name"] for column in inspector.get_columns(table)}
