"""The task that owns the core: inputs, one call, one commit, then answers and commands.

While a commit runs, further work collects and makes the next batch: that is the group commit.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Effects, Switch
from rmsd_core.lifecycle.inputs import (
    Exited,
    Input,
    Launched,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
)
from rmsd_core.recipes.prediction import runs_needed
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.domain.errors import DaemonError, Failed, NotStored, Unavailable
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.domain.troubles import Troubles
from rmsd_daemon.domain.watchers import Watchers
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.dispatch import Dispatcher, DispatchError
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.reconcile import Reconciled, under_way
from rmsd_daemon.loop.restoration import Restoration, missed
from rmsd_daemon.loop.work import (
    Arrival,
    Links,
    Order,
    Register,
    Renewal,
    Report,
    Session,
    Work,
    as_new,
    described,
    is_stale,
    new_jobs,
    without_replaced,
)
from rmsd_daemon.setup.clock import Clock, real_delay_s
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.keys import Keys
from rmsd_daemon.store.records import RESTORED_KEY, Row
from rmsd_daemon.store.store import Snapshot, Store
from rmsd_daemon.store.writing import Changes

log = structlog.get_logger()

_In = TypeVar("_In")
_Out = TypeVar("_Out")

_TIMINGS_KEPT = 1000
_RIDE_S = 0.02
"""How long a report that nothing depends on may wait for a commit to ride along with."""
_SOUND_WITHIN_S = 10.0
_LONGEST_TIMER_S = 86400.0
_MOST_UNSTORED = 1000
"""So many calls in a row that decided nothing may wait for the next commit."""


@dataclass(slots=True)
class Timings:
    """How often something was done, and how long the latest times took."""

    count: int = 0
    recent_ms: deque[float] = field(default_factory=lambda: deque(maxlen=_TIMINGS_KEPT))

    def done(self, started_s: float) -> None:
        self.count += 1
        self.recent_ms.append((time.perf_counter() - started_s) * 1000)


class Scheduler:
    """`core`, `details` and `node_rows` may be read by anyone on the event loop once `sound`
    returns; only `run` changes them. While a commit runs they are ahead of the database, except
    that a job has `details` only once it is committed, and until its end is."""

    _restoration: Restoration | None
    _links: Links
    _dispatcher: Dispatcher

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        clock: Clock,
        recipe: Recipe,
        capacity: CapacityKind,
    ) -> None:
        self.store = store
        self.clock = clock
        self.recipe = recipe
        self.cluster = ClusterState(recipe, capacity, clock)
        self.passes = Timings()  # inputs applied included
        self.commits = Timings()  # with the way to the writer and back
        self._writer = ThreadPoolExecutor(1, "writer")
        self._queue: list[Work] = []
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._wake_us: int | None = None
        self._watchers = Watchers()
        self.notices = asyncio.Event()  # set when there may be some in the store
        self.notices.set()
        self._keys = Keys()
        self.troubles = Troubles()
        self._deferred: list[Work] = []  # after which a pass has failed, until they are tried again
        self._again_s = 0.0  # when they are, on the loop's clock
        self._sessions: dict[str, Session] = {}  # by the nodes that they have registered
        self._send_again_s: float | None = None  # when commands that were not sent are sent again
        self._clock_steps = 0
        self._stopping = False
        self._unstored: list[Row] = []  # events that ride along with the next commit
        self._sound = asyncio.Event()
        self._rebuild(snapshot)

    # ------------------------------------------------------------ what is known

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

    # ------------------------------------------------------------ the way in

    def put(self, work: Work) -> None:
        """Have the work done with the next batch."""
        self._queue.append(work)
        if isinstance(work, Report) and isinstance(work.input, Launched):
            # Nothing is decided by a confirmed start: it rides along with the next commit.
            asyncio.get_running_loop().call_later(_RIDE_S, self._wake.set)
        else:
            self._wake.set()

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
        if key is not None and (ids := await self._keys.repeated(key, digest)) is not None:
            return ids
        self.cluster.shares.take(jobs, most_of_user)
        ids_given = self.cluster.number(jobs)
        done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        if key is not None:
            self._keys.begin(key, digest, ids_given, done)
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
        if self._stopping:
            raise Unavailable("the daemon is stopping")

    async def sound(self) -> None:
        """Returns when the state is that of a commit or under way to one, not that of a failed one.

        Raises:
            DaemonError: the database cannot be read now.
        """
        if self._sound.is_set():
            return
        try:
            await asyncio.wait_for(self._sound.wait(), _SOUND_WITHIN_S)
        except TimeoutError:
            raise NotStored("the database cannot be read; see the daemon's log") from None

    async def changed(self, job_id: int, timeout_s: float) -> None:
        """Returns when a commit has changed the job, or after `timeout_s`."""
        await self._watchers.wait(job_id, timeout_s)

    async def until_over(self, job_id: int, timeout_s: float) -> None:
        """Returns when the job is over and that is committed, or after `timeout_s`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while job_id in self.details and not self._stopping:
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
            await self._record(self.store.record, changes)
        except StoreError as error:
            raise NotStored(f"nothing was stored: {error}") from error

    async def forget_notices(self, job_ids: Sequence[int]) -> None:
        """The jobs' notices need no delivery any more. Raises StoreError."""
        await self._record(self.store.forget_notices, job_ids)

    async def _record(self, write: Callable[[_In], None], argument: _In) -> None:
        """Write what is no business of the core's. Raises StoreError."""
        try:
            await self._in_writer(write, argument)
        finally:
            if self.store.must_mend:
                self._wake.set()

    def close(self) -> None:
        """Finish the batch at hand, then let `run` return. Whoever waits is woken."""
        self._stopping = True
        self._wake.set()
        self._watchers.notify_all()

    @property
    def stopping(self) -> bool:
        return self._stopping

    # ------------------------------------------------------------ the task

    async def run(self, links: Links, rules: JobRules) -> None:
        """Until `close`. Failures of the store or the core lead back to the last commit."""
        self._links = links
        self._dispatcher = Dispatcher(
            links, self._read_payloads, self.cluster.live, self._unread, self.clock.rate, rules
        )
        links.watch_nodes(self.cluster.expected_nodes())
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                works = without_replaced([*self._due_again(), *self._queue])
                self._queue = []
                self._tell_of_steps(links)
                await self._do(works)
                await self._send_what_is_left()
                if self._stopping:
                    break
        finally:
            if self._timer:
                self._timer.cancel()
            self._refuse(self._queue, Unavailable("the daemon is stopping"))
            self._writer.shutdown()

    async def _do(self, works: list[Work]) -> None:
        """Carry out `works` in one batch. Where that fails, go back to the last commit and carry
        out what does not fail."""
        try:
            if self.store.must_mend:
                works = await self._go_back(works)
            await self._batch(await self._heard(works))
        except StoreError as error:
            log.error("commit-failed", error=str(error))
            await self._try_later(works, "commit", error)
        except Exception as error:
            log.exception("pass-failed")
            if self._restoration is None:
                await self._one_by_one(works)
            else:  # what agents say is understood all together
                await self._try_later(works, "pass", error)
        if not self._deferred:
            self.troubles.over("input")

    async def _one_by_one(self, works: list[Work]) -> None:
        """Carry out each of `works` in a batch of its own, after their common batch has failed.

        A work that the core cannot apply is left out. A work after which the pass fails is put off,
        since the fault need not be the work's. If the pass fails without any of `works`, all of
        them are tried later.
        """
        works = await self._go_back(works)
        while works and not self._stopping:
            work = works.pop(0)
            try:
                await self._batch([work])
            except StoreError as error:
                log.error("commit-failed", error=str(error))
                await self._try_later([work, *works], "commit", error)
                return
            except Exception as error:
                log.exception("pass-failed")
                if isinstance(work, Renewal):
                    await self._try_later(works, "pass", error)
                    return
                if self.core.has_applied:
                    self._put_off(work, error)
                else:
                    self._leave_out(work, error)
                works = await self._go_back(works)
        self._queue[:0] = works

    async def _heard(self, works: list[Work]) -> list[Work]:
        """What of `works` can be done now. After a restore nothing that agents say is done before
        all of them are heard, and the core has been told what the backup has missed."""
        restoration = self._restoration
        if restoration is None or restoration.caught_up:
            return works
        works = restoration.sort(works)
        if restoration.awaited:
            return works
        put_off = restoration.put_off()
        registers = [work for work in put_off if isinstance(work, Register)]
        now_us = max(self.cluster.now_us, self.clock.now_us())
        found = missed(self.core.jobs, self.details, self.node_rows, registers, now_us)
        self.node_rows.update((row["name"], row) for row in found.new_nodes)
        if first := found.first_inputs():
            await self._batch([Order(first)])
        # Until the exits are committed, a crash or a full disk leads back to asking all the nodes.
        restoration.caught_up = True
        for job in map(self.core.jobs.__getitem__, found.jobs()):
            state = job.state.value
            log.info("job-caught-up", job_id=job.id, attempt=job.attempt, state=state)
        log.info("restored", caught_up=len(found.jobs()), exits=len(found.exits))
        left = [row["name"] for one in registers if one.session.closed for row in one.nodes]
        self._links.watch_nodes(left)  # what they said counts, though they are away again
        return [*works, *put_off, Order([*found.exits, *map(NodeSuspect, left)])]

    @property
    def awaited(self) -> list[str]:
        """The nodes that must be heard after a restore, before anything is started."""
        return sorted(self._restoration.awaited) if self._restoration is not None else []

    @property
    def restoring(self) -> bool:
        """Whether jobs are as they were in a backup, and what became of them is not known yet."""
        return self._restoration is not None and not self._restoration.caught_up

    @property
    def _caught_up(self) -> bool:
        """Whether the next commit ends what a restore has begun."""
        return self._restoration is not None and self._restoration.caught_up

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

    def _tell_of_steps(self, links: Links) -> None:
        """Agents know the clock from their welcome; when it has not just gone on, by a new one."""
        self.clock.now_us()
        if self.clock.steps != self._clock_steps:
            self._clock_steps = self.clock.steps
            log.warning("clock-stepped", detail="the system's clock was set, or stood still")
            links.reset()

    async def _batch(self, works: list[Work]) -> None:
        """Carry out `works`, all of them or none. Raises StoreError, and whatever the core does."""
        cluster = self.cluster
        now_us = cluster.now_us = max(cluster.now_us, self.clock.now_us())
        inputs, greetings = cluster.inputs(works, self._is_told)
        due = self._wake_us is not None and self._wake_us <= now_us
        if not inputs and not due:
            self._plan_wake(self._wake_us)
            self._settle(works, ())
            return
        effects = self._handle(now_us, inputs)
        if inputs or effects.decisions or len(self._unstored) >= _MOST_UNSTORED:
            changes = cluster.changes(
                works, inputs, effects, self._unstored, ends_a_restore=self._caught_up
            )
            started_s = time.perf_counter()
            await self._in_writer(self.store.commit, changes)
            self.commits.done(started_s)
            self.troubles.over("commit")
            for row in changes.gone_nodes:  # till now their names were nobody else's
                self.node_rows.pop(row["b_name"], None)
            self._unstored.clear()
            if self._caught_up:
                self._restoration = None
        else:
            self._unstored += cluster.woken()
        self.details.update({new.job.id: new.details for new in new_jobs(works)})
        self._settle(works, effects.refused)
        self._dispatcher.keep(new_jobs(works))
        self._lose(greetings)
        await self._send(effects, greetings)
        self._tell(effects)
        if self.core.left():
            self._wake.set()  # to forget them

    def _lose(self, greetings: Iterable[Reconciled]) -> None:
        """Have the attempts ended that an agent came back without. Each has a work of its own, so
        that none keeps the agent from being registered. It comes after the exits that the agent has
        told with its hello, which say how these attempts have ended."""
        for found in greetings:
            for lost in found.lost:
                if self.cluster.is_news(lost):
                    log.warning("attempt-lost", job_id=lost.job_id, node=lost.node)
                    lost.end_us = self.cluster.now_us
                    self.put(Order([lost]))

    async def _send(self, effects: Effects, greetings: Iterable[Reconciled]) -> None:
        """Send the commands of a committed batch. If some cannot be sent, the state tells later
        which commands are still to be sent."""
        try:
            await self._dispatcher.send(effects, greetings, self.details)
            self.troubles.over("launch")
        except DispatchError as error:
            log.error("commands-not-sent", error=str(error))
            self._send_later(self.troubles.failed("launch", error))
        except Exception as error:  # the batch is committed: it must not be done again
            log.exception("commands-not-sent")
            self._send_later(self.troubles.failed("launch", repr(error)))

    def _send_later(self, pause_s: float) -> None:
        """Have the commands of all that is under way sent again after a pause."""
        self._send_again_s = self._wake_in(pause_s)

    def _wake_in(self, pause_s: float) -> float:
        """Have the task look again after a pause. Returns when, on the loop's clock."""
        loop = asyncio.get_running_loop()
        again_s = loop.time() + pause_s
        loop.call_at(again_s, self._wake.set)
        return again_s

    async def _send_what_is_left(self) -> None:
        """Send the commands again that may not have been sent; agents take a repetition as no
        news."""
        if self._send_again_s is not None and self._send_again_s <= self._loop_s():
            self._send_again_s = None
            await self._send(Effects(), [under_way(self.core)])

    @staticmethod
    def _loop_s() -> float:
        """Read the loop's clock."""
        return asyncio.get_running_loop().time()

    def _tell(self, effects: Effects) -> None:
        """Wake those who watch a job, and forget the jobs that are over."""
        self._watchers.notify(effects.changed)
        for decision in effects.decisions:
            if isinstance(decision, Switch):
                log.info("switch", order=decision.order)
            else:
                job = effects.changed[decision.job_id]
                log.debug(type(decision).__name__.lower(), job_id=job.id, attempt=job.attempt)
        for job in effects.changed.values():
            if job.state.terminal:
                details = self.details.pop(job.id, None)
                if details is not None:
                    self.cluster.shares.give_back(job.user, details)
                    if details.notify:
                        self.notices.set()

    async def _read_payloads(self, job_ids: Sequence[int]) -> dict[int, Payload | None]:
        payloads = await self._in_writer(self.store.payloads, job_ids)
        self.troubles.over("script")
        return payloads

    def _unread(self, job_id: int, error: StoreError) -> None:
        """Have the commands sent again, since a script could not be read."""
        log.error("script-unread", job_id=job_id, error=str(error))
        self._send_later(self.troubles.failed("script", error))

    async def _in_writer(self, function: Callable[[_In], _Out], argument: _In) -> _Out:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, function, argument)

    def _handle(self, now_us: int, inputs: list[Input]) -> Effects:
        passes_before = self.core.passes
        started_s = time.perf_counter()
        effects = self.core.handle(now_us, inputs)
        self.troubles.over("pass")
        if self.core.passes > passes_before:
            self.passes.done(started_s)
        self._plan_wake(effects.wake_us)
        return effects

    def _plan_wake(self, wake_us: int | None) -> None:
        self._wake_us = wake_us
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if wake_us is not None:
            delay_s = min(real_delay_s(self.clock, wake_us), _LONGEST_TIMER_S)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._wake.set)

    def _is_told(self, item: Input) -> bool:
        """Tell whether a report that is put off says how the attempt of an `Exited` ended."""
        reports = (work.input for work in self._deferred if isinstance(work, Report))
        return isinstance(item, Exited) and any(
            isinstance(told, Exited) and _key(told) == _key(item) for told in reports
        )

    # ------------------------------------------------------------ after the commit

    def _settle(self, works: list[Work], refused: Sequence[Input]) -> None:
        """Answer those who wait for this commit; `refused` are the inputs without effect."""
        without_effect = {id(item) for item in refused}
        acknowledged: dict[Session, int] = {}
        for work in works:
            match work:
                case Arrival(jobs, key, _, done):
                    done.set_result([new.job.id for new in jobs])
                    if key is not None:
                        self._keys.committed(key)
                case Order(inputs, done):
                    if done is not None:
                        done.set_result(without_effect.isdisjoint(map(id, inputs)))
                case Report(session, seq):
                    acknowledged[session] = max(seq, acknowledged.get(session, 0))
                case Register(session, nodes, leaving):
                    names = [*(row["name"] for row in nodes), *leaving]
                    self._sessions.update(dict.fromkeys(names, session))
        for session, seq in acknowledged.items():
            session.acknowledge(min([seq, *self._before_put_off(session)]))

    def _before_put_off(self, session: Session) -> Iterator[int]:
        """Yield the number before each report of the session that is put off: acknowledging a
        later report would acknowledge this one as well."""
        for work in self._deferred:
            if isinstance(work, Report) and work.session is session:
                yield work.seq - 1

    # ------------------------------------------------------------ back to the last commit

    async def _try_later(self, works: list[Work], what: str, error: Exception) -> None:
        """Go back to the last commit, since `what` has failed. What people ask for is refused; what
        agents say is tried again after a pause."""
        unstored = isinstance(error, StoreError)
        why = NotStored(f"nothing was stored: {error}") if unstored else _failed(error)
        pause_s = self.troubles.failed(what, str(error) if unstored else repr(error))
        self._queue[:0] = await self._go_back(self._refuse(works, why))
        await asyncio.sleep(pause_s)

    async def _go_back(self, works: list[Work]) -> list[Work]:
        """Throw the core's state away, as a crash would, and begin again from the database.
        Returns what has to be done then: first the renewal of the links to agents, then `works`,
        without those that agents will repeat."""
        self._sound.clear()
        works = [as_new(work) for work in works if not is_stale(work)]
        while not self._stopping:
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
            works = self._refuse(works, refusal)
            self._queue = self._refuse(self._queue, refusal)
            await asyncio.sleep(pause_s)
        return works

    async def _reload(self, works: list[Work]) -> list[Work]:
        """Take up the last commit once, for `_go_back`. Raises StoreError, and what a core raises.

        The links stay as they are, unless what agents hold may be other than what is known here:
        after a restore, and where a part of the database was lost.
        """
        snapshot = await self._in_writer(self.store.load, runs_needed(self.recipe))
        known = self.details.keys()
        hear_anew = self._restoration is not None or snapshot.kept_as is not None
        if hear_anew:
            works = [work for work in works if not isinstance(work, Report | Register)]
            self._deferred.clear()
            self._sessions.clear()
            self._links.reset()
        self._rebuild(snapshot, works)
        if snapshot.kept_as is not None:
            lost = sorted(known - self.details.keys())
            self.store.damage.mended(snapshot.kept_as, lost)
            log.error("database-mended", damaged_kept_as=str(snapshot.kept_as), jobs_lost=lost)
        self._links.watch_nodes(self.cluster.expected_nodes())
        self.troubles.over("reload")
        # The failed commit may have been stored after all, with notices and commands.
        self.notices.set()
        self._send_again_s = None
        if not hear_anew:
            self._send_later(0)
        log.info("state-reloaded", jobs=len(self.core.jobs))
        return [self._renewal(), *works]

    def _renewal(self) -> Renewal:
        """Make the inputs that say which nodes have a link now."""
        linked: list[Input] = []
        for name, row in self.node_rows.items():
            session = self._sessions.get(name)
            if session is None or session.closed:
                continue
            if row["link"] == "up":
                linked.append(NodeUp(name, row["cores"], row["mem_mib"], tuple(row["features"])))
            elif row["link"] == "leaving":
                linked.append(NodeLeaving(name))
        return Renewal(linked)

    def _put_off(self, work: Work, error: Exception) -> None:
        """Go on without a work for now, since the pass after it fails. People are refused, and may
        ask again; agents are not acknowledged, and what they have said is tried again."""
        others = self._refuse([work], _failed(error))
        if others and not self._deferred:
            self._again_s = self._wake_in(self.troubles.failed("input", repr(error)))
        self._deferred += others

    def _due_again(self) -> list[Work]:
        """Take the works that were put off, once it is time to try them again."""
        if not self._deferred or self._loop_s() < self._again_s:
            return []
        works, self._deferred = self._deferred, []
        return works

    def _leave_out(self, work: Work, error: Exception) -> None:
        """Go on without a work that has failed by itself."""
        self._refuse([work], _failed(error))
        if isinstance(work, Report):
            work.session.acknowledge(work.seq)
        what = described(work)
        log.error("input-left-out", what=what, error=repr(error))
        self.troubles.leave_out(what, repr(error))

    def _refuse(self, works: list[Work], why: DaemonError) -> list[Work]:
        """Tell those who wait for one of `works`. Returns the works that nobody waits for."""
        others: list[Work] = []
        for work in works:
            if not isinstance(work, Arrival | Order) or work.done is None:
                others.append(work)
                continue
            if isinstance(work, Arrival) and work.key is not None:
                self._keys.failed(work.key)
            if not work.done.done():
                work.done.set_exception(why)
                work.done.exception()  # whoever waited may have gone; that is no error of ours
        return others

    def _rebuild(self, snapshot: Snapshot, works: Sequence[Work] = ()) -> None:
        """Begin anew from what is stored. `works` are taken from the queue and still to be done."""
        self.cluster.rebuild(snapshot, new_jobs([*works, *self._queue]))
        self._keys.reload(snapshot.submissions)
        self._unstored = [self.cluster.restored_event()]
        restored = bool(snapshot.meta.get(RESTORED_KEY))
        self._restoration = Restoration({*self.cluster.expected_nodes()}) if restored else None
        self._wake_us = 0  # plan anew, whatever comes in
        self._sound.set()
        self._wake.set()
        self._watchers.notify_all()


def _key(exited: Exited) -> tuple[int, int, str]:
    return (exited.job_id, exited.attempt, exited.node)


def _failed(error: Exception) -> Failed:
    return Failed(f"the scheduler failed: {error!r}")
