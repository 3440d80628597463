"""The scheduler, as the rest of the daemon sees it: what it is given to do, and what it knows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.inputs import (
    Input,
)
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.domain.errors import NotStored, Unavailable
from rmsd_daemon.domain.submission import Details, NewJob
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.task import Task
from rmsd_daemon.loop.timings import Timings
from rmsd_daemon.loop.work import (
    Arrival,
    Links,
    Order,
    Work,
)
from rmsd_daemon.setup.clock import Clock
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.writing import Changes

_SOUND_WITHIN_S = 10.0
"""How long a caller waits for a state that can be told."""


class Scheduler:
    """`core`, `details` and `node_rows` may be read by anyone on the event loop once `sound`
    returns; only the task changes them. While a commit runs they are ahead of the database, except
    that a job has `details` only once it is committed, and until its end is."""

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        clock: Clock,
        recipe: Recipe,
        capacity: CapacityKind,
    ) -> None:
        self.store = store
        self._task = Task(store, snapshot, clock, recipe, capacity)
        self.cluster = self._task.cluster
        self.passes = self._task.passes
        self.troubles = self._task.troubles
        self.notices = self._task.notices

    async def run(self, links: Links, rules: JobRules) -> None:
        """Until `close`. Failures of the store or the core lead back to the last commit."""
        await self._task.run(links, rules)

    # ------------------------------------------------------------ what is known

    @property
    def commits(self) -> Timings:
        """How long commits take."""
        return self._task.writer.commits

    @property
    def clock(self) -> Clock:
        return self.cluster.clock

    @property
    def recipe(self) -> Recipe:
        return self.cluster.recipe

    @property
    def core(self) -> Core:
        return self.cluster.core

    @property
    def details(self) -> dict[int, Details]:
        """The details of the live jobs whose submit is committed, by id."""
        return self.cluster.details

    @property
    def node_rows(self) -> dict[str, Row]:
        return self.cluster.node_rows

    @property
    def awaited(self) -> list[str]:
        """The nodes that must be heard after a restore, before anything is started."""
        restoration = self._task.restoration
        return sorted(restoration.awaited) if restoration is not None else []

    @property
    def restoring(self) -> bool:
        """Whether jobs are as they were in a backup, and what became of them is not known yet."""
        restoration = self._task.restoration
        return restoration is not None and not restoration.caught_up

    @property
    def nodes_here(self) -> int:
        """How many nodes are up, or will be as soon as nobody is awaited any more."""
        links = {name: node.link for name, node in self.core.nodes.items()}
        up = sum(link == "up" for link in links.values())
        if not self.awaited:
            return up
        return up + sum(
            link == "suspect" and name not in self.awaited for name, link in links.items()
        )

    # ------------------------------------------------------------ the way in

    def put(self, work: Work) -> None:
        """Have the work done with the next batch."""
        self._task.put(work)

    @property
    def queued(self) -> Sequence[Work]:
        """The works that wait for the next batch."""
        return self._task.queue

    async def submit(
        self,
        jobs: list[NewJob],
        key: str | None,
        digest: str,
        most_of_user: int,
        said: Row | None = None,
    ) -> list[int]:
        """The ids of `jobs`, once they are committed; those of the first request for a repeated
        `key`. `said` goes into the audit trail.

        Raises:
            DaemonError: not stored, the key was used for another request, or a user would have more
                than `most_of_user` live jobs, or too much text in them.
        """
        self._refuse_if_stopping()
        await self.sound()  # what the last commit stored is known, and so are its keys
        keys = self._task.waiters.keys
        if key is not None and (ids := await keys.repeated(key, digest)) is not None:
            return ids
        self.cluster.shares.take(jobs, most_of_user)
        ids_given = self.cluster.number(jobs)
        done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        if key is not None:
            keys.begin(key, digest, ids_given, done)
        self.put(Arrival(jobs, key, digest, done, said))
        return await asyncio.shield(done)

    async def order(self, *inputs: Input, said: Sequence[Row]) -> bool:
        """Returns when `inputs` have taken effect, all at once, and are committed: whether none of
        them was refused. `said` goes into the audit trail.

        Raises:
            DaemonError: not stored.
        """
        self._refuse_if_stopping()
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.put(Order(list(inputs), done, said))
        return await asyncio.shield(done)

    def _refuse_if_stopping(self) -> None:
        if self._task.stopping:
            raise Unavailable("the daemon is stopping")

    async def sound(self) -> None:
        """Returns when the state is that of a commit or under way to one, not that of a failed one.

        Raises:
            DaemonError: the database cannot be read now.
        """
        if self._task.sound.is_set():
            return
        try:
            await asyncio.wait_for(self._task.sound.wait(), _SOUND_WITHIN_S)
        except TimeoutError:
            raise NotStored("the database cannot be read; see the daemon's log") from None

    async def changed(self, job_id: int, timeout_s: float) -> None:
        """Returns when a commit has changed the job, or after `timeout_s`."""
        await self._task.watchers.wait(job_id, timeout_s)

    async def until_over(self, job_id: int, timeout_s: float) -> None:
        """Returns when the job is over and that is committed, or after `timeout_s`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while job_id in self.details and not self._task.stopping:
            left_s = deadline - loop.time()
            if left_s <= 0:
                return
            await self.changed(job_id, left_s)

    async def record(self, tokens: list[Row], said: Row) -> None:
        """Returns when rows of tokens, and what the audit trail is told of them, are committed.

        Raises:
            DaemonError: not stored.
        """
        await self._record_changes(Changes(tokens=tokens, audit=[said]))

    async def record_all(self, said: list[Row]) -> None:
        """Returns when the audit trail is told all of `said`. Raises DaemonError, as `record`."""
        await self._record_changes(Changes(audit=said))

    async def _record_changes(self, changes: Changes) -> None:
        self._refuse_if_stopping()
        try:
            await self._task.writer.record(changes)
        except StoreError as error:
            raise NotStored(f"nothing was stored: {error}") from error

    async def forget_notices(self, job_ids: Sequence[int]) -> None:
        """The jobs' notices need no delivery any more. Raises StoreError."""
        await self._task.writer.forget_notices(job_ids)

    def close(self) -> None:
        """Finish the batch at hand, then let `run` return. Whoever waits is woken."""
        self._task.stopping = True
        self._task.wake.set()
        self._task.watchers.notify_all()

    @property
    def stopping(self) -> bool:
        return self._task.stopping
