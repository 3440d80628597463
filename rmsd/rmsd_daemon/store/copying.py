"""A copy of a database as of one commit, while other processes may write to it."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

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
    _drop_parts(target)
    # SQLite takes whatever lies beside a database for its log. So the copy is made in a directory
    # of its own: in /tmp, any account could put a log there.
    with TemporaryDirectory(prefix=_part_prefix(target), dir=target.parent) as place:
        part = Path(place) / target.name
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
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


def _drop_parts(target: Path) -> None:
    """Delete what copies to `target` have left that were killed."""
    with os.scandir(target.parent) as found:
        left = [one for one in found if one.name.startswith(_part_prefix(target))]
    for one in left:
        if one.is_dir(follow_symlinks=False) and one.stat().st_uid == os.geteuid():
            shutil.rmtree(one.path, ignore_errors=True)


def _part_prefix(target: Path) -> str:
    return f"{target.name}.part-"


def reading_of(path: Path) -> sqlite3.Connection:
    """Open a database in a transaction, so that all reads see one commit, whatever is written
    meanwhile.

    Where every account can put files, as in /tmp, a database is one file, and what lies beside it
    is not read: SQLite would take the log of any account for the database's.

    Raises:
        sqlite3.Error: it cannot be read.
        OSError: one of its files is no regular file (SQLite would wait for ever for a FIFO), or
            its log may not be read there.
    """
    for suffix in ("", *BESIDE):
        _check_regular(path.with_name(path.name + suffix))
    how = "mode=ro"
    if path.parent.stat().st_mode & stat.S_IWOTH:
        _check_alone(path)
        how += "&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
    connection.isolation_level = None
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection


def _check_regular(path: Path) -> None:
    """Check that there is a regular file, or nothing. Raises OSError."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def _check_alone(path: Path) -> None:
    """Check that nothing of the database's own account lies beside it. Raises OSError."""
    for suffix in BESIDE:
        beside = path.with_name(path.name + suffix)
        if beside.exists() and beside.lstat().st_uid == path.stat().st_uid:
            raise OSError(
                errno.EPERM,
                f"all accounts can put files into {path.parent}, so the log of a database is not "
                "read there; move both into a directory of your own",
                str(beside),
            )


def sync(path: Path) -> None:
    """Flush a file, or the names in a directory, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
