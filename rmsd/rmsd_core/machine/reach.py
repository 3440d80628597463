"""The units that fit on nodes with features: sums, by which a request is known to find no place
without a look at any node.

Users can ask for any number of different features and exclude any nodes. So a pass would look at
all free nodes for each of a hundred thousand jobs, though none of these nodes is for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rmsd_core.jobs.request import Component
from rmsd_core.machine.features import FeaturesError, alternatives, matches

_MOST_SETS = 1024
"""The sets of features whose sums are kept."""


class Reach:
    """The numbers of units of one kind that fit on each node, and on all nodes with a feature.

    features: those of each node, by its number.
    """

    __slots__ = ("_by_feature", "_by_set", "_features", "_total", "_units")

    def __init__(
        self, units: Iterable[tuple[int, int]], features: Sequence[tuple[str, ...]]
    ) -> None:
        """Sum up `units`: the numbers of nodes, and how many units fit on each."""
        self._features = features
        self._units = {at: count for at, count in units if count}
        self._total = sum(self._units.values())
        self._by_feature: dict[str, int] = {}
        self._by_set: dict[frozenset[str], int] = {}
        for at, count in self._units.items():
            for feature in dict.fromkeys(features[at]):
                self._by_feature[feature] = self._by_feature.get(feature, 0) + count

    def shrunk(self, at: int, count: int) -> None:
        """Note that no more than `count` units fit on a node any more."""
        lost = self._units.get(at, 0) - count
        if lost <= 0:
            return
        self._units[at] = count
        self._total -= lost
        for feature in dict.fromkeys(self._features[at]):
            self._by_feature[feature] -= lost
        for one in self._by_set:
            if one.issubset(self._features[at]):
                self._by_set[one] -= lost

    def excludes(self, component: Component, number: Mapping[str, int]) -> bool:
        """Return whether the component's units do not all fit. The answer no is no promise: a node
        with the features of two alternatives counts twice."""
        if any(not self._units.get(number.get(name, -1)) for name in component.require):
            return True
        most = self._total if component.feature is None else self._with(component.feature)
        for name in {*component.exclude, *component.avoid}:  # a job may name what it avoids
            if component.units > most:
                break
            at = number.get(name, -1)
            if (count := self._units.get(at, 0)) and (
                component.feature is None or matches(component.feature, self._features[at])
            ):
                most -= count
        return component.units > most

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
