"""An index of the events that say which advance reservations there were."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    where = sa.text("kind IN ('reserve', 'unreserve')")
    op.create_index("event_setting_aside", "event", ["id"], sqlite_where=where)
