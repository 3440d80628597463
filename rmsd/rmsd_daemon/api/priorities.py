"""The HTTP API that tells the priorities of waiting jobs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import ClassVar

from aiohttp import web

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Preempted, Waiting
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import NUMBER_BYTES, Listed, turn_of
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.explain import priority_view
from rmsd_wire.api.priorities import JobPriorityView, PrioritiesReply

_WAITING = (Waiting, Preempted)
_AT_ONCE = 500
"""The jobs whose priorities are found before other callers have their turn (some 5 ms)."""


class PrioritiesApi:
    """The handler of priorities."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("priorities",)

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    async def priorities(self, request: web.Request) -> Listed:
        """Tell the priorities of the caller's waiting jobs; an operator sees all."""
        await self._scheduler.sound()
        caller, core = caller_of(request), self._scheduler.core
        user = None if caller.role.covers(Role.OPERATOR) else caller.user
        order = self._scheduler.recipe.order
        job_ids: list[int] = []
        if order == "priority":
            async with turn_of(request):
                job_ids += core.jobs
        reply = PrioritiesReply(order=order, priorities=[])
        kept_bytes = NUMBER_BYTES * len(job_ids)
        views = priority_views(self._scheduler, job_ids, user)
        return Listed(reply, "priorities", views, kept_bytes=kept_bytes, in_lists=True)


async def priority_views(
    scheduler: Scheduler, job_ids: Sequence[int], user: str | None
) -> AsyncIterator[list[JobPriorityView]]:
    """Yield the priorities of those jobs of the user (None: of all) that wait, as they are at that
    time."""
    for at in range(0, len(job_ids), _AT_ONCE):
        await asyncio.sleep(0)  # an answer waits for nothing while it has no rows
        await scheduler.sound()
        core, now_us = scheduler.core, scheduler.clock.now_us()
        yield [
            JobPriorityView(job.id, priority)
            for job_id in job_ids[at : at + _AT_ONCE]
            if (job := core.jobs.get(job_id)) is not None
            and (user is None or job.user == user)
            and _waits(job)
            and (priority := priority_view(core, job, now_us)) is not None
        ]


def _waits(job: Job) -> bool:
    """Return whether the job waits for its turn, and for no condition."""
    return type(job.phase) in _WAITING
