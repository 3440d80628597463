"""The links of agents, and the nodes that each link reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable

import structlog

from rmsd_core.lifecycle.inputs import Input, NodeDead, NodeSuspect, RebootFailed
from rmsd_core.model_time import NEVER_US
from rmsd_daemon.agents.sessions import HEARTBEAT_S, Session
from rmsd_daemon.agents.silence import Silence
from rmsd_daemon.domain.errors import NodeUnreachable
from rmsd_daemon.loop.mailbox import MakeLaunch, ReadyInputs
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_wire import link

log = structlog.get_logger()

_LEAST_HEARTBEAT_S = 3.0


class AgentLinks:
    """All sessions. A node is down once its agent has been silent for `node_dead_s`, but for one
    that reboots, which has `reboot_timeout_s` to come back. `heartbeat_s`: after so much silence of
    the daemon an agent asks whether the link holds."""

    def __init__(self, scheduler: Scheduler, node_dead_s: float, reboot_timeout_s: float) -> None:
        self._scheduler = scheduler
        self._sessions: dict[str, Session] = {}  # key: agent
        self._by_node: dict[str, Session] = {}
        self._silence = Silence(node_dead_s, self._dead)
        self._reboots = Silence(reboot_timeout_s, self._reboot_timed_out)
        self.heartbeat_s = _heartbeat_s(node_dead_s)
        self._tasks: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------ for the scheduler

    def send(self, node: str, message: link.Command) -> None:
        if isinstance(message, link.RebootNode):
            self._reboots.begin(node)
        if session := self._by_node.get(node):
            session.command(message)

    def send_late(self, node: str, make: MakeLaunch) -> None:
        if session := self._by_node.get(node):
            session.send_late(make)

    def reset(self) -> None:
        for session in list(self._sessions.values()):
            self.drop(session)

    def revoked(self, agent_id: str) -> None:
        """End the link of an agent whose key does not hold any more."""
        if session := self._sessions.get(agent_id):
            self.drop(session, link.Goodbye("its key was revoked", retry=False))

    def watch_nodes(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._by_node:
                self._silence.begin(name)
            if self._is_rebooting(name):
                self._reboots.begin(name)

    def next_end_us(self, now_us: int) -> int | None:
        ends_us = [session.next_end_us(now_us) for session in self._sessions.values()]
        known = [end_us for end_us in ends_us if end_us is not None]
        return min(known, default=NEVER_US) if len(known) == len(ends_us) else None

    # ------------------------------------------------------------ for the API

    def session_of(self, node: str) -> Session:
        """Return the session that reaches the node. Raises DaemonError if the node has no link."""
        if session := self._by_node.get(node):
            return session
        raise NodeUnreachable(f"node {node} cannot be reached now: there is no link to its agent")

    def can_reboot(self, node: str) -> bool:
        """Return whether the node is linked, and its agent can reboot it."""
        session = self._by_node.get(node)
        return session is not None and node in session.rebootable

    def device_limit(self, node: str) -> str:
        """Return what keeps jobs on the node to the files of their devices; "" if nothing does, and
        "unknown" if the node is not linked."""
        session = self._by_node.get(node)
        return "unknown" if session is None else session.device_limits.get(node, "")

    async def close(self) -> None:
        """Close all links as the daemon stops; agents are told to dial again."""
        self._silence.close()
        self._reboots.close()
        goodbye = link.Goodbye("the daemon is stopping", retry=True)
        for session in list(self._sessions.values()):
            self._forget(session)
            await session.close(goodbye)

    # ------------------------------------------------------------ for the links themselves

    def has(self, node: str) -> bool:
        """Return whether a link reaches the node."""
        return node in self._by_node

    def is_open(self, session: Session) -> bool:
        """Return whether this session is the one that its agent has now."""
        return self._sessions.get(session.agent_id) is session

    def came_up(self, name: str, boot_id: str) -> None:
        """Stop waiting for the end of a node's reboot if the node is on another boot now."""
        node = self._scheduler.core.nodes.get(name)
        if node is not None and node.reboot is not None and boot_id != node.reboot.boot_id:
            self._reboots.end(name)

    def reboot_failed(self, name: str) -> None:
        """Stop waiting for the end of a node's reboot: there is none."""
        self._reboots.end(name)

    def add(self, session: Session) -> None:
        """Let a session reach its nodes."""
        self._sessions[session.agent_id] = session
        for name in session.nodes:
            self._by_node[name] = session

    def retire(self, agent_id: str) -> None:
        """Close an agent's session, if it has one, in favour of a new one: its nodes stay."""
        if earlier := self._sessions.get(agent_id):
            self._forget(earlier)
            self._close_later(earlier)

    def keep(self, names: Iterable[str]) -> None:
        """Stop waiting for the agents of these nodes."""
        for name in names:
            self._silence.end(name)

    def drop(self, session: Session, goodbye: link.Goodbye | None = None) -> None:
        """End a lost link: its nodes are suspect, and are down after a long silence."""
        if self.is_open(session):
            self._forget(session)
            if session.nodes:
                self._log_lost(session)
                self._scheduler.put(ReadyInputs([NodeSuspect(name) for name in session.nodes]))
                self.watch_nodes(session.nodes)
        self._close_later(session, goodbye)

    def run_later(self, work: Coroutine[None, None, None]) -> None:
        """Run `work` in a task of its own."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _forget(self, session: Session) -> None:
        self._sessions.pop(session.agent_id, None)
        for name in session.nodes:
            if self._by_node.get(name) is session:
                del self._by_node[name]

    def _close_later(self, session: Session, goodbye: link.Goodbye | None = None) -> None:
        if not session.closed:
            self.run_later(session.close(goodbye))

    def _log_lost(self, session: Session) -> None:
        """Log that a link is lost. That a node is away while it reboots is no news."""
        lost = [name for name in session.nodes if not self._is_rebooting(name)]
        if away := len(session.nodes) - len(lost):
            log.info("agent-reboots", agent_id=session.agent_id, nodes=away)
        if lost:
            log.warning("agent-lost", agent_id=session.agent_id, nodes=len(lost))

    def _is_rebooting(self, name: str) -> bool:
        node = self._scheduler.core.nodes.get(name)
        return node is not None and node.is_rebooting

    def _dead(self, name: str) -> None:
        if not self._is_rebooting(name):  # else it has nothing to lose, and time to come back
            log.error("node-dead", node=name)
            self._scheduler.put(ReadyInputs([NodeDead(name)]))

    def _reboot_timed_out(self, name: str) -> None:
        node = self._scheduler.core.nodes.get(name)
        if node is None or node.reboot is None or not node.is_rebooting:
            return
        log.error("reboot-timed-out", node=name)
        inputs: list[Input] = [RebootFailed(name, node.reboot.boot_id, "reboot timed out")]
        if not self.has(name):
            inputs.append(NodeDead(name))
        self._scheduler.put(ReadyInputs(inputs))


def _heartbeat_s(node_dead_s: float) -> float:
    """Return the heartbeat of agents for which no agent obeys a launch that it gets after its nodes
    are down.

    An agent gives a link up that is silent for two heartbeats, or on which it has stood still for
    one. The daemon gives one up at the first missing answer to a ping, half of `HEARTBEAT_S` later
    at the soonest, or at once if it is told of the end; and the nodes are down `node_dead_s` later.
    A busy machine lets an agent stand still for a moment, so the heartbeat has a least value.
    """
    longest_s = min(node_dead_s, (HEARTBEAT_S / 2 + node_dead_s) / 2)
    return min(HEARTBEAT_S, max(longest_s, _LEAST_HEARTBEAT_S))
