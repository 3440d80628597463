"""Idempotency keys: a repeated submit is carried out once, whenever and however it is repeated."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rmsd_daemon.domain.errors import KeyReused
from rmsd_daemon.store.records import Row

REMEMBERED = 1 << 16
"""The number of the latest keys that are known; a retry comes within seconds. After a start these
are the latest of all users together; a user at the default limit of requests needs a minute for so
many."""


class Numbers(NamedTuple):
    """The numbers that a submit has used: `used` of them, from `first_id` on. `arrays` has the
    arrays among the jobs, with the number of their tasks, whose numbers come after each."""

    first_id: int
    used: int
    arrays: list[tuple[int, int]]

    def jobs(self) -> list[int]:
        """Return the numbers of the jobs, without those of tasks."""
        found: list[int] = []
        at = self.first_id
        for array_id, tasks in self.arrays:
            found += range(at, array_id + 1)
            at = array_id + 1 + tasks
        return [*found, *range(at, self.first_id + self.used)]


@dataclass(slots=True)
class _Known:
    """The jobs of a key's first request; `done` is set while they are being committed."""

    digest: str
    numbers: Numbers
    done: asyncio.Future[list[int]] | None = None


class IdempotencyKeys:
    """The keys of committed submits, and of those under way. Keys have the form that `key_of`
    returns. When there are too many keys, the user with the most keys loses the oldest one."""

    def __init__(self) -> None:
        self._of_user: dict[str, dict[str, _Known]] = {}  # the oldest key first
        self._count = 0

    async def repeated(self, key: str, digest: str) -> list[int] | None:
        """Return the ids of the key's first request, once they are committed; None if this is the
        first.

        Raises:
            DaemonError: the first request was another one, or could not be stored.
        """
        if (known := self._find(key)) is None:
            return None
        if known.digest != digest:
            raise KeyReused("this Idempotency-Key was used for another request")
        return await asyncio.shield(known.done) if known.done else known.numbers.jobs()

    def begin(
        self, key: str, digest: str, numbers: Numbers, done: asyncio.Future[list[int]]
    ) -> None:
        self._remember(key, _Known(digest, numbers, done))

    def committed(self, key: str) -> None:
        if known := self._find(key):
            known.done = None

    def failed(self, key: str) -> None:
        if self._find(key):
            self._forget(_user(key), key)

    def reload(self, rows: Iterable[Row]) -> None:
        """Begin again from the database's `submission` rows, oldest first."""
        known_before, self._of_user, self._count = self._of_user, {}, 0
        for row in rows:
            arrays = [(array_id, tasks) for array_id, tasks in row["arrays"]]
            numbers = Numbers(row["first_id"], row["count"], arrays)
            self._remember(row["key"], _Known(row["digest"], numbers))
        for of_user in known_before.values():
            for key, known in of_user.items():
                if known.done:
                    self._remember(key, known)

    def _find(self, key: str) -> _Known | None:
        return self._of_user.get(_user(key), {}).get(key)

    def _remember(self, key: str, known: _Known) -> None:
        of_user = self._of_user.setdefault(_user(key), {})
        self._count += key not in of_user
        of_user[key] = known
        while self._count > REMEMBERED:
            user = max(self._of_user, key=lambda user: len(self._of_user[user]))
            self._forget(user, next(iter(self._of_user[user])))

    def _forget(self, user: str, key: str) -> None:
        of_user = self._of_user[user]
        del of_user[key]
        self._count -= 1
        if not of_user:
            del self._of_user[user]


def key_of(user: str, key: str) -> str:
    """Return a user's idempotency key together with the user's name. A colon in the name is
    escaped, so that no user has the keys of another."""
    return f"{user.replace('%', '%25').replace(':', '%3A')}:{key}"


def _user(key: str) -> str:
    return key.partition(":")[0]
