"""Reboots in stories: in some clusters operators ask for reboots of nodes, and cancel some.

The stories of other clusters stay what they were: all chance in here has a source of its own.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

from rmsd_core.lifecycle.core import Core
from tests.world.cluster import Cluster

_WITH_REBOOTS = 0.4
_BETWEEN_ACTS_S = 4.0


class Rebooters:
    """The operators of a cluster who reboot its nodes; they are idle in most stories."""

    def __init__(self, cluster: Cluster, rng: random.Random) -> None:
        self._cluster = cluster
        self._rng = rng
        self._is_active = rng.random() < _WITH_REBOOTS

    async def act(self, say: Callable[..., Awaitable[Any]], for_s: float) -> None:
        """Ask for reboots, and cancel some, for this time. `say` makes a request."""
        rng = self._rng
        ends_s = self._cluster.loop.time() + for_s
        while self._is_active and self._cluster.loop.time() < ends_s:
            await asyncio.sleep(rng.expovariate(1 / _BETWEEN_ACTS_S))
            target = f"/v1/nodes/{rng.choice(self._cluster.node_names())}"
            if rng.random() < 0.2:
                await say("POST", target, {"action": "cancel-reboot"})
                continue
            how = {"asap": rng.random() < 0.5, "next_state": rng.choice(["", "resume", "down"])}
            await say("POST", target, {"action": "reboot", **how})


class BootLog:
    """The boots of nodes as the core has them, step by step. In the stories a node is on another
    boot for a reboot that was asked for, and for nothing else."""

    def __init__(self) -> None:
        self._boots: dict[str, str] = {}  # key: node
        self._issued: defaultdict[str, set[str]] = defaultdict(set)  # the boots that were to end
        self._forgotten: set[str] = set()

    def look(self, core: Core, *, rebuilt: bool) -> str:
        """Return what is wrong with the boots of nodes now; "" if nothing is. A core that is
        rebuilt may not know the latest boots, whose commit has failed. A node that was forgotten
        meanwhile may still reboot: its agent has the order."""
        wrong = ""
        self._forgotten |= self._boots.keys() - core.nodes.keys()
        for name, node in core.nodes.items():
            before, rebooting = self._boots.get(name), self._issued[name]
            if node.boot_id:
                self._boots[name] = node.boot_id
            if before is not None and node.boot_id not in ("", before):
                if before not in rebooting:
                    wrong = f"node {name} was not to reboot, and is on boot {node.boot_id}"
                elif _number(node.boot_id) != _number(before) + 1:
                    wrong = f"node {name} was on boot {before}, and is on {node.boot_id}"
            if node.reboot is not None and node.is_rebooting:
                rebooting.add(node.reboot.boot_id)
            elif node.reboot is None and node.drain_reason is None and name not in self._forgotten:
                rebooting.discard(node.boot_id)  # over, and not for want of another boot
        return "" if rebuilt else wrong


def _number(boot_id: str) -> int:
    """Return how often an emulated node has rebooted."""
    return int(boot_id.partition(".")[2] or 0)
