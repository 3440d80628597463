"""Lists with nothing for their callers: others have their turn while all jobs are looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from rmsd_daemon.api.priorities import priority_views
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.queue import queue_rows
from rmsd_daemon.store.store import Store
from tests.daemon.scheduling import scheduling

_JOBS = 20_000

Listing = Callable[[Scheduler, list[int]], AsyncIterator[Sequence[object]]]


@pytest.mark.parametrize(
    ("listing", "most_at_once"),
    [
        pytest.param(
            lambda scheduler, ids: queue_rows(scheduler, ids, frozenset({"ann"})), 200, id="queue"
        ),
        pytest.param(
            lambda scheduler, ids: priority_views(scheduler, ids, "ann"), 500, id="priorities"
        ),
    ],
)
async def test_others_have_their_turn_while_a_user_without_jobs_lists_them(
    listing: Listing, most_at_once: int, tmp_path: Path
) -> None:
    """A list of 100,000 jobs of others has no row for the user, and was made in one piece."""
    async with scheduling(Store(tmp_path / "rmsd.db")) as scheduler:

        async def listed() -> list[object]:
            numbers = list(range(1, _JOBS + 1))
            return [row async for rows in listing(scheduler, numbers) for row in rows]

        made, turns_of_others = asyncio.create_task(listed()), 0
        while not made.done():
            await asyncio.sleep(0)
            turns_of_others += 1
        assert made.result() == []
        assert turns_of_others >= _JOBS / most_at_once
