"""The available nodes on which a component may be, by its partition, its features and names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rmsd_core.jobs.request import Component, Where
from rmsd_core.machine.node_features import NodeFeatures
from rmsd_core.machine.partitions import Partition

_MOST_KEPT = 256
"""The kinds of constraints whose nodes are kept: users can ask for any number of them, and each
takes 8 bytes for each node."""

_ANYWHERE = Component(1).where


class ComponentNodes:
    """The nodes that may carry components. names, features: those of each node, by number.
    available: the numbers of the available nodes, sorted by name. All three are the capacity's own
    lists, and change; then it calls `changed`, or `features_changed`."""

    def __init__(
        self, names: Sequence[str], features: Sequence[tuple[str, ...]], available: list[int]
    ) -> None:
        self._names, self._features, self._available = names, features, available
        self._known_features: NodeFeatures | None = None  # made when they are asked for
        self._partitions: dict[str, Partition] = {}
        # The nodes of the partitions that name them.
        self._members: dict[str, frozenset[str]] = {}
        self._found: dict[Where, list[int]] = {}

    def copy(
        self, names: Sequence[str], features: Sequence[tuple[str, ...]], available: list[int]
    ) -> ComponentNodes:
        """Return the same for copies of the lists."""
        twin = ComponentNodes(names, features, available)
        twin._partitions, twin._members = self._partitions, self._members
        twin._found = dict(self._found)
        return twin

    def changed(self) -> None:
        """Note that other nodes are available."""
        self._found.clear()

    def features_changed(self) -> None:
        """Note that nodes have other features."""
        self._known_features = None
        self._found.clear()

    def set_partitions(self, partitions: Mapping[str, Partition]) -> None:
        self._partitions = dict(partitions)
        self._members = {
            name: frozenset(one.nodes) for name, one in partitions.items() if one.nodes is not None
        }
        self._found.clear()

    @property
    def naming(self) -> Iterable[str]:
        """Return the partitions that name their nodes."""
        return self._members.keys()

    @property
    def features(self) -> NodeFeatures:
        if self._known_features is None:
            self._known_features = NodeFeatures(self._features)
        return self._known_features

    def of(self, component: Component) -> list[int]:
        """Return the available nodes of the component's partition that have its feature, and that
        it need not avoid."""
        if (where := component.where) == _ANYWHERE:
            return self._available
        found = self._found.get(where)
        if found is None:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            among = self._available
            if where != (whole := Component(1, partition=component.partition)).where:
                among = self.of(whole)
            found = self._found[where] = self.among(among, component)
        return found

    def within(self, component: Component) -> list[int] | None:
        """Return the available nodes of the component's partition; None: all available ones."""
        if component.partition is None:
            return None
        return self.of(Component(1, partition=component.partition))

    def among(self, nodes: Sequence[int], component: Component) -> list[int]:
        """Return those of the nodes on which the component may be."""
        found, names = list(nodes), self._names
        if (partition := component.partition) is not None:
            found = [at for at in found if self.is_member(at, partition)]
        if component.feature is not None:
            found = self.features.having(found, component.feature)
        for others in (component.exclude, component.avoid):
            if others:
                found = [at for at in found if names[at] not in others]
        return found

    def is_member(self, at: int, partition: str) -> bool:
        """Return whether node `at` is in the partition."""
        members = self._members.get(partition)
        return partition in self._partitions if members is None else self._names[at] in members

    def most_nodes(self, component: Component) -> int | None:
        """Return how many nodes the partition gives to a job at most; None: any number."""
        partition = self._partitions.get(component.partition or "")
        return None if partition is None else partition.max_nodes
