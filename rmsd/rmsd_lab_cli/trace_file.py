"""Opening a trace: compressed or not, a file, a pipe or standard input."""

from __future__ import annotations

import errno
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, cast

ENCODING = "latin-1"
"""Headers may be in any encoding; this one keeps all bytes as they are."""

UNREADABLE = (OSError, EOFError, zlib.error)
"""The errors that reading the lines of a trace can raise. An EOFError is a compressed file that is
cut."""

STDIN = Path("-")

_GZIP = b"\x1f\x8b"
_UTF_8 = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@contextmanager
def open_trace(path: Path) -> Iterator[TextIO]:
    """Open a trace and yield its lines; `STDIN` is standard input. Raises OSError if it cannot be
    opened."""
    if path == STDIN:
        with _lines_of(cast("io.BufferedReader", sys.stdin.buffer)) as lines:
            yield lines
    else:
        with path.open("rb") as raw, _lines_of(raw) as lines:
            yield lines


@contextmanager
def _lines_of(raw: io.BufferedReader) -> Iterator[TextIO]:
    """Yield the lines of `raw`, and leave it open. A byte order mark is skipped."""
    zipped = raw.peek(len(_GZIP)).startswith(_GZIP)
    unzipped = gzip.GzipFile(fileobj=raw) if zipped else raw
    first = b""
    with suppress(*UNREADABLE):  # met again by who reads
        first = unzipped.peek(len(_UTF_8))
    if first.startswith(_UTF_8):
        unzipped.read(len(_UTF_8))
    elif first.startswith(_UTF_16):
        raise OSError(errno.EILSEQ, "it is UTF-16; `iconv -f utf-16 -t utf-8` converts it")
    lines = io.TextIOWrapper(cast("BinaryIO", unzipped), encoding=ENCODING)
    try:
        yield lines
    finally:
        lines.detach()


def reason_of(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)
