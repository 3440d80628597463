"""Advance reservations."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, BigInteger, Boolean, Column, Integer, String

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.create_table(
        "reservation",
        Column("name", String, primary_key=True, nullable=False),
        Column("start_us", BigInteger, nullable=False),
        Column("end_us", BigInteger, nullable=False),
        Column("nodes", JSON, nullable=False),
        Column("cores", Integer, nullable=False),
        Column("users", JSON, nullable=False),
        Column("accounts", JSON, nullable=False),
        Column("is_maintenance", Boolean, nullable=False),
        sqlite_with_rowid=False,
    )
