"""The index of the ends of jobs, from which the history since some time is read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    over = sa.text("end_us IS NOT NULL")
    op.create_index("job_end", "job", ["end_us", "submit_us"], sqlite_where=over)
