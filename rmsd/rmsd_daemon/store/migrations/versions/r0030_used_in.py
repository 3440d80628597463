"""The decayed usage of accounts, and of users within them."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Float, String

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "used_in",
        Column("account", String, primary_key=True, nullable=False),
        Column("user", String, primary_key=True, nullable=False),
        Column("processor_s", Float, nullable=False),
        Column("at_us", BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
