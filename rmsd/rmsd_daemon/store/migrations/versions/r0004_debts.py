"""What a restart must find of claims, debts and promotions."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    add_columns(
        "job",
        ("reserved_us", Column("promoted_us", BigInteger)),
        ("claim", Column("awaits", JSON, nullable=False, server_default="[]")),
        ("awaits", Column("owes", Boolean, nullable=False, server_default="0")),
    )
