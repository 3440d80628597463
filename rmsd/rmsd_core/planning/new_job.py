"""The present as it would be if one job more had arrived: for those who ask when it would start."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.planning.present import Present, last_of

Rank = Callable[[Job], Any]
"""A function that returns what the order of the queue is by: the smallest comes first."""


def with_new_job(present: Present, job: Job, rank: Rank, *, is_tried: bool) -> Present:
    """Return the present with a job at its place in the queue, which no other job sees. `is_tried`:
    the job waits for a trial as well."""
    line = list(present.line)
    line.insert(bisect_left(line, rank(job), key=lambda one: rank(last_of(one))), job)
    others = [one for one in present.heads if one.request.partition != job.request.partition]
    alike = [one for one in present.heads if one.request.partition == job.request.partition]
    heads = [*others, min([*alike, job], key=rank)]
    untried = chain(present.untried, [job]) if is_tried else present.untried
    heads.sort(key=rank)
    return replace(present, line=line, heads=heads, untried=untried, new=job)
