"""Logs to stderr: readable on a terminal, one JSON object per line otherwise (keys: ts, level,
event, ...)."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from typing import Any, TextIO

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


def configure(level: str) -> None:
    """Set up structlog for this process; `level` is one of LEVELS."""
    terminal = sys.stderr.isatty()
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
