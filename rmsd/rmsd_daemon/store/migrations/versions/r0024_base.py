"""The tables of the first release. Every database begins here, so there is nothing to do."""

from __future__ import annotations

revision = "0024"
down_revision = None


def upgrade() -> None:
    return
