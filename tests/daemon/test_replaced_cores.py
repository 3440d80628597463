"""A core that another one replaces is freed at once, without a search for cycles."""

from __future__ import annotations

import gc
from contextlib import closing
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_daemon.domain.errors import NotStored
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.domain.troubles import Troubles
from rmsd_daemon.loop import replaced
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Store
from tests.daemon.scheduling import scheduling

_JOBS = 300
_MOST = 1000
_FAILURES = 12


def _jobs(count: int, now_us: int) -> list[NewJob]:
    return [
        NewJob(Job(0, "ann", now_us, processors(1), 1_000_000), Details("j"), Payload())
        for _ in range(count)
    ]


@pytest.mark.slow
async def test_commits_that_fail_leave_two_cores_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the disk was full, each commit left a core with all waiting jobs in memory, until the
    next complete collection of garbage, within an hour."""
    alive: WeakSet[Core] = WeakSet()
    restore = Core.restore
    monkeypatch.setattr(replaced, "AT_ONCE", 7)

    def noted(core: Core, *args: Any, **more: Any) -> None:
        restore(core, *args, **more)
        alive.add(core)

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Core, "restore", noted)
    monkeypatch.setattr(Troubles, "failed", lambda *_: 0.0)  # no pause
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            now_us = scheduler.clock.now_us()
            await scheduler.submit(_jobs(_JOBS, now_us), None, "", _MOST)
            commit = store.commit
            gc.collect()
            gc.disable()
            try:
                for at in range(_FAILURES):
                    monkeypatch.setattr(store, "commit", refuse)
                    before = scheduler.core
                    with pytest.raises(NotStored):
                        await scheduler.submit(_jobs(1, now_us), None, "", _MOST)
                    monkeypatch.setattr(store, "commit", commit)
                    await scheduler.sound()
                    assert scheduler.core is not before, at
                    del before
                    assert len(alive) <= 2
            finally:
                gc.enable()
            assert len(scheduler.core.jobs) == _JOBS
