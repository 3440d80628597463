"""Databases and logs whose tails are cut off or zero: the rest is there, and the loss is said."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Piece, processors
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store import tables
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.nodes import node_of
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.wal import dropped_tail_bytes
from tests.bench import damage
from tests.daemon.rows import NODE
from tests.jobs import running
from tests.live import Daemon
from tests.waiting import wait_until

JOBS = 1000


def job_row(job_id: int) -> dict[str, Any]:
    job = Job(job_id, "ann", 1, processors(1), 60_000_000, seq=job_id)
    columns = given_columns(job, Details("j")) | changing_columns(job)
    return columns | {"live": job_id % 2 == 0}


def changes(first: int, last: int) -> Changes:
    """Return a commit of jobs, the odd ones over, with an event and a script each."""
    events = [
        {"batch": at, "model_us": at, "kind": "cancel", "job_id": at, "version": 1, "payload": {}}
        for at in range(first, last + 1)
    ]
    return Changes(
        events=events,
        new_jobs=[job_row(at) for at in range(first, last + 1)],
        scripts=[
            {"job_id": at, "payload": json.dumps({"script": "#!/bin/sh\n" + "x" * (at % 9000)})}
            for at in range(first, last + 1)
        ],
        meta={"last_id": str(last)},
    )


@pytest.fixture
def said() -> Iterator[list[dict[str, Any]]]:
    """Yield the list of what is logged."""
    with structlog.testing.capture_logs() as entries:
        yield entries  # type: ignore[misc]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a database with 1000 jobs, closed cleanly."""
    store = Store(tmp_path / "rmsd.db")
    store.commit(changes(1, JOBS))
    store.close()
    assert not (tmp_path / "rmsd.db-wal").exists()
    return tmp_path / "rmsd.db"


def cut(path: Path, size: int) -> None:
    os.truncate(path, path.stat().st_size - size)


