"""A full collection of garbage walks only what has come since the last one."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from rmsd_daemon.setup.garbage import collect_all, short_pauses
from tests.waiting import until


class _Cycle:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.slow
def test_survivors_of_a_full_collection_are_walked_once_and_garbage_is_freed() -> None:
    before = gc.get_threshold()
    with short_pauses():
        many = [[at] for at in range(50_000)]
        gc.collect()
        assert len(gc.get_objects()) < len(many), "the survivors are frozen"
        cycle = weakref.ref(_Cycle())
        gc.collect()
        assert cycle() is None
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == before
    assert gc.collect() >= 0


@pytest.mark.slow
async def test_cycles_that_were_frozen_are_freed_by_a_complete_collection() -> None:
    with short_pauses():
        kept = _Cycle()
        cycle = weakref.ref(kept)
        gc.collect()
        del kept
        gc.collect()
        assert cycle() is not None, "it was frozen while it was used"
        collecting = asyncio.create_task(collect_all(0.0))
        await until(lambda: cycle() is None)
        collecting.cancel()
        assert gc.get_freeze_count() > 0
