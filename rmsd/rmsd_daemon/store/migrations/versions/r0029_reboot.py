"""Reboots of nodes that are asked for or under way, and the boots that nodes are on."""

from __future__ import annotations

from sqlalchemy import JSON, Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    boot_id = Column("boot_id", String, nullable=False, server_default="")
    reboot = Column("reboot", JSON, nullable=False, server_default="[]")
    add_columns("node", ("unable", boot_id), ("drain_us", reboot))
