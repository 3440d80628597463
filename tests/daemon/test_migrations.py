"""Databases of every earlier schema: migrated, they are what this rmsd makes, with all in them."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory

import rmsd_daemon.store.migrations
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.offline.reading import ReadingError, recorded, snapshot
from rmsd_daemon.store.schema import SchemaError, revision_of
from rmsd_daemon.store.store import Store, StoreError
from rmsd_daemon.store.tables import REVISION
from tests.live import Daemon

STORED = sorted((Path(__file__).parent / "databases").glob("*.sql"), key=lambda path: path.stem)
OLDER = [path for path in STORED if path.stem < REVISION]
LIVE = {"CONFIGURING", "RUNNING", "PENDING"}


def load(stored: Path, folder: Path) -> Path:
    """The database of which `stored` is the text."""
    path = folder / "rmsd.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(stored.read_text())
    return path


def ask(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def schema(path: Path) -> dict[str, str]:
    """The SQL of all tables and indexes, written in one way."""
    made = ask(path, "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL")
    return {name: re.sub(r'[\s"]+', " ", sql).replace("( ", "(") for name, sql in made}


def revision(path: Path) -> str | None:
    with closing(sqlite3.connect(path)) as connection:
        return revision_of(connection.execute, path)


def open_and_close(path: Path) -> None:
    Store(path).close()


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What must be there afterwards as well."""
    job = (
        "id, seq, user, name, live, state, estimate_us, request, details, attempt, start_us, "
        "end_us, allocation, cause, exit_code, signal, message"
    )
    node = (
        "name, agent_id, kind, cores, mem_mib, features, hostname, os, cpu_model, boot_id, "
        "agent_version, link, drain_reason"
    )
    names = dict.fromkeys(("attempt", "script", "submission"), "*") | {"job": job, "node": node}
    found = {table: ask(path, f"SELECT {columns} FROM {table}") for table, columns in names.items()}
    found = {table: sorted(rows, key=repr) for table, rows in found.items()}
    return found | {"event": ask(path, "SELECT * FROM event WHERE kind != 'given'")}


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_a_database_of_an_earlier_schema_is_migrated(stored: Path, tmp_path: Path) -> None:
    path = load(stored, tmp_path)
    assert revision(path) == stored.stem
    before = content(path)
    assert len(before["job"]) > 10

    open_and_close(path)
    assert content(path) == before

    open_and_close(new := tmp_path / "new.db")
    assert schema(path) == schema(new)
    assert revision(path) == revision(new) == REVISION
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_its_jobs_can_be_loaded(stored: Path, tmp_path: Path) -> None:
    path = load(stored, tmp_path)
    live = ask(path, "SELECT id, state FROM job WHERE live")
    store = Store(path)
    try:
        loaded = store.load(RunsNeeded(0))
    finally:
        store.close()
    assert [(job.id, job.state.value) for job, _ in loaded.jobs] == live
    assert {state for _, state in live} <= LIVE
    assert [row["count"] for row in loaded.submissions if row["key"].endswith("twice")] == [2]
    assert len(recorded(tmp_path).views) > 10


@pytest.mark.parametrize("stored", OLDER, ids=lambda path: path.stem)
def test_the_database_of_before_is_kept(stored: Path, tmp_path: Path) -> None:
    path = load(stored, tmp_path)
    before = ask(path, "SELECT * FROM job")
    open_and_close(path)
    kept = path.with_name(f"rmsd.db.before-{REVISION}")
    assert kept.stat().st_mode & 0o077 == 0
    assert revision(kept) == stored.stem
    assert ask(kept, "SELECT * FROM job") == before


