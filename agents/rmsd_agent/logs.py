"""Logs to stderr: for people on a terminal, JSON lines otherwise (keys: ts, level, event, ...)."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import TextIO, cast

import structlog


class _Stderr:
    """The standard error stream without its errors: a line that cannot be written, as on a full
    disk, is lost and nothing else."""

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            sys.stderr.flush()


def configure(level: str) -> None:
    """Set up structlog; `level` is debug, info, warning or error."""
    tty = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=not tty, key="ts"),
            structlog.dev.ConsoleRenderer(timestamp_key="ts")
            if tty
            else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Stderr())),
        cache_logger_on_first_use=True,
    )
