"""What trials and reservations know of a job.

Jobs of before are not restartable: nobody was asked whether they may be killed for others.
"""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Integer

from rmsd_daemon.store.migrations.steps import add_columns

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    add_columns(
        "job",
        ("requeue", Column("restartable", Boolean, nullable=False, server_default="0")),
        ("overruns", Column("rank", Integer)),
        ("backfilled", Column("behind", Integer)),
        ("behind", Column("reserved_at_us", BigInteger)),
        ("reserved_at_us", Column("reserved_rank", Integer)),
        ("reserved_rank", Column("reserved_us", BigInteger)),
        ("reserved_us", Column("tried", Boolean, nullable=False, server_default="0")),
        ("tried", Column("trial_end_us", BigInteger)),
        ("trial_end_us", Column("lost_us", BigInteger, nullable=False, server_default="0")),
        ("open_nodes", Column("claim", JSON, nullable=False, server_default="[]")),
    )
