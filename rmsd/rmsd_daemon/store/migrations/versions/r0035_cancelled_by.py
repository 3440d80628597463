"""The accounts that have cancelled jobs. Of those that are over by now, it is not known."""

from __future__ import annotations

from sqlalchemy import Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    add_columns("job", ("behind", Column("cancelled_by", String, nullable=True)))
