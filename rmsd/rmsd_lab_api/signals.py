"""Signals in a process that goes on, as a notebook does, after what a command would end with."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_NUMBERS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


@contextmanager
def handlers_restored() -> Iterator[None]:
    """Give signals back their handlers afterwards. A command that is interrupted ignores all later
    signals, since it is about to end; a notebook must be interruptible again.

    Raises:
        RuntimeError: this is not the main thread, where no handler can be set.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("call this from the main thread: it handles signals")
    handlers = {number: signal.getsignal(number) for number in _NUMBERS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
