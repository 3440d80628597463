"""The ends of steps that are told at the same time."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.api.steps import StepsApi
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.steps import StepRecords
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.records import Row
from tests.daemon.requests import Request


async def test_failed_steps_are_never_more_than_one_commit_at_a_time() -> None:
    """Each failed step had its own commit, and each of 300 connections that told of one kept the
    commits of others waiting."""
    job = Job(1, "ann", 0, processors(1), 3_600_000_000, attempt=1)
    sizes: list[int] = []
    under_way = most = 0

    async def record_steps(ended: list[Row]) -> None:
        nonlocal under_way, most
        sizes.append(len(ended))
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    async def find(_: int) -> tuple[Job, None]:
        return job, None

    clock = SimpleNamespace(now_us=lambda: 5)
    scheduler = cast("Scheduler", SimpleNamespace(record_steps=record_steps, clock=clock))
    history = cast("JobHistory", SimpleNamespace(find=find))
    steps = StepsApi(scheduler, history, StepRecords(), cast("AgentLinks", SimpleNamespace()))

    async def end() -> None:
        request: Any = Request(Caller("ann", Role.USER, ""), exit_code=1)
        request.match_info = {"id": "1", "number": "0"}
        await steps.end_step(request)

    await asyncio.gather(*(end() for _ in range(300)))
    assert (most, sum(sizes)) == (1, 300)
    assert len(sizes) <= 3
