"""The scheduler as the rest of the daemon sees it: its works, and its state."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.inputs import (
    AwaitAgain,
    Input,
    SetPartitions,
    SetPolicies,
)
from rmsd_core.lifecycle.refusals import DRAIN_AFTER
from rmsd_core.machine.partitions import Partition
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.domain.accounts import ANY_ACCOUNT, AccountRules, JobGroup
from rmsd_daemon.domain.errors import Conflict, NotStored, Unavailable, not_paced
from rmsd_daemon.domain.feed import Feed
from rmsd_daemon.domain.submission import Details, NewJob, awaited_ids, awaited_in
from rmsd_daemon.domain.updates import Amended
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.dependency_over import (
    first_over,
    first_with_tasks_over,
    just_ended,
    task_just_ended,
)
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.live_details import LiveDetails
from rmsd_daemon.loop.mailbox import (
    Amendment,
    Arrival,
    Links,
    ReadyInputs,
    Reawaiting,
    Revival,
    Work,
)
from rmsd_daemon.loop.task import SchedulerTask
from rmsd_daemon.loop.timings import Timings
from rmsd_daemon.setup.clock import DaemonClock
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.retention import EVERYTHING, KeptFor
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.store import Store

_SOUND_WITHIN_S = 10.0
"""The time that a caller waits for a sound state."""
_STORED_WITHIN_S = 10.0
"""The time after which a caller who waits for a job's end to be stored looks at the job again."""


