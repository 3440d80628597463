"""Damage at random places of a database and its log: what it costs, and whether it is said."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.store import Store
from tests.bench.measure import Figures

_JOBS = 1000
_ROUNDS = 300
_SIZES = (1, 100, 4096, 20_000, 100_000)
_PAGE = 4096  # the first one is left alone: without it there is no database, which is said

TELLING = frozenset(
    {"wal-tail-dropped", "database-damaged", "table-damaged", "job-damaged", "event-damaged"}
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a damaged database. lost: jobs that were committed and are not there. told:
    whether the log says that there is damage. twice: whether a number could be given again."""

    what: str
    opened: bool
    lost: int
    told: bool
    twice: bool
    open_s: float


def fill(folder: Path) -> None:
    """Write a database with jobs, and a log with the latest of them, as a kill -9 leaves them."""
    store = Store(folder / "live.db")
    for first in range(1, _JOBS, 100):
        store.commit(_changes(first, first + 99))
    store.close()
    store = Store(folder / "live.db")
    for at in range(_JOBS + 1, _JOBS + 31):
        store.commit(_changes(at, at))
    for suffix in ("", "-wal"):
        shutil.copy(folder / f"live.db{suffix}", folder / f"rmsd.db{suffix}")
    store.close()


def _changes(first: int, last: int) -> Changes:
    ids = range(first, last + 1)
    events = [
        {"batch": at, "model_us": at, "kind": "cancel", "job_id": at, "version": 3, "payload": {}}
        for at in ids
    ]
    scripts = [{"job_id": at, "payload": f'{{"script": "{"x" * (at % 3000)}"}}'} for at in ids]
    return Changes(
        events=events,
        new_jobs=[_row(at) for at in ids],
        scripts=scripts,
        meta={"last_id": str(last)},
    )


def _row(job_id: int) -> dict[str, Any]:
    job = Job(job_id, "ann", 1, processors(1), 60_000_000, seq=job_id)
    return given_columns(job, Details("j")) | changing_columns(job) | {"live": job_id % 2 == 0}


def damage(folder: Path, rng: random.Random) -> str:
    """Cut off, zero or scramble a part of the database or its log; return what was done."""
    path = folder / rng.choice(("rmsd.db", "rmsd.db-wal"))
    kind, place = rng.choice(("cut", "zero", "scramble")), rng.choice(("tail", "anywhere"))
    size = path.stat().st_size
    first = _PAGE if path.suffix == ".db" else 0
    count = min(rng.choice(_SIZES), size - first)
    at = size - count if place == "tail" else rng.randrange(first, size - count + 1)
    if kind == "cut":
        os.truncate(path, at)
    else:
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes(count) if kind == "zero" else rng.randbytes(count))
    return f"{kind} {path.name}"


def outcome(filled: Path, seed: int) -> Outcome:
    """Damage a copy of what `fill` made, and start from it."""
    with tempfile.TemporaryDirectory(prefix="rmsd-damage") as name:
        folder = Path(name)
        for suffix in ("", "-wal"):
            shutil.copy(filled / f"rmsd.db{suffix}", folder)
        what = damage(folder, random.Random(seed))
        with structlog.testing.capture_logs() as said:
            began_s = time.perf_counter()
            try:
                store = Store(folder / "rmsd.db")
            except StoreError:
                return Outcome(what, False, 0, True, False, time.perf_counter() - began_s)
            with closing(store):
                first_id = store.load(RunsNeeded(0)).next_id  # the file is checked later
                store.check_pages()
                loaded = store.load(RunsNeeded(0))
                open_s = time.perf_counter() - began_s
                with closing(sqlite3.connect(folder / "rmsd.db")) as database:
                    there = {job_id for (job_id,) in database.execute("SELECT id FROM job")}
        told = any(entry["event"] in TELLING for entry in said)
        live = {job.id for job, _ in loaded.jobs}
        committed = {*range(1, _JOBS + 31)}
        lost = len(committed - there | {i for i in committed if i % 2 == 0} - live)
        twice = min(first_id, loaded.next_id) <= _JOBS + 30
        return Outcome(what, True, lost, told, twice, open_s)


def bench() -> Figures:
    with tempfile.TemporaryDirectory(prefix="rmsd-damage") as name:
        fill(Path(name))
        outcomes = [outcome(Path(name), seed) for seed in range(_ROUNDS)]
    return {
        f"damaged databases of {_JOBS + 30} jobs": str(len(outcomes)),
        "of these could not be opened, which was said": str(_count(not o.opened for o in outcomes)),
        "jobs lost, by kind of damage": _by_kind(outcomes),
        "losses that were not said": str(_count(o.lost > 0 and not o.told for o in outcomes)),
        "numbers that could be given twice": str(_count(o.twice for o in outcomes)),
        "longest start": f"{max(o.open_s for o in outcomes):.2f} s",
    }


def _count(found: Iterable[bool]) -> int:
    return sum(found)


def _by_kind(outcomes: list[Outcome]) -> str:
    rounds = Counter(one.what for one in outcomes)
    lost: Counter[str] = Counter()
    for one in outcomes:
        lost[one.what] += one.lost
    return "; ".join(f"{what} {lost[what] / rounds[what]:.1f}" for what in sorted(rounds))
