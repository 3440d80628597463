"""The task that owns the core: it collects inputs, calls the core, commits, then answers and sends.

Work that comes during a commit makes the next batch: that is the group commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import structlog

from rmsd_core.lifecycle.effects import Effects
from rmsd_core.lifecycle.inputs import Input, Launched
from rmsd_core.recipes.extensions import PartError
from rmsd_core.recipes.prediction import runs_needed
from rmsd_daemon.domain.errors import Failed, NotStored, Unavailable
from rmsd_daemon.domain.troubles import Troubles
from rmsd_daemon.domain.watchers import Watchers
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.decision_log import log_decisions
from rmsd_daemon.loop.dependency_over import with_live_dependencies
from rmsd_daemon.loop.job_counters import JobCounters
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.mailbox import (
    Links,
    ReadyInputs,
    Register,
    Renewal,
    Report,
    Work,
    as_new,
    described,
    is_stale,
    new_jobs,
    next_batch,
)
from rmsd_daemon.loop.pacing import Pacing
from rmsd_daemon.loop.put_off import PutOff
from rmsd_daemon.loop.rebuilt import Rebuilt, is_backup
from rmsd_daemon.loop.reconcile import Reconciled, lost_ends
from rmsd_daemon.loop.restoration import Restoration, missed
from rmsd_daemon.loop.retention import Retention
from rmsd_daemon.loop.sending import Sender
from rmsd_daemon.loop.timings import Timings
from rmsd_daemon.loop.waiters import Waiters
from rmsd_daemon.loop.writer import Writer
from rmsd_daemon.setup.clock import PacedClock, real_delay_s
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.retention import EVERYTHING, KeptFor
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_daemon.store.store import Store

log = structlog.get_logger()

_LAUNCHED_COMMIT_DELAY_S = 0.02
"""The delay of the commit of a confirmed start: no decision depends on it, and the next commit
usually comes sooner and stores it as well."""
_LONGEST_TIMER_S = 86400.0
_MOST_UNSTORED = 1000
"""The most calls in a row that decided nothing and wait for the next commit."""


class _UntoldError(Exception):
    """A batch is stored, and telling the others of it has failed."""


class SchedulerTask:
    """The state that changes while the daemon runs; only `run` changes it.

    cluster: the core, and what is kept beside it. queue: the works that wait for the next batch;
    `wake` makes the task look at them. sound: set while `cluster` is that of a commit or under way
    to one, not that of a failed one. notices: set when there may be some in the store.
    """

    restoration: Restoration | None
    _links: Links
    _sender: Sender

    def __init__(
        self, store: Store, snapshot: Snapshot, cluster: ClusterState, kept: KeptFor = EVERYTHING
    ) -> None:
        self.store = store
        clock = cluster.clock
        self.pacing = Pacing(clock) if isinstance(clock, PacedClock) else None
        self._retention = Retention(EVERYTHING if self.pacing else kept, clock.rate)
        self.cluster = cluster
        self.passes = Timings()  # including the time to apply inputs
        self.job_counters = JobCounters()
        self.wake = asyncio.Event()
        self.writer = Writer(store, self.wake.set)
        self.queue: list[Work] = []
        self._timer: asyncio.TimerHandle | None = None
        self._wake_us: int | None = None
        self.watchers = Watchers()
        self.notices = asyncio.Event()
        self.notices.set()
        self.waiters = Waiters()
        self.troubles = Troubles()
        self._put_off = PutOff()
        self.stopping = False
        self._unstored: list[Row] = []  # events to store with the next commit
        self.sound = asyncio.Event()
        self._take(cluster.rebuilt(snapshot))

    def put(self, work: Work) -> None:
        """Add the work to the next batch."""
        self.queue.append(work)
        if isinstance(work, Report) and isinstance(work.input, Launched):
            # A confirmed start decides nothing: store it with the next commit.
            asyncio.get_running_loop().call_later(_LAUNCHED_COMMIT_DELAY_S, self.wake.set)
        else:
            self.wake.set()

    async def run(self, links: Links, rules: JobRules) -> None:
        """Run until `close`. After a failure of the store or the core, go back to the last
        commit."""
        self._links = links
        self._sender = Sender(links, self.writer, self.cluster, self.troubles, rules, self._wake_in)
        links.watch_nodes(self.cluster.expected_nodes())
        self._retention.again_s = self._wake_in(self._retention.first_s())
        try:
            while self.sound.is_set():  # else the daemon stops: the state may never be stored
                await self.wake.wait()
                self.wake.clear()
                works = self._next_works()
                if self.cluster.clock_has_stepped():
                    log.warning(
                        "clock-stepped", detail="the system's clock was set, or stood still"
                    )
                    links.reset()  # agents know the clock from their Welcome
                if works is not None:
                    await self._do(works)
                if self.sound.is_set() and self._sender.is_due and not self._registers_wait():
                    await self._sender.send_what_is_left()
                if self.stopping:
                    break
                await self._retain()
        finally:
            if self._timer:
                self._timer.cancel()
            self.waiters.refuse(self.queue, Unavailable("the daemon is stopping"))
            self.writer.close()

    def _next_works(self) -> list[Work] | None:
        """Take the next batch from the queue. None: a paced clock waits for somebody's answer."""
        works = [*self._put_off.take_due(asyncio.get_running_loop().time()), *self.queue]
        if self.pacing is not None and self.restoration is None:
            view = (self._links, self.cluster.core, self._wake_us)
            paced, self.queue = self.pacing.next_works(works, *view)
            self._put_off.waiting = self.queue
            if paced is not None:
                self.wake.set()
            return paced
        if self.restoration is not None:
            works, self.queue = self.restoration.without_early(works)
            return next_batch(works, is_whole=True)[0]
        works, self.queue = next_batch(works, is_whole=self.stopping)
        if self.queue:
            self.wake.set()
        return works

    def _registers_wait(self) -> bool:
        """Return whether an agent is about to be registered, and is then told what to do. It may
        have forgotten an attempt whose end it has reported, and the report waits here."""
        return any(isinstance(work, Register) for work in self.queue)

    async def _do(self, works: list[Work]) -> None:
        """Carry out `works` in one batch. If that fails, go back to the last commit and carry out
        the works that do not fail."""
        try:
            if self.store.must_mend:
                works = await self._go_back(works)
            await self._batch(await self._admit_work(works))
        except StoreError as error:
            log.error("commit-failed", error=str(error))
            await self._try_later(works, "commit", error)
        except _UntoldError:
            self.queue[:0] = await self._go_back([])
        except Exception as error:
            log.exception("pass-failed")
            if self.restoration is None:
                await self._one_by_one(works)
            else:  # the messages of agents are only understood together
                await self._try_later(works, "pass", error)
        if not self._put_off:
            self.troubles.over("input")

    async def _retain(self) -> None:
        """Delete some of what is too old, or take a snapshot, if it is time for that."""
        loop, retention = asyncio.get_running_loop(), self._retention
        began_s = loop.time()
        if began_s < retention.again_s or self.restoration is not None or self.troubles.failing:
            return
        try:
            result = await retention.work(self.writer, self.cluster, self._unstored)
        except StoreError as error:
            log.error("pruning-failed", error=str(error))
            await self._try_later([], "commit", error)
            result = "nothing"
        if result == "snapshot":
            # Later decisions are made from the tables alone, as after a start.
            self.queue[:0] = await self._go_back([])
            retention.taken(self.cluster)
        pause_s = retention.pause_s(result, loop.time() - began_s)
        retention.again_s = self._wake_in(pause_s)

    async def _one_by_one(self, works: list[Work]) -> None:
        """Carry out each of `works` in a batch of its own, after their common batch has failed.

        A work that the core cannot apply is left out. A work after which the pass fails is put off,
        since the fault need not be the work's. If the pass fails without any of `works`, all of
        them are tried later.
        """
        works = await self._go_back(works)
        while works and not self.stopping:
            work = works.pop(0)
            try:
                await self._batch([work])
            except StoreError as error:
                log.error("commit-failed", error=str(error))
                await self._try_later([work, *works], "commit", error)
                return
            except _UntoldError:
                works = await self._go_back(works)
            except Exception as error:
                log.exception("pass-failed")
                if isinstance(work, Renewal):
                    await self._try_later(works, "pass", error)
                    return
                if self.cluster.core.has_applied:
                    self._set_aside(work, error)
                else:
                    self._leave_out(work, error)
                works = await self._go_back(works)
        self.queue[:0] = works

    async def _admit_work(self, works: list[Work]) -> list[Work]:
        """Return those of `works` that can be done now. After a restore, messages of agents wait
        until all agents are heard and the core has been told what the backup has missed."""
        restoration = self.restoration
        if restoration is None or restoration.caught_up:
            return works
        works = restoration.sort(works)
        if restoration.awaited:
            return works
        put_off = restoration.put_off()
        registers = [work for work in put_off if isinstance(work, Register)]
        cluster, now_us = self.cluster, self.cluster.present_us()
        jobs, details = cluster.known_to(registers)
        found = missed(jobs, details, cluster.node_rows, registers, now_us, cluster.capacity)
        cluster.node_rows.update((row["name"], row) for row in found.new_nodes)
        if first := found.first_inputs():
            await self._batch([ReadyInputs(first)])
        # A crash or a full disk before the exits are committed leads back to asking all the nodes.
        restoration.caught_up = True
        self.wake.set()  # for the works that came too early
        for job in filter(None, map(cluster.core.jobs.get, found.jobs())):  # some may be cancelled
            log.info("job-caught-up", job_id=job.id, attempt=job.attempt, state=job.state.value)
        log.info("restored", caught_up=len(found.jobs()), exits=len(found.exits))
        left = [row["name"] for one in registers if one.session.closed for row in one.nodes]
        self._links.watch_nodes(left)  # the nodes' Hello counts, although the link is lost again
        return [*works, ReadyInputs([*found.exits]), *put_off, ReadyInputs(found.last_inputs(left))]

    @property
    def _caught_up(self) -> bool:
        """Return whether the next commit completes what a restore has begun."""
        return self.restoration is not None and self.restoration.caught_up

    async def _batch(self, works: list[Work]) -> None:
        """Carry out `works`, all of them or none.

        Raises:
            StoreError, and the errors of the core: nothing is stored.
            _UntoldError: all is stored, and must not be done again.
        """
        cluster = self.cluster
        now_us = cluster.begin_batch(None if works else self._wake_us)
        works = with_live_dependencies(works, cluster, self.waiters)
        inputs, greetings = cluster.inputs(works, self._put_off.tells)
        due = self._wake_us is not None and self._wake_us <= now_us
        if not inputs and not due:
            self._plan_wake(self._wake_us)
            self.waiters.settle(works, (), self._put_off)
            return
        effects = self._handle(now_us, inputs)
        if inputs or effects.changed or effects.decisions or len(self._unstored) >= _MOST_UNSTORED:
            changes = cluster.changes(
                works, inputs, effects, self._unstored, ends_a_restore=self._caught_up
            )
            await self.writer.commit(changes)
            self.troubles.over("commit")
            if changes.notices:
                self.notices.set()
            for row in changes.gone_nodes:  # no other node could have the names until now
                self.cluster.node_rows.pop(row["b_name"], None)
            self.watchers.feed.tell((), changes.touched_nodes)
            self._unstored.clear()
            if self._caught_up:
                self.restoration = None
        else:
            self._unstored += cluster.no_op()
        try:
            await self._tell(works, effects, greetings)
        except Exception as error:
            log.exception("pass-failed")
            why = Failed(f"the request was carried out, and the scheduler failed then: {error!r}")
            self.waiters.refuse(works, why)
            raise _UntoldError from error

    async def _tell(
        self, works: Sequence[Work], effects: Effects, greetings: list[Reconciled]
    ) -> None:
        """Tell callers, agents and watchers what is committed."""
        if self.pacing is not None:
            self.pacing.decided(effects.decisions)
        self.cluster.committed(works, effects)
        self.waiters.settle(works, effects.refused, self._put_off)
        self._sender.keep(new_jobs(works))
        for lost in lost_ends(greetings, self.cluster.news, self.cluster.now_us):
            self.put(ReadyInputs([lost]))
        await self._sender.send(effects, greetings)
        self.watchers.notify(effects.changed, self.cluster.core.job)
        log_decisions(self.cluster.core, effects)
        self.job_counters.note(self.cluster.core, works, effects)
        self.cluster.forget_over(effects)
        if self.cluster.core.left():  # look again, to forget these nodes
            self.wake.set()

    def _wake_in(self, pause_s: float) -> float:
        """Make the task look again after a pause. Returns the time of that on the loop's clock."""
        return asyncio.get_running_loop().call_later(pause_s, self.wake.set).when()

    def _handle(self, now_us: int, inputs: list[Input]) -> Effects:
        passes_before = self.cluster.core.passes
        started_s = time.perf_counter()
        effects = self.cluster.core.handle(now_us, inputs)
        self.troubles.over("pass")
        if self.cluster.core.passes > passes_before:
            self.passes.done(started_s)
        self._plan_wake(effects.wake_us)
        return effects

    def _plan_wake(self, wake_us: int | None) -> None:
        self._wake_us = wake_us
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if wake_us is not None:
            delay_s = min(real_delay_s(self.cluster.clock, wake_us), _LONGEST_TIMER_S)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self.wake.set)

    # ------------------------------------------------------------ back to the last commit

    async def _try_later(self, works: list[Work], what: str, error: Exception) -> None:
        """Go back to the last commit, since `what` has failed. Requests of people are refused;
        reports of agents are tried again after a pause."""
        unstored = isinstance(error, StoreError)
        why = NotStored(f"nothing was stored: {error}") if unstored else _failed(error)
        pause_s = self.troubles.failed(what, str(error) if unstored else repr(error))
        self.queue[:0] = await self._go_back(self.waiters.refuse(works, why))
        await asyncio.sleep(pause_s)

    async def _go_back(self, works: list[Work]) -> list[Work]:
        """Discard the core's state, as a crash would, and begin again from the database. Returns
        the works to do then: the renewal of links, then `works` that agents will not repeat."""
        self.sound.clear()
        works = [as_new(work) for work in works if not is_stale(work)]
        while not self.stopping:
            try:
                return await self._reload(works)
            except StoreError as error:
                log.error("reload-failed", error=str(error))
                why = error
            except Exception as error:
                log.exception("reload-failed")
                why = StoreError(f"the state in the database cannot be used: {error!r}")
            pause_s = self.troubles.failed("reload", why)
            refusal = NotStored(str(why))
            works = self.waiters.refuse(works, refusal)
            self.queue = self.waiters.refuse(self.queue, refusal)
            await asyncio.sleep(pause_s)
        return works

    async def _reload(self, works: list[Work]) -> list[Work]:
        """Load the last commit once, for `_go_back`. Raises StoreError, and the errors of the core.

        The links stay open, unless agents may hold other attempts than the daemon knows: after a
        restore, and when a part of the database was lost.
        """
        rebuilt = await self.writer.load(runs_needed(self.cluster.recipe), self.cluster.rebuilt)
        snapshot, known = rebuilt.snapshot, self.cluster.details.keys()
        hear_anew = self.restoration is not None or snapshot.kept_as is not None
        if hear_anew:
            works = [work for work in works if not isinstance(work, Report | Register)]
            self._put_off.take()
            self.waiters.sessions.clear()
            self._links.reset()
        self._take(rebuilt, works)
        if snapshot.kept_as is not None:
            lost = sorted(known - self.cluster.details.keys())
            self.store.damage.lost_jobs += lost
            log.error("database-mended", damaged_kept_as=str(snapshot.kept_as), jobs_lost=lost)
        self._links.watch_nodes(self.cluster.expected_nodes())
        self.troubles.over("reload")
        # The failed commit may have been stored after all, with notices and commands.
        self.notices.set()
        if hear_anew:
            self._sender.not_again()
        else:
            self._sender.again_in(0)
        log.info("state-reloaded", jobs=len(self.cluster.core.jobs))
        return [self.waiters.renewal(self.cluster.node_rows), *works]

    def _set_aside(self, work: Work, error: Exception) -> None:
        """Go on without a work for now, since the pass after it fails. A caller is refused, and may
        ask again; an agent's report is not acknowledged, and is tried again."""
        others = self.waiters.refuse([work], _failed(error))
        if others and not self._put_off:
            pause_s = self.troubles.failed("input", repr(error))
            self._put_off.again_s = self._wake_in(pause_s)
        self._put_off.add(others)

    def _leave_out(self, work: Work, error: Exception) -> None:
        """Leave out a work that has failed by itself."""
        self.waiters.refuse([work], _failed(error))
        if isinstance(work, Report):
            work.session.acknowledge(work.seq)
        what = described(work)
        log.error("input-left-out", what=what, error=repr(error))
        self.troubles.leave_out(what, repr(error))

    def _take(self, rebuilt: Rebuilt, works: Sequence[Work] = ()) -> None:
        """Begin anew from the stored state. `works` from the queue are still to be done."""
        self.cluster.take(rebuilt, new_jobs([*works, *self.queue]))
        self.waiters.keys.reload(rebuilt.snapshot.submissions)
        self._unstored = [self.cluster.restored_event()]
        awaited = {*self.cluster.expected_nodes()}
        self.restoration = Restoration(awaited) if is_backup(rebuilt.snapshot) else None
        self._wake_us = 0  # plan anew, whatever comes in
        self.sound.set()
        self.wake.set()
        self.watchers.notify_all()


def _failed(error: Exception) -> Failed:
    told = str(error) if isinstance(error, PartError) else repr(error)
    return Failed(f"the scheduler failed: {told}")
