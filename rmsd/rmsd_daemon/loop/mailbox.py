"""The works of the scheduler, and the interfaces that it needs of their senders."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from rmsd_core.lifecycle.inputs import Exited, Input, Launched, Restart, Update
from rmsd_daemon.callers.audit import about
from rmsd_daemon.domain.submission import Details, NewJob
from rmsd_daemon.store.records import Row, as_submitted
from rmsd_wire import link

MOST_INPUTS = 500
"""The most inputs of a batch, if it has several works: together they take some 50 ms of the event
loop. The submits of a hundred users may come at once, and so may thousands of ends of jobs."""
_MOST_TOLD = 1000
"""The most characters of a left-out input in messages."""

MakeLaunch = Callable[[], Awaitable[link.Launch | None]]
"""Makes a launch; None if it is not to be sent any more, or cannot be made now."""


class Links(Protocol):
    """The operations on the links to the agents that the scheduler needs."""

    def send(self, node: str, message: link.Command) -> None:
        """Send a command to the node's agent. Without a link it is dropped: it is derived again at
        the next Hello."""

    def send_late(self, node: str, make: MakeLaunch) -> None:
        """Send a launch to the node's agent; it is made when it is about to be sent."""

    def reset(self) -> None:
        """Close all sessions, so that agents report anew."""

    def watch_nodes(self, names: Iterable[str]) -> None:
        """Start waiting for these nodes, which are known and not heard yet."""

    def next_end_us(self, now_us: int) -> int | None:
        """Return when the next timer of any agent ends, on a paced clock that shows `now_us`. Ask
        the agents that have not told it since their latest command; None until all have answered.
        NEVER_US if no timer runs."""


class AgentSession(Protocol):
    """The open link to one agent, as far as the scheduler needs it (`agents.sessions.Session`)."""

    agent_id: str
    closed: bool

    def acknowledge(self, seq: int) -> None: ...


@dataclass(slots=True)
class Arrival:
    """A submit, all of it or nothing."""

    jobs: list[NewJob]
    key: str | None
    digest: str
    done: asyncio.Future[list[int]]
    audit_entry: Row | None = None  # the jobs are the subject
    at_us: int | None = None  # on a paced clock, when they arrive; None: at once


@dataclass(slots=True)
class ReadyInputs:
    """Inputs that are ready for the core: what a caller asks for (a cancel, a drain), and what the
    daemon sees itself (a broken link). A caller who waits is told whether none was refused."""

    inputs: list[Input]
    done: asyncio.Future[bool] | None = None
    audit_entries: Sequence[Row] = ()


@dataclass(slots=True)
class Amendment(ReadyInputs):
    """A change of what a job asks for: its only input is an `Update`, and `details` are what is
    kept beside the core from then on. There is one at a time of a job."""

    job_id: int = 0
    details: Details | None = None

    @property
    def update(self) -> Update:
        [update] = self.inputs
        assert isinstance(update, Update)
        return update


@dataclass(slots=True)
class Revival(ReadyInputs):
    """A job that is over is to run again: the first input is its `Restart`, and the others are the
    `AwaitAgain` of jobs that wait for it. `details` are those of the job."""

    details: Details | None = None

    @property
    def restart(self) -> Restart:
        item = self.inputs[0]
        assert isinstance(item, Restart)
        return item


@dataclass(slots=True)
class Reawaiting(ReadyInputs):
    """Further jobs wait again for one that runs again, or has run: the inputs are their
    `AwaitAgain`."""


@dataclass(slots=True)
class Renewal(ReadyInputs):
    """The present links to agents, for a core that begins anew and assumes no link."""


@dataclass(slots=True)
class Report:
    """News from an agent, acknowledged when committed. `input` is None for news that it may not
    report."""

    session: AgentSession
    seq: int
    input: Launched | Exited | None


@dataclass(slots=True)
class Register:
    """An agent's Hello: the rows of the nodes that are accepted, the names of the nodes that it
    does not host any more, and the attempts that it holds. After a restore, it also has the
    attempts that have ended there."""

    session: AgentSession
    nodes: list[Row]
    leaving: list[str]
    held: list[link.HeldAttempt]
    ended: list[link.EndedAttempt] = field(default_factory=list)


Work = Arrival | ReadyInputs | Report | Register


def _without_replaced(works: Iterable[Work]) -> list[Work]:
    """Return the works without the Hellos that later ones of the same agents replace."""
    registers = [work for work in works if isinstance(work, Register)]
    latest = {work.session.agent_id: work.session for work in registers}
    return [
        work
        for work in works
        if not isinstance(work, Register) or latest[work.session.agent_id] is work.session
    ]


