"""Commands to agents: what a committed batch has decided, or what an agent should already know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import chain

from rmsd_core.effects import Decision, Start, Stop, Switch
from rmsd_core.job import Job
from rmsd_core.vocabulary import JobState
from rmsd_daemon.launch import JobRules, launches
from rmsd_daemon.reconcile import Reconciled
from rmsd_daemon.submission import Details, NewJob, Payload
from rmsd_daemon.work import Links
from rmsd_wire import link

_PAYLOADS_KEPT = 2000
_KEPT_CHARACTERS = 16 << 10
"""A larger payload is read when it is needed, or 2000 scripts could fill the memory."""

ReadPayloads = Callable[[Sequence[int]], Awaitable[Mapping[int, Payload | None]]]


class Dispatcher:
    """Scripts of jobs that wait are at hand for as many as is reasonable, the others are read when
    they start."""

    def __init__(self, links: Links, read: ReadPayloads, rate: float, rules: JobRules) -> None:
        self._links = links
        self._read = read
        self._rate = rate
        self._rules = rules
        self._payloads: dict[int, Payload] = {}

    def keep(self, jobs: Iterable[NewJob]) -> None:
        """These jobs are committed; they will be launched some day."""
        for new in jobs:
            if len(self._payloads) < _PAYLOADS_KEPT and _is_small(new.payload):
                self._payloads[new.job.id] = new.payload

    async def send(
        self,
        decisions: Iterable[Decision],
        greetings: Iterable[Reconciled],
        details: Mapping[int, Details],
    ) -> None:
        """Send what `decisions` ask for, and what agents that said hello have missed."""
        to_launch: dict[int, Job] = {}
        for found in greetings:
            for stop in found.stops:
                self._links.send(stop.node, stop)
            to_launch |= {job.id: job for job in found.launches}
        for decision in decisions:
            if isinstance(decision, Switch):
                continue
            job = decision.job
            if isinstance(decision, Start):
                to_launch[job.id] = job
            elif isinstance(decision, Stop):
                for node in decision.nodes:
                    self._links.send(node, link.Stop(job.id, job.attempt, node, decision.cause))
            if job.state.terminal:
                self._payloads.pop(job.id, None)
        if to_launch:
            await self._launch(to_launch, details)

    async def _launch(self, jobs: Mapping[int, Job], details: Mapping[int, Details]) -> None:
        payloads: dict[int, Payload | None] = {
            job_id: self._payloads.pop(job_id, None) for job_id in jobs
        }
        if missing := [job_id for job_id, payload in payloads.items() if payload is None]:
            payloads |= await self._read(missing)
        for job in jobs.values():
            if job.state in (JobState.CONFIGURING, JobState.RUNNING):
                # An agent refuses an empty script, which ends a job whose script is damaged.
                payload = payloads[job.id] or Payload()
                for launch in launches(job, details[job.id], payload, self._rate, self._rules):
                    self._links.send(launch.node, launch)


def _is_small(payload: Payload) -> bool:
    texts = chain([payload.script], payload.args, payload.env, payload.env.values())
    return sum(map(len, texts)) <= _KEPT_CHARACTERS
