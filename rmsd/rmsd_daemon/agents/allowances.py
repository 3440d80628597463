"""Bounds on what agents on other machines may add to the database, and on how often they may
dial."""

from __future__ import annotations

import asyncio

from rmsd_daemon.domain.rates import Pauses, Rates

_HELLO_TIMES = 2
_NODE_BYTES = 512
"""A Hello adds its bytes to the database, in events and rows, and this number for each node, which
is lost again later."""
_HELLO_AT_ONCE_BYTES = 64 << 20
_HELLO_BYTES_PER_S = 64 << 10
"""The bytes that the Hellos of an agent on another machine may add each second.
`_HELLO_AT_ONCE_BYTES` at once lets an agent with 10,000 nodes come back eight times."""
_RESTART_BYTES = 2 << 10
"""The bytes that an attempt adds to the database when it ends with its node, and its job starts
again. An agent on another machine has the same share for these: it could end each new attempt at
once."""

_DRAIN_TIMES = 3
"""The reason of a drain is in the log, in an event and in the row of the node. A node that its
agent withdraws and brings back can be drained again."""


class Allowances:
    """The allowance of each agent."""

    def __init__(self) -> None:
        self._pauses = Pauses()
        self._added = Rates(_HELLO_BYTES_PER_S, _HELLO_AT_ONCE_BYTES)
        self._hasty: set[str] = set()  # agents whose latest attempt to open a link was too early

    def too_early_s(self, agent_id: str) -> float:
        """Return 0 if the agent may open a link now, else the seconds that it must wait. Each Hello
        costs a batch, as many job numbers as it claims to know, and space in the database for
        ever."""
        now_s = asyncio.get_running_loop().time()
        wait_s = self._added.owed_s(agent_id, now_s) or self._pauses.wait_s(agent_id, now_s)
        if not wait_s:
            self._hasty.discard(agent_id)
        return wait_s

    def note_hasty(self, agent_id: str) -> bool:
        """Note that an agent has dialed too early; return whether it did the last time, too."""
        repeated = agent_id in self._hasty
        self._hasty.add(agent_id)
        return repeated

    def take_hello(self, agent_id: str, frame_bytes: int, nodes: int) -> None:
        """Count what a Hello adds to the database."""
        size = _HELLO_TIMES * frame_bytes + _NODE_BYTES * nodes
        self._added.take(agent_id, size, asyncio.get_running_loop().time())

    def take_restart(self, agent_id: str) -> bool:
        """Count a job that starts again; return whether the agent has used up its allowance."""
        return self._take(agent_id, _RESTART_BYTES)

    def take_drain(self, agent_id: str, reason: str) -> bool:
        """Count a node that is drained; return whether the agent has used up its allowance."""
        return self._take(agent_id, _NODE_BYTES + _DRAIN_TIMES * len(reason.encode()))

    def _take(self, agent_id: str, size: int) -> bool:
        now_s = asyncio.get_running_loop().time()
        self._added.take(agent_id, size, now_s)
        return bool(self._added.owed_s(agent_id, now_s))