def next_batch(works: Sequence[Work], *, is_whole: bool) -> tuple[list[Work], list[Work]]:
    """Return the works for the next batch, and those that wait for a later one, in order.
    `is_whole`: none of them wait."""
    works = _without_replaced(works)
    if is_whole:
        return works, []
    works = list(chain.from_iterable(map(_parts, works)))
    inputs = 0
    for at, work in enumerate(works):
        inputs += _inputs(work)
        if at and inputs > MOST_INPUTS:
            return works[:at], works[at:]
    return works, []


def _parts(work: Work) -> Iterable[Work]:
    """Return the work, or, of an agent with many nodes, a work for some of its nodes each."""
    if not isinstance(work, Register) or work.ended or _inputs(work) <= MOST_INPUTS:
        return (work,)
    parts: list[Register] = []
    held: dict[str, list[link.HeldAttempt]] = {}
    for one in work.held:
        held.setdefault(one.node, []).append(one)

    def part_with(name: str) -> Register:
        its = held.pop(name, [])
        if not parts or _inputs(parts[-1]) + 1 + len(its) > MOST_INPUTS:
            parts.append(Register(work.session, [], [], []))
        parts[-1].held += its
        return parts[-1]

    for row in work.nodes:
        part_with(row["name"]).nodes.append(row)
    for name in work.leaving:
        part_with(name).leaving.append(name)
    return parts


def _inputs(work: Work) -> int:
    """Return how many inputs of the core the work is, more or less."""
    match work:
        case Arrival(jobs):
            return len(jobs)
        case ReadyInputs(inputs):
            return len(inputs)
        case Report():
            return 1
        case Register(_, nodes, leaving, held):
            return len(nodes) + len(leaving) + len(held)


def is_stale(work: Work) -> bool:
    """Return whether the work comes again by itself: an agent repeats it on its next link, or the
    work was made for the previous core."""
    if isinstance(work, Report | Register):
        return work.session.closed
    return isinstance(work, Renewal)


def as_new(work: Work) -> Work:
    """Return the work as it was before the core saw it."""
    if isinstance(work, Arrival):
        for new in work.jobs:
            new.job = as_submitted(new.job, new.details)
    return work


def described(work: Work) -> str:
    """Describe the work for people."""
    match work:
        case Arrival(jobs):
            return f"submit of {len(jobs)} jobs from number {jobs[0].job.id} on"
        case ReadyInputs(inputs):
            return ", ".join(map(str, inputs))[:_MOST_TOLD]
        case Report(input=reported):
            return str(reported)[:_MOST_TOLD]
        case Register(_, nodes, leaving):
            names = ", ".join([*(row["name"] for row in nodes), *leaving])
            return f"registration of the nodes {names}"[:_MOST_TOLD]


def new_jobs(works: Iterable[Work]) -> list[NewJob]:
    return [new for work in works if isinstance(work, Arrival) for new in work.jobs]


def amended_details(works: Iterable[Work], refused: Sequence[Input]) -> dict[int, Details]:
    """Return the new details of the jobs that are changed, by id; `refused` are inputs without
    effect."""
    without_effect = {id(item) for item in refused}
    return {
        work.job_id: work.details
        for work in works
        if isinstance(work, Amendment)
        and work.details is not None
        and without_effect.isdisjoint(map(id, work.inputs))
    }


def restarted_details(works: Iterable[Work], refused: Sequence[Input]) -> dict[int, Details]:
    """Return the details of the jobs that are to run again, by id; `refused` are inputs without
    effect."""
    without_effect = {id(item) for item in refused}
    return {
        work.restart.job.id: work.details
        for work in works
        if isinstance(work, Revival)
        and work.details is not None
        and id(work.restart) not in without_effect
    }


def audit_entries_of(works: Iterable[Work]) -> Iterator[Row]:
    """Yield the audit entries of the works."""
    for work in works:
        if isinstance(work, Arrival) and work.audit_entry is not None:
            first, last = work.jobs[0].job.id, work.jobs[-1].job.id
            jobs = f"job {first}" if first == last else f"jobs {first}-{last}"
            others = sorted({new.job.user for new in work.jobs} - {work.audit_entry["user"]})
            yield about(work.audit_entry, f"{jobs} of {', '.join(others)}" if others else jobs)
        elif isinstance(work, ReadyInputs):
            yield from work.audit_entries
