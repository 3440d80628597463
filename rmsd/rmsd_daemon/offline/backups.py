"""Backups of the database, and their restore.

After a restore, the database lacks what happened since the backup. It says so in `meta`
(`RESTORED_KEY`), and the next daemon asks the nodes before it starts anything (`restoration`).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller, Role, user_name
from rmsd_daemon.offline.backup_schema import difference
from rmsd_daemon.setup.state_dir import LOCK, StateDir, acting_for_owner
from rmsd_daemon.store.copying import BESIDE, copy_from, reading_of, sync
from rmsd_daemon.store.external_changes import note_external_change
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.opening import engine_of
from rmsd_daemon.store.records import RESTORED_KEY
from rmsd_daemon.store.schema import SchemaError, revision_of
from rmsd_daemon.store.store import ALL_LOST_GAP, Store

Progress = Callable[[int, int], None]


class BackupError(Exception):
    """A backup or a restore is not possible; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """The contents of a database.

    last_job: the number of its last job. last_id: the last number that was given out, which may be
    higher: numbers are passed over, and a submit has its numbers before it is stored. clock_us:
    model time of the last commit.
    """

    jobs: int
    live: int
    last_job: int
    last_id: int
    clock_us: int

    def model_time(self) -> str:
        return f"{datetime.fromtimestamp(self.clock_us // 1_000_000, UTC):%Y-%m-%d %H:%M:%SZ}"


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore.

    held: the contents of the backup. before: the contents of the replaced database; None if there
    was none or it cannot be read. tokens_kept: whether tokens and audit trail are those of the
    replaced database; otherwise they are the backup's. kept_as: where the replaced database is;
    None if there was none.
    """

    held: DatabaseContents
    before: DatabaseContents | None
    tokens_kept: bool
    kept_as: Path | None


def backup(database: Path, file: Path, progress: Progress) -> DatabaseContents:
    """Make `file` a backup of `database`, whether or not a daemon writes to it. Root opens the
    database, and writes the backup, with the rights of the owner of the directory of each.

    Raises:
        BackupError: `database` is no database of rmsd's, `file` exists and is no backup, or its
            directory belongs to an account that has no right to the database.
        CopyError, OSError, sqlite3.Error: see `copy`.
    """
    with acting_for_owner(database.parent) as directory:
        owner = os.geteuid()
        source = directory / database.name
        if not source.is_file():
            raise BackupError(f"{directory} is no state directory of rmsd: no {source.name}")
        held_by(source)
        reading = reading_of(source)
    file = file.resolve()
    with closing(reading), acting_for_owner(file.parent) as place:
        if os.geteuid() not in (0, owner):
            raise BackupError(
                f"{file.parent} belongs to {user_name(os.geteuid())}, who could replace what is in "
                "it; write the backup to a directory of root's"
            )
        target = place / file.name
        _write(reading, source, target, progress)
        return held_by(target)


def _write(reading: sqlite3.Connection, database: Path, file: Path, progress: Progress) -> None:
    """Write the backup `file` of `database`, open as `reading`.

    Raises:
        BackupError: `file` exists and is no backup.
    """
    if file.exists():
        of_daemon = file.name == database.name and (file.parent / LOCK).exists()
        if of_daemon or file.samefile(database):
            raise BackupError(f"{file} is a daemon's own database; give the backup another name")
        try:
            held_by(file)
        except (BackupError, sqlite3.Error):
            raise BackupError(f"{file} is there already, and is no backup of rmsd") from None
    copy_from(reading, file, progress)


def held_by(path: Path) -> DatabaseContents:
    """Return the contents of the database at `path`.

    Raises:
        BackupError: it is not rmsd's, or a later rmsd's, or its numbers are none.
        OSError, sqlite3.Error: it cannot be read.
    """
    with closing(reading_of(path)) as database:
        try:
            revision = revision_of(database.execute, path)
        except SchemaError as error:
            raise BackupError(str(error)) from error
        if revision is None:
            raise BackupError(f"{path} is empty")
        jobs, live, last = database.execute(_COUNTS).fetchone()
        meta = dict(database.execute("SELECT key, value FROM meta"))
    try:
        last_id, clock_us = (int(meta.get(key, 0)) for key in ("last_id", "clock_us"))
    except (TypeError, ValueError) as error:
        raise BackupError(f"{path}: its table 'meta' is damaged: {error}") from None
    return DatabaseContents(jobs, live, last, max(last, last_id), clock_us)


_COUNTS = "SELECT count(*), coalesce(sum(live), 0), coalesce(max(id), 0) FROM job"


def restore(file: Path, state_dir: Path, progress: Progress) -> Restored:
    """Replace the database of `state_dir`, on which no daemon runs, by the backup `file`. A crash
    on the way leaves the old database in its place. Root reads the backup with the rights of the
    owner of the directory that it is in, and does all else with those of the owner of `state_dir`.

    Raises:
        BackupError: `file` is no backup, or a later rmsd's, or has another schema, or the database
            that it would replace is being read.
        StoreError: the backup cannot be brought to the present schema.
        StateDirError: a daemon runs there, or the directory cannot be used.
        CopyError, OSError, sqlite3.Error: see `copy`.
    """
    file = file.resolve()
    with acting_for_owner(file.parent) as place:
        if not (place / file.name).is_file():
            raise BackupError(f"{file}: there is no such file")
        held = held_by(place / file.name)
        reading = reading_of(place / file.name)
    with closing(reading), acting_for_owner(state_dir) as directory:
        lock = StateDir(directory)
        try:
            return _restore(reading, file, held, directory, progress)
        finally:
            (directory / _NEW).unlink(missing_ok=True)
            lock.close()


_NEW = "rmsd.db.new"
"""The name of the new database until it takes the place of the old one."""


def _restore(
    reading: sqlite3.Connection,
    file: Path,
    held: DatabaseContents,
    state_dir: Path,
    progress: Progress,
) -> Restored:
    """Restore the backup `file`, open as `reading`, in a directory that is locked."""
    database, new = state_dir / "rmsd.db", state_dir / _NEW
    # left by a restore that was killed; SQLite would apply it to the new database
    _drop_log(new)
    copy_from(reading, new, progress)
    _migrate(new)
    _refuse_other_schema(new, file)
    before = _before(database)
    mark(new, held, before)
    tokens_kept = before is not None and _keep_what_must_not_go_back(new, database)
    _note(new, file)
    _note_change(new)
    kept = _set_aside(database) if database.exists() else None
    _drop_log(database)  # SQLite would apply it to the new database
    new.replace(database)
    sync(state_dir)
    return Restored(held, before, tokens_kept, kept)


def _refuse_other_schema(new: Path, file: Path) -> None:
    """Check that the copy does nothing by itself: else it could change what must not go back, or
    make tokens later, with the rights of the daemon.

    Raises:
        BackupError: its schema is another one.
    """
    if (found := difference(new)) is not None:
        raise BackupError(
            f"{file} has {found}. rmsd makes no such database, which could change by itself what a "
            "restore must keep: mend that, or take another backup"
        )


def _before(database: Path) -> DatabaseContents | None:
    """Return the contents of the database before the restore; None if they cannot be known."""
    with suppress(BackupError, sqlite3.Error):
        return held_by(database)
    return None


def _migrate(new: Path) -> None:
    """Bring the copy to the present schema; the backup itself is the copy from before."""
    Store(new).close()
    for left in new.parent.glob(f"{new.name}.before-*"):
        left.unlink()


def _keep_what_must_not_go_back(new: Path, database: Path) -> bool:
    """Copy from the replaced database what must not go back. Returns False if it cannot be read
    there, since that database is damaged or its schema has other tokens.

    Revoked tokens stay revoked, and the audit trail keeps all entries. Nodes that have come since
    the backup are asked what ran, too. Each node keeps its present agent, which alone can tell what
    ran there; an earlier agent must not. A drained node keeps the reason for its drain, with
    the operator and the time, and a node that is to be rebooted keeps the request. Its reboot
    begins anew, since it may hold jobs as of the backup.
    """
    with closing(sqlite3.connect(new)) as target:
        target.execute("ATTACH ? AS old", (str(database),))
        try:
            if not all(_has_columns(target, table) for table in ("token", "audit")):
                return False
            with target:
                for table in ("token", "audit"):
                    target.execute(f"DELETE FROM {table}")
                    _copy_rows(target, "INSERT", table)
                if _has_columns(target, "node"):
                    _copy_rows(target, "INSERT OR IGNORE", "node")
                    target.execute(_KEEP_NODES)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            return False
    return True


_KEEP_NODES = """UPDATE main.node
    SET (agent_id, drain_reason, drain_by, drain_us, boot_id, reboot) = (
        SELECT now.agent_id, now.drain_reason, now.drain_by, now.drain_us, now.boot_id,
            json_set(now.reboot, '$[#-1]', NULL) -- its last element: `issued_us`
        FROM old.node AS now WHERE now.name = main.node.name)
    WHERE name IN (SELECT name FROM old.node)"""


def _has_columns(target: sqlite3.Connection, table: str) -> bool:
    """Return whether a table of the replaced database has the columns of this one, in any order."""
    return _columns(target, "main", table) == _columns(target, "old", table)


def _copy_rows(target: sqlite3.Connection, insert: str, table: str) -> None:
    """Insert the rows of the replaced database. The columns are named: a backup may have them in
    another order."""
    columns = ", ".join(sorted(_columns(target, "main", table)))
    target.execute(f"{insert} INTO main.{table} ({columns}) SELECT {columns} FROM old.{table}")


def _columns(target: sqlite3.Connection, schema: str, table: str) -> set[str]:
    return {f'"{name}"' for _, name, *_ in target.execute(f"PRAGMA {schema}.table_info({table})")}


def _note(new: Path, file: Path) -> None:
    """Write the restore to the audit trail."""
    audit_entry = entry(Caller(user_name(os.getuid()), Role.ADMIN, "restore"), "restore", str(file))
    with closing(sqlite3.connect(new)) as database, database:
        names, places = ", ".join(audit_entry), ", ".join(f":{name}" for name in audit_entry)
        database.execute(f"INSERT INTO audit ({names}) VALUES ({places})", audit_entry)


def _note_change(new: Path) -> None:
    """Store the tables as they are now as an external change: the core did not decide it."""
    engine = engine_of(new)
    try:
        with engine.begin() as connection:
            note_external_change(connection)
    except SQLAlchemyError as error:
        raise StoreError(f"{new}: {getattr(error, 'orig', None) or error}") from error
    except (TypeError, ValueError, RecursionError) as error:  # SQLite stores any values
        raise StoreError(f"{new}: a record is damaged: {error}") from error
    finally:
        engine.dispose()


def mark(new: Path, held: DatabaseContents, before: DatabaseContents | None) -> None:
    """Note the restore: no number is given out twice, model time does not go back, and nodes must
    be heard."""
    last_id = max(held.last_id, before.last_id) if before else held.last_id + ALL_LOST_GAP
    clock_us = max(held.clock_us, before.clock_us if before else 0)
    restored = {"held_id": held.last_id, "clock_us": held.clock_us}
    meta = {
        "last_id": str(last_id),
        "clock_us": str(clock_us),
        RESTORED_KEY: json.dumps(restored),
    }
    with closing(sqlite3.connect(new)) as database, database:
        database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())


def _drop_log(database: Path) -> None:
    for suffix in BESIDE:
        database.with_name(database.name + suffix).unlink(missing_ok=True)


_LATER = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_LOCKED)
"""The errors of a sound database, whose log can be merged later."""


def _set_aside(database: Path) -> Path:
    """Link the database to another name, with its log if that cannot be merged at all.

    Raises:
        BackupError: the log of a sound database cannot be merged now. A crash after its log has got
            another name would lose what is in the log.
    """
    kept = database.with_name(f"{database.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    try:
        with closing(sqlite3.connect(database)) as connection:
            (is_busy, *_), *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        why = "another process reads it" if is_busy else ""
    except sqlite3.Error as error:
        why = str(error) if getattr(error, "sqlite_errorcode", 0) & 0xFF in _LATER else ""
    if why:
        raise BackupError(f"the log of {database} cannot be merged: {why}; try again later")
    os.link(database, kept)
    for suffix in BESIDE:
        beside = database.with_name(database.name + suffix)
        if beside.exists():
            beside.rename(kept.with_name(kept.name + suffix))
    return kept
