"""The page of nodes, a hundred at a time, and the nodes as all pages share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rmsd_ui.daemon import DaemonSocket
from rmsd_ui.shared import Shared

PAGE_NODES = 100
Node = Mapping[str, Any]


async def nodes_of(daemon: DaemonSocket, shared: Shared) -> Sequence[Node]:
    """Return all nodes, asked once for all pages. Raises RefusedError."""

    async def asked() -> Sequence[Node]:
        nodes: Sequence[Node] = (await daemon.get("/v1/nodes"))["nodes"]
        return nodes

    found: Sequence[Node] = await shared.whole("nodes", asked)
    return found


class NodesPage(NamedTuple):
    """A part of the nodes. `total`: how many are as was asked; `states`: of all nodes, with their
    numbers; `before`, `after`: where the parts beside this one begin; None if there are none."""

    nodes: list[Node]
    total: int
    first: int
    states: dict[str, int]
    before: int | None
    after: int | None


def nodes_page(nodes: Sequence[Node], state: str, name: str, first: int) -> NodesPage:
    """Return the nodes from number `first` on that are in a state and whose name, a feature or a
    partition has this text in it. "": any."""
    states: dict[str, int] = {}
    for node in nodes:
        states[node["state"]] = states.get(node["state"], 0) + 1
    wanted = [
        node for node in nodes if state in ("", node["state"]) and (not name or _has(node, name))
    ]
    first = max(0, min(first, len(wanted) - 1)) // PAGE_NODES * PAGE_NODES
    end = first + PAGE_NODES
    return NodesPage(
        wanted[first:end],
        len(wanted),
        first,
        dict(sorted(states.items())),
        first - PAGE_NODES if first else None,
        end if end < len(wanted) else None,
    )


def _has(node: Node, text: str) -> bool:
    return any(text in one for one in (node["name"], *node["features"], *node["partitions"]))
