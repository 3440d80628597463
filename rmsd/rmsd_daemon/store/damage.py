"""Damage that a running daemon meets in its database: how it is recognised and counted, and how
readers are kept out while the database is replaced."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from rmsd_core.jobs.gres import Shares
from rmsd_core.jobs.job import Job
from rmsd_daemon.store.records import Row
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

    def mended(self, kept_as: Path, lost_jobs: list[int]) -> None:
        """Note that the database was replaced."""
        self.kept_as = str(kept_as)
        self.lost_jobs += lost_jobs


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


def lost_nodes(jobs: Iterable[Job], known: Iterable[Row]) -> list[Row]:
    """Make stand-ins for the nodes that hold something of `jobs` and whose rows are lost.

    They are as large as what they hold, and belong to the agent that registers them next.
    """
    names = {row["name"] for row in known}
    lost: dict[str, Row] = {}
    for job in jobs:
        held = (piece for piece in job.allocation if piece.node in job.open_nodes)
        claimed = job.claim.place if job.claim is not None else ()
        for piece in (*held, *claimed):  # a node that has confirmed its part may be gone
            if piece.node not in names:
                row = lost.setdefault(piece.node, _stand_in(piece.node))
                row["cores"] += piece.cores
                row["mem_mib"] += piece.mem_mib
                _add_devices(row["gres"], piece.gres)
    for name in lost:
        log.error("node-damaged", node=name, error="its row is lost")
    return list(lost.values())


def _add_devices(gres: list[list[Any]], shares: Shares) -> None:
    """Add devices that are held to those of a stand-in. Claims have none that are chosen yet."""
    for kind, _, numbers in shares:
        known = next((held for name, held in gres if name == kind), None)
        if known is None:
            gres.append([kind, known := []])
        known += [number for number in numbers if number not in known]


def _stand_in(name: str) -> Row:
    unknown = ("kind", "hostname", "os", "cpu_model", "agent_version", "memory_limit")
    return {
        **dict.fromkeys(unknown, "unknown"),
        "unable": "",
        "name": name,
        "agent_id": "",
        "cores": 0,
        "mem_mib": 0,
        "features": [],
        "gres": [],
        "link": "suspect",
        "failures": [],
        "drain_reason": None,
        "drain_by": "",
        "drain_us": None,
    }
