"""The tables of the first daemon: where every database of before begins, so nothing is to do."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    return
