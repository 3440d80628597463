"""The key is the table in `meta`, `attempt` and `submission`."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    one_tree = {"sqlite_with_rowid": False}
    for name in ("meta", "attempt", "submission"):
        with op.batch_alter_table(name, recreate="always", table_kwargs=one_tree):
            pass  # made anew as it was, but for that
