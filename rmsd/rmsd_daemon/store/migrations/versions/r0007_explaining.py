"""An index of the events that explain predictions."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute(
        "CREATE INDEX IF NOT EXISTS event_explaining ON event (job_id) "
        "WHERE kind IN ('correct', 'repredict', 'promise')"
    )
