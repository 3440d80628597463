"""The present as it would be if one job more had arrived: for those who ask when it would start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.planning.present import Present

PlaceBehind = Callable[[Sequence[Job], Job], Allocation | None]
"""A function that returns where a job would be backfilled behind the heads of the queue."""


def with_new_job(
    present: Present, job: Job, place_behind: PlaceBehind, *, is_tried: bool
) -> Present:
    """Return the present with a job in the queue, which no other job sees. `is_tried`: the job
    waits for a trial as well."""
    others = [one for one in present.heads if one.request.partition != job.request.partition]
    alike = [one for one in present.heads if one.request.partition == job.request.partition]
    heads = sorted([*others, min([*alike, job], key=present.rank)], key=present.rank)
    untried = chain(present.untried, [job]) if is_tried else present.untried
    place = None if job in heads else place_behind(present.heads, job)
    return replace(present, heads=heads, untried=untried, new=job, new_place=place)
