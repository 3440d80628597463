"""Backups where every account can put files, as in /tmp, and what a killed one has left.

Long: daemons are stopped, restored and started again.
"""

from __future__ import annotations

import os
import pwd
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from rmsd_daemon.offline.backups import BackupError, held_by, restore
from rmsd_daemon.store.store import Store
from tests.live import Daemon

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    return start_daemon("--no-local-node", "--emulate", "1x4", config="allow_root_jobs = true\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works for another account")
@pytest.mark.parametrize("beside", ["copy.db-wal", "copy.db.part-wal"])
def test_no_log_that_another_account_puts_beside_a_backup_is_read(
    daemon: Daemon, beside: str
) -> None:
    """Root restored what any account had written into the log beside a backup in /tmp, or beside
    the copy while the backup was made: jobs of all users, and tokens."""
    place = daemon.root / "shared"
    place.mkdir()
    place.chmod(0o1777)
    job_id = daemon.emulate(0.01)
    daemon.wait(job_id)
    with closing(sqlite3.connect(daemon.root / "other.db")) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE planted (x)")
        other.commit()
        log = (daemon.root / "other.db-wal").read_bytes()
    planting = Thread(target=_plant, args=(place / beside, log, stop := Event()))
    planting.start()
    try:
        for _ in range(5):
            done = daemon.rmsd("backup", str(place / "copy.db"))
            assert done.returncode == 0, done.stderr
            assert held_by(place / "copy.db").last_id == job_id
        daemon.stop()
        done = daemon.rmsd("restore", str(place / "copy.db"))
        assert done.returncode == 0, done.stderr
    finally:
        stop.set()
        planting.join()
    daemon.start()
    assert daemon.state_of(job_id) == "COMPLETED"


def _plant(path: Path, log: bytes, stop: Event) -> None:
    """Put the log there again and again, as another account."""
    account = pwd.getpwnam("nobody")
    while not stop.wait(0.001):
        with suppress(FileExistsError):
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            os.write(fd, log)
            os.fchown(fd, account.pw_uid, account.pw_gid)
            os.close(fd)


def test_a_log_of_its_own_beside_a_backup_where_all_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        copy.execute("PRAGMA journal_mode = WAL")
        copy.execute("CREATE TABLE job (x)")
        with pytest.raises(OSError, match="move both into a directory of your own"):
            held_by(tmp_path / "copy.db")


def test_what_a_backup_that_was_killed_has_left_is_deleted_by_the_next_one(daemon: Daemon) -> None:
    left = daemon.root / "backup.db.part-1a2b"
    left.mkdir()
    (left / "backup.db").write_text("half of it")
    file = daemon.root / "backup.db"
    assert daemon.rmsd("backup", str(file)).returncode == 0
    assert {path.name for path in file.parent.glob("backup*")} == {"backup.db"}


