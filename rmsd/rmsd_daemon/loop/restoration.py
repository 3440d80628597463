"""After a restore: what ran since the backup, as the nodes remember it.

The daemon's state is that of the backup until every node that it knows has been heard, or is given
up; what agents say until then is put off, so that no node takes work. Then what the jobs of the
backup have missed is made up for: who was started since is started, and how that ended is news.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby

import msgspec
import structlog

from rmsd_core.jobs.attempt import Outcome, begun
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import WAITING, Running, with_claim
from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import Exited, NodeDead, NodeGone
from rmsd_core.vocabulary import Cause
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.work import Order, Register, Report, Session, Work
from rmsd_daemon.store.records import Row, attempt_ended, attempt_start_row, changing_columns
from rmsd_daemon.store.writing import Changes
from rmsd_wire.link import EndedAttempt, HeldAttempt

log = structlog.get_logger()

_UNHEARD = "it was started after the backup, and the node of its script is not heard of"
_MOST_ATTEMPTS = 100_000
"""Starts of a job since the backup that are believed."""
_SUPERSEDED = "it ended after the backup, before the next attempt, and nobody says how"

Seen = EndedAttempt | HeldAttempt
"""An attempt on a node, as its agent told it."""


@dataclass(slots=True)
class Restoration:
    """`awaited`: the nodes that are neither heard nor given up. `made_up`: the tables have what
    they said, and the ends of attempts are still to be committed.

    Of each agent, the latest registration and the reports of one session are kept.
    """

    awaited: set[str]
    made_up: bool = False
    _registers: list[Register] = field(default_factory=list)
    _reports: dict[str, list[Report]] = field(default_factory=dict)  # by agent

    def sort(self, works: Iterable[Work]) -> list[Work]:
        """Those that can be done now; the others are put off, until nobody is awaited."""
        now: list[Work] = []
        for work in works:
            match work:
                case Register():
                    self.awaited -= {*(row["name"] for row in work.nodes), *work.leaving}
                    self._registers = [old for old in self._registers if not _replaces(work, old)]
                    self._registers.append(work)
                case Report(session):
                    self._keep(session, work)
                case Order(inputs):
                    gone = {i.name for i in inputs if isinstance(i, NodeDead | NodeGone)}
                    self.awaited -= gone
                    now.append(work)
                case _:
                    now.append(work)
        return now

    def _keep(self, session: Session, report: Report) -> None:
        """Keep a report. An agent with a new session tells again what it told in the one before,
        and what is not acknowledged costs memory."""
        kept = self._reports.setdefault(session.agent_id, [])
        if kept and kept[0].session is not session:
            kept.clear()
        kept.append(report)

    def put_off(self) -> list[Work]:
        """All of it, once nobody is awaited."""
        works: list[Work] = [*self._registers, *chain.from_iterable(self._reports.values())]
        self._registers, self._reports = [], {}
        return works


def _replaces(new: Register, old: Register) -> bool:
    """Whether a later hello replaces an earlier one: of the same agent, or with one of its nodes.
    What the earlier one says is held may be over."""
    names = {row["name"] for row in new.nodes} | {*new.leaving}
    return new.session.agent_id == old.session.agent_id or not names.isdisjoint(
        row["name"] for row in old.nodes
    )


@dataclass(slots=True)
class MadeUp:
    """changes: of the tables. exits: of attempts that are over, to be told to the core next."""

    changes: Changes = field(default_factory=Changes)
    exits: list[Exited] = field(default_factory=list)


def make_up(
    jobs: Mapping[int, Job],
    details: Mapping[int, Details],
    nodes: Mapping[str, Row],
    registers: Iterable[Register],
    now_us: int,
) -> MadeUp:
    """What has become of `jobs`, as they were in the backup, by what the agents say. `nodes` are
    those that are known. The jobs are changed in place."""
    made = MadeUp()
    seen: dict[int, list[Seen]] = {}
    known = set(nodes)
    for register in registers:
        for row in register.nodes:
            if row["name"] not in known:
                known.add(row["name"])
                made.changes.nodes.append(row | {"link": "suspect", "drain_reason": None})
        told: list[Seen] = [*register.ended, *(one for one in register.held if not one.over)]
        for one in told:
            if one.node in known:
                seen.setdefault(one.job_id, []).append(one)
    for job_id, found in sorted(seen.items()):
        if job_id in jobs:
            _catch_up(jobs[job_id], details[job_id].mem_mib, found, now_us, made)
        elif lost := sorted({one.node for one in found if isinstance(one, HeldAttempt)}):
            log.warning("job-unknown", job_id=job_id, nodes=lost, detail="it runs, and is ended")
    if made.changes.new_attempts:
        _void_claims(jobs.values(), made.changes)
    return made


def _void_claims(jobs: Iterable[Job], changes: Changes) -> None:
    """What was claimed at the backup may be where somebody runs since: it is planned anew."""
    for job in jobs:
        if (claim := job.claim) is not None:  # a start from this state forgets the claim
            job.phase = with_claim(job.phase, claim._replace(awaits=frozenset()))
            changes.job_changes.append(changing_columns(job) | {"b_id": job.id})


def _catch_up(job: Job, mem_mib: int, found: list[Seen], now_us: int, made: MadeUp) -> None:
    """`found` are the attempts of the job that the nodes know, in any order."""
    before = in_backup, _ = job.attempt, job.state
    found = [_bounded(job, one, now_us) for one in found if _can_be(job, one)]
    for attempt, runs in _by_attempt(found, in_backup if job.open_nodes else in_backup + 1):
        script = runs[0] if runs[0].batch else None
        if attempt > in_backup:
            if job.open_nodes:
                made.changes.attempt_ends.append(_superseded_row(job, runs, now_us))
            _start(job, runs, mem_mib, now_us)
            made.changes.new_attempts.append(attempt_start_row(_as_decided(job)))
        made.exits = [exited for exited in made.exits if exited.job_id != job.id]
        if isinstance(script, EndedAttempt) and _goes_on(job, script, found):
            made.changes.attempt_ends.append(_end_row(job, script, now_us))
            _wait_again(job, script)
        else:
            made.exits += _exits(job, runs, now_us)
    if (job.attempt, job.state) != before:
        made.changes.job_changes.append(changing_columns(job) | {"b_id": job.id})
        log.info("job-caught-up", job_id=job.id, attempt=job.attempt, state=job.state.value)


def _can_be(job: Job, one: Seen) -> bool:
    """Whether a node may be right about an attempt: that of the backup is on its own nodes, a later
    one has no more cores than the job asks for."""
    if one.attempt == job.attempt:
        return one.node in job.open_nodes
    return one.cores <= job.size and one.attempt <= job.attempt + _MOST_ATTEMPTS


def _bounded(job: Job, one: Seen, now_us: int) -> Seen:
    """The same with times between the submit of the job and the present."""
    start_us = min(max(one.start_us, job.submit_us), now_us)
    if isinstance(one, HeldAttempt):
        return msgspec.structs.replace(one, start_us=start_us)
    end_us = min(max(one.end_us, start_us), now_us)
    return msgspec.structs.replace(one, start_us=start_us, end_us=end_us)


def _by_attempt(found: list[Seen], first: int) -> Iterator[tuple[int, list[Seen]]]:
    """Attempts from `first` on with what is known of them on each node, the script's node first; an
    end counts more than what a hello said before it. Agents of before, who do not say what an
    attempt was given, cannot help here."""
    by_node: dict[tuple[int, str], Seen] = {}
    for one in sorted(found, key=lambda one: isinstance(one, EndedAttempt)):
        if one.attempt >= first and one.cores:
            by_node[one.attempt, one.node] = one
    ordered = sorted(by_node.values(), key=lambda one: (one.attempt, not one.batch, one.node))
    for attempt, runs in groupby(ordered, key=lambda one: one.attempt):
        yield attempt, list(runs)


def _goes_on(job: Job, script: EndedAttempt, found: list[Seen]) -> bool:
    """Whether another attempt followed this one, or will: a killed trial is no end of a job. What
    was being killed at the backup, or has been cancelled since, the core knows to end."""
    killed = script.cause is Cause.TRIAL and job.stop_cause is None
    return killed or any(one.attempt > script.attempt for one in found)


def _wait_again(job: Job, script: EndedAttempt) -> None:
    if script.cause is Cause.TRIAL:
        job.record.lost_us += max(0, script.end_us - _started_us(job))
    job.phase = WAITING
    job.expected_end_us = None
    job.tried = True


def _start(job: Job, runs: list[Seen], mem_mib: int, now_us: int) -> None:
    """The job runs in this attempt, as a daemon that is forgotten has decided. What it might have
    been promised meanwhile, and whether this is a trial, nobody knows any more: it runs on."""
    start_us = min(runs[0].start_us, now_us)
    attempt = begun(tuple(Piece(one.node, one.cores, mem_mib) for one in runs), start_us)
    attempt.launched = True
    job.phase = Running(attempt)
    job.attempt = runs[0].attempt
    job.expected_end_us = start_us + job.prediction_us
    job.tried = True


def _as_decided(job: Job) -> Start:
    """The decision of the forgotten daemon."""
    return Start(job.id, job.attempt, _started_us(job), job.allocation)


def _exits(job: Job, runs: list[Seen], now_us: int) -> list[Exited]:
    """What is over of the job's attempt; the script's part, if its node is not heard of."""
    exits = [_exited(job, one, now_us) for one in runs if isinstance(one, EndedAttempt)]
    if job.allocation and not runs[0].batch and job.allocation[0].node == runs[0].node:
        outcome = Outcome(Cause.NODE, message=_UNHEARD)
        exits = [one for one in exits if one.node != runs[0].node]
        exits.append(Exited(job.id, job.attempt, runs[0].node, now_us, outcome))
    return exits


def _exited(job: Job, one: EndedAttempt, now_us: int) -> Exited:
    outcome = Outcome(one.cause, one.exit_code, one.signal, one.cpu_s, one.max_rss_mib, one.message)
    end_us = min(max(one.end_us, _started_us(job)), now_us)
    return Exited(one.job_id, one.attempt, one.node, end_us, outcome)


def _started_us(job: Job) -> int:
    assert job.start_us is not None
    return job.start_us


def _superseded_row(job: Job, runs: list[Seen], now_us: int) -> Row:
    """The job's attempt was over when `runs` began, or those would not have; nobody says how."""
    end_us = min(max(runs[0].start_us, _started_us(job)), now_us)
    outcome = Outcome(Cause.UNKNOWN, message=_SUPERSEDED)
    return attempt_ended(job.id, job.attempt, end_us, outcome)


def _end_row(job: Job, one: EndedAttempt, now_us: int) -> Row:
    exited = _exited(job, one, now_us)
    return attempt_ended(job.id, one.attempt, exited.end_us, exited.outcome)
