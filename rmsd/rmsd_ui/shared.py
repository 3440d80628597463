"""Values for pages, asked of the daemon once for all pages that show them.

A page has its answer in PATIENCE_S: what is slow to make comes later, and until then the page shows
the value before, or says that there is none yet.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rmsd_ui.following import EventRelay

PATIENCE_S = 0.15
"""The time that a page waits for a value."""
PAUSE_S = 0.5
"""The least time from one making of a value to the next. It is longer for what takes longer."""
_OLDEST_S = 30.0
"""The age at which a value is made anew without a change: expected times move on."""
_MOST_KEPT = 40
"""The most values that are kept. The one that was wanted longest ago goes first."""

Make = Callable[[], Awaitable[Any]]


class PageValue(NamedTuple):
    """A value for a page. is_late: it may be older than the latest change, so that the page should
    ask again soon."""

    value: Any
    is_late: bool


@dataclass(eq=False)
class _Kept:
    """A value, by which version of the follower it was begun and when [s], and how long it took.
    `making`: the task that makes it anew."""

    value: Any = None
    is_made: bool = False
    version: int = -1
    made_s: float = 0.0
    took_s: float = 0.0
    making: asyncio.Task[None] | None = None


class Shared:
    """The values by their keys."""

    def __init__(self, follower: EventRelay) -> None:
        self._follower = follower
        self._kept: dict[Hashable, _Kept] = {}

    async def get(self, key: Hashable, make: Make) -> PageValue | None:
        """Return the value of `key`, which `make` gives; None if it is not there in time.

        Raises:
            RefusedError: as `make` does.
        """
        asked = self._follower.version
        kept = self._begun(key, make)
        if (making := kept.making) is not None:
            await asyncio.wait([making], timeout=PATIENCE_S)
            if making.done():
                making.result()  # raises why there is none
        if not kept.is_made:
            return None
        return PageValue(kept.value, kept.version < asked)

    async def whole(self, key: Hashable, make: Make) -> Any:
        """Return the value of `key`, however long it takes to make: for other values.

        Raises:
            RefusedError: as `make` does.
        """
        kept = self._begun(key, make)
        if (making := kept.making) is not None:
            await asyncio.shield(making)
        return kept.value

    def _begun(self, key: Hashable, make: Make) -> _Kept:
        """Return what is kept of a value. It is being made if it is not good enough."""
        kept = self._kept.pop(key, None) or _Kept()
        self._kept[key] = kept
        self._drop_oldest()
        if kept.making is None and not self._is_current(kept) and not self._rests(kept):
            kept.making = asyncio.get_running_loop().create_task(self._make(kept, make))
            kept.making.add_done_callback(_retrieve)
        return kept

    def _is_current(self, kept: _Kept) -> bool:
        """Return whether nothing has changed since the value was made, as far as is known."""
        is_heard = self._follower.is_heard and kept.version == self._follower.version
        return kept.is_made and is_heard and time.monotonic() < kept.made_s + _OLDEST_S

    def _rests(self, kept: _Kept) -> bool:
        """Return whether the value was made so short a time ago that it is shown once more."""
        pause_s = max(PAUSE_S, kept.took_s)
        # A page asks again only if there are events.
        is_known = self._follower.is_heard and kept.version >= self._follower.acted_version
        return kept.is_made and is_known and time.monotonic() < kept.made_s + pause_s

    async def _make(self, kept: _Kept, make: Make) -> None:
        version, began_s = self._follower.version, time.monotonic()
        try:
            kept.value = await make()
            kept.is_made, kept.version = True, version
        finally:
            kept.making = None
            kept.made_s = time.monotonic()
            kept.took_s = kept.made_s - began_s

    def _drop_oldest(self) -> None:
        for key in [*self._kept][: max(0, len(self._kept) - _MOST_KEPT)]:
            if self._kept[key].making is None:
                del self._kept[key]


def _retrieve(making: asyncio.Task[None]) -> None:
    """Take the error of a making: the pages that wait for it are told, and others are not there."""
    if not making.cancelled():
        making.exception()
