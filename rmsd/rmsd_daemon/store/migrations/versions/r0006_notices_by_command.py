"""A notice may be a command as well as a URL."""

from __future__ import annotations

from alembic import op

from rmsd_daemon.store.migrations.steps import columns_of

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    if "url" in columns_of("notice"):  # not if a later daemon has made the table
        op.execute("ALTER TABLE notice RENAME COLUMN url TO target")
