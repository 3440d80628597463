"""The jobs and tasks that a caller names: `12`, `12_3`, `12_[3-5,7]`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from rmsd_core.jobs.array import Array, id_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_daemon.domain.arrays import MOST_SINGLE, ranks_of
from rmsd_daemon.domain.errors import Malformed, NotFound, no_such_job
from rmsd_daemon.queries.filters import MAX_ID, Filter
from rmsd_daemon.queries.history import JobHistory
from rmsd_wire.arrays import ArrayError, TaskNames, parse_tasks, split_names


class Named(NamedTuple):
    """A job that a caller names. ranks: of an array, the tasks that are named; None: all of it."""

    job: Job
    ranks: tuple[Interval, ...] | None


def parsed(names: Iterable[str]) -> list[TaskNames]:
    """Return what names stand for. Raises Malformed if one of them is none."""
    found = []
    for name in names:
        try:
            found.append(parse_tasks(name))
        except ArrayError as error:
            raise Malformed(f"{error}") from error
        if not 0 <= found[-1].job_id < MAX_ID:
            raise no_such_job(name)
    return found


async def narrowed(wanted: Filter, text: str, history: JobHistory) -> Filter:
    """Return the filter for the jobs in a list of names alone. A whole array is its row and all of
    its tasks. What does not exist is left out.

    Raises:
        Malformed: a name is none, or there are too many pieces of arrays.
    """
    names = parsed(split_names(text))
    arrays = await history.arrays(list({name.job_id for name in names}))
    ids: set[int] = set()
    arrays_of, tasks = Ranks(), Ranks()
    for job_id, runs in names:
        indices = arrays.get(job_id)
        if runs is None:
            ids.add(job_id)
            if indices is not None:
                arrays_of.add(id_of(job_id, 0), id_of(job_id, len(indices)))
        elif indices is not None:
            for first, last in ranks_of(indices, runs):
                tasks.add(id_of(job_id, first), id_of(job_id, last))
            await asyncio.sleep(0)  # others have their turn
        if arrays_of.pieces + tasks.pieces > MOST_SINGLE:
            raise Malformed(f"'ids' has more than {MOST_SINGLE} pieces of arrays; name ranges")
    return replace(wanted, ids=frozenset(ids), ranges=arrays_of, tasks=tasks)


def named_in(job: Job, name: TaskNames) -> Named:
    """Return the job, or those of its tasks that a name is of. Raises NotFound if there are
    none."""
    if name.runs is None:
        return Named(job, None)
    ranks = ranks_of(_array_of(job).indices, name.runs)
    if not ranks:
        raise NotFound(f"array {job.id} has no such tasks")
    return Named(job, ranks)


def waiting_in(job: Job) -> Named:
    """Return the tasks of an array that wait and are no jobs of their own. Raises NotFound if the
    job is no array."""
    return Named(job, tuple(_array_of(job).waiting_ranks().intervals()))


def _array_of(job: Job) -> Array[Job]:
    if job.array is None:
        raise NotFound(f"job {job.id} is no array, and has no tasks")
    return job.array
