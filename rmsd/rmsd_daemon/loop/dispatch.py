"""The commands to agents: the decisions of a committed batch, and what an agent has missed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain

import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.effects import BeginReboot, Effects, End, Freeze, Limit, Start, Stop, Thaw
from rmsd_core.vocabulary import UNSTOPPED_STATES
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.loop.launch import JobRules, Launches, new_limit, suspension
from rmsd_daemon.loop.mailbox import Links
from rmsd_daemon.loop.reconcile import Reconciled, reboot_of
from rmsd_daemon.store.failures import StoreError
from rmsd_wire import link

log = structlog.get_logger()

_PAYLOADS_KEPT = 2000
_KEPT_CHARACTERS = 16 << 10
"""A larger payload is read when it is needed: 2000 such scripts could fill the memory."""

_MADE_KEPT = 8
"""The number of jobs with large scripts whose launches are kept until all their nodes have them."""
_AT_ONCE = 100
"""The nodes of a job from which on each launch is made when it is about to be sent: each has a copy
of the job's environment."""

ReadPayloads = Callable[[Sequence[int]], Awaitable[Mapping[int, Payload | None]]]
"""Reads the payloads of the first of the jobs, as `Store.payloads` does."""
FindJob = Callable[[int], tuple[Job, Details] | None]


class DispatchError(Exception):
    """Some commands could not be made; the message names the jobs and the reasons."""


def _of_other_kills(_: Job) -> None:
    """Return that a job is ended as in other kills."""


