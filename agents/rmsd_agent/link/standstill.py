"""Find out whether the agent has stood still: SIGSTOP, or a machine that slept.

The daemon may have given the nodes up meanwhile, and their jobs run elsewhere. What came over the
link before may be out of date: a launch in it must not start a job a second time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_LOOKS = 2
"""The number of looks at the clock in the time for which an agent may stand still."""


class StoodStillError(Exception):
    """The agent stood still for longer than it may."""


def elapsed_s() -> float:
    """Return the time since the machine was started [s]. Time in which it sleeps counts."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Standstill:
    """Looks at the clock all the time. A look that comes more than `allowed_s` after the one before
    shows that the agent stood still."""

    def __init__(self, allowed_s: float, now_s: Callable[[], float] = elapsed_s) -> None:
        self._allowed_s = allowed_s
        self._now_s = now_s
        self._seen_s = now_s()

    def check(self) -> None:
        """Raise StoodStillError if the last look was too long ago."""
        stood_s = self._now_s() - self._seen_s
        if stood_s > self._allowed_s:
            raise StoodStillError(f"this agent stood still for {stood_s:.0f} s")

    async def watch(self) -> None:
        """Look at the clock until the agent has stood still, and raise StoodStillError then."""
        while True:
            await asyncio.sleep(self._allowed_s / _LOOKS)
            self.check()
            self._seen_s = self._now_s()
