"""The present of a machine: the facts from which expected starts are computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.machine.capacity import Capacity, Release
from rmsd_core.model_time import UNLIMITED_US
from rmsd_core.recipes.recipe import Recipe

HORIZON_US = UNLIMITED_US // 2
"""A start or end later than this is that of no job with a limit."""


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

    line: the waiting jobs in queue order, trials that run or have expired among them, and behind
    the last queued task of each array those that are in no queue. heads: the first job of the
    queue, or the first of each partition. planned: starts by the standing plan. untried: the
    jobs and tasks that wait for a trial, in arrival order. claiming: the jobs that have claimed
    what others are leaving. new: a job that has not arrived. new_place: where it would be
    backfilled at once, past the queue; None if it would not.
    """

    now_us: int
    recipe: Recipe
    capacity: Capacity
    releases: Sequence[Release]
    line: Sequence[Job | WaitingTasks]
    heads: Sequence[Job]
    planned: Mapping[Job, int]
    untried: Iterable[Job | WaitingTasks] = ()
    claiming: Iterable[Job] = ()
    new: Job | None = None
    new_place: Allocation | None = None

    @property
    def queue(self) -> list[Job]:
        """Return the waiting jobs in queue order."""
        return [one for one in self.line if not isinstance(one, WaitingTasks)]

    def planned_us(self, job: Job) -> int | None:
        """Return the start that the standing plan has for the job; None if there is none, or it is
        behind a job without a limit."""
        planned_us = self.planned.get(job)
        return None if planned_us is None or planned_us - self.now_us >= HORIZON_US else planned_us
