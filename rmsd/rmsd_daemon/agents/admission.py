"""The rules by which a Hello is accepted, and a node is given to an agent."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.jobs.gres import name_of
from rmsd_daemon.agents.device_kinds import AgentKinds
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.owners import NodeOwners
from rmsd_wire import link
from rmsd_wire.gres import GresError, check_kinds
from rmsd_wire.names import NODE_NAME_RULE, is_node_name
from rmsd_wire.node_info import NodeDevices, NodeInfo

_MAX_CORES = 1 << 24
_MOST_NODES = 10_000
"""The most nodes of an agent on another machine, including earlier ones that are not forgotten:
each costs every pass a little."""
_MOST_HELD = 200_000
"""The most attempts that an agent on another machine may hold. If none of them is known here, this
number occupies the event loop for about a second."""
_MOST_DEVICES = 200_000
_MOST_KINDS = 20_000
"""The most devices in a Hello of an agent on another machine, and the most kinds of devices, each
of which counts on each node. To check that many and tell the core of them occupies the event loop
for some 0.2 s."""

_MOST_FEATURES = 100_000
"""The most features of all nodes of an agent on another machine."""
_MOST_SETS = 16
"""The most different sets of features among the nodes of an agent on another machine: a request
for a feature is compared with each."""


def too_many(parts: link.HelloParts) -> str:
    """Return what of a Hello exceeds the bounds of an agent on another machine by its number alone;
    "" if nothing does."""
    if (count := max(len(parts.nodes), len(parts.leaving))) > _MOST_NODES:
        return _too_many_nodes(count)
    if len(parts.held) > _MOST_HELD:
        return f"it says that it holds {len(parts.held)} attempts; {_MOST_HELD} may be told"
    return ""


def _too_many_nodes(count: int) -> str:
    return (
        f"it has had {count} nodes, and an agent may have {_MOST_NODES}; `rnode forget` those that "
        "are no more"
    )


class Admission:
    """The rules for the contents of a Hello. `trusted`: the agent runs as the daemon's account on
    its machine, and may take over a node that another agent has left."""

    def __init__(self, links: AgentLinks, owners: NodeOwners) -> None:
        self._links = links
        self._owners = owners

    def too_much(self, hello: link.Hello) -> str:
        """Return what else of a Hello exceeds the bounds of an agent on another machine; "" if
        nothing does."""
        known = {*(info.name for info in hello.nodes), *self._owners.nodes_of(hello.agent_id)}
        if len(known) > _MOST_NODES:
            return _too_many_nodes(len(known))
        devices = sum(len(numbers) for info in hello.nodes for _, numbers in info.gres)
        if devices > _MOST_DEVICES:
            return f"its nodes have {devices} devices, and those of an agent {_MOST_DEVICES}"
        kinds = sum(len(info.gres) for info in hello.nodes)
        if kinds > _MOST_KINDS:
            return (
                f"its nodes have {kinds} kinds of devices, each of which counts on each node, and "
                f"those of an agent {_MOST_KINDS}"
            )
        features = sum(len(info.features) for info in hello.nodes)
        if features > _MOST_FEATURES:
            return (
                f"its nodes have {features} features, each of which counts on each node, and those "
                f"of an agent {_MOST_FEATURES}"
            )
        sets = len({info.features for info in hello.nodes})
        if sets > _MOST_SETS:
            return f"its nodes have {sets} different sets of features, and may have {_MOST_SETS}"
        return ""

    def why_not_hosted(
        self, info: NodeInfo, agent_id: str, kinds: AgentKinds, *, trusted: bool
    ) -> str:
        """Return why the agent may not have this node; "" if it may. `kinds`: those of devices that
        the agent may tell of."""
        node = info.name
        if not is_node_name(node):
            return NODE_NAME_RULE
        if info.cores > _MAX_CORES:
            return f"it has {info.cores} cores, and a node may have {_MAX_CORES}"
        if info.gres and (why := _why_not_with(info.gres, kinds, trusted=trusted)):
            return why
        if self._links.has(node):
            return "another agent has a node of this name"
        if not trusted and self._owners.owner(node) not in (None, agent_id):
            return f"the name belongs to another agent; `rnode forget {node}` frees it"
        return ""

    def leaving(self, hello: link.Hello, *, trusted: bool) -> list[str]:
        """Return, of the nodes that the agent says it leaves, those that are its own."""
        return [
            name
            for name in dict.fromkeys(hello.leaving)
            if not self._links.has(name) and (trusted or self._owners.owner(name) == hello.agent_id)
        ]

    def left_out(self, agent_id: str, there: set[str]) -> list[str]:
        """Return the nodes that this agent had, and neither hosts nor holds anything on."""
        owned = self._owners.nodes_of(agent_id)
        return [name for name in owned if name not in there and not self._links.has(name)]


def _why_not_with(gres: Sequence[NodeDevices], told: AgentKinds, *, trusted: bool) -> str:
    """Return why no node of the agent may have these devices; "" if one may."""
    kinds = {kind for kind, _ in gres}
    try:
        if len(kinds) < len(gres):
            raise GresError("a kind of devices is named twice")
        check_kinds(kinds, [(name_of(kind), at) for kind, numbers in gres for at in numbers])
    except GresError as error:
        return f"its devices cannot be: {error}"
    return told.why_not(kinds, trusted=trusted)
