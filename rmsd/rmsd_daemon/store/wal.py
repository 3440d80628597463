"""The check of the write-ahead log before SQLite silently drops a tail that it cannot use.

A commit is acknowledged once its frames are on disk. So a tail without a commit is either a
transaction that a crash has cut off, or damage; the file does not say which.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")


def dropped_tail_bytes(path: Path) -> int:
    """Return how many bytes at the end of the log of database `path` SQLite does not accept.

    If possible, the log is merged into the database.
    """
    written = _written_bytes(path.with_name(f"{path.name}-wal"))
    if not written:
        return 0
    page_size, used = written
    try:
        with closing(sqlite3.connect(path)) as connection:
            _, frames, _ = connection.execute("PRAGMA wal_checkpoint").fetchone()
    # the database itself is damaged, which is found and reported later
    except sqlite3.DatabaseError:
        return 0
    accepted = _HEADER.size + max(0, frames) * (_FRAME.size + page_size)
    return int(max(0, used - accepted))


def _written_bytes(log_path: Path) -> tuple[int, int] | None:
    """Return the page size, and the end of the log's present round in bytes; None if there is no
    log.

    Every round writes over the log from its beginning: behind the present one there should be whole
    frames of earlier rounds. Anything else was part of the log once.
    """
    try:
        file = log_path.open("rb")
    except FileNotFoundError:
        return None
    with file:
        size = log_path.stat().st_size
        header = file.read(_HEADER.size)
        if not header.strip(b"\0"):
            return (0, size) if size else None
        if len(header) < _HEADER.size:
            return 0, size
        _, _, page_size, _, salt, _, _, _ = _HEADER.unpack(header)
        if not page_size:
            return 0, size
        step = _FRAME.size + page_size
        used = _HEADER.size
        for at in range(_HEADER.size, size, step):
            file.seek(at)
            frame = file.read(_FRAME.size)
            whole = at + step <= size
            if whole and 0 < _FRAME.unpack(frame)[2] != salt:
                break
            used = min(at + step, size)
        return page_size, used
