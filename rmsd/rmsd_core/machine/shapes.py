"""Nodes that are alike, counted: whether a request fits on a machine that runs nothing is found by
sums, and not node by node for each of a hundred thousand waiting jobs."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import accumulate

from rmsd_core.jobs.gres import Amounts, Demands, serves
from rmsd_core.jobs.request import Component
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_features import NodeFeatures

_Shape = tuple[int, int, int, Amounts]
"""The cores, the memory in MiB, the kind of the features and the devices of a node."""
_Unit = tuple[int, bool, Demands | None, frozenset[int] | None, int]
"""The needs of a unit beside its memory: cores, whether each takes a node, what few ask for, and
the kinds of features of the nodes that it may have; None: any. Then the memory, if more units take
more of it."""
_MOST_KEPT = 256
"""The kinds of units whose sums are kept: users can ask for any number of them, and each takes 16
bytes for each size of memory."""
_MOST_AVOIDED = 256
"""The sets of nodes to avoid whose shapes are kept."""


class Shapes:
    """The shapes of some nodes, given by number, and how many nodes have each.

    There are as many shapes as an agent tells of: its nodes may all differ in their memory. So the
    units that fit are summed up once for each kind of unit, from the largest memory down.
    """

    __slots__ = ("_avoided", "_counts", "_features", "_shapes", "_sums")

    def __init__(
        self,
        nodes: Collection[int],
        total: FreeSpace,
        features: NodeFeatures,
    ) -> None:
        self._features = features
        self._shapes: dict[int, _Shape] = {
            at: (total.cores[at], total.mem_mib[at], features.kind(at), total.gres_of(at))
            for at in nodes
        }
        # The keys are kinds of features.
        self._counts: dict[int, list[tuple[_Shape, int]]] = {}
        for shape, count in Counter(self._shapes.values()).items():
            self._counts.setdefault(shape[2], []).append((shape, count))
        self._sums: dict[_Unit, tuple[list[int], list[int]]] = {}
        self._avoided: dict[frozenset[str], Counter[_Shape]] = {}

    def hold(self, component: Component, number: Mapping[str, int]) -> bool:
        """Return whether all units of the component fit on these nodes if they run nothing.
        `number`: those of nodes, by name."""
        total = self._units_in_all(component)
        if total < component.units:
            return False
        avoid = component.avoid
        without = {number.get(name, -1) for name in component.exclude if name not in avoid}
        if component.spread:
            for name in component.require:
                at = number.get(name, -1)
                shape = self._shapes.get(at)
                if at in without or name in avoid or not self._units(shape, component):
                    return False
        for at in without:
            total -= self._units(self._shapes.get(at), component)
        if avoid and total >= component.units:
            for shape, count in self._shapes_of(avoid, number).items():
                total -= count * self._units(shape, component)
        return total >= component.units

    def _units(self, shape: _Shape | None, component: Component) -> int:
        """Return how many units of the component fit on a node of this shape, which may be none of
        these nodes."""
        if shape is None:
            return 0
        feature = component.feature
        if feature is not None and shape[2] not in self._features.matching(feature):
            return 0
        return _units(shape, component)

    def _shapes_of(self, names: frozenset[str], number: Mapping[str, int]) -> Counter[_Shape]:
        """Return the shapes of the nodes with these names, and how many nodes have each. A
        reservation may be of all nodes."""
        found = self._avoided.get(names)
        if found is None:
            if len(self._avoided) >= _MOST_AVOIDED:
                self._avoided.clear()
            there = [self._shapes.get(number.get(name, -1)) for name in names]
            found = self._avoided[names] = Counter([one for one in there if one is not None])
        return found

    def _units_in_all(self, component: Component) -> int:
        """Return how many units of the component fit on all of the nodes."""
        feature = component.feature
        kinds = None if feature is None else self._features.matching(feature)
        unit_mib = component.unit_mem_mib
        unit = component.cores, component.spread, component.needs, kinds, unit_mib
        if (found := self._sums.get(unit)) is None:
            if len(self._sums) >= _MOST_KEPT:
                self._sums.clear()
            found = self._sums[unit] = self._summed(component, kinds)
        sizes_mib, sums = found
        at = bisect_left(sizes_mib, component.mem_mib)
        return sums[len(sums) - 1 - at] if at < len(sums) else 0

    def _summed(
        self, component: Component, kinds: frozenset[int] | None
    ) -> tuple[list[int], list[int]]:
        """Return the sizes of memory of the nodes with these features, in order, and how many units
        fit, apart from their memory, on those with the largest size, the two largest sizes, and so
        on."""
        by_size: Counter[int] = Counter()
        plain = component._replace(mem_mib=component.unit_mem_mib)
        counts = self._counts
        for kind in counts if kinds is None else kinds.intersection(counts):
            for shape, count in counts[kind]:
                if units := _units(shape, plain):
                    by_size[shape[1]] += count * units
        sizes_mib = sorted(by_size)
        return sizes_mib, list(accumulate(by_size[size] for size in reversed(sizes_mib)))


def _units(shape: _Shape, component: Component) -> int:
    """Return how many units of the component fit on a node of this shape, if it has the
    features."""
    cores, mem_mib, _, gres = shape
    if cores < component.cores or mem_mib < component.mem_mib:
        return 0
    units = cores // component.cores
    if unit_mib := component.unit_mem_mib:
        units = min(units, mem_mib // unit_mib)
    if (needs := component.needs) is not None:
        if any(_most(gres, kind) < count for kind, count in needs.node_gres):
            return 0
        units = min([units, *[_most(gres, kind) // count for kind, count in needs.unit_gres]])
    return min(units, 1) if component.spread else units


def _most(gres: Amounts, asked: str) -> int:
    return max([count for kind, count in gres if serves(kind, asked)], default=0)
