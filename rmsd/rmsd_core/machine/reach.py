"""The units that fit on nodes, and on nodes with features: sums, by which a request is known to
find no place without a look at any node.

Users can ask for any number of different features, kinds of units and excluded nodes. So a pass
would look at all free nodes for each of a hundred thousand jobs, though none of these nodes is for
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from rmsd_core.jobs.request import Component
from rmsd_core.machine.features import FeaturesError, alternatives, matches
from rmsd_core.machine.tallies import Free, Tally

_MOST_SETS = 1024
"""The sets of features that are kept."""
_MOST_AVOIDED = 512
"""The sets of nodes to avoid that are kept: jobs beside a hundred advance reservations have twice
as many. Each takes 8 bytes for each node."""
_MOST_SUMS = 4096
"""The sums that are kept until what is free changes."""


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

    nodes: those with free cores, by number, and what is free there. features: those of each node,
    by its number.
    """

    __slots__ = ("_avoided", "_by_feature", "_by_set", "_features", "_nodes", "_sums", "_tally")

    def __init__(self, nodes: dict[int, Free], features: Sequence[tuple[str, ...]]) -> None:
        self._features = features
        self._nodes = nodes
        self._tally = Tally(nodes.values())
        self._by_feature: dict[str, Tally] | None = None  # made when a feature is asked for
        self._by_set: dict[frozenset[str], Tally] = {}
        # The keys are a feature and nodes to avoid: a reservation may be of all nodes.
        self._avoided: dict[tuple[str | None, frozenset[str]], _Avoided] = {}
        self._sums: dict[object, int] = {}

    def changed(self, at: int, free: Free) -> None:
        """Note what is free on a node now; unless nothing was free there."""
        before = self._nodes.get(at)
        if before is None:
            return
        self._nodes[at] = free
        self._sums.clear()
        features = self._features[at]
        tallies = [self._tally]
        if self._by_feature is not None:
            tallies += [self._by_feature[one] for one in dict.fromkeys(features)]
        tallies += [tally for one, tally in self._by_set.items() if one.issubset(features)]
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
        None. The answer no is no promise: a node with the features of two alternatives counts
        twice.

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
            key = (feature, component.avoid)
            most -= self._sum(component, mem_mib, key, avoided.tally)
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

    def _sum(self, component: Component, mem_mib: int, key: object, tally: Tally) -> int:
        """Return how many units fit on the nodes of a tally; `key` says which one that is."""
        kind = component.cores, component.spread, mem_mib, component.needs, key
        found = self._sums.get(kind)
        if found is None:
            if len(self._sums) >= _MOST_SUMS:
                self._sums.clear()
            found = self._sums[kind] = tally.units(component, mem_mib)
        return found

    def _units_on(self, at: int, component: Component, mem_mib: int) -> int:
        """Return how many units fit on a node."""
        free = self._nodes.get(at)
        if free is None or free[1][0] < mem_mib:
            return 0
        return free[0].units(component)

    def _has(self, at: int, feature: str | None) -> bool:
        """Return whether a node has the feature."""
        return feature is None or (at in self._nodes and matches(feature, self._features[at]))

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
        """Return an upper bound of the units on nodes with the component's feature."""
        text = component.feature
        if text is None:
            return self._sum(component, mem_mib, None, self._tally)
        if self._by_feature is None:
            self._by_feature = self._tallies_by_feature()
        most = 0
        if (tally := self._by_feature.get(text)) is not None:
            most = self._sum(component, mem_mib, text, tally)
        if "&" not in text and "|" not in text:
            return most
        try:
            sets = alternatives(text)
        except FeaturesError:
            return most
        return most + sum([self._with_all(one, component, mem_mib) for one in sets])

    def _tallies_by_feature(self) -> dict[str, Tally]:
        nodes: dict[str, list[Free]] = {}
        for at, free in self._nodes.items():
            for feature in dict.fromkeys(self._features[at]):
                nodes.setdefault(feature, []).append(free)
        return {feature: Tally(some) for feature, some in nodes.items()}

    def _with_all(self, features: frozenset[str], component: Component, mem_mib: int) -> int:
        by_feature = self._by_feature or {}
        if not all(one in by_feature for one in features):
            return 0
        if len(features) == 1:
            [feature] = features
            return self._sum(component, mem_mib, feature, by_feature[feature])
        if (found := self._by_set.get(features)) is None:
            if len(self._by_set) >= _MOST_SETS:
                self._by_set.clear()
            nodes = self._nodes.items()
            with_all = [free for at, free in nodes if features.issubset(self._features[at])]
            found = self._by_set[features] = Tally(with_all)
        return self._sum(component, mem_mib, features, found)
