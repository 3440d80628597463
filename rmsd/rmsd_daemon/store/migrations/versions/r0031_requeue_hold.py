"""The hold of a job that runs, for the case that the job is to wait again."""

from __future__ import annotations

from sqlalchemy import Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    add_columns("job", ("conditions", Column("requeue_hold", String)))
