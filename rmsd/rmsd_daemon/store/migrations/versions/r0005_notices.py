"""A table of who has yet to be told that a job is over.

Later daemons added the tables that they missed, and no columns: it may be there already.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer, String

from rmsd_daemon.store.migrations.steps import columns_of

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    if not columns_of("notice"):
        op.create_table(
            "notice",
            Column("job_id", Integer, primary_key=True),
            Column("url", String, nullable=False),
            sqlite_with_rowid=False,
        )
