"""Stored databases under this rmsd and under the next one, which has one more revision."""

from __future__ import annotations

import json
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
from rmsd_daemon.offline.backups import BackupError, held_by
from rmsd_daemon.offline.reader import ReadingError, recorded, snapshot
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.schema import SchemaError, revision_of
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import BASE, REVISION
from tests.daemon.next_rmsd import NEXT, NextRmsd, make_next_rmsd
from tests.live import Daemon

STORED = sorted((Path(__file__).parent / "databases").glob("*.sql"), key=lambda path: path.stem)
PRESENT = [path for path in STORED if path.stem == REVISION]
LIVE = {"CONFIGURING", "RUNNING", "PENDING"}
OPEN = (
    "import sys; from pathlib import Path; from rmsd_daemon.store.store import Store\n"
    "from rmsd_daemon.store.failures import StoreError\n"
    "try: Store(Path(sys.argv[1])).close()\n"
    "except StoreError as error: sys.exit(str(error))"
)
every_stored = pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)
every_stored_in_time = pytest.mark.parametrize(
    "stored",
    [
        # long: each is migrated by a process of its own
        pytest.param(path, marks=[pytest.mark.long] * (path not in (STORED[0], STORED[-1])))
        for path in STORED
    ],
    ids=lambda path: path.stem,
)
"""The first and the last stored database in the short run, and all others in the long one."""


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> NextRmsd:
    """Return the environment of the next rmsd."""
    return make_next_rmsd(tmp_path_factory.mktemp("next"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a database of the base revision, which is an earlier one to the next rmsd."""
    return load(STORED[0], tmp_path / "rmsd.db")


def load(stored: Path, path: Path) -> Path:
    """Make the database at `path` of which `stored` is the text."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(stored.read_text())
    path.chmod(0o600)
    return path


def ask(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query to the database at `path`."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def execute(path: Path, statement: str) -> None:
    """Change the database at `path`."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def schema(path: Path) -> dict[str, str]:
    """Return the SQL of all tables and indexes, with the same spaces everywhere."""
    made = ask(path, "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL")
    return {name: re.sub(r'[\s"]+', " ", sql).replace("( ", "(") for name, sql in made}


def number_of(path: Path) -> str:
    """Return the revision that the header names."""
    [(number,)] = ask(path, "PRAGMA user_version")
    return f"{number:04}"


def columns(path: Path) -> dict[str, str]:
    """Return the columns of every table, as a query lists them."""
    tables = [name for (name,) in ask(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: ", ".join(f'"{name}"' for _, name, *_ in ask(path, f"PRAGMA table_info({table})"))
        for table in tables
    }


def content(path: Path, names: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows with the columns `names`, except for what a migration adds: an event, and in
    `meta` its number and its place among the snapshots."""
    left_out = {
        "event": "WHERE kind != 'external-change'",
        "meta": "WHERE key NOT IN ('batch', 'snapshots')",
    }
    return {
        table: sorted(ask(path, f"SELECT {of} FROM {table} {left_out.get(table, '')}"), key=repr)
        for table, of in names.items()
    }


# ---------------------------------------------------------------- this rmsd


@pytest.mark.parametrize("stored", PRESENT, ids=lambda path: path.stem)
def test_a_database_of_this_schema_is_what_this_rmsd_makes(stored: Path, tmp_path: Path) -> None:
    path, new = load(stored, tmp_path / "rmsd.db"), tmp_path / "new.db"
    names = columns(path)
    before = content(path, names)
    live = ask(path, "SELECT id, state FROM job WHERE live")
    assert {state for _, state in live} == {"RUNNING", "PENDING"} <= LIVE
    Store(new).close()
    with closing(Store(path)) as store:
        loaded = store.load(RunsNeeded(0))
    assert schema(path) == schema(new), "change a table by a revision (docs/architecture.md)"
    assert [(job.id, job.state.value) for job, _ in loaded.jobs] == live
    assert [row["count"] for row in loaded.submissions if row["key"].endswith("twice")] == [2]
    assert len(recorded(tmp_path).views) > 10
    assert content(path, names) == before
    assert not list(tmp_path.glob("*.before-*"))


def test_a_later_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    Store(path).close()
    execute(path, "PRAGMA user_version = 9999")
    with pytest.raises(StoreError, match="written by a later rmsd: it has schema 9999"):
        Store(path)
    with pytest.raises(ReadingError, match="later rmsd"), snapshot(tmp_path):
        pass


@pytest.mark.parametrize("number", [0, int(BASE) - 1])
def test_a_database_from_before_the_base_is_refused(tmp_path: Path, number: int) -> None:
    path = tmp_path / "rmsd.db"
    Store(path).close()
    execute(path, f"PRAGMA user_version = {number}")
    said = f"before the first release: it has schema {number:04}, .* use that rmsd"
    with pytest.raises(StoreError, match=f"{said}, or use another --state-dir"):
        Store(path)
    with pytest.raises(ReadingError, match=said), snapshot(tmp_path):
        pass
    with pytest.raises(BackupError, match=said):
        held_by(path)
    assert number_of(path) == f"{number:04}"


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
        with pytest.raises(SchemaError, match="is not a database of rmsd"):
            revision_of(connection.execute, path)


def test_the_revisions_are_numbered_in_a_row() -> None:
    folder = Path(rmsd_daemon.store.migrations.__file__).parent
    found = [one.revision for one in ScriptDirectory(str(folder)).walk_revisions()][::-1]
    assert found == [f"{number:04}" for number in range(int(BASE), int(REVISION) + 1)]


def test_every_schema_of_before_is_stored_here() -> None:
    numbers = [int(path.stem) for path in STORED]
    assert numbers == list(range(int(BASE), max(numbers) + 1))
    assert max(numbers) >= int(REVISION) - 1


@pytest.mark.slow
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


# ---------------------------------------------------------------- the next rmsd


@pytest.mark.slow
@every_stored_in_time
def test_the_next_rmsd_migrates_a_database(stored: Path, tmp_path: Path, later: NextRmsd) -> None:
    path, new = load(stored, tmp_path / "rmsd.db"), tmp_path / "new.db"
    names = columns(path)
    before = content(path, names)
    assert min(len(before[table]) for table in ("job", "script", "attempt", "event")) > 8
    assert min(len(before[table]) for table in ("node", "submission", "audit")) > 1
    assert len(before["token"]) == 1

    later.python(OPEN, path)
    assert content(path, names) == before
    for table, column in (("job", "account"), ("attempt", "rack")):
        assert set(ask(path, f"SELECT {column} FROM {table}")) == {("old",)}

    later.python(OPEN, new)
    assert schema(path) == schema(new)
    assert number_of(path) == number_of(new) == NEXT
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]

    kept = path.with_name(f"rmsd.db.before-{NEXT}")
    assert kept.stat().st_mode & 0o077 == 0
    assert number_of(kept) == stored.stem
    assert (columns(kept), content(kept, names)) == (names, before)


@pytest.mark.long  # starts a daemon for every stored database
@pytest.mark.live
@every_stored
def test_its_daemon_goes_on_and_finds_its_decisions(
    stored: Path, later: NextRmsd, start_daemon: Callable[..., Daemon]
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", "--rate", "20", begin=False)
    daemon.spoiled = True  # only the next rmsd can read its record, see below
    daemon.env |= later.env
    daemon.state.mkdir(mode=0o700)
    path = load(stored, daemon.state / "rmsd.db")
    # The clock goes on where it stood, or the timers would be over some days after they began.
    execute(path, "UPDATE meta SET value = '1' WHERE key = 'clock_scaled'")
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
    daemon.stop()

    assert ask(path, f"SELECT account FROM job WHERE id = {new}") == [("new",)]
    assert ask(path, f"SELECT rack FROM attempt WHERE job_id = {new}") == [("new",)]
    verdict = json.loads(daemon.rmsd("verify", "--json", expect=0).stdout)
    assert verdict["difference"] is None
    assert verdict["starts"] == 1, "the verification begins where the migration ended"
    assert verdict["decisions"] >= 5


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.live
def test_it_restores_an_older_backup(
    old: Path, later: NextRmsd, start_daemon: Callable[..., Daemon]
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", begin=False)
    daemon.spoiled = True  # the next rmsd's, again
    daemon.env |= later.env
    said = daemon.rmsd("restore", old, daemon.state, expect=0).stdout
    assert "13 jobs, 5 of them not over" in said
    assert not list(daemon.state.glob("*.before-*"))
    daemon.start()
    assert len(daemon.client.jobs(states="all", limit=100)) == 13


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_restore_keeps_the_audit_trail_of_an_older_database(old: Path, later: NextRmsd) -> None:
    """The tables of tokens and of the audit trail are the same in both; that of nodes is not."""
    state = old.parent / "s"
    state.mkdir(mode=0o700)
    replaced = load(STORED[0], state / "rmsd.db")
    execute(replaced, "UPDATE audit SET subject = 'since' WHERE id = (SELECT max(id) FROM audit)")
    restore = "import sys; from rmsd_cli.main import main; sys.exit(main(sys.argv[1:]))"
    later.python(restore, "restore", old, state)
    assert number_of(replaced) == NEXT
    *_, since, last = ask(replaced, "SELECT action, subject FROM audit ORDER BY id")
    assert (since[1], last[0]) == ("since", "restore")


@pytest.mark.slow
def test_it_reads_no_older_database_and_says_what_to_do(old: Path, later: NextRmsd) -> None:
    verify = "import sys; from rmsd_cli.main import main; sys.exit(main(sys.argv[1:]))"
    said = later.python(verify, "verify", old.parent, expect=1).stderr
    assert f"has schema {STORED[0].stem}, this rmsd reads {NEXT}; the next `rmsd start`" in said


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_migration_that_fails_leaves_the_database_as_it_was(old: Path, later: NextRmsd) -> None:
    execute(old, "CREATE TABLE _alembic_tmp_node (a)")  # in the way of the last step
    before = schema(old), ask(old, "SELECT * FROM job")
    said = later.python(OPEN, old, expect=1).stderr
    assert f"from schema {STORED[0].stem} to {NEXT}, and is as it was: " in said
    assert "_alembic_tmp_node already exists" in said
    assert (schema(old), ask(old, "SELECT * FROM job")) == before
    assert number_of(old) == STORED[0].stem
    execute(old, "DROP TABLE _alembic_tmp_node")
    later.python(OPEN, old)
    assert number_of(old) == NEXT


@pytest.mark.slow
def test_a_damaged_row_keeps_a_migration_back_with_words(old: Path, later: NextRmsd) -> None:
    execute(old, "UPDATE job SET details = '{' WHERE name = 'long'")
    said = later.python(OPEN, old, expect=1).stderr
    assert "and is as it was: Input data was truncated" in said
    assert number_of(old) == STORED[0].stem


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


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_migration_that_is_killed_is_done_again(old: Path, later: NextRmsd) -> None:
    before = schema(old), ask(old, "SELECT * FROM job")
    later.python(KILLED_WITHIN, old, expect=-signal.SIGKILL)
    assert (schema(old), ask(old, "SELECT * FROM job")) == before
    later.python(OPEN, old)
    assert number_of(old) == NEXT


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_damaged_database_of_an_earlier_schema_is_salvaged_and_migrated(
    old: Path, later: NextRmsd
) -> None:
    before = len(ask(old, "SELECT * FROM job"))
    ask(old, "VACUUM")  # the list of the tables comes first then, as in the file of a daemon
    os.truncate(old, old.stat().st_size - 4096)
    later.python(OPEN, old)
    assert number_of(old) == NEXT
    assert len(ask(old, "SELECT * FROM job")) >= before - 3
    assert schema(old).keys() >= {"job", "event", "notice", "job_live"}
