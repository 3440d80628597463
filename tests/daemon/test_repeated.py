"""A submit that is repeated while nobody knows whether the first one is stored."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Store
from tests.daemon.scheduling import scheduling


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
    with closing(StoredUntold(tmp_path / "rmsd.db")) as store:
        async with scheduling(store) as scheduler:
            with pytest.raises(DaemonError, match="nothing was stored"):
                await scheduler.submit([new_job()], "ann:key", "digest", 10)
            # The copy may come at once.
            ids = await scheduler.submit([new_job()], "ann:key", "digest", 10)
        assert store.job_ids(lambda query: query, 10) == ids == [1]
