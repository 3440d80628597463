"""The time and the place at which a job would start if it were submitted now, found in a bounded
share of the time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.machine.partitions import partition_of
from rmsd_core.planning.expected import Expected
from rmsd_daemon.domain.slices import Sliced, in_slices
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.views import rfc3339
from rmsd_wire.api.plan import TestReply
from rmsd_wire.hostlist import compress

_MOST_S = 1.0
"""The most time for which one answer places jobs far behind in the queue, without rests: some
40,000 jobs of a few kinds."""
_AT_A_TIME = 2
"""The most answers that are made at a time, each for another caller."""


class StartTester:
    """Finds when jobs would start that are not submitted. Each answer keeps a copy of the queue in
    memory, so a caller has one of them made at a time, and few callers do."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._few = asyncio.Semaphore(_AT_A_TIME)

    async def of(self, new: Job, turn: Turn) -> TestReply:
        """Return when and where a job would start. Of an array, its first task. `turn`: that of the
        caller."""
        scheduler = self._scheduler
        async with turn.large, self._few:
            job = replace(new, id=scheduler.cluster.next_id, array=None)
            conditions = new.phase.conditions if isinstance(new.phase, Ineligible) else None
            if conditions is not None:
                if conditions.held_by is not None:
                    return _reply(scheduler, job, None, "held")
                if conditions.dependencies or conditions.never:
                    return _reply(scheduler, job, None, "dependency")
            begin_us = None if conditions is None else conditions.begin_us
            return _reply(scheduler, job, *await expected_start(scheduler, job, begin_us, turn))


async def expected_start(
    scheduler: Scheduler, job: Job, begin_us: int | None, turn: Turn
) -> tuple[Expected | None, str]:
    """Return the expected start of the job, or why there is none. A job with a begin time takes its
    place then, behind all that wait now."""
    now_us = scheduler.clock.now_us()
    begun = Sliced(scheduler.core.projection(now_us, new=job, begin_us=begin_us))
    while not begun.is_whole:
        async with turn:
            turn.worked(begun.go_on())
    projection = begun.answer
    starts = projection.starts
    placing = Sliced(projection.placing())
    while begin_us is not None or job.id in starts.left_out:
        if placing.is_whole or placing.worked_s >= _MOST_S:
            break
        async with turn:
            turn.worked(placing.go_on())
    if job.id in starts.left_out or (begin_us is not None and not placing.is_whole):
        return None, "far"
    found = starts.expected.get(job.id)
    if begin_us is not None:
        found, took_s = await in_slices(projection.start_of(job, begin_us))
        turn.worked(took_s)
    if found is not None:
        return found, ""
    return None, "limit" if scheduler.core.is_held_back(job) else "nodes"


def _reply(scheduler: Scheduler, job: Job, found: Expected | None, no_start: str) -> TestReply:
    if found is not None and found.start_us > job.latest_start_us:
        found, no_start = None, "deadline"
    nodes = [] if found is None else [piece.node for piece in found.allocation or ()]
    partition = partition_of(scheduler.core.partitions, job, nodes) if nodes else None
    return TestReply(
        job_id=job.id,
        cpus=job.request.size,
        start_us=None if found is None else found.start_us,
        start_time=None if found is None else rfc3339(found.start_us),
        end_us=None if found is None else found.end_us,
        basis=None if found is None else found.basis,
        nodelist=compress(nodes),
        partition=partition or job.partition_name,
        no_start=no_start,
    )
