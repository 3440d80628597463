"""Ending a command in good order when it is told to."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NUMBERS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Within this context the first SIGTERM or SIGHUP is an exception, so that everything is
    cleaned up, with the exit code that a shell gives to the signal. For the main thread."""
    before = {number: signal.signal(number, _end) for number in _NUMBERS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> None:
    for one in _NUMBERS:
        signal.signal(one, signal.SIG_IGN)
    raise SystemExit(128 + number)
