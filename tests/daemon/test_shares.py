"""The share of a user in live jobs: their number, and the memory that their texts take."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.inputs import Cancel
from rmsd_core.vocabulary import Relation
from rmsd_daemon.domain import shares
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.shares import TEXT_BYTES
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.front.problems import problem_of
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import EmulateSpec
from tests.daemon.scheduling import scheduling

MOST_BYTES = 1000


class UnsureStore(Store):
    """A store that fails to commit submits as long as `fails`."""

    fails = False

    def commit(self, changes: Changes) -> None:
        if self.fails and changes.new_jobs:
            raise StoreError("the disk is full")
        super().commit(changes)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UnsureStore:
    monkeypatch.setattr(shares, "TEXT_BYTES", MOST_BYTES)
    return UnsureStore(tmp_path / "rmsd.db")


def new_job(user: str, text_bytes: int) -> NewJob:
    details = Details("x", workdir="", comment="c" * (text_bytes - 1), emulate=EmulateSpec(1.0))
    assert details.text_bytes == text_bytes
    return NewJob(Job(0, user, 0, processors(1), 60_000_000), details, Payload())


async def submit(scheduler: Scheduler, *jobs: NewJob) -> list[int]:
    return await scheduler.submit(list(jobs), None, "", 10)


async def is_full(scheduler: Scheduler, user: str, more: int = 1) -> bool:
    """Tell whether the texts of the user's jobs cannot take `more` bytes."""
    with pytest.raises(DaemonError) as refused:
        await submit(scheduler, new_job(user, more))
    assert problem_of(refused.value).status == 429
    return "names, comments, paths, notices and dependencies" in str(refused.value)


async def test_texts_of_a_users_jobs_take_so_much_memory_at_most(store: UnsureStore) -> None:
    with closing(store):
        async with scheduling(store, "counted") as scheduler:
            both = [new_job("ann", 500), new_job("ann", 501)]
            with pytest.raises(DaemonError, match="take 0 bytes, and may take 1000"):
                await submit(scheduler, *both)
            first, _ = await submit(scheduler, new_job("ann", 600), new_job("ann", 400))
            assert await is_full(scheduler, "ann")
            await submit(scheduler, new_job("bob", 1000))
        async with scheduling(store, "counted") as scheduler:  # after a restart
            assert await is_full(scheduler, "ann")
            await scheduler.carry_out(Cancel(first), audit_entries=[])
            assert await is_full(scheduler, "ann", 601)
            await submit(scheduler, new_job("ann", 600))
            assert await is_full(scheduler, "ann")


async def test_what_was_not_stored_takes_nothing(store: UnsureStore) -> None:
    with closing(store):
        async with scheduling(store, "counted") as scheduler:
            store.fails = True
            with pytest.raises(DaemonError, match="nothing was stored"):
                await submit(scheduler, new_job("ann", 1000))
            store.fails = False
            await submit(scheduler, new_job("ann", 1000))
            assert await is_full(scheduler, "ann")


def test_a_text_counts_what_it_takes_in_memory() -> None:
    assert Details("name", workdir="/").text_bytes == 5
    assert Details("näme", workdir="/", notify="n").text_bytes == 4 * 4 + 2


def test_a_dependency_counts_what_it_costs_when_others_end() -> None:
    """A user has 65,536 dependencies at most. One end among 1,300 jobs with a thousand each would
    hold the daemon for seconds."""
    awaited = tuple(Dependency(Relation.AFTER_OK, at) for at in range(1, 1001))
    details = Details("", conditions=Conditions(dependencies=awaited))
    assert TEXT_BYTES // details.text_bytes == 65


def test_a_list_of_nodes_counts_what_it_takes_in_memory() -> None:
    """Lists of 16 KiB with one name counted as that name, in each of a user's 100,000 jobs."""
    assert Details("", workdir="", exclude="," * 15_000 + "n1").text_bytes > 15_000
    long = "n" * 255
    wide = Details("", workdir="", nodelist=f"{long}[{'0' * 240}1-{'0' * 240}1000]")
    assert wide.text_bytes > 1000 * (255 + 241)
