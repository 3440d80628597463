"""The log of malformed HTTP requests: now and then one line that there were some. Their content is
never logged, since it may be a token or a script."""

from __future__ import annotations

import logging
import time

import structlog
from aiohttp.http_exceptions import HttpProcessingError

from rmsd_daemon.domain.rates import Rates

log = structlog.get_logger()

_OF_A_KIND = (1.0, 20.0)
"""The lines of a kind: a second, and at once."""


def http_logger() -> logging.Logger:
    """Return a logger for aiohttp's server that is not registered under its name."""
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
        if isinstance(error, ConnectionError):  # the client left before it was answered
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
