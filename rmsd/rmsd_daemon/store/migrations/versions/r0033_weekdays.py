"""Days of the week on which advance reservations repeat."""

from __future__ import annotations

from sqlalchemy import Column, Integer

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    days = Column("weekdays", Integer, nullable=False, server_default="0")
    add_columns("reservation", ("until_us", days))
