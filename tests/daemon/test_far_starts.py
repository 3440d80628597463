"""Jobs far behind in the queue are placed beside the daemon's other work."""

from __future__ import annotations

import asyncio

from rmsd_core.planning.expected_starts import DEPTH, Projection
from rmsd_core.planning.portions import whole
from rmsd_daemon.queries.far_starts import FarStarts
from tests.daemon.scheduling import queued
from tests.waiting import DEADLINE_S


async def lay(far: FarStarts, projection: Projection) -> None:
    """Place the jobs that the projection has left out, and wait for that."""
    laying = far.follow(projection)
    assert laying is not None
    await asyncio.wait_for(laying, DEADLINE_S)


async def test_all_jobs_are_placed_and_the_latest_plan_is_kept() -> None:
    core, far = queued(DEPTH + 300), FarStarts()
    first, second = whole(core.projection(0)), whole(core.projection(1))
    laying = far.follow(first)
    assert laying is not None
    assert far.follow(second) is None, "another one is under way"
    await asyncio.wait_for(laying, DEADLINE_S)
    assert far.starts is first.starts
    assert len(first.starts.expected) == DEPTH + 300
    assert len(second.starts.expected) == DEPTH
    await lay(far, second)
    assert far.starts is second.starts


async def test_a_plan_takes_so_long_at_most_and_is_not_taken_up_again() -> None:
    core, far = queued(DEPTH + 300), FarStarts(most_s=0.0)
    projection = whole(core.projection(0))
    await lay(far, projection)
    assert len(projection.starts.left_out) == 300
    assert far.starts is projection.starts
    assert far.follow(projection) is None


async def test_a_short_queue_is_not_placed_twice() -> None:
    assert FarStarts().follow(whole(queued(DEPTH).projection(0))) is None