class Scheduler:
    """The mailbox of the task and the view of its state. `core`, `details` and `node_rows` may be
    read anywhere on the event loop once `sound` returns; only the task changes them. They are ahead
    of the database while a commit runs. A job has `details` only once it is committed, and until
    its end is committed."""

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        clock: DaemonClock,
        recipe: Recipe,
        capacity: CapacityKind,
        drain_after: int | None = DRAIN_AFTER,
        kept: KeptFor = EVERYTHING,
        partitions: Sequence[Partition] = (),
        accounts: AccountRules = ANY_ACCOUNT,
    ) -> None:
        self.store = store
        self.cluster = ClusterState(recipe, capacity, clock, drain_after, partitions, accounts)
        self._task = SchedulerTask(store, snapshot, self.cluster, kept)
        self.passes = self._task.passes
        self.job_counters = self._task.job_counters
        self.troubles = self._task.troubles
        self.notices = self._task.notices
        self._amended: dict[int, asyncio.Future[bool]] = {}  # the changes under way, by job

    async def run(self, links: Links, rules: JobRules) -> None:
        """Run until `close`. After a failure of the store or the core, go back to the last
        commit."""
        await self._task.run(links, rules)

    # ------------------------------------------------------------ what is known

    @property
    def commits(self) -> Timings:
        """Return the durations of commits."""
        return self._task.writer.commits

    @property
    def feed(self) -> Feed:
        """Return the feed of what commits have changed."""
        return self._task.watchers.feed

    @property
    def clock(self) -> DaemonClock:
        return self.cluster.clock

    @property
    def recipe(self) -> Recipe:
        return self.cluster.recipe

    @property
    def core(self) -> Core:
        return self.cluster.core

    @property
    def details(self) -> LiveDetails:
        """Return the details of the live jobs whose submit is committed, by id."""
        return self.cluster.details

    def live_groups(self) -> Mapping[JobGroup, int]:
        """Return how many jobs wait or run, by QOS, account and user. Each task of an array
        counts."""
        return self.cluster.shares.groups

    @property
    def node_rows(self) -> dict[str, Row]:
        return self.cluster.node_rows

    @property
    def awaited(self) -> list[str]:
        """Return the nodes that must be heard after a restore, before anything is started."""
        restoration = self._task.restoration
        return sorted(restoration.awaited) if restoration is not None else []

    @property
    def why_no_nodes(self) -> str:
        """Return what keeps nodes from coming up after a restore; "" if nothing does."""
        if not (awaited := self.awaited):
            return ""
        names = ", ".join(awaited)
        return (
            f"nothing starts before these nodes of the backup are heard: {names} (`rnode forget` "
            "gives up a node that never comes back)"
        )

    @property
    def restoring(self) -> bool:
        """Return whether jobs are as they were in a backup, so that their course since then is not
        known yet."""
        restoration = self._task.restoration
        return restoration is not None and not restoration.caught_up

    def live_job(self, job_id: int) -> Job | None:
        """Return the job with this number; None if it is over, or there is none."""
        return self.core.jobs.get(job_id)

    def check_caught_up(self, job_id: int) -> None:
        """Check that the course of the job is known: it may run, although the backup does not say
        so. Raises Unavailable."""
        if self.restoring:
            raise Unavailable(f"job {job_id} is as it was in the backup; nodes are being heard")

    @property
    def nodes_here(self) -> int:
        """Return the number of nodes that are up, or will be as soon as no node is awaited."""
        links = {name: node.link for name, node in self.core.nodes.items()}
        up = sum(link == "up" for link in links.values())
        if not self.awaited:
            return up
        return up + sum(
            link == "suspect" and name not in self.awaited for name, link in links.items()
        )

    # ------------------------------------------------------------ the way in

    def set_partitions(self, partitions: Sequence[Partition]) -> None:
        """Have the partitions replaced with the next batch. A core that is built anew meanwhile
        begins with them."""
        self.cluster.partitions = tuple(partitions)
        self.put(ReadyInputs([SetPartitions(self.cluster.partitions)]))

    def accounts_changed(self) -> None:
        """Have the limits of accounts and QOS take effect that are in force now."""
        self.put(ReadyInputs([SetPolicies(self.cluster.accounts.policies)]))

    def put(self, work: Work) -> None:
        """Have the work done with the next batch."""
        self._task.put(work)

    @property
    def queued(self) -> Sequence[Work]:
        """Return the works that wait for the next batch."""
        return self._task.queue

    async def submit(
        self,
        jobs: list[NewJob],
        key: str | None,
        digest: str,
        most_of_user: int,
        audit_entry: Row | None = None,
        at_us: int | None = None,
    ) -> list[int]:
        """Commit `jobs` and return their ids; for a repeated `key`, return those of its first
        request. `audit_entry` goes into the audit trail. `at_us`: on a paced clock, when they
        arrive.

        Raises:
            DependencyOver: a job that they depend on has ended since it was looked up.
            DaemonError: not stored, the key was used for another request, or a user would have more
                than `most_of_user` live jobs, or too much text in them.
        """
        if key is not None and (ids := await self.repeated(key, digest)) is not None:
            return ids
        await self.check_submit(jobs, most_of_user)
        self.cluster.shares.take(jobs, most_of_user)
        numbers = self.cluster.number(jobs)
        done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        if key is not None:
            self._task.waiters.keys.begin(key, digest, numbers, done)
        self.put(Arrival(jobs, key, digest, done, audit_entry, at_us))
        return await asyncio.shield(done)

    async def run_out(self, timeout_s: float) -> bool:
        """Let the paced clock go on without a further submit. Returns whether nothing is left to
        happen, at the latest after `timeout_s` seconds.

        Raises:
            DaemonError: the clock is not paced.
        """
        self._refuse_if_stopping()
        if (pacing := self._task.pacing) is None:
            raise not_paced()
        pacing.run_out()
        self.look()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pacing.over.wait(), timeout_s)
        self._refuse_if_stopping()
        return pacing.over.is_set()

    async def check_submit(self, jobs: list[NewJob], most_of_user: int) -> None:
        """Check whether `jobs` would be taken now. Raises as `submit`."""
        self._refuse_if_stopping()
        await self.sound()
        await self._refuse_if_over(awaited_ids(jobs))
        if (array_id := first_with_tasks_over(self.cluster, jobs)) is not None:
            raise task_just_ended(array_id)
        self.cluster.shares.check(jobs, most_of_user)

    async def repeated(self, key: str, digest: str) -> list[int] | None:
        """Return the ids of the key's first request, once they are committed; None if there is no
        such request. What has changed since the first request does not matter: a dependency may
        be forgotten, a partition closed.

        Raises:
            DaemonError: the first request was another one, or was not stored.
        """
        self._refuse_if_stopping()
        await self.sound()  # the keys of the last commit are known only then
        return await self._task.waiters.keys.repeated(key, digest)

    async def _refuse_if_over(self, awaited: Iterable[int]) -> None:
        """Raise DependencyOver if a job on which others are to depend is over, once its end is
        stored. The core has forgotten that job, though the commit of its end may be under way. The
        ends of all others it sees together with the new dependencies, or later."""
        if (job_id := first_over(self.cluster, awaited)) is None:
            return
        if job_id in self.details:  # until the end is stored, or that has failed
            await self.changed(job_id, _STORED_WITHIN_S)
        raise just_ended(job_id)

    async def amend(
        self,
        job_id: int,
        change: Callable[[Job, Details], Amended | None],
        audit_entry: Row,
    ) -> bool | None:
        """Change what a live job asks for, when no other change of the job is under way. `change`
        makes the change of the job as it is then. Return whether the change is committed: False if
        the job does not take it in its phase or is over, None if there is nothing to change.

        Raises:
            DependencyOver: a job that it is to depend on has ended since it was looked up.
            DaemonError: not stored, or as `change` raises.
        """
        while (other := self._amended.get(job_id)) is not None:
            await asyncio.wait([other])
        self._refuse_if_stopping()
        await self.sound()
        if (live := self.cluster.live(job_id)) is None:
            return False
        job, details = live
        if (amended := change(job, details)) is None:
            return None
        if amended.update.awaits is not None:
            await self._refuse_if_over(awaited_in(amended.update.awaits))
        self.cluster.shares.check_text(job.user, details, amended.details)
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._amended[job_id] = done
        done.add_done_callback(lambda _: self._amended.pop(job_id))
        self.put(Amendment([amended.update], done, [audit_entry], job_id, amended.details))
        return await asyncio.shield(done)

    async def restart(
        self,
        new: NewJob,
        inputs: Sequence[Input],
        most_of_user: int,
        audit_entry: Row,
    ) -> bool:
        """Return when a job that is over waits again, and is committed. The first of `inputs` is
        its `Restart`; `new` is the job. The answer says whether it was over until then.

        Raises:
            DependencyOver: a job that is awaited has ended since it was looked up.
            DaemonError: not stored, or the user would have more than `most_of_user` live jobs.
        """
        self._refuse_if_stopping()
        await self.sound()
        if self.cluster.is_live(new.job.id):
            return False
        self.cluster.shares.check([new], most_of_user)
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.put(Revival(list(inputs), done, [audit_entry], new.details))
        return await asyncio.shield(done)

    @contextlib.contextmanager
    def reviving(self, job_id: int) -> Iterator[None]:
        """Keep all others from a restart of the job, which is over, from its look-up until it waits
        again. Two restarts would begin from the same record, and give two starts one number.

        Raises:
            Conflict: another caller restarts the job.
        """
        if job_id in self.cluster.reviving:
            raise Conflict(f"job {job_id} is being restarted already")
        self.cluster.reviving.add(job_id)
        try:
            yield
        finally:
            self.cluster.reviving.discard(job_id)

    async def await_again(self, inputs: Sequence[AwaitAgain]) -> None:
        """Return when jobs wait again for one that runs again, or has run, and that is committed.

        Raises:
            DependencyOver: a job that is awaited has ended since it was looked up.
            DaemonError: not stored.
        """
        self._refuse_if_stopping()
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.put(Reawaiting(list(inputs), done))
        await asyncio.shield(done)

    async def carry_out(self, *inputs: Input, audit_entries: Sequence[Row]) -> bool:
        """Return when `inputs` have taken effect, all at once, and are committed. The answer says
        whether none of them was refused. `audit_entries` go into the audit trail.

        Raises:
            DaemonError: not stored.
        """
        self._refuse_if_stopping()
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.put(ReadyInputs(list(inputs), done, audit_entries))
        return await asyncio.shield(done)

    def _refuse_if_stopping(self) -> None:
        if self._task.stopping:
            raise Unavailable("the daemon is stopping")

    async def sound(self) -> None:
        """Return when the state is that of a commit or under way to one, not that of a failed one.

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
        """Return when a commit has changed the job, or after `timeout_s` seconds."""
        await self._task.watchers.wait(job_id, timeout_s)

    async def until_over(self, job_id: int, timeout_s: float) -> None:
        """Return when the job's end is committed, or after `timeout_s` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while job_id in self.details and not self._task.stopping:
            left_s = deadline - loop.time()
            if left_s <= 0:
                return
            await self.changed(job_id, left_s)

    async def record(self, tokens: list[Row], audit_entry: Row) -> None:
        """Return when rows of tokens and their entry in the audit trail are committed.

        Raises:
            DaemonError: not stored.
        """
        await self._record_changes(Changes(tokens=tokens, audit=[audit_entry]))

    async def record_all(self, audit_entries: list[Row]) -> None:
        """Return when all `audit_entries` are in the audit trail. Raises DaemonError, as
        `record`."""
        await self._record_changes(Changes(audit=audit_entries))

    async def record_steps(self, ended: list[Row]) -> None:
        """Return when it is committed how steps have ended (rows of `worst_step`), of each attempt
        the one that ended worst. Raises DaemonError, as `record`."""
        await self._record_changes(Changes(worst_steps=ended))

    async def _record_changes(self, changes: Changes) -> None:
        self._refuse_if_stopping()
        try:
            await self._task.writer.record(changes)
        except StoreError as error:
            raise NotStored(f"nothing was stored: {error}") from error

    async def add_notices(self, rows: list[Row]) -> None:
        """Store notices, unless there are such of the same jobs and events, and have them
        delivered. Raises DaemonError, as `record`."""
        await self._record_changes(Changes(notices=rows))
        self.notices.set()

    async def settle_notices(self, keys: Sequence[tuple[int, str]]) -> None:
        """Delete notices, as `Store.settle_notices`. Raises StoreError."""
        await self._task.writer.settle_notices(keys)

    def look(self) -> None:
        """Have the task look at what is to be done, as when damage is to be mended."""
        self._task.wake.set()

    def close(self) -> None:
        """Finish the present batch, then let `run` return. All waiting callers are woken."""
        self._task.stopping = True
        self._task.wake.set()
        self._task.watchers.notify_all()

    @property
    def stopping(self) -> bool:
        return self._task.stopping
