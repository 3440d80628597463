"""The check of the whole database file for damaged pages, beside the daemon's work.

A start does not wait for it, since it takes as long as the file is large: a second of processor
time for each gigabyte, and the time of the disk.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Literal

from rmsd_daemon.store.damage import is_damage

PageState = Literal["unchecked", "checking", "sound", "damaged"]


class PageCheck:
    """A check of the database at `path`. `state` says how far it is."""

    def __init__(self, path: Path, state: PageState = "unchecked") -> None:
        self.state = state
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._stopped = False

    def run(self) -> sqlite3.Error | None:
        """Look at all pages. Returns the error if there is damage, or the file cannot be read; None
        if all is sound, or after `stop`."""
        try:
            found = self._look()
        except sqlite3.Error as error:
            self.state = "damaged" if is_damage(error) else "unchecked"
            return None if self._stopped else error
        self.state = "sound" if found == "ok" else "damaged"
        return None if found == "ok" else damage(found)

    def _look(self) -> str:
        uri = f"{self._path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as connection:
            self._connection = connection
            try:
                self.state = "checking"
                if self._stopped:
                    raise sqlite3.OperationalError("interrupted")
                return str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
            finally:
                self._connection = None

    def stop(self) -> None:
        """End the check, from another thread."""
        self._stopped = True
        if (connection := self._connection) is not None:
            with suppress(sqlite3.ProgrammingError):  # the file is closed by now
                connection.interrupt()


def damage(found: str) -> sqlite3.DatabaseError:
    """Return the error that SQLite raises when it meets damage by itself."""
    error = sqlite3.DatabaseError(found)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
