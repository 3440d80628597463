"""A copy of a database as of one commit, while other processes may write to it."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

BESIDE = ("-wal", "-shm", "-journal")
"""The files of SQLite beside a database: its log, an index of that, and the log of a database that
is one file."""
_PAGES = 2000
"""The pages copied between two reports of progress: 8 MB."""


class CopyError(Exception):
    """The copy is not sound; the message says what is amiss."""


def copy(
    source: Path, target: Path, progress: Callable[[int, int], None] = lambda *_: None
) -> None:
    """Make `target` a copy of the database `source`: one file, private, verified and on disk.

    A file at `target` is replaced at the very end. `progress` is called with the number of copied
    pages and the number of all pages.

    Raises:
        sqlite3.Error: one of the databases cannot be read or written.
        OSError: the copy cannot be made.
        CopyError: `source` is damaged.
    """
    with closing(reading_of(source)) as reading:
        copy_from(reading, target, progress)


def copy_from(
    reading: sqlite3.Connection,
    target: Path,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> None:
    """Make a copy, as `copy` does, of a database that `reading_of` has opened. Raises: see
    `copy`."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(sqlite3.connect(part)) as writing:
            reading.backup(
                writing,
                pages=_PAGES,
                progress=lambda _, left, total: progress(total - left, total),
            )
            writing.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
            (found,) = writing.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            ((_, _, source),) = reading.execute("PRAGMA database_list").fetchall()
            raise CopyError(f"{source} is damaged: {found}")
        sync(part)
        part.replace(target)
        sync(target.parent)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def reading_of(path: Path) -> sqlite3.Connection:
    """Open a database in a transaction, so that all reads see one commit, whatever is written
    meanwhile.

    Raises:
        sqlite3.Error: it cannot be read.
        OSError: a file of its is none. SQLite would wait for ever for a FIFO.
    """
    for suffix in ("", *BESIDE):
        _check_regular(path.with_name(path.name + suffix))
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.isolation_level = None
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection


def _check_regular(path: Path) -> None:
    """Check that there is a regular file, or nothing. Raises OSError."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def sync(path: Path) -> None:
    """Flush a file, or the names in a directory, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