def test_a_database_that_is_read_is_not_replaced(daemon: Daemon) -> None:
    """The log got another name first, and a crash in that moment lost what was in it."""
    file = daemon.root / "backup.db"
    assert daemon.rmsd("backup", str(file)).returncode == 0
    with closing(sqlite3.connect(daemon.state / "rmsd.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM job").fetchone()
        job_id = daemon.emulate(0.01)
        daemon.wait(job_id)
        daemon.kill()
        done = daemon.rmsd("restore", str(file))
    assert done.returncode == 1
    assert "another process reads it; try again later; nothing was restored" in done.stderr
    assert not list(daemon.state.glob("rmsd.db.replaced-*"))
    daemon.start()
    assert daemon.state_of(job_id) == "COMPLETED"


def test_a_backup_that_changes_itself_is_not_restored(tmp_path: Path) -> None:
    """A trigger of the backup made tokens and audit entries in the restored database."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    for path in (tmp_path / "copy.db", state / "rmsd.db"):
        Store(path).close()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy, copy:
        copy.execute("CREATE TRIGGER door AFTER INSERT ON audit BEGIN DELETE FROM token; END")
    with pytest.raises(BackupError, match="has a trigger 'door' on its table 'audit'"):
        restore(tmp_path / "copy.db", state, lambda *_: None)
    assert {path.name for path in state.iterdir()} == {"rmsd.db", "daemon.lock"}
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy, copy:
        copy.execute("DROP TRIGGER door")
    restored = restore(tmp_path / "copy.db", state, lambda *_: None)
    assert restored.tokens_kept


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("ALTER TABLE token ADD COLUMN more", "a table 'token' with other columns: more"),
        ("CREATE UNIQUE INDEX one ON audit (user)", "a unique index 'one' on its table 'audit'"),
        (
            "DROP TABLE audit; CREATE TABLE audit (id INTEGER PRIMARY KEY ON CONFLICT IGNORE)",
            "a table 'audit' with CONFLICT",
        ),
        (
            "ALTER TABLE token RENAME TO t; CREATE VIEW token AS SELECT *, NULL AS no FROM t",
            "no table 'token'",
        ),
        (
            "DROP TABLE meta; CREATE TABLE meta (key, value, PRIMARY KEY (key, value))",
            "a table 'meta' with another key: key, value",
        ),
        (
            "ALTER TABLE audit DROP COLUMN via; ALTER TABLE audit ADD COLUMN via AS/**/('x')",
            "a table 'audit' with other columns: via",
        ),
        (
            "CREATE INDEX none ON job (abs(id - id - 9223372036854775807 - 1))",
            "an index 'none' on its table 'job' of an expression",
        ),
        (
            "CREATE INDEX none ON job (id) WHERE abs(-9223372036854775807 - 1)",
            "an index 'none' on its table 'job' of an expression",
        ),
        (
            "DROP INDEX job_user; CREATE INDEX job_user ON job (lower(user))",
            "an index 'job_user' on its table 'job' of an expression",
        ),
    ],
)
def test_a_backup_with_another_schema_is_not_restored(
    tmp_path: Path, change: str, words: str
) -> None:
    """With one more column, the tokens of the backup were taken: revoked ones, and any others
    there. With such a constraint, the audit trail was left out, then and later. With such an index,
    no job could be stored, and with such a key there were two last numbers of jobs."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    for path in (tmp_path / "copy.db", state / "rmsd.db"):
        Store(path).close()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy, copy:
        copy.executescript(change)
    with pytest.raises(BackupError, match=f"has {words}"):
        restore(tmp_path / "copy.db", state, lambda *_: None)
    assert {path.name for path in state.iterdir()} == {"rmsd.db", "daemon.lock"}


def test_a_revoked_token_stays_so_whatever_the_order_of_columns_in_the_backup(
    tmp_path: Path,
) -> None:
    """With another order of its columns, the tokens of the backup were taken."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    now = {"made_with": "", "created_by": "root", "created_us": 0, "name": "", "role": "admin"}
    token = {"id": "t", "digest": "d", "user": "root", **now}
    for path in (tmp_path / "copy.db", state / "rmsd.db"):
        Store(path).close()
        with closing(sqlite3.connect(path)) as database, database:
            names, places = ", ".join(token), ", ".join(f":{name}" for name in token)
            database.execute(f"INSERT INTO token ({names}) VALUES ({places})", token)
    with closing(sqlite3.connect(state / "rmsd.db")) as database, database:
        database.execute("UPDATE token SET revoked_us = 5")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy, copy:
        copy.executescript("""ALTER TABLE token RENAME COLUMN uses TO was;
            ALTER TABLE token ADD COLUMN uses INTEGER; ALTER TABLE token DROP COLUMN was""")
    assert restore(tmp_path / "copy.db", state, lambda *_: None).tokens_kept
    with closing(sqlite3.connect(state / "rmsd.db")) as database:
        assert database.execute("SELECT id, revoked_us, uses FROM token").fetchall() == [
            ("t", 5, None)
        ]


@pytest.mark.parametrize("key", ["last_id", "clock_us"])
def test_a_number_in_meta_that_is_none_is_told(tmp_path: Path, key: str) -> None:
    """In a backup, it ended a restore in a traceback. In the database that is to be replaced, it
    made every restore impossible."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    for path in (tmp_path / "copy.db", state / "rmsd.db"):
        Store(path).close()
    with closing(sqlite3.connect(state / "rmsd.db")) as database, database:
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, 'none')", (key,))
    with pytest.raises(BackupError, match="its table 'meta' is damaged"):
        restore(state / "rmsd.db", tmp_path / "other", lambda *_: None)
    assert restore(tmp_path / "copy.db", state, lambda *_: None).before is None
