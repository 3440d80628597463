"""The facts that a planner needs again after a restart, beside those in the jobs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class PlannerMemory:
    """The memory of a planner.

    order: by which the queue is sorted ("": as the recipe has it).
    starts: how many starts have been decided.
    slowdowns, ended: by category, the sum of the bounded slowdowns of terminated jobs and their
        number: the averages of adaptive thresholds.
    planned_us: the starts of the standing plan by job id, as of the last pass.
    """

    order: str = ""
    starts: int = 0
    slowdowns: list[float] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    planned_us: dict[int, int] = field(default_factory=dict)


def without_plan(memory: PlannerMemory) -> PlannerMemory:
    """Return the memory without the planned starts, of which there may be as many as jobs wait."""
    return replace(memory, planned_us={})
