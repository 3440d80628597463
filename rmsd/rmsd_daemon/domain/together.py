"""Small writes of several callers, committed together: a caller waits for one commit, not for
many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Together(Generic[_T]):
    """Commits all items that come during a commit together, by the next one. At most one commit
    waits for the writer, however many items there are."""

    def __init__(self, commit: Callable[[list[_T]], Awaitable[None]]) -> None:
        self._commit = commit
        self._collected: list[_T] = []
        self._next: asyncio.Task[None] | None = None
        self._one = asyncio.Lock()

    async def put(self, item: _T) -> None:
        """Return when `item` is committed. Raises the errors of the commit."""
        self._collected.append(item)
        if self._next is None:
            self._next = asyncio.create_task(self._commit_next())
            self._next.add_done_callback(_retrieve_error)  # no caller may be left to see its error
        await asyncio.shield(self._next)  # other callers wait for it as well

    async def _commit_next(self) -> None:
        async with self._one:
            items, self._collected, self._next = self._collected, [], None
            await self._commit(items)


def _retrieve_error(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
