"""Salvage of a damaged database: its readable rows become a new one, the lost ones are reported.

SQLite fails at the damaged page, so a table is read from both ends. The range between is halved
until only those keys remain whose rows are really lost.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import structlog

log = structlog.get_logger()

_KEYS = {
    "event": "id",
    "job": "id",
    "script": "job_id",
    "node": "rowid",
    "attempt": "job_id",
    "worst_step": "job_id",
    "audit": "id",
    "submission": "first_id",
    "planned": "job_id",
    "virtual": "job_id",
}
"""Whole numbers in whose order a table is stored; the other tables are short."""
_JOBS = frozenset({"job", "script", "attempt", "worst_step", "submission", "planned", "virtual"})
"""The tables whose keys are numbers of jobs."""
_LAST = 1 << 62
_AHEAD = 512
"""The number of rows to look past damage for the next page: more rows than a page has."""
_MOST_AHEAD = 2
"""The number of such looks after which the rest is given up: a running daemon waits meanwhile, and
each key costs two reads that fail."""
_MAX_FAILURES = 20_000
"""Reads of a table that may fail before the rest of it is given up."""


def salvage(path: Path) -> Path:
    """Replace the database by a new one with its readable rows. Returns where the damaged one is
    kept.

    A crash on the way leaves the damaged one in its place.

    Raises:
        sqlite3.DatabaseError: not even the list of tables can be read, or writing fails.
        OSError: there is no disk space for the new one.
    """
    _merge_log(path)
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    with closing(_open_damaged(path)) as source, closing(sqlite3.connect(new)) as target:
        target.execute("PRAGMA auto_vacuum = INCREMENTAL")
        tables = _make_tables(source, target)
        for table in tables:
            _copy(source, target, table)
        target.commit()
        for pragma in ("application_id", "user_version"):
            (value,) = source.execute(f"PRAGMA {pragma}").fetchone()
            target.execute(f"PRAGMA {pragma} = {value}")
    kept = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    os.link(path, kept)
    for suffix in ("-wal", "-shm"):  # these files belong to the damaged database
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    new.replace(path)
    return kept


def _open_damaged(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    # otherwise SQLite refuses a file that is too short
    connection.execute("PRAGMA writable_schema = ON")
    connection.text_factory = lambda text: text.decode(errors="replace")
    return connection


def _merge_log(path: Path) -> None:
    """Merge the sound part of the write-ahead log into the file."""
    with closing(_open_damaged(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _make_tables(source: sqlite3.Connection, target: sqlite3.Connection) -> list[str]:
    """Create the tables and indexes of the damaged database, which may have an earlier schema.
    Returns the names of the tables."""
    made = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL").fetchall()
    for _, _, statement in sorted(made, key=lambda one: one[0] != "table"):
        target.execute(statement)
    return [name for kind, name, _ in made if kind == "table"]


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    described = target.execute(f"PRAGMA table_info({table})").fetchall()
    names = [name for _, name, *_ in described]
    keys = [name for _, name, *_, place in sorted(described, key=lambda one: one[-1]) if place]
    places = ", ".join("?" * len(names))
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(map(_quote, names))}) VALUES ({places})"
    reading = _Reading(source, f"FROM {table} NOT INDEXED", ", ".join(map(_quote, names)))
    rows: Iterator[tuple[Any, ...]]
    if key := _KEYS.get(table):
        end = _last_id(source) if table in _JOBS else -1
        rows = chain(reading.by_key(key, -1, end), reading.by_key(key, end + 1, _LAST))
    else:
        rows = reading.from_both_ends(", ".join(map(_quote, keys)))
    target.executemany(insert, rows)
    (count,) = target.execute(f"SELECT count(*) FROM {table}").fetchone()
    if reading.failures:
        log.error("table-damaged", table=table, rows_saved=count, lost=reading.lost_text())
    else:
        log.info("table-copied", table=table, rows=count)


def _last_id(source: sqlite3.Connection) -> int:
    """Read the last job number as the database notes it, or -1. There may be later numbers."""
    try:
        (noted,) = source.execute("SELECT value FROM meta WHERE key = 'last_id'").fetchone()
        return min(int(noted), _LAST - 1)
    except (sqlite3.DatabaseError, TypeError, ValueError):
        return -1


@dataclass(slots=True)
class _Reading:
    """Reads one table around its damage. A row may come twice."""

    source: sqlite3.Connection
    table: str
    columns: str
    failures: int = 0
    ahead: int = 0  # looks past damage, by `_AHEAD` keys each, that found no row
    lost: list[tuple[int, int]] = field(default_factory=list)

    def by_key(self, key: str, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows with a key of `low` to `high`, except for those that are lost."""
        if low > high:
            return
        if self.failures > _MAX_FAILURES or (high == _LAST and self.ahead >= _MOST_AHEAD):
            self.lost.append((low, high))
            return
        where = f"WHERE {key} " + (f"= {low}" if low == high else f"BETWEEN {low} AND {high}")
        failures = self.failures
        for at, *row in self._select(f"{key}, ", where, f"{key} ASC"):
            if at < low:  # a page of zeros can look like rows out of order
                self.failures += 1
                break
            yield tuple(row)
            low = at + 1
        if self.failures == failures:
            return
        if low == high:
            # A read that fails loses the row before the damage as well: try this row alone.
            yield from self._last_chance(key, low)
            return
        for at, *row in self._select(f"{key}, ", where, f"{key} DESC"):
            if not low <= at <= high:
                break
            yield tuple(row)
            high = at - 1
        if low > high:
            return
        split = (low + high) // 2
        if high == _LAST:
            split = low + _AHEAD
            self.ahead += 1
        yield from self.by_key(key, low, split)
        yield from self.by_key(key, split + 1, high)

    def _last_chance(self, key: str, at: int) -> Iterator[tuple[Any, ...]]:
        failures = self.failures
        for _, *row in self._select(f"{key}, ", f"WHERE {key} = {at} LIMIT 1", ""):
            yield tuple(row)
        if self.failures > failures:
            self.lost.append((at, at))

    def from_both_ends(self, key: str) -> Iterator[tuple[Any, ...]]:
        yield from self._select("", "", f"{key} ASC")
        if self.failures:
            yield from self._select("", "", f"{key} DESC")

    def _select(self, first: str, where: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows up to the damage, which counts as a failure."""
        ordered = f"ORDER BY {order}" if order else ""
        query = f"SELECT {first}{self.columns} {self.table} {where} {ordered}"
        try:
            for row in self.source.execute(query):
                self.ahead = 0
                yield row
        except sqlite3.DatabaseError:
            self.failures += 1

    def lost_text(self) -> str:
        """Return the keys whose rows are lost, if they ever had any: "7-9, from 812 on"."""
        merged: list[list[int]] = []
        for low, high in sorted(self.lost):
            if merged and low <= merged[-1][1] + 1:
                merged[-1][1] = max(high, merged[-1][1])
            else:
                merged.append([low, high])
        return ", ".join(map(_range_text, merged)) or "unknown"


def _range_text(lost: list[int]) -> str:
    low, high = lost
    if high == _LAST:
        return f"from {low} on"
    return str(low) if low == high else f"{low}-{high}"


def _quote(name: str) -> str:
    return f'"{name}"'
