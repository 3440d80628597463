"""The facts that a planner needs again after a restart, and the core, beside those in the jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rmsd_core.jobs.conditions import EndedJob


class UserUsage(NamedTuple):
    """The decayed usage of a user, or of all, as of a time: processor-seconds."""

    processor_s: float
    at_us: int


class VirtualJob(NamedTuple):
    """A job of the virtual EASY (`virtual_easy`).

    start_us: since when it runs there; None: it waits. run_us: how long the job has really run;
    None: it is not over. look_us: when to see whether the virtual run ends; None: not before
    something happens to the job.
    """

    seq: int
    eligible_us: int
    size: int
    estimate_us: int
    start_us: int | None = None
    run_us: int | None = None
    look_us: int | None = None


NOTHING_USED_YET = UserUsage(0.0, 0)


@dataclass(frozen=True, slots=True)
class PlannerMemory:
    """The memory of a planner.

    order: by which the queue is sorted ("": as the recipe has it).
    starts: how many starts have been decided.
    slowdowns, ended: by category, the sum of the bounded slowdowns of terminated jobs and their
        number: the averages of adaptive thresholds.
    planned_us: the starts of the standing plan by job id, as of the last pass.
    used: by user, the usage when a job of the user last took or gave back processors.
    used_in_all: likewise of all users.
    used_in: by account and user, likewise, if shares are divided by accounts; the user "" stands
        for all users of the account.
    virtual: the jobs of the virtual EASY, by id. longest_us: the longest wait of those that have
        started there; None: there is no virtual EASY.
    unsettled: the ends of jobs that the next calls of the core have still to tell to all jobs that
        depend on these, by id.
    to_predict: the users whose history has grown, and whose waiting jobs the next calls have still
        to predict again.
    """

    order: str = ""
    starts: int = 0
    slowdowns: list[float] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    planned_us: dict[int, int] = field(default_factory=dict)
    used: Mapping[str, UserUsage] = field(default_factory=dict)
    used_in_all: UserUsage = NOTHING_USED_YET
    used_in: Mapping[str, Mapping[str, UserUsage]] = field(default_factory=dict)
    virtual: Mapping[int, VirtualJob] = field(default_factory=dict)
    longest_us: int | None = None
    unsettled: dict[int, EndedJob] = field(default_factory=dict)
    to_predict: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.longest_us is not None and self.longest_us < 0:  # earlier versions stored -1
            object.__setattr__(self, "longest_us", None)


def without_tables(memory: PlannerMemory) -> PlannerMemory:
    """Return the memory without what has tables of its own: the planned starts, of which there may
    be as many as jobs wait, the usage of each user and account, and the virtual jobs."""
    return replace(memory, planned_us={}, used={}, used_in={}, virtual={})
