"""What the scheduler is given to do, and what it needs of those who give it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rmsd_core.lifecycle.inputs import Exited, Input, Launched
from rmsd_daemon.domain.submission import NewJob
from rmsd_daemon.store.records import Row
from rmsd_wire import link

MakeLaunch = Callable[[], Awaitable[link.Launch | None]]
"""Makes a launch; None if it is not to be sent any more, or cannot be made now."""


class Links(Protocol):
    """What the scheduler needs of the links to the agents."""

    def send(self, node: str, message: link.Launch | link.Stop) -> None:
        """To the node's agent; dropped when there is no link: it is derived again at its Hello."""

    def send_late(self, node: str, make: MakeLaunch) -> None:
        """Likewise a launch that is made when it is its turn to be sent."""

    def reset(self) -> None:
        """Close all sessions, so that agents report anew."""

    def watch_nodes(self, names: Iterable[str]) -> None:
        """These nodes are known and not heard of yet."""


class Session(Protocol):
    """The link to one agent."""

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
    said: Row | None = None  # for the audit trail; the jobs are its subject


@dataclass(slots=True)
class Order:
    """Inputs that somebody may wait for, who is told whether none of them was refused."""

    inputs: list[Input]
    done: asyncio.Future[bool] | None = None
    said: Sequence[Row] = ()  # for the audit trail


@dataclass(slots=True)
class Renewal(Order):
    """The links to agents that hold, for a core that begins anew and takes none for granted."""


@dataclass(slots=True)
class Report:
    """News from an agent, acknowledged when committed; None: what it may not say."""

    session: Session
    seq: int
    input: Launched | Exited | None


@dataclass(slots=True)
class Register:
    """An agent's Hello: the rows of the nodes that are accepted, the names of those that it does
    not host any more, and what it holds; after a restore, also what has ended there."""

    session: Session
    nodes: list[Row]
    leaving: list[str]
    held: list[link.HeldAttempt]
    ended: list[link.EndedAttempt] = field(default_factory=list)


Work = Arrival | Order | Report | Register
