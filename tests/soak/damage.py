"""Damage to the files of a daemon that was killed, and what was lost by it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rmsd_core.vocabulary import TERMINAL_STATES

_SIZES = (10, 4096, 20_000, 100_000)
_HEAD = 8192  # of the database: without its first pages no daemon starts, and says so

TELLING = frozenset(
    {
        "wal-tail-dropped", "database-damaged", "table-damaged", "job-damaged", "event-damaged",
        "events-damaged", "script-damaged",
    }
)  # fmt: skip
"""Events of the daemon's log that tell of damage."""


def damage_tail(state: Path, rng: random.Random) -> str:
    """Cut off or overwrite with zeros the end of the database or of its log; what was done."""
    files = [path for path in (state / "rmsd.db", state / "rmsd.db-wal") if path.exists()]
    path = rng.choice([one for one in files if one.stat().st_size > _HEAD])
    size = path.stat().st_size
    count = min(rng.choice(_SIZES), size - _HEAD)
    kind = rng.choice(("cut", "zero"))
    if kind == "cut":
        os.truncate(path, size - count)
    else:
        with path.open("r+b") as file:
            file.seek(size - count)
            file.write(bytes(count))
    return f"{kind} {'log' if path.suffix == '.db-wal' else 'database'}"


def jobs_in(state: Path, file: str = "rmsd.db") -> dict[int, dict[str, Any]]:
    """Number, name and state of the jobs in a database that nobody has open; its files are left as
    they are."""
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        for name in (file, f"{file}-wal"):
            if (state / name).exists():
                shutil.copy(state / name, folder)
        with contextlib.closing(sqlite3.connect(Path(folder) / file)) as database:
            rows = database.execute("SELECT id, name, state FROM job").fetchall()
    return {job_id: {"job_id": job_id, "name": name, "state": how} for job_id, name, how in rows}


def in_doubt(before: dict[int, dict[str, Any]], now: Iterable[dict[str, Any]]) -> set[str]:
    """The tags of the jobs about which something may have been lost: those that are not there now,
    those that were over and are not, and those that were not over, since it is not known what had
    become of them."""
    after = {job["job_id"]: job for job in now}
    return {
        job["name"]
        for job_id, job in before.items()
        if job["state"] not in TERMINAL_STATES
        or job_id not in after
        or after[job_id]["state"] not in TERMINAL_STATES
    }


def gone(before: dict[int, dict[str, Any]], now: Iterable[dict[str, Any]]) -> list[int]:
    """The numbers of the jobs that were certainly lost, or went back to before their end."""
    after = {job["job_id"]: job for job in now}
    return [
        job_id
        for job_id, job in before.items()
        if job_id not in after
        or (job["state"] in TERMINAL_STATES and after[job_id]["state"] not in TERMINAL_STATES)
    ]


def told(log: Path, offset: int) -> bool:
    """Whether the daemon's log, from `offset` on, tells of damage."""
    with log.open("rb") as file:
        file.seek(offset)
        return any(_event(line) in TELLING for line in file)


def _event(line: bytes) -> str:
    try:
        return str(json.loads(line)["event"])
    except (ValueError, KeyError):
        return ""
