"""Damage that a running daemon meets in its database: how it is recognised and counted, and how
readers are kept out while the database is replaced."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_damage(error: BaseException) -> bool:
    """Return whether the error means damaged pages or records, and not a database that is full,
    busy or out of reach."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
    return isinstance(error, MALFORMED)


def text_or_bytes(raw: bytes) -> str | bytes:
    """Decode a text of the database; return the bytes of a damaged one.

    SQLite's own decoder would refuse all rows of a query for one damaged text.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


@dataclass(slots=True)
class DamageLog:
    """The damage that was met since the start. `since_us`: the first time, in UTC. `error`: the
    latest error. `kept_as`: the damaged database, once a new one with its readable rows has
    replaced it. `lost_jobs`: the live jobs that could not be read then."""

    times: int = 0
    since_us: int = 0
    error: str = ""
    kept_as: str = ""
    lost_jobs: list[int] = field(default_factory=list)

    def met(self, error: BaseException) -> None:
        """Count a read or a write that has met damage."""
        self.times += 1
        self.since_us = self.since_us or time.time_ns() // 1000
        self.error = str(error)

    def mended(self, kept_as: Path) -> None:
        """Note that the database was replaced."""
        self.kept_as = str(kept_as)


class Gate:
    """Lets in any number of readers, or the one thread that replaces the database."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Wait until no thread replaces the database; none does while the block runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until the last reader has left; none comes in while the block runs."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._readers)
        try:
            yield
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()
