"""The nodes of a cluster: which there are, and which take new work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from rmsd_core.jobs.gres import Shares
from rmsd_core.machine.capacity import Capacity
from rmsd_core.vocabulary import Fault

Link = Literal["up", "suspect", "down", "leaving"]
NextState = Literal["", "resume", "down"]
"""The state of a node after its reboot: as before, in use, or drained."""


class Failure(NamedTuple):
    """A launch of a user's job that failed on the node, and not surely by the job's own fault."""

    user: str
    fault: Fault


class Reboot(NamedTuple):
    """A reboot that an operator has asked for: the node begins it as soon as it is idle. `asap`: no
    job starts there until then. `boot_id`: the boot of the node that is to end. `issued_us`: when
    the node was told to reboot; None: it has not been idle yet."""

    reason: str
    by: str
    asked_us: int
    asap: bool
    next_state: NextState
    boot_id: str
    issued_us: int | None = None

    @property
    def keeps_jobs_off(self) -> bool:
        """Return whether no job may start on the node."""
        return self.asap or self.issued_us is not None


@dataclass(slots=True)
class Node:
    """A node that the core knows. `gres`: its devices. `drain_reason` is None if it is not
    drained. `failures`: the launches that have failed there since the last one that did not.
    `unable`: why its agent can start no job there, by its latest news; "" if it can. `drain_by`,
    `drain_us`: the operator who has drained or resumed it last, and when; "" if none has.
    `boot_id`: the boot that its agent has told last; "" if it tells none. `reboot`: the one that is
    asked for, or under way."""

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
    boot_id: str = ""
    reboot: Reboot | None = None

    @property
    def available(self) -> bool:
        is_free = self.reboot is None or not self.reboot.keeps_jobs_off
        return self.link == "up" and self.drain_reason is None and not self.unable and is_free

    @property
    def is_rebooting(self) -> bool:
        """Return whether the node was told to reboot, and has not come back yet."""
        return self.reboot is not None and self.reboot.issued_us is not None


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
    @property
    def boot_id(self) -> str: ...


class Nodes:
    """The nodes that the core knows. Their capacity is told of every change."""

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self.by_name: dict[str, Node] = {}
        self.leaving: set[str] = set()
        self.to_reboot: set[str] = set()  # the nodes whose reboot has not begun
        self.may_reboot: set[str] = set()  # the ones that are newly so or newly up, and may be idle
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
        node.unable, node.boot_id = told.unable, told.boot_id
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
        self._note_reboot(node)
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

    def set_reboot(self, name: str, reboot: Reboot | None) -> None:
        """Set which reboot of a known node is asked for, or under way."""
        node = self.by_name[name]
        node.reboot = reboot
        self._note_reboot(node)
        self._capacity.set_available(name, node.available)

    def forget(self, name: str) -> None:
        del self.by_name[name]
        self.leaving.discard(name)
        self.to_reboot.discard(name)
        self._capacity.forget_node(name)

    def _note_reboot(self, node: Node) -> None:
        is_asked = node.reboot is not None and node.reboot.issued_us is None
        (self.to_reboot.add if is_asked else self.to_reboot.discard)(node.name)
        if is_asked:
            self.may_reboot.add(node.name)

    def _link_changed(self, node: Node, link: Link) -> None:
        node.link = link
        (self.leaving.add if link == "leaving" else self.leaving.discard)(node.name)
        if node.name in self.to_reboot:
            self.may_reboot.add(node.name)
        self._capacity.set_available(node.name, node.available)
