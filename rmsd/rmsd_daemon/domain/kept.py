"""A value that is costly to make, kept for a while so that it takes a bounded share of the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from rmsd_core.planning.portions import Portions
from rmsd_daemon.domain.slices import in_slices

_KEPT_TIMES = 10
"""The time for which a value is kept, as a multiple of the time that it took to make. Callers that
ask without pause take a tenth of the daemon's time at most."""
QUICK_S = 0.01
"""The part of that time that does not count, so that a value that is made quickly is always up to
date."""

_Value = TypeVar("_Value")


class KeptInSlices(Generic[_Value]):
    """The value that `begin` gave, now or a little earlier. It is made in slices, for all callers
    that come meanwhile."""

    def __init__(self, begin: Callable[[], Portions[_Value]]) -> None:
        self._begin = begin
        self._making: asyncio.Task[_Value] | None = None
        self._keep_until_s = 0.0

    async def get(self) -> _Value:
        """Return the value, made anew if the one before was kept for long enough. It is made to its
        end, whichever callers leave."""
        made = self._making
        if made is None or (made.done() and not self._keeps(made)):
            made = self._making = asyncio.get_running_loop().create_task(self._make())
        return await asyncio.shield(made)

    def _keeps(self, made: asyncio.Task[_Value]) -> bool:
        """Return whether what was made is still good enough."""
        if made.cancelled() or made.exception() is not None:
            return False
        return time.monotonic() < self._keep_until_s

    async def _make(self) -> _Value:
        value, worked_s = await in_slices(self._begin())
        self._keep_until_s = time.monotonic() + _KEPT_TIMES * max(0, worked_s - QUICK_S)
        return value
