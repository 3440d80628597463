"""Nodes whose agents can start no job now, with the reason."""

from __future__ import annotations

from sqlalchemy import Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    unable = Column("unable", String, nullable=False, server_default="")
    add_columns("node", ("memory_limit", unable))
