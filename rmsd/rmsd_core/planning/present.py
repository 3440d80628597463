"""The present of a machine: the facts from which expected starts are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Waiting
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Capacity, Release
from rmsd_core.model_time import UNLIMITED_US
from rmsd_core.planning.start_windows import Windows
from rmsd_core.recipes.recipe import Recipe

HORIZON_US = UNLIMITED_US // 2
"""A start or end later than this is that of no job with a limit."""


Rank = Callable[[Job], Any]
"""A function that returns what the order of the queue is by: the smallest comes first."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitingTasks:
    """The tasks of an array that wait and are in no queue yet.

    last: the last of them, as a job that the core does not know. limit: the number of tasks of the
    array that may be in the queue or run at a time; None: all. active: the tasks that are or do so
    now.
    """

    array_id: int
    last: Job
    count: int
    limit: int | None
    active: Sequence[Job]

    @property
    def slots(self) -> int:
        """Return how many of the tasks may join the queue before another one ends."""
        return self.count if self.limit is None else max(0, self.limit - len(self.active))


def last_of(one: Job | WaitingTasks) -> Job:
    """Return the job, or the last of the tasks: its rank is that of the entry."""
    return one.last if isinstance(one, WaitingTasks) else one


@dataclass(frozen=True, slots=True)
class Present:
    """The facts from which expected starts are computed, which changes none of them.

    capacity: the machine as it was; live: as it goes on. pieces: what the jobs of `releases` give
    back. jobs: those that are not over, by id. waiting: the jobs in the queue, in lists and in any
    order, trials that run or have expired among them. tasks: those of arrays that are in no queue
    and would pass no limit. rank: what the order of the queue is by; the smallest comes first.
    may_start: whether no limit of accounts and QOS keeps a job from starting. heads: the first job
    of the queue, or the first of each partition. planned: starts by the standing plan. untried: the
    jobs and tasks that wait for a trial, in arrival order. claiming: the jobs that have claimed
    what others are leaving. windows: when and where jobs may start beside advance reservations.
    new: a job that has not arrived, and waits as well. new_place: where it would be backfilled at
    once, past the queue; None if it would not. preempting: the heads that will take the place of
    running jobs, and when; the ends of these jobs in `releases` are as early.
    """

    now_us: int
    recipe: Recipe
    capacity: Capacity
    live: Capacity
    releases: Sequence[Release]
    pieces: Mapping[Job, Allocation]
    jobs: Mapping[int, Job]
    waiting: Sequence[Sequence[Job]]
    tasks: Sequence[WaitingTasks]
    rank: Rank
    may_start: Callable[[Job], bool]
    heads: Sequence[Job]
    planned: Mapping[Job, int]
    untried: Iterable[Job | WaitingTasks] = ()
    claiming: Iterable[Job] = ()
    windows: Windows | None = None
    new: Job | None = None
    new_place: Allocation | None = None
    preempting: Mapping[Job, int] = field(default_factory=dict)

    @property
    def is_of_the_machine(self) -> bool:
        """Return whether the machine still is what it was."""
        return bool(self.capacity.machine == self.live.machine)

    def waiting_job(self, job_id: int) -> Job | None:
        """Return the job if it waits for its start in the queue; None if it does not."""
        job = self.jobs.get(job_id)
        return job if job is not None and type(job.phase) is Waiting else None

    def planned_us(self, job: Job) -> int | None:
        """Return the start that the standing plan has for the job; None if there is none, or it is
        behind a job without a limit."""
        planned_us = self.planned.get(job)
        return None if planned_us is None or planned_us - self.now_us >= HORIZON_US else planned_us
