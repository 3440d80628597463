"""The queue in short: what lists of all live jobs show of each, made in a fraction of the time that
a whole view takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import LIVE_STATES
from rmsd_daemon.domain.arrays import runs_of
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.launch import time_limit_s
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.views import elapsed_us
from rmsd_wire.api.queue import QueueRow
from rmsd_wire.arrays import waiting_text
from rmsd_wire.hostlist import compress

_AT_ONCE = 200
"""The number of jobs that are shown before other callers have their turn (some 1 ms)."""


async def queue_rows(
    scheduler: Scheduler, numbers: list[int], users: frozenset[str] | None
) -> AsyncIterator[list[QueueRow]]:
    """Yield the rows of the jobs of these numbers and users (None: of all), some at a time. A job
    whose end is not committed yet is left out, as if it were over."""
    live, core = scheduler.cluster.live, scheduler.core
    for at in range(0, len(numbers), _AT_ONCE):
        await asyncio.sleep(0)  # an answer waits for nothing while it has no rows
        await scheduler.sound()
        now_us = scheduler.clock.now_us()
        yield [
            queue_row(job, details, core.reason(job), now_us)
            for job, details in filter(None, map(live, numbers[at : at + _AT_ONCE]))
            if (users is None or job.user in users) and _is_listed(job)
        ]


def _is_listed(job: Job) -> bool:
    """Return whether the job is not over and, if it is an array, has tasks that are no jobs of
    their own yet."""
    return job.state in LIVE_STATES and (job.array is None or bool(job.array.waiting))


def queue_row(job: Job, details: Details, waits_for: str, now_us: int) -> QueueRow:
    """Return the row of a live job. `waits_for` is the core's reason for a waiting job."""
    place = job.allocation
    array_id = index = None
    text = ""
    if job.task is not None:
        array_id, index = job.task
    elif (array := job.array) is not None:
        array_id = job.id
        text = waiting_text(runs_of(array.indices, array.waiting_ranks()), array.limit)
    lasted_us = elapsed_us(job, now_us)
    return QueueRow(
        job.id,
        details.name,
        job.user,
        job.state.value,
        waits_for,
        job.partition_name,
        job.submit_us,
        None if lasted_us is None else lasted_us / SECOND_US,
        time_limit_s(job, details),
        sum(piece.cores for piece in place) or job.request.size,
        len(place) or details.nodes,
        compress([piece.node for piece in place]) if place else "",
        place[0].mem_mib if place else details.mem_mib,
        details.account,
        details.qos,
        array_id,
        index,
        text,
        details.mem_per_cpu_mib,
        len(details.parts),
    )
