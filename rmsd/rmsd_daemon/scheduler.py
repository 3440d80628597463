"""The task that owns the core: inputs, one call, one commit, then answers and commands.

While a commit runs, further work collects and makes the next batch: that is the group commit.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
import structlog

from rmsd_core.core import CapacityKind, Core
from rmsd_core.effects import Effects, Start, Stop
from rmsd_core.inputs import Exited, Input, Launched, NodeUp, Submit
from rmsd_core.job import Job
from rmsd_core.recipe import Recipe
from rmsd_core.vocabulary import JobState
from rmsd_daemon.batch import changes_of, touched_jobs
from rmsd_daemon.clock import Clock, real_delay_s
from rmsd_daemon.launch import launches
from rmsd_daemon.problems import ApiError
from rmsd_daemon.reconcile import Reconciled, reconcile
from rmsd_daemon.records import Row
from rmsd_daemon.store import KEYS_REMEMBERED, Snapshot, Store, StoreError, node_of
from rmsd_daemon.submission import Details, NewJob, Payload
from rmsd_daemon.work import Arrival, Links, Order, Register, Report, Session, Work
from rmsd_daemon.writing import Changes
from rmsd_wire import link

log = structlog.get_logger()

_In = TypeVar("_In")
_Out = TypeVar("_Out")

_PAYLOADS_KEPT = 2000
_PASSES_KEPT = 1000
_PAUSE_S = (0.25, 5.0)
"""After a failed commit, the first and the longest pause before the next attempt."""


@dataclass(slots=True)
class _Remembered:
    """A remembered idempotency key; `done` while its first request is being committed."""

    digest: str
    ids: range
    done: asyncio.Future[list[int]] | None = None


@dataclass(slots=True)
class Passes:
    """Figures about the latest calls of the core."""

    count: int = 0
    recent_ms: deque[float] = field(default_factory=lambda: deque(maxlen=_PASSES_KEPT))


class Scheduler:
    """`core`, `details` and `node_rows` may be read by anyone on the event loop; only `run`
    changes them. While a commit runs they are ahead of the database."""

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        clock: Clock,
        recipe: Recipe,
        capacity: CapacityKind,
        grace_s: float,
    ) -> None:
        self.store = store
        self.clock = clock
        self.capacity: CapacityKind = capacity
        self.recipe = recipe
        self.passes = Passes()
        self.links: Links | None = None
        self._grace_s = grace_s
        self._writer = ThreadPoolExecutor(1, "writer")
        self._queue: list[Work] = []
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._wake_us: int | None = 0
        self._watchers: dict[int, list[asyncio.Future[None]]] = {}
        self._payloads: dict[int, Payload] = {}
        self._keys: OrderedDict[str, _Remembered] = OrderedDict()
        self._next_id = 1
        self._failures = 0
        self._stopping = False
        self._now_us = 0
        self._rebuild(snapshot)

    # ------------------------------------------------------------ the way in

    def put(self, work: Work) -> None:
        self._queue.append(work)
        self._wake.set()

    async def submit(self, jobs: list[NewJob], key: str | None, digest: str) -> list[int]:
        """The ids of `jobs`, once they are committed; those of the first request for a repeated
        `key`.

        Raises:
            ApiError: not stored, or the key was used for another request.
        """
        if key is not None and (known := self._keys.get(key)):
            if known.digest != digest:
                raise ApiError(422, "this Idempotency-Key was used for another request", 2)
            return await asyncio.shield(known.done) if known.done else list(known.ids)
        first = self._next_id
        self._next_id += len(jobs)
        for i, new in enumerate(jobs):
            new.job.id = first + i
        done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        if key is not None:
            self._remember(key, _Remembered(digest, range(first, first + len(jobs)), done))
        self.put(Arrival(jobs, key, digest, done))
        return await asyncio.shield(done)

    async def order(self, *inputs: Input) -> None:
        """Returns when `inputs` have taken effect and are committed.

        Raises:
            ApiError: not stored.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.put(Order(list(inputs), done))
        await asyncio.shield(done)

    async def changed(self, job_id: int, timeout_s: float) -> None:
        """Returns when a commit has changed the job, or after `timeout_s`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        watchers = self._watchers.setdefault(job_id, [])
        watchers.append(future)
        await asyncio.wait([future], timeout=timeout_s)
        if not future.done():
            watchers.remove(future)
            if not watchers:
                self._watchers.pop(job_id, None)

    async def until_over(self, job_id: int, timeout_s: float) -> None:
        """Returns when the job is over and that is committed, or after `timeout_s`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while job_id in self.details and not self._stopping:
            left_s = deadline - loop.time()
            if left_s <= 0:
                return
            await self.changed(job_id, left_s)

    def close(self) -> None:
        """Finish the batch at hand, then let `run` return. Whoever waits is woken."""
        self._stopping = True
        self._wake.set()
        self._notify(list(self._watchers))

    @property
    def stopping(self) -> bool:
        return self._stopping

    # ------------------------------------------------------------ the task

    async def run(self) -> None:
        """Until `close`. Failures of the store or the core lead back to the last commit."""
        assert self.links is not None
        self.links.watch_nodes(
            name for name, node in self.core.nodes.items() if node.link != "down"
        )
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                works, self._queue = self._queue, []
                await self._batch(works)
                if self._stopping:
                    break
        finally:
            if self._timer:
                self._timer.cancel()
            self._fail(self._queue, ApiError(503, "the daemon is stopping", 75))
            self._writer.shutdown()

    async def _batch(self, works: list[Work]) -> None:
        now_us = self._now_us = max(self._now_us, self.clock.now_us())
        try:
            inputs, greetings = self._inputs(works, now_us)
            due = self._wake_us is not None and self._wake_us <= now_us
            if not inputs and not due:
                self._settle(works)
                return
            touched = touched_jobs(self.core, inputs)
            effects = self._handle(now_us, inputs)
            if inputs or effects.decisions:
                changes = self._changes(works, now_us, inputs, effects, touched)
                await self._in_writer(self.store.commit, changes)
            self._failures = 0
            self._settle(works)
            await self._carry_out(effects, greetings)
        except StoreError as error:
            log.error("commit-failed", error=str(error))
            await self._recover(works, ApiError(507, f"nothing was stored: {error}"))
        except Exception as error:
            log.exception("pass-failed")
            await self._recover(works, ApiError(500, f"the scheduler failed: {error!r}"))
        else:
            self._notify({*touched, *(decision.job.id for decision in effects.decisions)})

    async def _in_writer(self, function: Callable[[_In], _Out], argument: _In) -> _Out:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, function, argument)

    def _handle(self, now_us: int, inputs: list[Input]) -> Effects:
        started = time.perf_counter()
        effects = self.core.handle(now_us, inputs)
        self.passes.count += 1
        self.passes.recent_ms.append((time.perf_counter() - started) * 1000)
        self._plan_wake(effects.wake_us)
        return effects

    def _plan_wake(self, wake_us: int | None) -> None:
        self._wake_us = wake_us
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if wake_us is not None:
            delay_s = min(real_delay_s(self.clock, wake_us), 86400.0)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._wake.set)

    # ------------------------------------------------------------ before the core

    def _inputs(self, works: list[Work], now_us: int) -> tuple[list[Input], list[Reconciled]]:
        """The core's inputs; and what agents that said Hello hold, beside what they should."""
        inputs: list[Input] = []
        greetings: list[Reconciled] = []
        for work in works:
            match work:
                case Arrival(jobs):
                    inputs += [Submit(new.job) for new in jobs]
                case Order():
                    inputs += work.inputs
                case Report(input=Launched() as launched):
                    job = self.core.jobs.get(launched.job_id)
                    if job and job.attempt == launched.attempt and not job.outcome:
                        inputs.append(launched)
                case Report(input=Exited() as exited):
                    if self._clamp(exited, now_us):
                        inputs.append(exited)
                case Register(_, nodes, held):
                    for row in nodes:
                        features = tuple(row["features"])
                        self.node_rows[row["name"]] = row
                        inputs.append(NodeUp(row["name"], row["cores"], row["mem_mib"], features))
                    names = {row["name"] for row in nodes}
                    greetings.append(reconcile(self.core, self.details, names, held))
        ended = {_key(item) for item in inputs if isinstance(item, Exited)}
        for found in greetings:
            for lost in found.lost:
                if _key(lost) not in ended:
                    log.warning("attempt-lost", job_id=lost.job_id, node=lost.node)
                    lost.end_us = now_us
                    inputs.append(lost)
        return inputs, greetings

    def _clamp(self, exited: Exited, now_us: int) -> bool:
        """Whether the report is news; if so, its end lies between the job's start and now."""
        job = self.core.jobs.get(exited.job_id)
        if job is None or job.attempt != exited.attempt or exited.node not in job.open_nodes:
            return False
        exited.end_us = min(max(exited.end_us, job.start_us), now_us)
        return True

    def _changes(
        self,
        works: list[Work],
        now_us: int,
        inputs: list[Input],
        effects: Effects,
        touched: dict[int, Job],
    ) -> Changes:
        arrivals = [work for work in works if isinstance(work, Arrival)]
        new = {new.job.id: new for arrival in arrivals for new in arrival.jobs}
        details = {job_id: job.details for job_id, job in new.items()}
        self.details.update(details)
        changes = changes_of(
            self._next_batch,
            now_us,
            inputs,
            effects.decisions,
            touched,
            details,
            self.core,
            self.node_rows,
        )
        changes.scripts = [
            {"job_id": job_id, "payload": msgspec.json.encode(job.payload).decode()}
            for job_id, job in new.items()
        ]
        changes.submissions = [
            {
                "key": arrival.key,
                "digest": arrival.digest,
                "first_id": arrival.jobs[0].job.id,
                "count": len(arrival.jobs),
            }
            for arrival in arrivals
            if arrival.key is not None
        ]
        changes.meta = {
            "batch": str(self._next_batch),
            "clock_us": str(now_us),
            "clock_scaled": str(int(self.clock.scaled)),
            "last_id": str(self._next_id - 1),
        }
        self._next_batch += 1
        return changes

    # ------------------------------------------------------------ after the commit

    def _settle(self, works: list[Work]) -> None:
        """Answer those who wait for this commit."""
        acknowledged: dict[Session, int] = {}
        for work in works:
            match work:
                case Arrival(jobs, key, _, done):
                    done.set_result([new.job.id for new in jobs])
                    if key is not None:
                        self._keys[key].done = None
                    for new in jobs:
                        self._cache(new.job.id, new.payload)
                case Order(done=done):
                    if done is not None:
                        done.set_result(None)
                case Report(session, seq):
                    acknowledged[session] = max(seq, acknowledged.get(session, 0))
                case Register():
                    pass
        for session, seq in acknowledged.items():
            session.acknowledge(seq)

    async def _carry_out(self, effects: Effects, greetings: list[Reconciled]) -> None:
        """Send commands, and forget the jobs that are over."""
        assert self.links is not None
        to_launch: dict[int, Job] = {}
        for found in greetings:
            for stop in found.stops:
                self.links.send(stop.node, stop)
            for job in found.launches:
                to_launch[job.id] = job
        for decision in effects.decisions:
            job = decision.job
            if isinstance(decision, Start):
                to_launch[job.id] = job
            elif isinstance(decision, Stop):
                for node in decision.nodes:
                    self.links.send(node, link.Stop(job.id, job.attempt, node, decision.cause))
            if job.id not in self.core.jobs:
                self.details.pop(job.id, None)
                self._payloads.pop(job.id, None)
        await self._launch(to_launch)

    async def _launch(self, jobs: dict[int, Job]) -> None:
        assert self.links is not None
        payloads = {job_id: self._payloads.pop(job_id, None) for job_id in jobs}
        missing = [job_id for job_id, payload in payloads.items() if payload is None]
        if missing:
            payloads |= await self._in_writer(self.store.payloads, missing)
        for job in jobs.values():
            if job.state in (JobState.CONFIGURING, JobState.RUNNING):
                # An agent refuses an empty script, which ends a job whose script is damaged.
                payload, details = payloads[job.id] or Payload(), self.details[job.id]
                for launch in launches(job, details, payload, self.clock.rate, self._grace_s):
                    self.links.send(launch.node, launch)

    def _cache(self, job_id: int, payload: Payload) -> None:
        """Keep what a launch needs at hand, for as many waiting jobs as is reasonable."""
        if len(self._payloads) < _PAYLOADS_KEPT:
            self._payloads[job_id] = payload

    def _notify(self, job_ids: Iterable[int]) -> None:
        for job_id in job_ids:
            for future in self._watchers.pop(job_id, ()):
                if not future.done():
                    future.set_result(None)

    # ------------------------------------------------------------ back to the last commit

    async def _recover(self, works: list[Work], why: ApiError) -> None:
        """Throw the core's state away, as a crash would, and begin again from the database."""
        assert self.links is not None
        self._fail(works, why)
        self.links.reset()
        while not self._stopping:
            pause_s = min(_PAUSE_S[0] * 2**self._failures, _PAUSE_S[1])
            self._failures += 1
            await asyncio.sleep(pause_s)
            try:
                snapshot = await self._in_writer(Store.load, self.store)
            except StoreError as error:
                log.error("reload-failed", error=str(error))
                waiting, self._queue = self._queue, []
                self._fail(waiting, ApiError(507, str(error)))
                continue
            self._rebuild(snapshot)
            self.links.watch_nodes(self._expected_nodes())
            log.info("state-reloaded", jobs=len(self.core.jobs))
            return

    def _fail(self, works: list[Work], why: ApiError) -> None:
        for work in works:
            if isinstance(work, Arrival) and work.key is not None:
                self._keys.pop(work.key, None)
            if isinstance(work, Arrival | Order) and work.done and not work.done.done():
                work.done.set_exception(why)
                work.done.exception()  # whoever waited may have gone; that is no error of ours

    def _rebuild(self, snapshot: Snapshot) -> None:
        self.core = Core(self.recipe, self.capacity)
        self.details: dict[int, Details] = {job.id: details for job, details in snapshot.jobs}
        self.node_rows: dict[str, Row] = {row["name"]: row for row in snapshot.nodes}
        self.core.restore(
            [node_of(row) for row in snapshot.nodes],
            [job for job, _ in snapshot.jobs],
            snapshot.history,
        )
        self.core.next_seq = max(self.core.next_seq, snapshot.next_seq)
        self._next_id = max(self._next_id, snapshot.next_id)
        self._next_batch = snapshot.next_batch
        self._now_us = int(snapshot.meta.get("clock_us", 0))
        self._wake_us = 0  # plan anew, whatever comes in
        self._wake.set()
        pending = {key: known for key, known in self._keys.items() if known.done}
        self._keys.clear()
        for row in snapshot.submissions:
            ids = range(row["first_id"], row["first_id"] + row["count"])
            self._remember(row["key"], _Remembered(row["digest"], ids))
        self._keys.update(pending)

    def _expected_nodes(self) -> list[str]:
        return [name for name, node in self.core.nodes.items() if node.link != "down"]

    def _remember(self, key: str, known: _Remembered) -> None:
        self._keys[key] = known
        while len(self._keys) > KEYS_REMEMBERED:
            self._keys.popitem(last=False)


def _key(exited: Exited) -> tuple[int, int, str]:
    return (exited.job_id, exited.attempt, exited.node)
