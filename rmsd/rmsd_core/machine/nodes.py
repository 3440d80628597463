"""The nodes of a cluster: which there are, and which take new work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from rmsd_core.jobs.gres import Shares
from rmsd_core.machine.capacity import Capacity
from rmsd_core.vocabulary import Fault

Link = Literal["up", "suspect", "down", "leaving"]


class Failure(NamedTuple):
    """A launch of a user's job that failed on the node, and not surely by the job's own fault."""

    user: str
    fault: Fault


@dataclass(slots=True)
class Node:
    """A node that the core knows. `gres`: its devices. `drain_reason` is None if it is not
    drained. `failures`: the launches that have failed there since the last one that did not.
    `unable`: why its agent can start no job there, by its latest news; "" if it can. `drain_by`,
    `drain_us`: the operator who has drained or resumed it last, and when; "" if none has."""

    name: str
    cores: int
    mem_mib: int
    features: tuple[str, ...] = ()
    link: Link = "up"
    drain_reason: str | None = None
    failures: tuple[Failure, ...] = ()
    gres: Shares = ()
    unable: str = ""
    drain_by: str = ""
    drain_us: int | None = None

    @property
    def available(self) -> bool:
        return self.link == "up" and self.drain_reason is None and not self.unable


class ToldNode(Protocol):
    """A node as its agent tells of it."""

    @property
    def name(self) -> str: ...
    @property
    def cores(self) -> int: ...
    @property
    def mem_mib(self) -> int: ...
    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def unable(self) -> str: ...


class Nodes:
    """The nodes that the core knows. Their capacity is told of every change."""

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self.by_name: dict[str, Node] = {}
        self.leaving: set[str] = set()
        self._cores = 0
        self._machine: int | None = None  # the capacity's number of the machine that has so many

    def cores(self) -> int:
        """Return how many processors the known nodes have together, whether they take work or
        not."""
        if self._machine != self._capacity.machine:
            self._machine = self._capacity.machine
            self._cores = sum([node.cores for node in self.by_name.values()])
        return self._cores

    def shrinks(self, name: str, cores: int, mem_mib: int, gres: Shares = ()) -> bool:
        """Return whether a known node has less with this size than it has now."""
        node = self.by_name.get(name)
        if node is None:
            return False
        numbers = {(share.kind, number) for share in gres for number in share.numbers}
        gone = any((one.kind, at) not in numbers for one in node.gres for at in one.numbers)
        return cores < node.cores or mem_mib < node.mem_mib or gone

    def up(self, told: ToldNode, gres: Shares) -> None:
        """Register a node, whose size may have changed, and which may be unable to start jobs.
        `gres`: the devices that it may give to attempts."""
        name, cores, mem_mib, features = told.name, told.cores, told.mem_mib, told.features
        node = self.by_name.setdefault(name, Node(name, cores, mem_mib, features))
        node.cores, node.mem_mib, node.features, node.gres = cores, mem_mib, features, gres
        node.unable = told.unable
        self._capacity.set_node(name, cores, mem_mib, features, gres)
        self._link_changed(node, "up")

    def set_devices(self, name: str, gres: Shares) -> None:
        """Have a node give these devices, and no others, to attempts."""
        node = self.by_name[name]
        node.gres = gres
        self._capacity.set_node(name, node.cores, node.mem_mib, node.features, gres)

    def restore(self, node: Node) -> None:
        """Add a node of an earlier core, suspect until its agent is heard."""
        node.link = "down" if node.link == "down" else "suspect"
        self.by_name[node.name] = node
        self._capacity.set_node(node.name, node.cores, node.mem_mib, node.features, node.gres)

    def set_link(self, name: str, link: Link) -> bool:
        """Set the link of a node. Returns whether anything changed."""
        node = self.by_name.get(name)
        if node is None or node.link == link:
            return False
        self._link_changed(node, link)
        return True

    def set_drain(self, name: str, reason: str | None, by: str, now_us: int) -> bool:
        """Set why a node is drained, and by whom. Returns whether there is such a node."""
        node = self.by_name.get(name)
        if node is None:
            return False
        node.drain_reason, node.drain_by, node.drain_us = reason, by, now_us
        self._capacity.set_available(name, node.available)
        return True

    def forget(self, name: str) -> None:
        del self.by_name[name]
        self.leaving.discard(name)
        self._capacity.forget_node(name)

    def _link_changed(self, node: Node, link: Link) -> None:
        node.link = link
        (self.leaving.add if link == "leaving" else self.leaving.discard)(node.name)
        self._capacity.set_available(node.name, node.available)
