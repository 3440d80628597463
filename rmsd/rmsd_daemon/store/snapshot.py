"""The contents of the database that a daemon reads when it begins, or begins again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rmsd_core.jobs.job import Job
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.tables import TokenRow


@dataclass(slots=True)
class Snapshot:
    """The state that a core is rebuilt from. history: (user, arrival number, run time, estimate,
    size).
    kept_as: where the damaged database is that was replaced just before; None if none was."""

    jobs: list[tuple[Job, Details]]
    memory: PlannerMemory
    history: list[tuple[str, int, int, int, int]]
    nodes: list[Row]
    reservations: list[AdvanceReservation]
    submissions: list[Row]
    tokens: list[TokenRow]
    meta: dict[str, str]
    next_id: int
    next_seq: int
    next_batch: int
    kept_as: Path | None = None
