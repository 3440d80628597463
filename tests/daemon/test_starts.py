"""Starts read what they need, however long the history is: the same as a look at all of it."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import Engine, event

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.store import Store

_Run = tuple[str, int, int, int, int]


def _row(at: int, rng: random.Random) -> dict[str, Any]:
    """Return the row of a job that waits, was cancelled in the queue, or ended in some way."""
    user, request, estimate_us = (
        rng.choice(["ann", "bob", "eve"]),
        processors(rng.choice([1, 4])),
        rng.choice([60, 90]),
    )
    job = Job(at, user, 1, request, estimate_us, seq=at)
    row = given_columns(job, Details("j")) | changing_columns(job)
    match rng.choice(["waits", "cancelled", "exit", "limit", "node"]):
        case "waits":
            return row
        case "cancelled":
            return row | {"live": False, "state": "CANCELLED", "cause": "user", "end_us": 9}
        case cause:
            ran = {"start_us": at, "end_us": at + rng.randint(1, 99), "cause": cause}
            return row | {"live": False, "state": "FAILED"} | ran


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    rng = random.Random(7)
    return [_row(at, rng) for at in range(1, 301)]


@pytest.fixture
def store(tmp_path: Path, rows: list[dict[str, Any]]) -> Iterator[Store]:
    """Yield a database with these jobs."""
    store = Store(tmp_path / "rmsd.db")
    live = sum(row["live"] for row in rows)
    meta = {"last_id": "300", "live": str(live), "next_seq": "301"}
    store.commit(Changes(new_jobs=rows, meta=meta))
    yield store
    store.close()


def _expected(rows: list[dict[str, Any]], needed: RunsNeeded) -> set[_Run]:
    """Return the runs that are needed, from a look at all jobs."""
    groups: dict[object, list[_Run]] = defaultdict(list)
    for row in rows:
        if row["cause"] in ("exit", "limit") and row["start_us"] is not None:
            user, estimate_us, size = row["user"], row["estimate_us"], row["size"]
            by_estimate = needed.by_estimate or needed.by_size
            group = user, by_estimate and estimate_us, needed.by_size and size
            run_us = row["end_us"] - row["start_us"]
            groups[group].append((user, row["seq"], run_us, estimate_us, size))
    latest = 300 if needed.latest is None else needed.latest
    return {run for runs in groups.values() for run in sorted(runs, key=_seq)[:latest]}


def _seq(run: _Run) -> int:
    return -run[1]


@pytest.mark.slow
@pytest.mark.parametrize("latest", [0, 1, 2, 7, 1000, None])
@pytest.mark.parametrize("alike", [{}, {"by_estimate": True}, {"by_size": True}])
def test_the_latest_runs_of_all_users_are_read(
    store: Store, rows: list[dict[str, Any]], latest: int | None, alike: dict[str, bool]
) -> None:
    needed = RunsNeeded(latest, **alike)
    history = store.load(needed).history
    assert len(history) == len(set(history))
    assert set(history) == _expected(rows, needed)


def test_a_start_with_the_latest_runs_scans_no_table(store: Store, tmp_path: Path) -> None:
    """Every query of a start finds its rows by an index that has no other rows."""
    statements: list[str] = []

    def note(*arguments: Any) -> None:
        statements.append(arguments[2])

    event.listen(Engine, "before_cursor_execute", note)
    try:
        store.load(RunsNeeded(2))
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    plans = []
    with closing(sqlite3.connect(tmp_path / "rmsd.db")) as database:
        for statement in statements:
            if statement.startswith(("SELECT", "WITH")):
                marks = [None] * statement.count("?")
                plan = database.execute(f"EXPLAIN QUERY PLAN {statement}", marks).fetchall()
                plans += [row[3] for row in plan]
    scans = [plan for plan in plans if plan.startswith("SCAN")]
    bounded = (
        "meta",
        "node",
        "job USING INDEX job_live",
        "planned",
        "reservation",
        "used",
        "of",
        "event",
        "submission",
        "virtual",
        "token",
    )
    assert [scan for scan in scans if not scan.removeprefix("SCAN ").startswith(bounded)] == []
    assert not [plan for plan in plans if "TEMP B-TREE" in plan]


def test_live_jobs_that_an_index_has_lost_are_found_again(
    store: Store, tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """No page is damaged, so that only the counter tells it."""
    store.close()
    with closing(sqlite3.connect(tmp_path / "rmsd.db", isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        where = "WHERE name = 'job_live'"
        [(sql,)] = database.execute(f"SELECT sql FROM sqlite_master {where}").fetchall()
        database.execute(
            f"UPDATE sqlite_master SET sql = replace(sql, 'WHERE live', 'WHERE live > 1') {where}"
        )
        database.execute("PRAGMA writable_schema = RESET")
        database.execute("REINDEX job_live")
        database.execute("PRAGMA writable_schema = ON")
        database.execute(f"UPDATE sqlite_master SET sql = ? {where}", (sql,))
    with structlog.testing.capture_logs() as said:
        again = Store(tmp_path / "rmsd.db")
        jobs = again.load(RunsNeeded(0)).jobs
        again.close()
    assert len(jobs) == sum(row["live"] for row in rows) > 0
    assert "database-damaged" in {entry["event"] for entry in said}


def test_the_check_of_the_file_can_be_stopped(store: Store) -> None:
    assert store.pages.state == "unchecked"
    store.check_pages()
    assert store.pages.state == "sound"
    store.pages.stop()
    assert store.pages.run() is None
    assert store.pages.state == "unchecked"
