"""Retention: what is too old goes, bit by bit, and everything else stays as it was."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.inputs import Cancel
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.offline.reader import snapshot
from rmsd_daemon.offline.verification import verify
from rmsd_daemon.store import retention
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.retention import OF_JOBS, KeptFor, PruningStep, prune
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import metadata
from tests.daemon.scheduling import scheduling
from tests.waiting import until

JOBS = 400


def job_row(job_id: int) -> dict[str, Any]:
    """Return the row of a job that ended at its number in seconds; each tenth one is live."""
    job = Job(job_id, "ann", 1, processors(1), 60_000_000, seq=job_id)
    row = given_columns(job, Details("j")) | changing_columns(job)
    if job_id % 10 == 0:
        return row
    end_us = job_id * 1_000_000
    ended = {"live": False, "state": "COMPLETED", "cause": "exit", "end_us": end_us}
    return row | ended | {"start_us": end_us - 1}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a database with these jobs, and scripts of 4 kB."""
    store = Store(tmp_path / "rmsd.db")
    ids = range(1, JOBS + 1)
    live = sum(at % 10 == 0 for at in ids)
    store.commit(
        Changes(
            new_jobs=[job_row(at) for at in ids],
            scripts=[{"job_id": at, "payload": "x" * 4000} for at in ids],
            submissions=[
                {"key": f"ann:{at}", "digest": "", "first_id": at, "count": 1, "arrays": []}
                for at in ids
            ],
            meta={"last_id": str(JOBS), "live": str(live), "next_seq": str(JOBS + 1), "batch": "1"},
        )
    )
    yield store
    store.close()


def step(store: Store, kept: KeptFor, now_s: int, most: int) -> PruningStep | None:
    """Make one transaction."""
    found: list[PruningStep | None] = []
    store.transact(
        lambda connection: found.append(prune(connection, kept, now_s * 1_000_000, most, 7))
    )
    return found[0]


def ids_in(path: Path, table: str, key: str) -> set[int]:
    """Return the keys of a table's rows."""
    with closing(sqlite3.connect(path)) as database:
        return {at for (at,) in database.execute(f"SELECT {key} FROM {table}")}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_jobs_that_ended_long_ago_go_with_all_that_is_theirs(store: Store, seed: int) -> None:
    """After every transaction the daemon may be killed: what is left is whole."""
    rng = random.Random(seed)
    kept = KeptFor(history_us=100_000_000)
    before = store.load(RunsNeeded(None))
    while done := step(store, kept, 300, rng.randint(1, 50)):
        jobs = ids_in(store.path, "job", "id")
        assert jobs == ids_in(store.path, "script", "job_id")
        assert jobs >= {at for at in range(1, JOBS + 1) if at % 10 == 0 or at >= 200}
        assert done.what in ("job", "page")
    assert jobs == {at for at in range(1, JOBS + 1) if at % 10 == 0 or at >= 200}
    after = store.load(RunsNeeded(None))
    assert (after.next_id, after.next_seq) == (before.next_id, before.next_seq)
    assert [job.id for job, _ in after.jobs] == [job.id for job, _ in before.jobs]
    assert {seq for _, seq, *_ in after.history} == {at for at in jobs if at % 10}


def test_all_that_is_of_a_job_is_known() -> None:
    of_jobs = {table.name for table in metadata.tables.values() if "job_id" in table.c}
    # The virtual EASY forgets a job when that is over on its virtual machine.
    assert of_jobs - {"event", "virtual"} == {table.name for table in OF_JOBS}


def test_the_file_shrinks(store: Store) -> None:
    def merged_size() -> int:
        with closing(sqlite3.connect(store.path)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return store.path.stat().st_size

    before = merged_size()
    while step(store, KeptFor(history_us=0), JOBS + 1, 64):
        pass
    assert merged_size() < before / 3
    store.check_pages()
    assert store.pages.state == "sound"


def test_keys_that_no_start_reads_go(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "REMEMBERED", 30)
    while step(store, KeptFor(), 0, 64):
        pass
    assert ids_in(store.path, "submission", "first_id") == set(range(JOBS - 29, JOBS + 1))


def test_nothing_goes_if_all_is_kept(store: Store) -> None:
    assert step(store, KeptFor(), 1 << 40, 1000) is None


async def test_a_new_daemon_takes_no_snapshot_of_what_is_not_old(tmp_path: Path) -> None:
    """The first event is at time 0, so the events counted as old, and a minute after its first
    start the daemon stopped for a snapshot of all jobs: for 5 s and more if 100,000 waited."""
    kept = KeptFor(events_us=90 * 86_400 * 1_000_000)
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling(store, kept=kept) as scheduler:
            await submit_and_cancel(scheduler, 1)
        found: list[tuple[int, int]] = []
        store.transact(lambda connection: found.extend(retention.snapshots(connection)))
    first, at_us = found[0]
    assert first == 1
    assert scheduler.clock.now_us() - at_us < kept.events_us // 4


async def until_there(path: Path, query: str) -> None:
    """Return when the database answers the query with a row."""

    def row() -> Any:
        with closing(sqlite3.connect(path)) as database:
            return database.execute(query).fetchone()

    await until(row, query, within_s=120)


async def submit_and_cancel(scheduler: Any, count: int) -> list[int]:
    """Return the numbers of jobs that waited, and are over."""
    now_us = scheduler.clock.now_us()
    jobs = [Job(0, "ann", now_us, processors(1), 60_000_000) for _ in range(count)]
    new = [NewJob(job, Details("j"), Payload("#!/bin/sh")) for job in jobs]
    ids = await scheduler.submit(new, None, "", 1000)
    await scheduler.carry_out(*map(Cancel, ids), audit_entries=())
    return list(ids)


@pytest.mark.slow
async def test_a_daemon_prunes_and_what_it_keeps_can_be_verified(tmp_path: Path) -> None:
    """The daemon has two lives. A snapshot, from which on decisions are verified, takes the place
    of the events before it. The numbers of deleted jobs are not given again."""
    path, kept = tmp_path / "rmsd.db", KeptFor(events_us=2_000_000, history_us=1_000_000)
    last = 0
    for _ in range(2):
        with closing(Store(path)) as store:
            async with scheduling(store, kept=kept) as scheduler:
                ids = await submit_and_cancel(scheduler, 5)
                assert min(ids) > last
                last = max(ids)
                gone = f"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM job WHERE id <= {last})"
                await until_there(path, gone)
                first = "SELECT 1 FROM event WHERE id = (SELECT min(id) FROM event) AND kind = "
                await until_there(path, f"{first}'snapshot'")
    with snapshot(tmp_path) as database:
        assert verify(database, lambda _: None).difference is None