def zero(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.seek(-size, os.SEEK_END)
        file.write(bytes(size))


def load(path: Path) -> tuple[Snapshot, int, int]:
    """Return the snapshot, and how many jobs and events there are."""
    store = Store(path)
    try:
        store.check_pages()
        snapshot = store.load(RunsNeeded(0))
        assert bool(store.damage.times) == bool(store.damage.kept_as)  # all was mended
        with closing(sqlite3.connect(path)) as database:
            jobs = len(database.execute("SELECT id FROM job").fetchall())
            events = len(database.execute("SELECT id FROM event").fetchall())
        store.commit(changes(snapshot.next_id, snapshot.next_id))  # the database can be written to
        return snapshot, jobs, events
    finally:
        store.close()


def events_of(said: list[dict[str, Any]]) -> set[str]:
    return {str(entry["event"]) for entry in said}


@pytest.mark.slow
@pytest.mark.parametrize("damage", [cut, zero])
@pytest.mark.parametrize("size", [4096, 8192, 50_000, 400_000])
def test_a_damaged_tail_of_the_database(
    database: Path, said: list[dict[str, Any]], damage: Callable[[Path, int], None], size: int
) -> None:
    before = database.stat().st_size
    damage(database, size)
    damaged = database.read_bytes()
    snapshot, jobs, _ = load(database)
    assert jobs >= JOBS * (1 - 2 * size / before) - 60
    assert snapshot.next_id > JOBS
    assert {"database-damaged", "database-salvaged", "table-damaged"} <= events_of(said)
    [kept] = database.parent.glob("rmsd.db.damaged-*")
    assert kept.read_bytes()[: len(damaged)] == damaged
    assert kept.stat().st_mode & 0o077 == database.stat().st_mode & 0o077 == 0
    said.clear()
    assert load(database)[1] == jobs + 1
    assert "database-damaged" not in events_of(said)


@pytest.mark.slow
@pytest.mark.parametrize("at", [0.2, 0.5, 0.8])
def test_damage_in_the_middle_costs_what_was_there_only(
    database: Path, said: list[dict[str, Any]], at: float
) -> None:
    content = database.read_bytes()
    pages = range(int(len(content) // 4096 * at), len(content) // 4096)
    of_a_table = next(page for page in pages if content[4096 * page] == 0x0D)  # not of an index
    with database.open("r+b") as file:
        file.seek(4096 * of_a_table)
        file.write(random.Random(at).randbytes(8192))
    snapshot, jobs, events = load(database)
    assert min(jobs, events) > JOBS - 300
    assert "table-damaged" in events_of(said)
    assert snapshot.next_id > JOBS


def test_rows_of_zeros_do_not_lead_the_reading_back_to_the_beginning(
    database: Path, said: list[dict[str, Any]]
) -> None:
    """A page whose content is zero, and its list of rows is not, has rows with the key 0."""
    content = bytearray(database.read_bytes())
    leaves = [
        at
        for at in range(0, len(content), 4096)
        if content[at] == 0x0D and b"cancel" in content[at : at + 4096]
    ]
    for at in (leaves[len(leaves) // 2], leaves[-1]):
        content[at + 2048 : at + 4096] = bytes(2048)
    database.write_bytes(content)
    _, jobs, events = load(database)
    assert jobs == JOBS
    assert JOBS - 300 < events < JOBS
    assert "table-damaged" in events_of(said)


def test_a_gap_keeps_ids_that_are_lost_from_being_given_out_again(database: Path) -> None:
    cut(database, 400_000)
    store = Store(database)
    assert store.load(RunsNeeded(0)).next_id > JOBS
    store.close()


def test_a_file_that_was_emptied_does_not_pass_for_a_new_one(
    database: Path, said: list[dict[str, Any]]
) -> None:
    os.truncate(database, 0)
    snapshot, jobs, _ = load(database)
    assert (snapshot.next_id > JOBS, jobs) == (True, 0)
    assert "database-damaged" in events_of(said)


def alter(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("column", ["name", "user", "state", "details", "allocation"])
def test_a_text_that_is_none_costs_its_job_alone(
    database: Path, said: list[dict[str, Any]], column: str
) -> None:
    alter(database, f"UPDATE job SET {column} = CAST(x'22ff22' AS TEXT) WHERE id = 500")
    store = Store(database)
    live = {job.id for job, _ in store.load(RunsNeeded(0)).jobs}
    store.close()
    assert live == {job_id for job_id in range(2, JOBS + 1, 2) if job_id != 500}
    assert [entry["job_id"] for entry in said if entry["event"] == "job-damaged"] == [500]


@pytest.mark.parametrize(
    "lose", ["DELETE FROM node", "UPDATE node SET features = '['", "UPDATE node SET name = x'ff'"]
)
@pytest.mark.parametrize("capacity", ["nodes", "counted"])
def test_jobs_on_a_node_whose_row_is_lost_go_on(
    tmp_path: Path, said: list[dict[str, Any]], lose: str, capacity: CapacityKind
) -> None:
    """The agent registers the node again, and no other name is taken for it."""
    job = running(Job(1, "ann", 1, processors(3), 60_000_000), Piece("a", 3, 0))
    job.expected_end_us = 60_000_001
    columns = given_columns(job, Details("j")) | changing_columns(job)
    drain = {"drain_reason": None, "drain_by": "", "drain_us": None}
    node = NODE | {"link": "up", "failures": [], "reboot": []} | drain
    path = tmp_path / "rmsd.db"
    store = Store(path)
    store.commit(Changes(new_jobs=[columns], nodes=[node], meta={"last_id": "1"}))
    store.close()
    alter(path, lose)
    store = Store(path)
    snapshot = store.load(RunsNeeded(0))
    store.close()
    assert {frozenset(row) for row in snapshot.nodes} == {frozenset(tables.NODE.c.keys())}
    core = Core(parse_recipe("easy"), capacity)
    core.restore([node_of(row) for row in snapshot.nodes], [job for job, _ in snapshot.jobs], [])
    assert core.used_on("a").job_ids == [1]
    core.handle(2, [NodeUp("a", 4, 1024)])
    effects = core.handle(3, [Submit(Job(2, "ann", 1, processors(1), 60_000_000))])
    assert [decision.job_id for decision in effects.decisions if isinstance(decision, Start)] == [2]
    assert "node-damaged" in events_of(said)


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return a database as a kill -9 leaves it: the latest commits are in the log."""
    store = Store(tmp_path / "live.db")
    for at in range(1, 41):
        store.commit(changes(at, at))
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"live.db{suffix}", tmp_path / f"rmsd.db{suffix}")
    store.close()
    return tmp_path / "rmsd.db"


def test_a_sound_log_is_not_complained_about(killed: Path, said: list[dict[str, Any]]) -> None:
    snapshot, jobs, _ = load(killed)
    assert (jobs, snapshot.next_id) == (40, 41)
    assert said == []


@pytest.mark.parametrize("damage", [cut, zero])
@pytest.mark.parametrize("size", [100, 8192, 50_000])
def test_a_damaged_tail_of_the_log(
    killed: Path, said: list[dict[str, Any]], damage: Callable[[Path, int], None], size: int
) -> None:
    damage(killed.with_name("rmsd.db-wal"), size)
    store = Store(killed)
    try:
        snapshot = store.load(RunsNeeded(0))
    finally:
        store.close()
    assert 0 < len(snapshot.jobs) <= 20
    [entry] = [entry for entry in said if entry["event"] == "wal-tail-dropped"]
    assert entry["dropped_bytes"] > 0
    assert snapshot.next_id > 1000


def test_what_earlier_rounds_left_in_the_log_is_no_damage(tmp_path: Path) -> None:
    store = Store(tmp_path / "live.db")
    for at in range(1, 101):
        store.commit(changes(at, at))
    with sqlite3.connect(tmp_path / "live.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(RESTART)")
    connection.close()
    store.commit(changes(101, 101))  # at the beginning of the log
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"live.db{suffix}", tmp_path / f"rmsd.db{suffix}")
    store.close()
    assert dropped_tail_bytes(tmp_path / "rmsd.db") == 0
    assert load(tmp_path / "rmsd.db")[1] == 101


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a database and a log of which copies are damaged."""
    folder = tmp_path_factory.mktemp("filled")
    damage.fill(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1020))
def test_damage_anywhere_is_survived_and_said(filled: Path, seed: int) -> None:
    """`python -m tests.bench damage` does more of it, and counts."""
    outcome = damage.outcome(filled, seed)
    assert outcome.opened
    assert outcome.told or not outcome.lost
    assert not outcome.twice


@pytest.mark.slow
@pytest.mark.live
def test_a_daemon_goes_on_with_what_is_left(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x2")
    daemon.spoiled = True  # the end of the file depends on how the commits fell
    running = daemon.submit("while [ ! -e go ]; do sleep 0.02; done; exit 7")
    daemon.wait_for(running, "RUNNING")
    last = max(daemon.submit("true", tasks=2, comment="x" * 3000) for _ in range(50))
    daemon.stop()
    cut(daemon.state / "rmsd.db", 8192)
    daemon.start()
    assert '"event": "database-salvaged"' in daemon.log.read_text()
    assert daemon.submit("true") > last
    (daemon.work / "go").touch()
    wait_until(lambda: not daemon.client.jobs())
