"""Idempotency keys: a submit that is repeated, at any time, by any road, is carried out once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from rmsd_daemon.problems import USAGE, ApiError
from rmsd_daemon.records import Row

REMEMBERED = 1 << 16
"""How many of the latest keys are known; a retry comes within seconds."""


@dataclass(slots=True)
class _Known:
    """The jobs of a key's first request; `done` while they are being committed."""

    digest: str
    ids: range
    done: asyncio.Future[list[int]] | None = None


class Keys:
    """The keys of committed submits, and of those under way."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def repeated(self, key: str, digest: str) -> list[int] | None:
        """The ids of the key's first request, once they are committed; None if this is the first.

        Raises:
            ApiError: the first request was another one, or could not be stored.
        """
        if (known := self._known.get(key)) is None:
            return None
        if known.digest != digest:
            raise ApiError(422, "this Idempotency-Key was used for another request", USAGE)
        return await asyncio.shield(known.done) if known.done else list(known.ids)

    def begin(self, key: str, digest: str, ids: range, done: asyncio.Future[list[int]]) -> None:
        self._remember(key, _Known(digest, ids, done))

    def committed(self, key: str) -> None:
        if known := self._known.get(key):
            known.done = None

    def failed(self, key: str) -> None:
        self._known.pop(key, None)

    def reload(self, rows: Iterable[Row]) -> None:
        """Begin again from the database's `submission` rows, oldest first."""
        under_way = {key: known for key, known in self._known.items() if known.done}
        self._known.clear()
        for row in rows:
            ids = range(row["first_id"], row["first_id"] + row["count"])
            self._remember(row["key"], _Known(row["digest"], ids))
        self._known.update(under_way)

    def _remember(self, key: str, known: _Known) -> None:
        self._known[key] = known
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
