"""Small writes of many, committed together: others wait for one commit, not for one of each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Together(Generic[_T]):
    """What comes while a commit is under way is committed together, by the next one. So at most
    one commit waits for the writer, however many there are."""

    def __init__(self, commit: Callable[[list[_T]], Awaitable[None]]) -> None:
        self._commit = commit
        self._collected: list[_T] = []
        self._next: asyncio.Task[None] | None = None
        self._one = asyncio.Lock()

    async def put(self, item: _T) -> None:
        """Returns when `item` is committed. Raises what the commit raises."""
        self._collected.append(item)
        if self._next is None:
            self._next = asyncio.create_task(self._commit_next())
            self._next.add_done_callback(_heard)  # whoever waited may have gone
        await asyncio.shield(self._next)  # others wait for it as well

    async def _commit_next(self) -> None:
        async with self._one:
            items, self._collected, self._next = self._collected, [], None
            await self._commit(items)


def _heard(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
