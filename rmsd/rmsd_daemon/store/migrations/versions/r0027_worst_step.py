"""The highest exit code of the steps of each attempt."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "worst_step",
        Column("job_id", Integer, primary_key=True),
        Column("attempt", Integer, primary_key=True),
        Column("exit_code", Integer, nullable=False),
        Column("signal", Integer, nullable=False),
        sqlite_with_rowid=False,
    )