@pytest.mark.live
@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
def test_a_daemon_goes_on_with_it(stored: Path, start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", "--rate", "20", begin=False)
    daemon.state.mkdir(mode=0o700)
    path = load(stored, daemon.state)
    path.chmod(0o600)
    with closing(sqlite3.connect(path)) as connection, connection:
        # The clock goes on where it stood, or the timers would be over some days after they began.
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'clock_scaled'")
    waits, _ = [name for (name,) in ask(path, "SELECT id FROM job WHERE name = 'waits'")]
    running = [job_id for (job_id,) in ask(path, "SELECT id FROM job WHERE state = 'RUNNING'")]
    [(last,)] = ask(path, "SELECT max(id) FROM job")
    daemon.start()
    assert len(running) == 2
    for job_id in running:
        daemon.wait_for(job_id, "RUNNING")
        daemon.client.cancel(job_id)
    daemon.client.resume("e2")
    assert daemon.wait(waits)["state"] == "COMPLETED"
    new = daemon.submit("exit 4")
    assert new > last
    assert daemon.wait(new)["exit_code"] == 4


# ---------------------------------------------------------------- what goes wrong


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database of the first schema."""
    return load(STORED[0], tmp_path)


def test_a_migration_that_fails_leaves_the_database_as_it_was(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        # In the way of the last revisions but one.
        connection.execute("CREATE TABLE notice (job_id INTEGER, url TEXT, target TEXT)")
    before = schema(old), ask(old, "SELECT * FROM job")
    with pytest.raises(StoreError, match=r"schema 0001 to .* as it was: .*duplicate column"):
        Store(old)
    assert (schema(old), ask(old, "SELECT * FROM job")) == before
    assert revision(old) == "0001"
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DROP TABLE notice")
    open_and_close(old)
    assert revision(old) == REVISION


KILLED_WITHIN = """
import os, signal, sys
from pathlib import Path
import rmsd_daemon.store.migrations as migrations
from rmsd_daemon.store.schema import mark
from rmsd_daemon.store.store import Store

at_the_end = migrations.mark
def killed(*arguments):
    at_the_end(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
migrations.mark = killed
Store(Path(sys.argv[1]))
"""


def test_a_migration_that_is_killed_is_done_again(old: Path) -> None:
    before = schema(old), ask(old, "SELECT * FROM job")
    killed = subprocess.run([sys.executable, "-c", KILLED_WITHIN, str(old)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (schema(old), ask(old, "SELECT * FROM job")) == before
    open_and_close(old)
    assert revision(old) == REVISION


def test_a_damaged_database_of_an_earlier_schema_is_salvaged_and_migrated(old: Path) -> None:
    before = len(ask(old, "SELECT * FROM job"))
    os.truncate(old, old.stat().st_size - 4096)
    open_and_close(old)
    assert revision(old) == REVISION
    assert len(ask(old, "SELECT * FROM job")) >= before - 3
    assert schema(old).keys() >= {"job", "event", "notice", "job_live"}


def test_a_later_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    open_and_close(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    with pytest.raises(StoreError, match="written by a later rmsd: it has schema 9999"):
        Store(path)
    with pytest.raises(ReadingError, match="later rmsd"), snapshot(tmp_path):
        pass


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
        with pytest.raises(SchemaError, match="is not a database of rmsd"):
            revision_of(connection.execute, path)


def test_reading_an_older_one_says_what_to_do(old: Path) -> None:
    with pytest.raises(ReadingError, match=r"schema 0001, this rmsd reads .* next `rmsd start`"):
        recorded(old.parent)


# ---------------------------------------------------------------- the revisions themselves


def test_the_revisions_are_numbered_in_a_row() -> None:
    folder = Path(rmsd_daemon.store.migrations.__file__).parent
    found = [one.revision for one in ScriptDirectory(str(folder)).walk_revisions()][::-1]
    assert found == [f"{number:04}" for number in range(1, int(REVISION) + 1)]


def test_every_schema_of_before_is_stored_here() -> None:
    assert [path.stem for path in STORED] >= [f"{n:04}" for n in range(1, int(REVISION))]


def test_a_start_with_nothing_to_migrate_does_without_alembic(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from rmsd_daemon.store.store import Store\n"
        "for _ in range(2): Store(Path(sys.argv[1])).close()\n"
        "sys.exit('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "rmsd.db")]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    os.seteuid(65534)
    try:
        with pytest.raises(ReadingError, match="Permission denied"), snapshot(tmp_path):
            pass
    finally:
        os.seteuid(0)
