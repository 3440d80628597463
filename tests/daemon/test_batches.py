"""A batch is a bounded number of inputs, whatever comes at once."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Cancel
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.loop.mailbox import MOST_INPUTS
from rmsd_daemon.store.store import Store
from tests.daemon.scheduling import scheduling


def _jobs(user: str, count: int, now_us: int) -> list[NewJob]:
    jobs = [Job(0, user, now_us, processors(1), 60_000_000) for _ in range(count)]
    return [NewJob(job, Details("j"), Payload("#!/bin/sh")) for job in jobs]


async def test_submits_that_come_together_are_several_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that had come was one batch. When 20 users submitted a thousand jobs each, the event loop
    was occupied for 0.3 s and more at a time; with more users, for as many times as long."""
    sizes: list[int] = []
    handle = Core.handle

    def counted(core: Core, now_us: int, inputs: Any) -> Any:
        sizes.append(len(inputs))
        return handle(core, now_us, inputs)

    monkeypatch.setattr(Core, "handle", counted)
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            now_us = scheduler.clock.now_us()
            users = [f"u{at}" for at in range(12)]
            submits = [scheduler.submit(_jobs(user, 150, now_us), None, "", 1000) for user in users]
            large = scheduler.submit(_jobs("ann", 2 * MOST_INPUTS, now_us), None, "", 2000)
            found = await asyncio.gather(*submits, large)
            cancels = [scheduler.carry_out(Cancel(ids[0]), audit_entries=()) for ids in found]
            assert await asyncio.gather(*cancels) == [True] * len(found)
    firsts = [ids[0] for ids in found]
    assert firsts == sorted(firsts), "they come in order"
    assert sum(sizes) == 12 * 150 + 2 * MOST_INPUTS + len(found)
    assert sorted(sizes)[-1] == 2 * MOST_INPUTS, "one submit is one batch, all or nothing"
    assert sorted(sizes)[-2] <= MOST_INPUTS
