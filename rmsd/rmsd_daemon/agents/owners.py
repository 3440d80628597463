"""The agents to which nodes belong."""

from __future__ import annotations

from rmsd_daemon.loop.scheduler import Scheduler


class NodeOwners:
    """The agent that has registered each node, by the daemon's records."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def owner(self, node: str) -> str | None:
        """Return the agent that registered the node; None if none has, or its record was lost."""
        row = self._scheduler.node_rows.get(node)
        return None if row is None else row["agent_id"] or None

    def by_agent(self) -> dict[str, list[str]]:
        """Return the nodes that each agent has registered, by name."""
        found: dict[str, list[str]] = {}
        for name, row in sorted(self._scheduler.node_rows.items()):
            found.setdefault(row["agent_id"], []).append(name)
        return found

    def nodes_of(self, agent_id: str) -> list[str]:
        """Return the nodes that this agent has registered."""
        rows = self._scheduler.node_rows
        return [name for name, row in rows.items() if row["agent_id"] == agent_id]
