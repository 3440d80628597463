"""The nodes of this agent, which may change while it runs: processors are plugged in or go offline,
a device vanishes, an administrator changes a cpuset, an affinity or the limits of a cgroup, and the
disk of the state directory becomes full or has space again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import msgspec
import structlog

from rmsd_agent.agent import Agent
from rmsd_agent.link.link import Link
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_LOOK_EACH_S = 5.0
"""A look takes less than a millisecond."""


def why_unable(state: AgentStateDir) -> str:
    """Return why no job can be started by an agent with this directory now; "" if one can."""
    why = state.why_unwritable()
    return f"its agent can start no jobs now: {why}" if why else ""


class NodeWatch:
    """A watch over the nodes of this agent. `look` returns a node with the size that it has now,
    and `unable` why no job can be started on any of them.

    News count when two looks in a row have seen them, so that a value which is on its way to
    another one has no link opened anew.
    """

    def __init__(
        self,
        nodes: Sequence[NodeInfo],
        look: Callable[[NodeInfo], NodeInfo],
        unable: Callable[[], str],
    ) -> None:
        self._nodes = list(nodes)
        self._seen = self._nodes
        self._look = look
        self._unable = unable
        self._woken = asyncio.Event()

    def changed(self) -> list[NodeInfo] | None:
        """Look at all nodes. Return them if there are news of them, else None."""
        unable = self._unable()
        try:
            now = [_with(self._look(node), unable) for node in self._nodes]
        except (OSError, ValueError) as error:  # the files of a cgroup may be gone at any time
            log.warning("size-unknown", error=str(error))
            return None
        before, self._seen = self._seen, now
        if now == self._nodes or now != before:
            return None
        self._log(now, unable)
        self._nodes = now
        return now

    def look_now(self) -> None:
        """Have two looks taken at once: there are news that are not on their way to others."""
        self._woken.set()

    async def run(self, agent: Agent, link: Link, each_s: float = _LOOK_EACH_S) -> None:
        """Tell the agent and, by a new session of the link, the daemon of news."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), each_s)
            nodes = self.changed()
            if nodes is None and self._woken.is_set():
                nodes = self.changed()
            self._woken.clear()
            if nodes is not None:
                agent.resize(nodes)
                link.renew()

    def _log(self, nodes: Sequence[NodeInfo], unable: str) -> None:
        """Log the news of the nodes."""
        if any(node.unable != unable for node in self._nodes):
            log.warning("jobs-put-off" if unable else "jobs-start-again", reason=unable)
        for before, node in zip(self._nodes, nodes, strict=True):
            if node.kind == "real" and node != _with(before, unable):
                devices = {kind: list(numbers) for kind, numbers in node.gres}
                log.warning("node-resized", node=node.name, cores=node.cores,
                            mem_mib=node.mem_mib, devices=devices)  # fmt: skip


def _with(node: NodeInfo, unable: str) -> NodeInfo:
    return node if node.unable == unable else msgspec.structs.replace(node, unable=unable)
