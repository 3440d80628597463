"""The steps that ended worst: of each attempt with a failed step, the highest exit code."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, or_, select

from rmsd_daemon.store.tables import JOB, WORST_STEP
from rmsd_wire.api.steps import WorstStep

_ASKED = (
    select(WORST_STEP)
    .join(JOB, JOB.c.id == WORST_STEP.c.job_id)
    .where(
        WORST_STEP.c.job_id.in_(bindparam("ids", expanding=True)),
        or_(bindparam("user").is_(None), JOB.c.user == bindparam("user")),
    )
    .order_by(WORST_STEP.c.job_id, WORST_STEP.c.attempt)
)


def worst_steps(connection: Connection, ids: Sequence[int], user: str | None) -> list[WorstStep]:
    """Return the worst steps of jobs, by attempt; with `user` only of those that are this
    user's."""
    rows = connection.execute(_ASKED, {"ids": ids, "user": user})
    return [WorstStep(**row._mapping) for row in rows]
