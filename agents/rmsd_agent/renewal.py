"""The size of this machine, which may change while the agent runs: processors are plugged in or go
offline, a device vanishes, an administrator changes a cpuset, an affinity or the limits of a
cgroup."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog

from rmsd_agent.agent import Agent
from rmsd_agent.link.link import Link
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_LOOK_EACH_S = 5.0
"""A look takes less than a millisecond."""


class SizeWatch:
    """A watch over the nodes of this agent. `look` returns a node as it is now.

    A new size counts when two looks in a row have seen it, so that a value which is on its way to
    another one has no link opened anew.
    """

    def __init__(self, nodes: Sequence[NodeInfo], look: Callable[[NodeInfo], NodeInfo]) -> None:
        self._nodes = list(nodes)
        self._seen = self._nodes
        self._look = look

    def changed(self) -> list[NodeInfo] | None:
        """Look at all nodes. Return them if they have a new size, else None."""
        try:
            now = [self._look(node) for node in self._nodes]
        except (OSError, ValueError) as error:  # the files of a cgroup may be gone at any time
            log.warning("size-unknown", error=str(error))
            return None
        before, self._seen = self._seen, now
        if now == self._nodes or now != before:
            return None
        self._nodes = now
        return now

    async def run(self, agent: Agent, link: Link, each_s: float = _LOOK_EACH_S) -> None:
        """Tell the agent and, by a new session of the link, the daemon of new sizes."""
        while True:
            await asyncio.sleep(each_s)
            if (nodes := self.changed()) is not None:
                for node in nodes:
                    if node.kind == "real":
                        devices = {kind: list(numbers) for kind, numbers in node.gres}
                        log.warning("node-resized", node=node.name, cores=node.cores,
                                    mem_mib=node.mem_mib, devices=devices)  # fmt: skip
                agent.resize(nodes)
                link.renew()
