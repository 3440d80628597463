"""Groups and repeats of advance reservations."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    behind = "is_maintenance"
    for name in ("groups", "members"):
        add_columns(
            "reservation", (behind, Column(name, JSON, nullable=False, server_default="[]"))
        )
        behind = name
    for name in ("every_us", "until_us"):
        number = Column(name, BigInteger, nullable=False, server_default="0")
        add_columns("reservation", (behind, number))
        behind = name
