"""The rows of sacct: jobs and their steps."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Job = dict[str, Any]


class Row:
    """A row of sacct: a job, or with `step` one of its steps: "batch", "0", "1", ... `derived`: the
    highest exit code of the job's steps, with its signal."""

    __slots__ = ("derived", "job", "step", "values")

    def __init__(
        self,
        job: Job,
        step: str = "",
        values: Job | None = None,
        derived: tuple[int, int] = (0, 0),
    ) -> None:
        self.job = job
        self.step = step
        self.values = values or {}
        self.derived = derived
