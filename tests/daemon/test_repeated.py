"""A submit that is repeated while nobody knows whether the first one is stored."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.recipes.prediction import runs_needed
from rmsd_core.recipes.presets import PRESETS
from rmsd_daemon.clock import make_clock
from rmsd_daemon.launch import JobRules
from rmsd_daemon.links import AgentLinks
from rmsd_daemon.problems import ApiError
from rmsd_daemon.scheduler import Scheduler
from rmsd_daemon.store import Store, StoreError
from rmsd_daemon.submission import Details, NewJob, Payload
from rmsd_daemon.writing import Changes


class StoredUntold(Store):
    """The first submit is stored, and the daemon is told that it is not."""

    untold = True

    def commit(self, changes: Changes) -> None:
        super().commit(changes)
        if changes.new_jobs and self.untold:
            self.untold = False
            raise StoreError("disk I/O error")


def new_job() -> NewJob:
    return NewJob(Job(0, "ann", 0, processors(1), 60_000_000), Details("j"), Payload())


async def test_a_submit_is_carried_out_once_when_its_commit_was_not_told(tmp_path: Path) -> None:
    store = StoredUntold(tmp_path / "rmsd.db")
    recipe = PRESETS["easy"]
    try:
        clock = make_clock(1.0, 0, False)
        scheduler = Scheduler(store, store.load(runs_needed(recipe)), clock, recipe, "nodes")
        links = AgentLinks(scheduler, clock, 60.0, lambda _: None)
        running = asyncio.create_task(scheduler.run(links, JobRules(10.0, 0.0, False)))
        with pytest.raises(ApiError, match="nothing was stored"):
            await scheduler.submit([new_job()], "ann:key", "digest", 10)
        ids = await scheduler.submit(
            [new_job()], "ann:key", "digest", 10
        )  # at once, as a copy may be
        scheduler.close()
        await running
        assert store.job_ids(lambda query: query, 10) == ids == [1]
    finally:
        store.close()
