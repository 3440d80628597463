"""The units that fit on nodes, and on nodes with features: sums, by which a request is known to
find no place without a look at any node.

Users can ask for any number of different features, kinds of units and excluded nodes. So a pass
would look at all free nodes for each of a hundred thousand jobs, though none of these nodes is for
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from rmsd_core.jobs.request import Component
from rmsd_core.machine.node_features import NodeFeatures
from rmsd_core.machine.tallies import Free, Tally, units_beside

_FEW = 8
"""The kinds of nodes up to which the sums of an expression are added up kind by kind."""
_MOST_TOGETHER = 64
"""The expressions of more kinds whose nodes are counted together. Each takes 8 bytes for each of
its nodes."""
_MOST_EXPRESSIONS = 4096
"""The expressions whose tallies are known."""
_MOST_AVOIDED = 512
"""The sets of nodes to avoid that are kept: jobs beside a hundred advance reservations have twice
as many. Each takes 8 bytes for each node."""


class _Avoided:
    """The nodes that are avoided, and have a feature."""

    __slots__ = ("_bits", "tally")

    def __init__(self, nodes: int, avoided: Mapping[int, Free]) -> None:
        self.tally = Tally(avoided.values())
        self._bits = bytearray(nodes // 8 + 1)
        for at in avoided:
            self._bits[at >> 3] |= 1 << (at & 7)

    def has(self, at: int) -> bool:
        """Return whether this node is one of them."""
        return bool(self._bits[at >> 3] >> (at & 7) & 1)


class Reach:
    """The units that fit on the nodes of a partition, and on those with a feature.

    nodes: these nodes, by number, and what is free there. features: those of all nodes.
    """

    __slots__ = ("_avoided", "_by_kind", "_features", "_nodes", "_of", "_tally", "_together")

    def __init__(
        self,
        nodes: dict[int, Free],
        features: NodeFeatures,
        tally: Tally | None = None,
        by_kind: dict[int, Tally] | None = None,
    ) -> None:
        """Take the nodes. tally, by_kind: their tallies; None: they are still to be made. Those by
        kind are made when a feature is asked for."""
        self._features = features
        self._nodes = nodes
        self._tally = Tally(nodes.values()) if tally is None else tally
        self._by_kind = by_kind
        self._together: dict[str, Tally] = {}  # nodes of many kinds, by expression
        self._of: dict[str, list[Tally]] = {}
        # The keys are a feature and nodes to avoid: a reservation may be of all nodes.
        self._avoided: dict[tuple[str | None, frozenset[str]], _Avoided] = {}

    def copy(self) -> Reach:
        """Return the sums for other free space, which is the same so far."""
        by_kind = None
        if self._by_kind is not None:
            by_kind = {kind: tally.copy() for kind, tally in self._by_kind.items()}
        return Reach(dict(self._nodes), self._features, self._tally.copy(), by_kind)

    def among(self, nodes: set[int]) -> set[int]:
        """Return which of the nodes are counted here."""
        return nodes & self._nodes.keys()

    def changed(self, at: int, free: Free) -> None:
        """Note what is free now on a node that is counted here."""
        before = self._nodes[at]
        if before == free:
            return
        self._nodes[at] = free
        tallies = [self._tally]
        if self._by_kind is not None:
            kind = self._features.kind(at)
            tallies.append(self._by_kind[kind])
            for text, tally in self._together.items():
                if kind in self._features.matching(text):
                    tallies.append(tally)
        tallies += [one.tally for one in self._avoided.values() if one.has(at)]
        for tally in tallies:
            tally.remove(before)
            tally.add(free)

    def units(self, component: Component, mem_mib: int, most_nodes: int | None = None) -> int:
        """Return how many of such units fit, on `most_nodes` nodes unless that is None, whatever
        features and nodes the component names. They take `mem_mib` of each node."""
        return self._tally.units(component, mem_mib, most_nodes)

    def excludes(
        self, component: Component, number: Mapping[str, int], most_nodes: int | None = None
    ) -> bool:
        """Return whether the component's units do not all fit, on `most_nodes` nodes unless that is
        None. The answer no is no promise.

        Memory counts by its highest bit first, since many requests have such a sum in common.
        """
        least_mib, mem_mib = (1 << component.mem_mib.bit_length()) >> 1, component.mem_mib
        if self._excludes(component, number, least_mib, most_nodes):
            return True
        return least_mib < mem_mib and self._excludes(component, number, mem_mib, most_nodes)

    def _excludes(
        self,
        component: Component,
        number: Mapping[str, int],
        mem_mib: int,
        most_nodes: int | None,
    ) -> bool:
        """Do what `excludes` does, for units that take `mem_mib` of each node."""
        on = self._units_on
        if any(not on(number.get(name, -1), component, mem_mib) for name in component.require):
            return True
        feature = component.feature
        most = self._with(component, mem_mib)
        if component.avoid and component.units <= most:
            avoided = self._avoided_nodes(feature, component.avoid, number)
            most -= avoided.tally.units(component, mem_mib)
        for name in component.exclude:
            if component.units > most:
                break
            if name not in component.avoid:  # a job may name what it avoids
                at = number.get(name, -1)
                most -= on(at, component, mem_mib) if self._has(at, feature) else 0
        if component.units > most:
            return True
        return most_nodes is not None and component.units > self._on_few(
            component, number, mem_mib, most_nodes
        )

    def _units_on(self, at: int, component: Component, mem_mib: int) -> int:
        """Return how many units fit on a node."""
        free = self._nodes.get(at)
        if free is None:
            return 0
        return units_beside(free[0], free[1][0], component, mem_mib)

    def _has(self, at: int, feature: str | None) -> bool:
        """Return whether a node has the feature."""
        return feature is None or (at in self._nodes and self._features.has(at, feature))

    def _on_few(
        self, component: Component, number: Mapping[str, int], mem_mib: int, most_nodes: int
    ) -> int:
        """Return how many units fit on the nodes on which most do, `most_nodes` of those that the
        component may have."""
        feature, excluded = component.feature, {number.get(name, -1) for name in component.exclude}
        avoided = self._avoided.get((feature, component.avoid))
        units = (
            count
            for at, count in self._tally.nodes(component, mem_mib)
            if at not in excluded
            and not (avoided is not None and avoided.has(at))
            and self._has(at, feature)
        )
        return sum(islice(units, most_nodes))

    def _avoided_nodes(
        self, feature: str | None, avoid: frozenset[str], number: Mapping[str, int]
    ) -> _Avoided:
        """Return the nodes to avoid that have the feature."""
        key = feature, avoid
        found = self._avoided.get(key)
        if found is None:
            if len(self._avoided) >= _MOST_AVOIDED:
                self._avoided.clear()
            numbers = [number.get(name, -1) for name in avoid]
            nodes = {
                at: self._nodes[at]
                for at in numbers
                if at in self._nodes and self._has(at, feature)
            }
            found = self._avoided[key] = _Avoided(len(self._features), nodes)
        return found

    def _with(self, component: Component, mem_mib: int) -> int:
        """Return how many units fit on nodes with the component's feature."""
        if component.feature is None:
            return self._tally.units(component, mem_mib)
        tallies = self._tallies_of(component.feature)
        return sum([tally.units(component, mem_mib) for tally in tallies])

    def _tallies_of(self, text: str) -> list[Tally]:
        """Return the nodes that have what is asked for, each once."""
        found = self._of.get(text)
        if found is None:
            if len(self._of) >= _MOST_EXPRESSIONS:
                self._of.clear()
                self._together.clear()
            if self._by_kind is None:
                self._by_kind = self._tallies_by_kind()
            matching = self._features.matching(text)
            found = [self._by_kind[kind] for kind in matching if kind in self._by_kind]
            if len(found) > _FEW and len(self._together) < _MOST_TOGETHER:
                together = Tally([free for at, free in self._nodes.items() if self._has(at, text)])
                self._together[text] = together
                found = [together]
            self._of[text] = found
        return found

    def _tallies_by_kind(self) -> dict[int, Tally]:
        nodes: dict[int, list[Free]] = {}
        for at, free in self._nodes.items():
            nodes.setdefault(self._features.kind(at), []).append(free)
        return {kind: Tally(some) for kind, some in nodes.items()}
