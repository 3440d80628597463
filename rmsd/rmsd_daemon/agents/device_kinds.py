"""The kinds of devices that agents may tell of: each takes bytes for every node of the cluster."""

from __future__ import annotations

from weakref import ref

from rmsd_core.lifecycle.core import Core
from rmsd_daemon.loop.scheduler import Scheduler

_MOST_KINDS = 64
"""The most kinds of all agents together."""
_MOST_OF_AGENT = 16
"""The most kinds of an agent on another machine that no other agent has."""


class DeviceKinds:
    """The kinds of all agents. A core keeps a kind, also when no node has it any more, until the
    next core takes over, as after each snapshot."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._core: ref[Core] | None = None  # not a reference that keeps it alive
        self._brought: dict[str, set[str]] = {}  # key: agent; what it told first to this core

    def of(self, agent_id: str) -> AgentKinds:
        """Return the kinds from the view of an agent, for its Hello."""
        if self._core is None or self._core() is not self._scheduler.core:
            self._core = ref(self._scheduler.core)
            self._brought = {}
        own: set[str] = set()
        others: set[str] = set()
        for row in self._scheduler.node_rows.values():
            (own if row["agent_id"] == agent_id else others).update(kind for kind, _ in row["gres"])
        for other, brought in self._brought.items():
            if other != agent_id:
                others |= brought
        brought = self._brought.setdefault(agent_id, set())
        return AgentKinds(others, (own | brought) - others, brought)


class AgentKinds:
    """The kinds that one agent may tell of. others: those of other agents. own: those that it alone
    has. brought: where its new ones are noted."""

    def __init__(self, others: set[str], own: set[str], brought: set[str]) -> None:
        self._others = others
        self._own = own
        self._brought = brought

    def why_not(self, kinds: set[str], *, trusted: bool) -> str:
        """Return why no node of the agent may have these kinds; "" if one may."""
        own = self._own | kinds - self._others
        if len(own) > _MOST_OF_AGENT and not trusted:
            return (
                f"an agent can bring {_MOST_OF_AGENT} kinds of devices that no other agent has; "
                "earlier ones count until the daemon has taken a snapshot"
            )
        if len(own | self._others) > _MOST_KINDS:
            return f"the nodes of a cluster have at most {_MOST_KINDS} kinds of devices"
        self._brought |= own - self._own
        self._own = own
        return ""
