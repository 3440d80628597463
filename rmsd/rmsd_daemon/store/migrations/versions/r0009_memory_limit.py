"""Who keeps the jobs of a node to their memory; nobody yet, as far as is known."""

from __future__ import annotations

from sqlalchemy import Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    add_columns(
        "node",
        ("agent_version", Column("memory_limit", String, nullable=False, server_default="")),
    )
