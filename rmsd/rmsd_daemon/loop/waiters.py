"""The callers that wait for an answer to a work, and the agents that wait for an
acknowledgement."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.lifecycle.inputs import Input, NodeLeaving
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.loop.mailbox import (
    AgentSession,
    Arrival,
    ReadyInputs,
    Register,
    Renewal,
    Report,
    Work,
)
from rmsd_daemon.loop.put_off import PutOff
from rmsd_daemon.store.idempotency import IdempotencyKeys
from rmsd_daemon.store.nodes import node_up
from rmsd_daemon.store.records import Row

_SPARE_SESSIONS = 1000
"""The nodes of closed sessions that are kept beside as many as there are open ones: to look for
them at each Hello would cost more than they take."""


class Waiters:
    """Answers the callers and agents that wait for works, once these are committed or refused.

    keys: of submits that may be repeated. sessions: by the nodes that they have registered. An
    agent may name other nodes in each Hello, so the nodes of closed sessions are forgotten.
    """

    def __init__(self) -> None:
        self.keys = IdempotencyKeys()
        self.sessions: dict[str, AgentSession] = {}
        self._most_sessions = _SPARE_SESSIONS

    def settle(self, works: Sequence[Work], refused: Sequence[Input], put_off: PutOff) -> None:
        """Answer the waiters of a commit; `refused` are the inputs without effect."""
        without_effect = {id(item) for item in refused}
        acknowledged: dict[AgentSession, int] = {}
        for work in works:
            match work:
                case Arrival(jobs, key, _, done):
                    done.set_result([new.job.id for new in jobs])
                    if key is not None:
                        self.keys.committed(key)
                case ReadyInputs(inputs, done):
                    if done is not None:
                        done.set_result(without_effect.isdisjoint(map(id, inputs)))
                case Report(session, seq):
                    acknowledged[session] = max(seq, acknowledged.get(session, 0))
                case Register(session, nodes, leaving):
                    names = [*(row["name"] for row in nodes), *leaving]
                    self._note(session, names)
        for session, seq in acknowledged.items():
            session.acknowledge(min([seq, *put_off.acknowledgeable(session)]))

    def _note(self, session: AgentSession, names: Sequence[str]) -> None:
        self.sessions.update(dict.fromkeys(names, session))
        if len(self.sessions) > self._most_sessions:
            known = self.sessions.items()
            self.sessions = {name: one for name, one in known if not one.closed}
            self._most_sessions = 2 * len(self.sessions) + _SPARE_SESSIONS

    def refuse(self, works: Sequence[Work], why: DaemonError) -> list[Work]:
        """Refuse the callers that wait for `works`. Returns the works for which no caller waits."""
        others: list[Work] = []
        for work in works:
            if not isinstance(work, Arrival | ReadyInputs) or work.done is None:
                others.append(work)
            elif not work.done.done():
                if isinstance(work, Arrival) and work.key is not None:
                    self.keys.failed(work.key)
                work.done.set_exception(why)
                work.done.exception()  # mark the error as seen: the caller may have gone
        return others

    def renewal(self, node_rows: dict[str, Row]) -> Renewal:
        """Return the inputs that say which nodes have a link now."""
        linked: list[Input] = []
        for name, row in node_rows.items():
            session = self.sessions.get(name)
            if session is None or session.closed:
                continue
            if row["link"] == "up":
                linked.append(node_up(row))
            elif row["link"] == "leaving":
                linked.append(NodeLeaving(name))
        return Renewal(linked)
