"""Explanations tell why a waiting job has no expected start."""

from __future__ import annotations

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_core.jobs.array import Array, Indices, id_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.expected_starts import DEPTH
from rmsd_core.recipes.presets import PRESETS
from rmsd_daemon.queries import expected_starts
from rmsd_daemon.queries.expected_starts import StartQuery
from rmsd_daemon.queries.far_starts import FarStarts
from tests.daemon.scheduling import queued
from tests.waiting import until


def _asking(core: Core) -> StartQuery:
    scheduler = SimpleNamespace(core=core, clock=SimpleNamespace(now_us=lambda: 0), details={})
    return StartQuery(cast("Any", scheduler))


async def _why(query: StartQuery, job: Job) -> str:
    return query.why_none(job, await query.of(job.id))


async def test_a_task_waits_for_those_before_it_in_its_array() -> None:
    core = Core(PRESETS["easy"], "counted")
    array: Array[Job] = Array(Indices([(0, 9, 1)]))
    parent = Job(1, "ann", 0, processors(1), SECOND_US, array=array, phase=UNFOLDING)
    core.handle(0, [NodeUp("n1", 1, 0, ()), Submit(parent)])
    query = _asking(core)
    waiting = [id_of(1, rank) for rank in range(1, 10)]
    queued_ids = [job_id for job_id in waiting if job_id in core.jobs]
    assert 0 < len(queued_ids) < len(waiting)
    for job_id in waiting:
        job = core.jobs.get(job_id) or core.waiting_task(job_id)
        assert job is not None
        assert await _why(query, job) == ("" if job_id in queued_ids else "task")


async def test_others_have_their_turns_while_expected_starts_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 100,000 waiting jobs no caller was answered for 0.1 to 0.6 s."""
    monkeypatch.setattr("rmsd_daemon.domain.slices.SLICE_S", 0.0)
    query, turns = _asking(queued(DEPTH)), 0
    asked = [asyncio.create_task(query.of(1)) for _ in range(3)]
    while not all(one.done() for one in asked):
        turns += 1
        await asyncio.sleep(0)
    assert turns >= DEPTH
    assert len({id(one.result()) for one in asked}) == 1, "those who come meanwhile share them"


async def test_a_job_far_behind_is_placed_or_the_plan_ends_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    core = queued(DEPTH + 300)
    last = core.jobs[DEPTH + 301]
    query = _asking(core)
    assert await _why(query, last) == "laying"

    async def is_placed() -> bool:
        return await _why(query, last) == ""

    await until(is_placed)
    monkeypatch.setattr(expected_starts, "FarStarts", partial(FarStarts, 0.0))
    query = _asking(core)
    starts = await query.of(last.id)
    assert query.why_none(last, starts) == "laying"
    await asyncio.sleep(0)
    assert query.why_none(last, starts) == "far"
