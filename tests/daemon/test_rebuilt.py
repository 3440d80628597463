"""A core that is built anew from the stored state, while the event loop does its other work."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_daemon.domain.errors import TooManyJobs
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.store.store import Store
from tests.daemon.scheduling import scheduling

MOST = 5
"""The jobs that a user may have here."""


def _jobs(count: int, now_us: int) -> list[NewJob]:
    return [
        NewJob(Job(0, "ann", now_us, processors(1), 1_000_000), Details("j"), Payload())
        for _ in range(count)
    ]


async def _submit_anew(scheduler: Scheduler) -> None:
    """Submit a job with whose pass the core fails, so that another core takes its place."""

    def handle(*_: object) -> Any:
        raise RuntimeError("an ill pass")

    ill = scheduler.core
    ill.handle = handle  # type: ignore[method-assign]
    await scheduler.submit(_jobs(1, scheduler.clock.now_us()), None, "", MOST)
    assert scheduler.core is not ill


async def test_it_is_built_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 100,000 waiting jobs the event loop stood still for a second, and under `rmsd` for two,
    after each failed commit and each snapshot."""
    threads: list[threading.Thread] = []
    restore = Core.restore

    def noted(*args: Any, **more: Any) -> None:
        threads.append(threading.current_thread())
        restore(*args, **more)

    monkeypatch.setattr(Core, "restore", noted)
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            await _submit_anew(scheduler)
    assert [one is threading.main_thread() for one in threads] == [True, False]


async def test_jobs_count_for_their_user_also_after_it(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            now_us = scheduler.clock.now_us()
            await scheduler.submit(_jobs(3, now_us), None, "", MOST)
            await _submit_anew(scheduler)
            assert len(scheduler.core.jobs) == 4
            with pytest.raises(TooManyJobs, match="ann has 4 jobs"):
                await scheduler.submit(_jobs(2, now_us), None, "", MOST)
            await scheduler.submit(_jobs(1, now_us), None, "", MOST)
