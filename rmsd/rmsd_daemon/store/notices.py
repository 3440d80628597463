"""The notices in the database that were delivered or given up."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, text

from rmsd_daemon.domain.notify import LIMIT, ONCE

_ONCE = ", ".join(f"'{event}'" for event in ONCE)
_NOTE = text(
    f"""UPDATE notice SET target = '', subject = '' WHERE job_id = :job_id AND event = :event
    AND (event IN ({_ONCE}) OR event LIKE '{LIMIT} %')
    AND (SELECT live FROM job WHERE id = notice.job_id)"""
)
_DELETE = text("DELETE FROM notice WHERE job_id = :job_id AND event = :event AND target != ''")


def settle_notices(connection: Connection, keys: Sequence[tuple[int, str]]) -> None:
    """Delete the rows of notices, by job and event. Of an event that is told once, the row stays
    until the job is over, without a target."""
    rows = [{"job_id": job_id, "event": event} for job_id, event in keys]
    connection.execute(_NOTE, rows)
    connection.execute(_DELETE, rows)
