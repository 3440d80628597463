"""Signals that an event loop hears, and that interrupt nothing when it has ended.

A loop's own handlers are given back when it is closed: a signal that came then, as a second Ctrl-C
or the hangup that a shell passes on, would kill the process in the middle of its end.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Mapping
from types import FrameType


class Signals:
    """Until `ignore`, each signal of `calls` makes its call in the loop that runs; from then on
    it does nothing, to the very end of the process. For the main thread."""

    def __init__(self, calls: Mapping[int, Callable[[], None]]) -> None:
        self._calls = calls
        self._loop = asyncio.get_running_loop()
        self._heard, self._told = socket.socketpair()
        for end in (self._heard, self._told):
            end.setblocking(False)
        self._loop.add_reader(self._heard, self._hear)
        signal.set_wakeup_fd(self._told.fileno(), warn_on_full_buffer=False)
        for number in calls:
            signal.signal(number, _is_told)

    def _hear(self) -> None:
        for number in self._heard.recv(4096):
            if call := self._calls.get(number):
                call()

    def ignore(self) -> None:
        for number in self._calls:
            signal.signal(number, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        self._loop.remove_reader(self._heard)
        self._heard.close()
        self._told.close()


def _is_told(number: int, frame: FrameType | None) -> None:
    """Python itself writes the number to the wakeup descriptor, if the signal has a handler."""
