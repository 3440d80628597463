"""The opening of a database: it is created if missing, checked, and brought to the present
schema."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import structlog
from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    event,
)
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from rmsd_daemon.store.copying import CopyError, copy
from rmsd_daemon.store.damage import text_or_bytes
from rmsd_daemon.store.external_changes import note_external_change
from rmsd_daemon.store.failures import DamagedError, StoreError
from rmsd_daemon.store.prepared import prepare
from rmsd_daemon.store.schema import SchemaError, mark, revision_of
from rmsd_daemon.store.tables import (
    REVISION,
    metadata,
)
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()


def open_database(path: Path, check: str | None) -> Engine:
    """Open the database at `path`, or create it. `check`: the pragma that looks for damaged pages
    in the whole file; None if only a file to be migrated is looked through.

    Raises:
        StoreError: the database cannot be used, or not be brought to the present schema.
    """
    prepare()
    engine = engine_of(path)
    try:
        with engine.begin() as connection:
            found = revision_of(connection.exec_driver_sql, path)
            if found is None:
                metadata.create_all(connection)
                mark(connection.exec_driver_sql, REVISION)
            elif check is not None or found != REVISION:
                _check_pages(connection, path, check or "quick_check")
        if found is not None and found != REVISION:
            _migrate(engine, path, found)
    except DatabaseError as error:
        engine.dispose()
        message = f"{path} cannot be used: {error.orig}"
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            raise DamagedError(message) from error
        raise StoreError(message) from error
    except SchemaError as error:
        engine.dispose()
        raise StoreError(f"{error}, or use another --state-dir") from error
    except StoreError:
        engine.dispose()
        raise
    return engine


def _migrate(engine: Engine, path: Path, found: str) -> None:
    """Bring the database to the present schema, in one transaction, after a copy of it was made
    beside it."""
    from rmsd_daemon.store.migrations import upgrade

    kept = path.with_name(f"{path.name}.before-{REVISION}")
    log.info("migrating", file=str(path), schema=found, to=REVISION, copy=str(kept))
    try:
        copy(path, kept)
        with engine.begin() as connection:
            upgrade(connection, found)
            note_external_change(connection)
    except (CopyError, OSError, SQLAlchemyError, sqlite3.Error, *MALFORMED) as error:
        raise StoreError(
            f"{path} cannot be brought from schema {found} to {REVISION}, and is as it was: "
            f"{getattr(error, 'orig', None) or error}"
        ) from error
    log.info("migrated", file=str(path), schema=REVISION)


def engine_of(path: Path) -> Engine:
    """Return an engine for the database at `path`, which has not been checked yet."""
    engine = create_engine(
        f"sqlite:///{path}",
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        json_deserializer=msgspec.json.decode,
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _pragmas(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.text_factory = text_or_bytes
        connection.execute("PRAGMA busy_timeout = 10000")
        if connection.execute("PRAGMA page_count").fetchone() == (0,):
            # Only a new file can be made so that deleted rows give their pages back to the disk.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -65536")
        # A short log is written over and over; growing it costs a commit twice as much.
        connection.execute("PRAGMA wal_autocheckpoint = 400")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _check_pages(connection: Connection, path: Path, check: str) -> None:
    found = connection.exec_driver_sql(f"PRAGMA {check}(1)").scalar_one()
    if found != "ok":
        raise DamagedError(f"{path} cannot be used: {found}")
