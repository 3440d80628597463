"""The attempts that have ended here, for a daemon that has lost their ends: one restored from a
backup.

`ended.jsonl` has one line for each, written when the daemon has committed the end, and read only
when a daemon asks. A killed agent loses none; a machine that crashes may lose the latest ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec
import structlog

from rmsd_agent.state.files import private
from rmsd_wire.frames import cut
from rmsd_wire.link import EndedAttempt
from rmsd_wire.malformed import MALFORMED

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

MOST_NOTES = 10_000
"""The number of entries in a file. A full file becomes the earlier one of two, so that twice as
many are kept."""
LONGEST_S = 30 * 86400.0
_MAX_LINE_BYTES = 1 << 20
"""The length of the longest line: this program writes no longer one, since it cuts the message
before."""


class Line(msgspec.Struct, frozen=True):
    noted_s: float  # wall clock, seconds since the epoch
    ended: EndedAttempt


class Journal:
    """The journal in `folder`, for one agent at a time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "ended.jsonl"
        self._earlier = folder / "ended.1.jsonl"
        self._lines = sum(1 for _ in _lines(self._path))

    def add(self, ended: Sequence[EndedAttempt]) -> None:
        """Note ends. An end that cannot be written is logged, and left out."""
        now_s = time.time()
        lines = [msgspec.json.encode(Line(now_s, _with_short_message(one))) for one in ended]
        try:
            if self._lines >= MOST_NOTES:
                self._path.replace(self._earlier)
                self._lines = 0
            with open(self._path, "ab", buffering=0, opener=private) as file:
                # The first one ends a line that a crash has cut off, perhaps.
                file.write(b"\n" + b"".join(line + b"\n" for line in lines))
        except OSError as error:  # a full disk must not keep jobs from being forgotten
            log.error("end-not-noted", path=error.filename, error=error.strerror)
        self._lines += len(lines)

    def read(self) -> list[EndedAttempt]:
        """Return the ends of the last 30 days, the earliest first."""
        since_s = time.time() - LONGEST_S
        lines = map(_read_line, chain(_lines(self._earlier), _lines(self._path)))
        return [
            _with_short_message(line.ended)
            for line in lines
            if line is not None and line.noted_s >= since_s
        ]


def _with_short_message(ended: EndedAttempt) -> EndedAttempt:
    return msgspec.structs.replace(ended, message=cut(ended.message))


def _lines(path: Path) -> Iterator[bytes]:
    """Read the lines of a file, one at a time; one that is too long comes in parts."""
    try:
        with path.open("rb") as file:
            while line := file.readline(_MAX_LINE_BYTES):
                if line != b"\n":
                    yield line
    except OSError:
        return


def _read_line(line: bytes) -> Line | None:
    """Return None for a line that cannot be read: a crash may have left a part of one."""
    try:
        return msgspec.json.decode(line, type=Line)
    except MALFORMED:
        return None
