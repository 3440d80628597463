"""Signals that an event loop hears, and that interrupt nothing when it has ended.

A loop's own handlers are given back when it is closed: a signal that came then, as a second Ctrl-C
or the hangup that a shell passes on, would kill the process in the middle of its end.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping


class Signals:
    """Until `ignore`, each signal of `calls` makes its call in the loop that runs; from then on
    it does nothing, to the very end of the process. For the main thread."""

    def __init__(self, calls: Mapping[int, Callable[[], None]]) -> None:
        self._calls = calls
        self._loop = asyncio.get_running_loop()
        for number in calls:
            signal.signal(number, self._hear)

    def _hear(self, number: int, _: object) -> None:
        self._loop.call_soon_threadsafe(self._calls[number])

    def ignore(self) -> None:
        for number in self._calls:
            signal.signal(number, signal.SIG_IGN)
