"""What the HTTP server has to say of requests that are no HTTP: that there are some, in one line,
now and then, and nothing of what was in them, which may be a token or a script."""

from __future__ import annotations

import logging
import time

import structlog
from aiohttp.http_exceptions import HttpProcessingError

from rmsd_daemon.domain.rates import Rates

log = structlog.get_logger()

_OF_A_KIND = (1.0, 20.0)
"""Lines a second, and at once."""


def http_logger() -> logging.Logger:
    """The logger for aiohttp's server, known to nobody else."""
    logger = logging.Logger("http", logging.INFO)
    logger.addHandler(_Rationed())
    return logger


class _Rationed(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._rates = Rates(*_OF_A_KIND)
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, ConnectionError):  # the client has left before it was answered
            return
        kind = "request" if isinstance(error, HttpProcessingError) else "server"
        if self._rates.wait_s(kind, 1, time.monotonic(), 0):
            self._left_out += 1
            return
        address = next(iter(record.args or ()), None) or ""
        left_out, self._left_out = self._left_out, 0
        if kind == "request":
            log.warning(
                "request-not-http",
                address=address,
                error=type(error).__name__,
                left_out=left_out,
            )
        else:
            log.error("server-failed", detail=record.msg, exc_info=error, left_out=left_out)
