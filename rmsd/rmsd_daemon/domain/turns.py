"""Turns: each caller occupies the event loop with one piece of work at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

_REST_TIMES = 4
"""The rest of a caller after a piece of work, as a multiple of the work's duration. With 4, one
caller occupies at most a fifth of the event loop's time."""
QUICK_S = 0.005
"""The part of a piece of work that does not count: parts of lists take less."""


class Turn:
    """A caller's turn, an asynchronous context. One request of the caller enters it at a time, in
    the order of the requests.

    large: held by a request that enters several times and keeps much in memory between.
    """

    def __init__(self) -> None:
        self.users = 0
        self.large = asyncio.Lock()
        self._lock = asyncio.Lock()
        self._door = asyncio.Lock()
        self._rest_until_s = 0.0

    async def __aenter__(self) -> Self:
        await self._lock.acquire()
        try:
            await asyncio.sleep(max(0.0, self._rest_until_s - _now_s()))
        except BaseException:
            self._lock.release()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    async def come_in(self) -> None:
        """Return for one request of the caller in each round of the event loop, in the order in
        which they come. A request of another caller takes several rounds, and the requests of one
        caller on hundreds of connections would make these rounds long."""
        async with self._door:
            await asyncio.sleep(0)

    def worked(self, took_s: float) -> None:
        """Make the caller rest after work that occupied the event loop for `took_s` seconds."""
        self._rest_until_s = _now_s() + _REST_TIMES * max(0.0, took_s - QUICK_S)

    @property
    def rests(self) -> bool:
        """Return whether the caller has to wait before the next piece of work."""
        return self._rest_until_s > _now_s()


class Turns:
    """The turns of all callers that have requests under way, or that rest."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}

    @property
    def callers(self) -> set[str]:
        """Return the callers whose turns are kept."""
        return set(self._turns)

    @contextmanager
    def of(self, caller: str) -> Iterator[Turn]:
        """Yield the caller's turn, kept while a request is under way and until its rest is over."""
        turn = self._turns.setdefault(caller, Turn())
        turn.users += 1
        try:
            yield turn
        finally:
            turn.users -= 1
            if not turn.users and not turn.rests:
                self._turns.pop(caller, None)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
