"""Damage to the files of a daemon that was killed, and what was lost by it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_daemon.offline.reader import snapshot

_SIZES = (10, 4096, 20_000, 100_000)
_LOG_HEAD = 8192  # the beginning of a log is left alone
_PAGE = 4096

TELLING = frozenset(
    {
        "wal-tail-dropped", "database-damaged", "table-damaged", "job-damaged", "event-damaged",
        "events-damaged", "script-damaged",
    }
)  # fmt: skip
"""Events of the daemon's log that tell of damage."""


def damage_tail(state: Path, rng: random.Random) -> str:
    """Cut off or overwrite with zeros the end of the database or of its log; return what was
    done."""
    files = [path for path in (state / "rmsd.db", state / "rmsd.db-wal") if path.exists()]
    heads = {path: _head(path) for path in files}
    path = rng.choice([one for one in files if one.stat().st_size > heads[one]])
    size = path.stat().st_size
    count = min(rng.choice(_SIZES), size - heads[path])
    kind = rng.choice(("cut", "zero"))
    if kind == "cut":
        os.truncate(path, size - count)
    else:
        with path.open("r+b") as file:
            file.seek(size - count)
            file.write(bytes(count))
    return f"{kind} {'log' if path.suffix == '.db-wal' else 'database'}"


def _head(path: Path) -> int:
    """Return the number of bytes at the beginning of a file that are not damaged. Those of a
    database end with its schema, without which no daemon starts, and it says so."""
    if path.suffix == ".db-wal":
        return _LOG_HEAD
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        query = "SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_schema'"
        (last,) = connection.execute(query).fetchone()
    return path.stat().st_size if last is None else int(last) * _PAGE


@dataclass(frozen=True, slots=True)
class Stored:
    """The record of a job in a database, with the numbers of its attempts."""

    tag: str
    state: str
    attempts: frozenset[int]

    @property
    def over(self) -> bool:
        return self.state in TERMINAL_STATES


def stored(state: Path) -> dict[int, Stored]:
    """Return the jobs by number, as of the last commit of a daemon that runs."""
    with snapshot(state) as database:
        return _stored(database)


def stored_unopened(state: Path, file: str = "rmsd.db") -> dict[int, Stored]:
    """Return the jobs of a database that no process has open; its files are left as they are."""
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        for name in (file, f"{file}-wal"):
            if (state / name).exists():
                shutil.copy(state / name, folder)
        with contextlib.closing(sqlite3.connect(Path(folder) / file)) as database:
            return _stored(database)


def _stored(database: sqlite3.Connection) -> dict[int, Stored]:
    attempts: defaultdict[int, set[int]] = defaultdict(set)
    for job_id, attempt in database.execute("SELECT job_id, attempt FROM attempt"):
        attempts[job_id].add(attempt)
    rows = database.execute("SELECT id, name, state FROM job").fetchall()
    return {at: Stored(tag, how, frozenset(attempts[at])) for at, tag, how in rows}


def gone(before: Mapping[int, Stored], now: Mapping[int, Stored]) -> set[str]:
    """Return the jobs of which something was certainly lost. They are not there, or they were over
    and are not, or lack an attempt that they had. (They may have begun another since.)"""
    return {
        was.tag
        for job_id, was in before.items()
        if job_id not in now
        or (was.over and not now[job_id].over)
        or not was.attempts <= now[job_id].attempts
    }


def in_doubt(before: Mapping[int, Stored], now: Mapping[int, Stored]) -> set[str]:
    """Return the jobs of which something may have been lost. These include the jobs that were not
    over: their progress by then may be lost, and they have gone on since."""
    return gone(before, now) | {was.tag for was in before.values() if not was.over}


def told(log: Path, offset: int) -> bool:
    """Return whether the daemon's log, from `offset` on, tells of damage."""
    return any(line["event"] in TELLING for line in _lines(log, offset))


def told_all(log: Path, offset: int) -> bool:
    """Return whether the daemon that began at `offset` of its log has told all damage that it can
    find. It looks at all pages beside its work, and tells what is lost when it mends them."""
    checks = [one for one in _lines(log, offset) if one["event"] == "database-checked"]
    return bool(checks) and (checks[-1]["result"] != "damaged" or told(log, offset))


def _lines(log: Path, offset: int) -> Iterator[dict[str, Any]]:
    with log.open("rb") as file:
        file.seek(offset)
        for line in file:
            with contextlib.suppress(ValueError):  # the last line may not be whole yet
                yield {"event": "", **json.loads(line)}
