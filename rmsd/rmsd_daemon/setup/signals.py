"""Signals that an event loop handles, and that interrupt nothing once it has ended.

A loop's own handlers are removed when it is closed. A signal after that, as a second Ctrl-C or the
hangup that a shell passes on, would kill the process while it ends.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping


class Signals:
    """Signal handlers for the main thread. Until `ignore`, each signal of `calls` makes its call in
    the running loop; from then on it does nothing, until the process is gone."""

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
