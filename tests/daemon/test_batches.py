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
from rmsd_daemon.loop.mailbox import MOST_INPUTS, Register, Work, next_batch
from rmsd_daemon.store.store import Store
from rmsd_wire import link
from tests.daemon.rows import NODE
from tests.daemon.scheduling import NoLinks, scheduling


def _jobs(user: str, count: int, now_us: int) -> list[NewJob]:
    jobs = [Job(0, user, now_us, processors(1), 60_000_000) for _ in range(count)]
    return [NewJob(job, Details("j"), Payload("#!/bin/sh")) for job in jobs]


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of inputs of the calls of cores."""
    sizes: list[int] = []
    handle = Core.handle

    def counted(core: Core, now_us: int, inputs: Any) -> Any:
        sizes.append(len(inputs))
        return handle(core, now_us, inputs)

    monkeypatch.setattr(Core, "handle", counted)
    return sizes


@pytest.mark.slow
async def test_submits_that_come_together_are_several_batches(
    tmp_path: Path, sizes: list[int]
) -> None:
    """All that had come was one batch. When 20 users submitted a thousand jobs each, the event loop
    was occupied for 0.3 s and more at a time; with more users, for as many times as long."""
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


async def test_an_agent_with_many_nodes_is_registered_in_several_batches(
    tmp_path: Path, sizes: list[int]
) -> None:
    """The core took the 10,000 nodes of an agent in one call of 0.45 s."""
    names = [f"x{at}" for at in range(3 * MOST_INPUTS)]
    rows = [{**NODE, "name": name, "agent_id": "many"} for name in names]
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            scheduler.put(Register(NoLinks(), rows, [], []))
            await scheduler.submit(_jobs("ann", 1, scheduler.clock.now_us()), None, "", 1000)
            assert list(scheduler.cluster.core.nodes) == names
    assert sum(sizes) == len(names) + 1
    assert max(sizes) <= MOST_INPUTS


def test_what_is_held_on_a_node_is_told_with_it_and_a_later_hello_replaces_all_parts() -> None:
    names = [f"x{at}" for at in range(MOST_INPUTS)]
    rows = [{**NODE, "name": name} for name in names]
    held = [link.HeldAttempt(at, 1, name) for at, name in enumerate([*names, "gone"], 1)]
    whole = Register(NoLinks(), rows, ["gone"], held)
    works: list[Work] = [whole]
    parts: list[Register] = []
    while works:
        batch, works = next_batch(works, is_whole=False)
        parts += [work for work in batch if isinstance(work, Register)]
    assert len(parts) == 3
    assert [row for part in parts for row in part.nodes] == rows
    assert [one for part in parts for one in part.held] == held
    for part in parts:
        assert {one.node for one in part.held} == {*(row["name"] for row in part.nodes)} | {
            *part.leaving
        }
    later = Register(NoLinks(), [], [], [])
    assert next_batch([*parts[1:], later], is_whole=False) == ([later], [])
