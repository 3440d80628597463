"""Tables of tokens, and of who did what."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, String

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "token",
        Column("id", String, primary_key=True),
        Column("digest", String, nullable=False),
        Column("user", String, nullable=False),
        Column("role", String, nullable=False),
        Column("name", String, nullable=False),
        Column("created_us", BigInteger, nullable=False),
        Column("created_by", String, nullable=False),
        Column("expires_us", BigInteger),
        Column("revoked_us", BigInteger),
        Column("uses", Integer),
        Column("agent_id", String),
        Column("made_with", String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "audit",
        Column("id", Integer, primary_key=True),
        Column("at_us", BigInteger, nullable=False),
        Column("user", String, nullable=False),
        Column("role", String, nullable=False),
        Column("via", String, nullable=False),
        Column("action", String, nullable=False),
        Column("subject", String, nullable=False),
        Column("outcome", String, nullable=False),
    )
