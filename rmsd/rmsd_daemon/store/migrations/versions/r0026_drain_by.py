"""The operator who has drained or resumed a node last, and when."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    drain_by = Column("drain_by", String, nullable=False, server_default="")
    drain_us = Column("drain_us", BigInteger)
    add_columns("node", ("drain_reason", drain_by), ("drain_by", drain_us))
