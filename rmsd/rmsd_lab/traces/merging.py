"""Several traces as one: their jobs on one time axis, their users kept apart."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from rmsd_lab.workloads.swf_log import LogJob

INTERACTIVE = 0
"""The queue of this number is the interactive one everywhere (SWF 2.2)."""


class _Numbering:
    """Numbers from 1 on in order of appearance; what two traces have in common is different."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int], int] = {}

    def of(self, trace: int, number: int) -> int:
        if number < 0:
            return number
        return self._numbers.setdefault((trace, number), len(self._numbers) + 1)


def merged(traces: Sequence[Iterable[LogJob]], offsets_s: Sequence[int]) -> Iterator[LogJob]:
    """Yield all jobs of all traces by submit time, then by trace, renumbered from 1 on. The jobs of
    each trace come its `offsets_s` later. Every trace must be in arrival order. A job without a
    submit time stays behind the job above it.

    Users, groups, executables, queues and partitions are numbered anew. A preceding job is named by
    its new number; one that is not above is not known any more. One number is held for each job.
    """
    numbers = [dict[int, int]() for _ in traces]
    users, groups, executables, queues, partitions = (_Numbering() for _ in range(5))
    arrivals = heapq.merge(
        *(_arrivals(at, jobs, offsets_s[at]) for at, jobs in enumerate(traces)),
        key=lambda arrival: arrival[:2],
    )
    numbered = count(1)
    for _, trace, job in arrivals:
        number = next(numbered)
        yield job._replace(
            number=number,
            submit_s=job.submit_s + offsets_s[trace] if job.submit_s >= 0 else -1,
            user=users.of(trace, job.user),
            group=groups.of(trace, job.group),
            executable=executables.of(trace, job.executable),
            queue=job.queue if job.queue == INTERACTIVE else queues.of(trace, job.queue),
            partition=partitions.of(trace, job.partition),
            preceding=numbers[trace].get(job.preceding, -1),
        )
        numbers[trace].setdefault(job.number, number)


def _arrivals(
    trace: int, jobs: Iterable[LogJob], offset_s: int
) -> Iterator[tuple[int, int, LogJob]]:
    latest_s = 0
    for job in jobs:
        latest_s = max(latest_s, job.submit_s + offset_s)
        yield latest_s, trace, job