class Dispatcher:
    """Makes the commands of jobs, and hands them to the links.

    Small scripts of waiting jobs are kept in memory, up to a number. A large script is read when
    its launch is about to be sent, so that launches which a slow agent has not taken do not fill
    the memory. `find` returns a live job as it is then; `unread` is called with a script that
    cannot be read now. `grace_s` returns the time from SIGTERM to SIGKILL for a job that is to end;
    None: that of other kills.
    """

    def __init__(
        self,
        links: Links,
        read: ReadPayloads,
        find: FindJob,
        unread: Callable[[int, StoreError], None],
        rate: float,
        rules: JobRules,
        grace_s: Callable[[Job], float | None] = _of_other_kills,
    ) -> None:
        self._links = links
        self._grace_s = grace_s
        self._read = read
        self._find = find
        self._unread = unread
        self._reading = asyncio.Lock()
        # The launches of an attempt, and the nodes to which they are still to be sent.
        self._made: dict[tuple[int, int], tuple[Launches, set[str]]] = {}
        self._rate = rate
        self._rules = rules
        self._payloads: dict[int, Payload] = {}

    def keep(self, jobs: Iterable[NewJob]) -> None:
        """Keep the small scripts of jobs that are committed, until they are launched."""
        for new in jobs:
            if len(self._payloads) < _PAYLOADS_KEPT and _is_small(new.payload):
                self._payloads[new.job.id] = new.payload

    async def send(
        self,
        effects: Effects,
        greetings: Iterable[Reconciled],
        details: Mapping[int, Details],
    ) -> None:
        """Send the batch's decisions, and what agents that said Hello have missed.

        Raises:
            DispatchError: the commands of some jobs could not be sent; those of all others were.
        """
        to_launch: dict[int, tuple[Job, set[str]]] = {}
        for found in greetings:
            for stop in found.stops:
                self._links.send(stop.node, stop)
            for reboot in found.reboots:
                self._links.send(reboot.node, reboot)
            for job, nodes in found.limits.items():
                if (live := self._find(job.id)) is not None:
                    self._set_limit(*live, nodes)
            for job, nodes in found.suspensions.items():
                if (live := self._find(job.id)) is not None:
                    self._tell_suspension(live[0], nodes)
            for job, nodes in found.launches.items():
                to_launch.setdefault(job.id, (job, set()))[1].update(nodes)
        for decision in effects.decisions:
            if isinstance(decision, Start):
                if (live := self._find(decision.job_id)) is not None:
                    to_launch[decision.job_id] = live[0], set(live[0].open_nodes)
            elif isinstance(decision, Stop):
                self._stop(decision)
            elif isinstance(decision, Limit):
                if (live := self._find(decision.job_id)) is not None:
                    self._set_limit(*live, live[0].open_nodes)
            elif isinstance(decision, Freeze | Thaw):
                if (live := self._find(decision.job_id)) is not None:
                    self._tell_suspension(live[0], live[0].open_nodes)
            elif isinstance(decision, BeginReboot):
                self._links.send(decision.node, reboot_of(decision.node, decision.reboot))
            elif isinstance(decision, End):
                self._payloads.pop(decision.job_id, None)
        if to_launch:
            await self._launch(to_launch, details)

    def _stop(self, stop: Stop) -> None:
        """Tell the nodes of an attempt to end it."""
        live = self._find(stop.job_id)
        grace_s = None if live is None else self._grace_s(live[0])
        for node in stop.nodes:
            order = link.StopAttempt(stop.job_id, stop.attempt, node, stop.cause, grace_s)
            self._links.send(node, order)

    def _set_limit(self, job: Job, details: Details, nodes: Collection[str]) -> None:
        """Tell some nodes of a job that runs its present limit."""
        if job.state in UNSTOPPED_STATES:
            for node in sorted(job.open_nodes & set(nodes)):
                self._links.send(node, new_limit(job, details, node, self._rate))

    def _tell_suspension(self, job: Job, nodes: Collection[str]) -> None:
        """Tell some nodes of a job that runs, or is suspended, which of both it is."""
        if job.state in UNSTOPPED_STATES:
            for node in sorted(job.open_nodes & set(nodes)):
                self._links.send(node, suspension(job, node))

    async def _launch(
        self, jobs: Mapping[int, tuple[Job, set[str]]], details: Mapping[int, Details]
    ) -> None:
        """Send the launches of jobs to some of their nodes, late if their scripts are large or
        cannot be read now."""
        failed: dict[int, Exception] = {}

        def launch(job_id: int, payload: Payload | None) -> None:
            job, nodes = jobs[job_id]
            try:
                made = self._launches(job, details[job_id], payload)
                for node in filter(nodes.__contains__, made.nodes):
                    self._links.send(node, made.on(node))
            except Exception as error:
                log.exception("launch-failed", job_id=job_id)
                failed[job_id] = error

        to_read: dict[int, list[int]] = {}  # keys: the jobs with the scripts
        for job_id, (job, nodes) in jobs.items():
            payload = self._kept(job)
            if job.state not in UNSTOPPED_STATES:
                continue  # the job may be over by now
            if len(job.allocation) > _AT_ONCE and details[job_id].emulate is None:
                self._send_late(job, nodes)
                continue
            if payload is not None:
                launch(job_id, payload)
            else:
                to_read.setdefault(_source(job), []).append(job_id)
        late: list[int] = []
        sources = list(to_read)
        while sources and not late:
            try:
                some = await self._read(sources)
            except StoreError as error:
                self._unread(sources[0], error)
                break
            for source, payload in some.items():
                for job_id in to_read[source]:
                    if payload is not None and not _is_small(payload):
                        late.append(job_id)
                    elif jobs[job_id][0].state in UNSTOPPED_STATES:
                        self._keep_for_tasks(jobs[job_id][0], payload)
                        launch(job_id, payload)
            sources = sources[len(some) :]
        for job_id in (*late, *chain.from_iterable(to_read[source] for source in sources)):
            self._send_late(*jobs[job_id])
        if failed:
            job_id, why = next(iter(failed.items()))
            others = f", and {len(failed) - 1} others" if len(failed) > 1 else ""
            raise DispatchError(f"job {job_id}{others}: {why}") from why

    def _kept(self, job: Job) -> Payload | None:
        """Return the script of a job that starts, if it is in memory. That of an array stays there
        for the next task."""
        if job.task is not None:
            return self._payloads.get(job.task.array_id)
        return self._payloads.pop(job.id, None)

    def _keep_for_tasks(self, job: Job, payload: Payload | None) -> None:
        if job.task is not None and payload is not None and len(self._payloads) < _PAYLOADS_KEPT:
            self._payloads[job.task.array_id] = payload

    def _send_late(self, job: Job, nodes: set[str]) -> None:
        for piece in job.allocation:
            if piece.node in nodes and piece.node in job.open_nodes:
                make = partial(self._late, job.id, job.attempt, piece.node, nodes)
                self._links.send_late(piece.node, make)

    async def _late(
        self, job_id: int, attempt: int, node: str, nodes: set[str]
    ) -> link.Launch | None:
        """Make the launch of an attempt on a node, one of these nodes, if it is still to be
        launched there."""
        key = (job_id, attempt)
        async with self._reading:  # all nodes of a job want the same script
            if key not in self._made or node not in self._made[key][1]:
                if (live := self._find(job_id)) is None:
                    return None
                source = _source(live[0])
                try:
                    payload = (await self._read([source]))[source]
                except StoreError as error:
                    self._unread(job_id, error)
                    return None
                found = self._find(job_id)
                if found is None or found[0].attempt != attempt or not found[0].open_nodes:
                    return None
                try:
                    made = self._launches(*found, payload)
                    left = self._made[key][1] if key in self._made else set()
                    self._made[key] = made, left | nodes.intersection(made.nodes)
                except Exception:
                    log.exception("launch-failed", job_id=job_id)
                    return None
                while len(self._made) > _MADE_KEPT:
                    del self._made[next(iter(self._made))]
            made, left = self._made[key]
            launch = made.on(node) if node in left else None
            left.discard(node)
            if not left:
                del self._made[key]
        await asyncio.sleep(0)  # to send it may be no turn of others
        found = self._find(job_id)
        if found is None or (job := found[0]).attempt != attempt or node not in job.open_nodes:
            return None
        return launch if job.state in UNSTOPPED_STATES else None

    def _launches(self, job: Job, details: Details, payload: Payload | None) -> Launches:
        return Launches(job, details, payload, self._rate, self._rules)


def _source(job: Job) -> int:
    """Return the number of the job whose script this job runs: for a task, that of its array."""
    return job.id if job.task is None else job.task.array_id


def _is_small(payload: Payload) -> bool:
    texts = chain([payload.script], payload.args, payload.env, payload.env.values())
    return sum(map(len, texts)) <= _KEPT_CHARACTERS
