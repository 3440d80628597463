"""The launches that nodes refused, by job, and those that failed in a row, by node."""

from __future__ import annotations

import sqlalchemy as sa

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    add_columns(
        "job",
        ("tried", sa.Column("refusals", sa.JSON, nullable=False, server_default="[]")),
        ("refusals", sa.Column("avoids", sa.JSON, nullable=False, server_default="[]")),
    )
    add_columns(
        "node",
        ("drain_reason", sa.Column("failures", sa.JSON, nullable=False, server_default="[]")),
    )
