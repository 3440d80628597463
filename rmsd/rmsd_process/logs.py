"""Logs to stderr: readable on a terminal, one JSON object per line otherwise (keys: ts, level,
event, ...)."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import sys
from typing import Any, TextIO

from rmsd_process.lean_start import without

# structlog would load rich for tracebacks with local variables, and take twice as long.
with without("rich"):
    import structlog
from structlog.typing import Processor

LEVELS = ("debug", "info", "warning", "error")


class _Stream:
    """Standard error without its errors: a full disk or a closed terminal loses a line of the log
    and stops nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


_opened: str | None = None
"""The path of the file that standard error led to when logging began; None if it is no file."""


def _file_of(fd: int) -> str | None:
    """Return the path of the regular file that the descriptor leads to, or None."""
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return None
    return None


def reopen() -> str | None:
    """Go on in a new file if the log was moved away. Return the path of the file, or None if
    nothing has changed: there is no file, it is still there, or no other can be made."""
    path = _opened
    if path is None:
        return None
    try:
        if os.path.lexists(path) and os.path.samestat(os.stat(path), os.fstat(2)):
            return None
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        fd = os.open(path, flags, 0o600)
        same = os.path.samestat(os.fstat(1), os.fstat(2))
        for number in (1, 2) if same else (2,):
            os.dup2(fd, number)
        os.close(fd)
    except OSError:
        return None
    return path


def configure(level: str) -> None:
    """Set up structlog for this process; `level` is one of LEVELS."""
    global _opened
    terminal = sys.stderr.isatty()
    _opened = _file_of(2)
    renderer: Processor
    if terminal:
        colors = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        renderer = structlog.dev.ConsoleRenderer(colors=colors, timestamp_key="ts")
    else:
        renderer = structlog.processors.JSONRenderer()
    processors: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
    ]
    if not terminal:
        processors.append(structlog.processors.format_exc_info)
    stream: Any = _Stream(sys.stderr)
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )
