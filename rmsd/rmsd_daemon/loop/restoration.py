"""The attempts that ran between a backup and its restore, as the nodes remember them.

The daemon's state is that of the backup until every node that it knows has been heard, or is given
up. What agents say until then is put off, so that no node takes work. Then the core is told what
the jobs of the backup have missed. First come the attempts that are over or have begun since, in a
batch of their own. Then come the ends that the nodes remember. Reports are last: an agent that was
told to stop an attempt after its end reports another end, which is not how the attempt has ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby

import msgspec
import structlog

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Exited,
    Found,
    Input,
    NodeDead,
    NodeGone,
    NodeSuspect,
    Overtaken,
)
from rmsd_core.vocabulary import RESTARTED, Cause
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.mailbox import AgentSession, ReadyInputs, Register, Report, Work
from rmsd_daemon.store.nodes import node_up
from rmsd_daemon.store.records import Row
from rmsd_wire.link import EndedAttempt, HeldAttempt

log = structlog.get_logger()

_UNHEARD = "it was started after the backup, and the node of its script is not heard of"
_MOST_ATTEMPTS = 100_000
"""The most starts of a job since the backup that are believed."""
_SUPERSEDED = "it ended after the backup, before the next attempt, and no agent knows how"

Seen = EndedAttempt | HeldAttempt
"""An attempt on a node, as its agent told it."""
Caught = Overtaken | Found | Cancel
"""An input that tells the core what a job of the backup has missed."""


@dataclass(slots=True)
class Restoration:
    """The registrations and reports that wait for the nodes of the backup. `awaited`: the nodes
    that are neither heard nor given up. `caught_up`: the core knows the attempts since the backup,
    and their ends are still to be committed.

    Of each agent, the latest registration and the reports of one session are kept.
    """

    awaited: set[str]
    caught_up: bool = False
    _registers: list[Register] = field(default_factory=list)
    _reports: dict[str, list[Report]] = field(default_factory=dict)  # key: the id of the agent

    def without_early(self, works: Iterable[Work]) -> tuple[list[Work], list[Work]]:
        """Return the works without those that come too early, and these: a job that is to be
        cancelled may run already, and then it is not over with the cancel."""
        if self.caught_up:
            return [*works], []
        now: list[Work] = []
        early: list[Work] = []
        for work in works:
            (early if _is_cancel(work) else now).append(work)
        return now, early

    def sort(self, works: Iterable[Work]) -> list[Work]:
        """Return the works that can be done now. The others are put off, until no node is
        awaited."""
        now: list[Work] = []
        for work in works:
            match work:
                case Register():
                    self.awaited -= {*(row["name"] for row in work.nodes), *work.leaving}
                    kept = (_what_holds(old, work) for old in self._registers)
                    self._registers = [*filter(None, kept), work]
                case Report(session):
                    self._keep(session, work)
                case ReadyInputs(inputs):
                    gone = {i.name for i in inputs if isinstance(i, NodeDead | NodeGone)}
                    self.awaited -= gone
                    now.append(work)
                case _:
                    now.append(work)
        return now

    def _keep(self, session: AgentSession, report: Report) -> None:
        """Keep a report. An agent with a new session repeats the reports of the one before, and
        unacknowledged reports cost memory."""
        kept = self._reports.setdefault(session.agent_id, [])
        if kept and kept[0].session is not session:
            kept.clear()
        kept.append(report)

    def put_off(self) -> list[Work]:
        """Return all works that were put off, once no node is awaited."""
        works: list[Work] = [*self._registers, *chain.from_iterable(self._reports.values())]
        self._registers, self._reports = [], {}
        return works


def _is_cancel(work: Work) -> bool:
    return isinstance(work, ReadyInputs) and any(isinstance(one, Cancel) for one in work.inputs)


def _what_holds(old: Register, new: Register) -> Register | None:
    """Return the part of an earlier Hello that holds after a later one. The later one may be of the
    same agent, or of an agent that has a node of the first one now. What the earlier one says is
    held there may be over; what it says of its other nodes is known to it alone."""
    if new.session is old.session:
        return old  # each has some of the agent's nodes
    if new.session.agent_id == old.session.agent_id:
        return None
    taken = {*(row["name"] for row in new.nodes), *new.leaving}
    taken.intersection_update(row["name"] for row in old.nodes)
    if not taken:
        return old
    nodes = [row for row in old.nodes if row["name"] not in taken]
    held = [one for one in old.held if one.node not in taken]
    ended = [one for one in old.ended if one.node not in taken]
    return Register(old.session, nodes, old.leaving, held, ended) if nodes or old.leaving else None


@dataclass(slots=True)
class Missed:
    """The events that the jobs of a backup have missed, as inputs of the core.

    new_nodes: the rows of nodes that the backup does not know. inputs: attempts that are over or
    have begun, by job in their order, with the cancels that hold nevertheless. exits: how attempts
    have ended, to be told afterwards. unheard: the ends of attempts whose script's node is not
    heard of, to be told after all reports.
    """

    new_nodes: list[Row] = field(default_factory=list)
    inputs: list[Caught] = field(default_factory=list)
    exits: list[Exited] = field(default_factory=list)
    unheard: list[Exited] = field(default_factory=list)

    def first_inputs(self) -> list[Input]:
        """Return the core's first inputs. The new nodes take no work yet, like all others."""
        nodes: list[Input] = []
        for row in self.new_nodes:
            up = node_up(row)
            nodes += [up, NodeSuspect(up.name)]
        return [*nodes, *self.inputs]

    def last_inputs(self, left: Iterable[str]) -> list[Input]:
        """Return the core's last inputs. `left` are nodes whose agents are away again."""
        return [*self.unheard, *map(NodeSuspect, left)]

    def add(self, more: Missed) -> None:
        """Add what another job has missed."""
        self.inputs += more.inputs
        self.exits += more.exits
        self.unheard += more.unheard

    def jobs(self) -> list[int]:
        """Return the jobs that had other attempts since the backup, in their order."""
        return list(dict.fromkeys(item.job_id for item in self.inputs))


def missed(
    jobs: Mapping[int, Job],
    details: Mapping[int, Details],
    nodes: Collection[str],
    registers: Iterable[Register],
    now_us: int,
    capacity: CapacityKind = "nodes",
) -> Missed:
    """Return what has happened to `jobs`, which are as they were in the backup, by what the agents
    say. `nodes` are the names of the nodes that the backup knows."""
    found = Missed()
    seen: dict[int, list[Seen]] = {}
    known = set(nodes)
    for register in registers:
        for row in register.nodes:
            if row["name"] not in known:
                known.add(row["name"])
                found.new_nodes.append(row)
        told: list[Seen] = [*register.ended, *(one for one in register.held if not one.over)]
        for one in told:
            if one.node in known:
                seen.setdefault(one.job_id, []).append(one)
    for job_id, attempts in sorted(seen.items()):
        if job_id in jobs:
            found.add(_of_job(jobs[job_id], details[job_id], attempts, now_us, capacity))
        elif lost := sorted({one.node for one in attempts if isinstance(one, HeldAttempt)}):
            log.warning("job-unknown", job_id=job_id, nodes=lost, detail="it runs, and is ended")
    return found


@dataclass(slots=True)
class _Latest:
    """The latest attempt of a job as far as it is followed. start_us, host: None and "" if the job
    waits; host: the node of its first piece."""

    attempt: int
    start_us: int | None
    host: str


def _of_job(
    job: Job, details: Details, seen: list[Seen], now_us: int, capacity: CapacityKind
) -> Missed:
    """Return what the core is told of the job. `seen` are its attempts that the nodes know, in any
    order."""
    inputs: list[Caught] = []
    exits: list[Exited] = []
    unheard: list[Exited] = []
    latest = _Latest(job.attempt, None, "")
    if job.open_nodes:
        latest = _Latest(job.attempt, job.start_us, job.allocation[0].node)
    seen = [_bounded(job, one, now_us) for one in seen if _can_be(job, one)]
    last = max((one.attempt for one in seen), default=0)
    for attempt, runs in _by_attempt(seen, job.attempt if job.open_nodes else job.attempt + 1):
        if attempt > job.attempt:
            if latest.start_us is not None:
                inputs.append(_superseded(job.id, latest, runs[0].start_us))
            pieces = tuple(Piece(one.node, one.cores, _mem_mib(details, one.cores)) for one in runs)
            # a job on a counted machine has one piece, with all that it asks for
            if capacity == "counted":
                pieces = (Piece(runs[0].node, job.size, details.mem_mib),)
            inputs.append(Found(job.id, attempt, runs[0].start_us, pieces))
            latest = _Latest(attempt, runs[0].start_us, runs[0].node)
        assert latest.start_us is not None
        script = runs[0]
        if isinstance(script, EndedAttempt) and script.batch and _goes_on(job, script, last):
            end_us = max(script.end_us, latest.start_us)
            inputs.append(Overtaken(job.id, attempt, end_us, _outcome(script)))
            exits, unheard = [], []
            latest = _Latest(attempt, None, "")
        else:
            unheard = _unheard(latest, runs, now_us)
            told = runs[1:] if unheard else runs
            exits = [_exited(latest, one) for one in told if isinstance(one, EndedAttempt)]
    if inputs and job.stop_cause is Cause.USER:  # the cancelled attempt was already over, in truth
        inputs.append(Cancel(job.id, by=job.record.cancelled_by or ""))
    return Missed(inputs=inputs, exits=exits, unheard=unheard)


def _mem_mib(details: Details, cores: int) -> int:
    """Return the memory of a node that gives the job so many processors."""
    if details.nodes is None and details.mem_per_cpu_mib:
        return details.mem_per_cpu_mib * cores
    return details.mem_mib


def _can_be(job: Job, one: Seen) -> bool:
    """Return whether a node's word on an attempt is possible. The attempt of the backup is on its
    own nodes; a later one has no more cores than the job asks for."""
    if one.attempt == job.attempt:
        return one.node in job.open_nodes
    return one.cores <= job.size and one.attempt <= job.attempt + _MOST_ATTEMPTS


def _bounded(job: Job, one: Seen, now_us: int) -> Seen:
    """Return the same attempt with times between the submit of the job and the present."""
    start_us = min(max(one.start_us, job.submit_us), now_us)
    if isinstance(one, HeldAttempt):
        return msgspec.structs.replace(one, start_us=start_us)
    end_us = min(max(one.end_us, start_us), now_us)
    return msgspec.structs.replace(one, start_us=start_us, end_us=end_us)


def _by_attempt(found: list[Seen], first: int) -> Iterator[tuple[int, list[Seen]]]:
    """Yield the attempts from `first` on with what is known of them on each node, the script's node
    first. An end takes precedence over what a Hello said before it. Agents of older versions, which
    do not say what an attempt was given, cannot help here."""
    by_node: dict[tuple[int, str], Seen] = {}
    for one in sorted(found, key=lambda one: isinstance(one, EndedAttempt)):
        if one.attempt >= first and one.cores:
            by_node[one.attempt, one.node] = one
    ordered = sorted(by_node.values(), key=lambda one: (one.attempt, not one.batch, one.node))
    for attempt, runs in groupby(ordered, key=lambda one: one.attempt):
        yield attempt, list(runs)


def _goes_on(job: Job, script: EndedAttempt, last: int) -> bool:
    """Return whether another attempt followed this one, up to number `last`, or will follow: a
    killed trial, or a requeue, does not end its job. The core ends attempts that were being killed
    at the backup, or have been cancelled since."""
    stop_cause = job.stop_cause if script.attempt == job.attempt else None
    killed = script.cause in RESTARTED and stop_cause is None
    return killed or last > script.attempt


def _superseded(job_id: int, latest: _Latest, next_start_us: int) -> Overtaken:
    """Return the input that the attempt was over when the next one began. The next one could not
    have begun otherwise; how the attempt ended is not known."""
    assert latest.start_us is not None
    end_us = max(next_start_us, latest.start_us)
    return Overtaken(job_id, latest.attempt, end_us, Outcome(Cause.UNKNOWN, message=_SUPERSEDED))


def _unheard(latest: _Latest, runs: list[Seen], now_us: int) -> list[Exited]:
    """Return the end of the script's part of the latest attempt if its node is not heard."""
    if runs[0].batch or latest.host != runs[0].node:
        return []
    outcome = Outcome(Cause.NODE, message=_UNHEARD)
    return [Exited(runs[0].job_id, latest.attempt, runs[0].node, now_us, outcome)]


def _exited(latest: _Latest, one: EndedAttempt) -> Exited:
    assert latest.start_us is not None
    end_us = max(one.end_us, latest.start_us)
    return Exited(one.job_id, one.attempt, one.node, end_us, _outcome(one))


def _outcome(one: EndedAttempt) -> Outcome:
    return Outcome(
        one.cause,
        one.exit_code,
        one.signal,
        one.cpu_s,
        one.max_rss_mib,
        one.message,
        one.fault,
    )
