"""The registration of agents: their sessions, their nodes, and what the scheduler is told."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

import structlog
from aiohttp import web

from rmsd_core.lifecycle.inputs import NodeDead, NodeGone
from rmsd_daemon.agents.admission import Admission
from rmsd_daemon.agents.device_kinds import DeviceKinds
from rmsd_daemon.agents.ended import ended_attempts
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.losses import losses
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.loop.mailbox import ReadyInputs, Register
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.clock import DaemonClock, clock_message
from rmsd_daemon.store.records import Row
from rmsd_wire import link
from rmsd_wire.frames import cut
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_LARGE_AT_ONCE = 32
"""Launches with large scripts that are in memory at a time, on their way to agents."""
_MOST_LOGGED = 10
"""Nodes that an agent withdraws, or that are refused, which the log names one by one."""


class Registration:
    """Makes sessions of links whose Hello is accepted."""

    def __init__(
        self, scheduler: Scheduler, clock: DaemonClock, links: AgentLinks, admission: Admission
    ) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._links = links
        self._admission = admission
        self._kinds = DeviceKinds(scheduler)
        self._refused: dict[str, dict[str, str]] = {}  # key: agent; from its latest Hello
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)

    def open(
        self, ws: web.WebSocketResponse, hello: link.Hello, rows: Sequence[Row], *, trusted: bool
    ) -> Session:
        """Open an agent's session in place of any earlier one; see `Admission`. `rows`: those of
        the Hello's nodes."""
        self._links.retire(hello.agent_id)
        accepted, refused = self._hosted(hello, rows, trusted=trusted)
        leaving = self._admission.leaving(hello, trusted=trusted)
        there = {info.name for info in hello.nodes} | {*hello.leaving}
        # only the agent knows the jobs that ran on its nodes since the backup
        if self._scheduler.awaited:
            leaving += self._admission.left_out(hello.agent_id, there)
        names = [*accepted, *leaving]
        rebootable = {info.name for info in hello.nodes if info.can_reboot} & accepted.keys()
        device_limits = {
            info.name: cut(info.device_limit)
            for info in hello.nodes
            if info.device_limit and info.name in accepted
        }
        session = Session(
            ws,
            hello.agent_id,
            names,
            self._large,
            counted=not trusted,
            rebootable=rebootable,
            device_limits=device_limits,
        )
        self._links.add(session)
        session.send(
            link.Welcome(
                hello.epoch, clock_message(self._clock), self._links.heartbeat_s, refused=refused
            )
        )
        # Ignore what it says of other agents' nodes: commands for these would go to those agents.
        held = [attempt for attempt in hello.held if attempt.node in session.nodes]
        register = Register(session, list(accepted.values()), leaving, held)
        if hello.remembers and self._scheduler.awaited:
            self._links.run_later(self._ask(session, register))
        else:
            self._register(register, names)
        self._withdraw(self._admission.left_out(hello.agent_id, there), hello.agent_id)
        if names:
            log.info("agent-up", agent_id=hello.agent_id, nodes=len(accepted), held=len(hello.held))
        if smaller := losses(self._scheduler.node_rows, accepted):
            self._log_nodes("node-smaller", smaller, hello.agent_id, smaller)
        self._log_nodes("node-leaving", leaving, hello.agent_id)
        if refused != self._refused.get(hello.agent_id, {}):
            self._refused[hello.agent_id] = refused
            self._log_nodes("node-refused", refused, hello.agent_id, refused)
        return session

    def _hosted(
        self, hello: link.Hello, rows: Sequence[Row], *, trusted: bool
    ) -> tuple[dict[str, Row], dict[str, str]]:
        """Return the rows of the nodes that the agent may have, and the reasons why it may not have
        the others."""
        refused: dict[str, str] = {}
        accepted: dict[str, Row] = {}
        agent_id, kinds = hello.agent_id, self._kinds.of(hello.agent_id)
        for info, row in zip(hello.nodes, rows, strict=True):
            if why := self._admission.why_not_hosted(info, agent_id, kinds, trusted=trusted):
                refused[cut(info.name)] = why
            else:
                accepted.setdefault(info.name, row)
        if repeated := len(hello.nodes) - len(refused) - len(accepted):
            log.warning("nodes-repeated", agent_id=hello.agent_id, count=repeated)
        return accepted, refused

    def _register(self, register: Register, names: Iterable[str]) -> None:
        """Tell the scheduler that the agent is linked: the wait for its nodes ends."""
        self._links.keep(names)
        for row in register.nodes:
            self._links.came_up(row["name"], row["boot_id"])
        self._scheduler.put(register)

    async def _ask(self, session: Session, register: Register) -> None:
        """Ask, after a restore, which attempts have ended at an agent, before the agent is
        registered."""
        try:
            ended = await ended_attempts(session, self._scheduler.cluster.is_live)
        except (DaemonError, *MALFORMED) as error:
            log.error("ended-unknown", agent_id=session.agent_id, error=str(error))
            self._links.drop(session)  # the agent dials again
            return
        if self._links.is_open(session):  # the link may have broken just now
            register.ended = ended
            self._register(register, session.nodes)

    def _withdraw(self, names: Collection[str], agent_id: str) -> None:
        """Forget these nodes of the agent."""
        self._log_nodes("node-gone", names, agent_id)
        for name in names:
            self._links.keep([name])
            self._scheduler.put(ReadyInputs([NodeDead(name), NodeGone(name)]))

    def _log_nodes(
        self,
        event: str,
        names: Collection[str],
        agent_id: str,
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        """Log an event for these nodes: the first ones by name, and the number of the others, since
        the agent can repeat the event."""
        for name in islice(names, _MOST_LOGGED):
            reason = {} if reasons is None else {"reason": reasons[name]}
            log.warning(event, node=name, agent_id=agent_id, **reason)
        if (more := len(names) - _MOST_LOGGED) > 0:
            log.warning(event, more=more, agent_id=agent_id)
