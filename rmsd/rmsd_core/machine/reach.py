"""The units that fit on nodes with features: sums, by which a request is known to find no place
without a look at any node.

Users can ask for any number of different features and exclude any nodes. So a pass would look at
all free nodes for each of a hundred thousand jobs, though none of these nodes is for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from rmsd_core.jobs.request import Component
from rmsd_core.machine.features import FeaturesError, alternatives, matches

_MOST_SETS = 1024
"""The sets of features whose sums are kept."""
_MOST_AVOIDED = 512
"""The sets of nodes to avoid whose sums are kept: jobs beside a hundred advance reservations have
twice as many. Each takes a bit for each node."""


class _Avoided:
    """The units on nodes that are avoided: how many of these fit, and on which nodes."""

    __slots__ = ("_bits", "units")

    def __init__(self, nodes: int) -> None:
        self.units = 0
        self._bits = bytearray(nodes // 8 + 1)

    def note(self, at: int, count: int) -> None:
        """Note that units fit on a node to avoid."""
        self.units += count
        self._bits[at >> 3] |= 1 << (at & 7)

    def has(self, at: int) -> bool:
        """Return whether units fit on this node, which is to be avoided."""
        return bool(self._bits[at >> 3] >> (at & 7) & 1)


class Reach:
    """The numbers of units of one kind that fit on each node, and on all nodes with a feature.

    features: those of each node, by its number.
    """

    __slots__ = (
        *("_avoided", "_by_feature", "_by_set", "_features"),
        *("_largest", "_total", "_units"),
    )

    def __init__(
        self, units: Iterable[tuple[int, int]], features: Sequence[tuple[str, ...]]
    ) -> None:
        """Sum up `units`: the numbers of nodes, and how many units fit on each."""
        self._features = features
        self._units = {at: count for at, count in units if count}
        self._total = sum(self._units.values())
        self._largest: list[int] | None = None  # the nodes on which most units fit come first
        self._by_feature: dict[str, int] = {}
        self._by_set: dict[frozenset[str], int] = {}
        # The keys are a feature and nodes to avoid: a reservation may be of all nodes.
        self._avoided: dict[tuple[str | None, frozenset[str]], _Avoided] = {}
        for at, count in self._units.items():
            for feature in dict.fromkeys(features[at]):
                self._by_feature[feature] = self._by_feature.get(feature, 0) + count

    def shrunk(self, at: int, count: int) -> None:
        """Note that no more than `count` units fit on a node any more."""
        lost = self._units.get(at, 0) - count
        if lost <= 0:
            return
        self._units[at] = count
        self._largest = None
        self._total -= lost
        for feature in dict.fromkeys(self._features[at]):
            self._by_feature[feature] -= lost
        for one in self._by_set:
            if one.issubset(self._features[at]):
                self._by_set[one] -= lost
        for avoided in self._avoided.values():
            avoided.units -= lost if avoided.has(at) else 0

    def excludes(
        self, component: Component, number: Mapping[str, int], most_nodes: int | None = None
    ) -> bool:
        """Return whether the component's units do not all fit, on `most_nodes` nodes unless that is
        None. The answer no is no promise: a node with the features of two alternatives counts
        twice."""
        if any(not self._units.get(number.get(name, -1)) for name in component.require):
            return True
        most = self._total if component.feature is None else self._with(component.feature)
        if component.avoid and component.units <= most:
            most -= self._on(component.feature, component.avoid, number)
        for name in component.exclude:
            if component.units > most:
                break
            if name not in component.avoid:  # a job may name what it avoids
                most -= self._units_on(number.get(name, -1), component.feature)
        if component.units > most:
            return True
        return most_nodes is not None and component.units > self._on_few(
            component, number, most_nodes
        )

    def _on_few(self, component: Component, number: Mapping[str, int], most_nodes: int) -> int:
        """Return how many units fit on the nodes on which most do, `most_nodes` of those that the
        component may have."""
        if self._largest is None:
            self._largest = sorted(self._units, key=self._units.__getitem__, reverse=True)
        feature, excluded = component.feature, {number.get(name, -1) for name in component.exclude}
        avoided = self._avoided.get((feature, component.avoid))
        units = (
            self._units_on(at, feature)
            for at in self._largest
            if at not in excluded and not (avoided is not None and avoided.has(at))
        )
        return sum(islice(filter(None, units), most_nodes))

    def _units_on(self, at: int, feature: str | None) -> int:
        """Return how many units fit on a node; none if it is without the feature."""
        count = self._units.get(at, 0)
        has = not count or feature is None or matches(feature, self._features[at])
        return count if has else 0

    def _on(self, feature: str | None, avoid: frozenset[str], number: Mapping[str, int]) -> int:
        """Return how many units fit on the nodes to avoid that have the feature."""
        key = feature, avoid
        found = self._avoided.get(key)
        if found is None:
            if len(self._avoided) >= _MOST_AVOIDED:
                self._avoided.clear()
            found = self._avoided[key] = _Avoided(len(self._features))
            for at in [number.get(name, -1) for name in avoid]:
                if count := self._units_on(at, feature):
                    found.note(at, count)
        return found.units

    def _with(self, text: str) -> int:
        """Return an upper bound of the units on nodes with what `text` asks for."""
        most = self._by_feature.get(text, 0)
        if "&" not in text and "|" not in text:
            return most
        try:
            return most + sum(map(self._with_all, alternatives(text)))
        except FeaturesError:
            return most

    def _with_all(self, features: frozenset[str]) -> int:
        if not all(map(self._by_feature.get, features)):
            return 0
        if len(features) == 1:
            return self._by_feature[next(iter(features))]
        if (found := self._by_set.get(features)) is None:
            if len(self._by_set) >= _MOST_SETS:
                self._by_set.clear()
            with_all = [at for at in self._units if features.issubset(self._features[at])]
            found = self._by_set[features] = sum([self._units[at] for at in with_all])
        return found
