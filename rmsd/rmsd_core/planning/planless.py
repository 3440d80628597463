"""The part of a pass that keeps nothing from pass to pass."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_core.jobs.job import Job
from rmsd_core.planning.planner_memory import PlannerMemory


class PlanlessPass:
    """A pass that looks at the queue and the machine alone: no plan, no facts about jobs."""

    wake_us: int | None = None

    def ended(self, job: Job, start_us: int, end_us: int) -> None:
        """Do nothing: the pass learns nothing from terminated jobs."""

    def planned(self, now_us: int) -> Mapping[Job, int]:  # noqa: ARG002
        """Return no starts: the pass has no plan."""
        return {}

    def look_at_all(self) -> None:
        """Do nothing: every pass looks at all jobs."""

    def look_again(self, now_us: int) -> None:
        """Do nothing: no pass is skipped."""

    def memory(self, now_us: int) -> PlannerMemory:  # noqa: ARG002
        """Return an empty memory: the pass needs nothing after a restart."""
        return PlannerMemory()

    def restore(self, memory: PlannerMemory, jobs: Mapping[int, Job]) -> None: ...
