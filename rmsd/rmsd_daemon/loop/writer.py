"""The one thread that writes to the database, as the event loop uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection

from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_daemon.domain.submission import Payload
from rmsd_daemon.loop.timings import Timings
from rmsd_daemon.setup import garbage
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.external_changes import note_snapshot
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.retention import KeptFor, PruningStep, prune, snapshots
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.store import Store

_In = TypeVar("_In")
_Out = TypeVar("_Out")


class Writer:
    """Writes in the order of the calls.

    commits: the durations of commits, including the way to the thread and back. `look` is called if
    the store has met damage that is to be mended before the next commit.
    """

    def __init__(self, store: Store, look: Callable[[], None]) -> None:
        self.commits = Timings()
        self._store = store
        self._look = look
        self._thread = ThreadPoolExecutor(1, "writer")

    def close(self) -> None:
        """Wait until everything is written."""
        self._thread.shutdown()

    async def commit(self, changes: Changes) -> None:
        """Commit changes. Raises StoreError, as `Store.commit`."""
        with self.commits.one():
            await self._run(self._store.commit, changes)

    async def load(self, needed: RunsNeeded, build: Callable[[Snapshot], _Out]) -> _Out:
        """Return what `build`, which runs in the thread, makes of the stored state. Raises
        StoreError, as `Store.load`, and the errors of `build`."""

        def load(needed: RunsNeeded) -> _Out:
            with garbage.none_yet():
                return build(self._store.load(needed))

        return await self._run(load, needed)

    async def snapshot(self, now_us: int) -> None:
        """Store a snapshot of the live jobs; it is `now_us` in model time. Raises StoreError."""

        def change(connection: Connection) -> None:
            note_snapshot(connection, now_us)

        await self._run(self._in_transaction, change)

    async def latest_snapshot_us(self) -> int | None:
        """Return the model time of the latest snapshot; None if there is no event yet. Raises
        StoreError."""
        found = await self._run(self._in_transaction, snapshots)
        return found[-1][1] if found else None

    async def prune(self, kept: KeptFor, now_us: int, most: int, batch: int) -> PruningStep | None:
        """Delete some of what is too old, as `retention.prune` says. Raises StoreError."""

        def change(connection: Connection) -> PruningStep | None:
            return prune(connection, kept, now_us, most, batch)

        return await self._run(self._in_transaction, change)

    def _in_transaction(self, change: Callable[[Connection], _Out]) -> _Out:
        """Make one transaction, in the thread, and return the result of `change`."""
        found: list[_Out] = []
        self._store.transact(lambda connection: found.append(change(connection)))
        return found[-1]

    async def payloads(self, job_ids: Sequence[int]) -> dict[int, Payload | None]:
        """Return the payloads of jobs. Raises StoreError, as `Store.payloads`."""
        return await self._run(self._store.payloads, job_ids)

    async def record(self, changes: Changes) -> None:
        """Write changes that do not concern the core. Raises StoreError."""
        await self._looked(self._store.record, changes)

    async def settle_notices(self, keys: Sequence[tuple[int, str]]) -> None:
        """Delete notices, as `Store.settle_notices`. Raises StoreError."""
        await self._looked(self._store.settle_notices, keys)

    async def _looked(self, write: Callable[[_In], None], argument: _In) -> None:
        try:
            await self._run(write, argument)
        except StoreError:
            if self._store.must_mend:
                self._look()
            raise

    async def _run(self, function: Callable[[_In], _Out], argument: _In) -> _Out:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, argument)
