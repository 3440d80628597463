"""Nodes that are alike, counted: whether a request fits on a machine that runs nothing is found by
the few kinds of nodes, and not node by node for each of a hundred thousand waiting jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from rmsd_core.jobs.gres import Amounts, serves
from rmsd_core.jobs.request import Component
from rmsd_core.machine.features import matches
from rmsd_core.machine.free_space import FreeSpace

_Shape = tuple[int, int, tuple[str, ...], Amounts]
"""The cores, the memory in MiB, the features and the devices of a node."""


class Shapes:
    """The shapes of some nodes, given by number, and how many nodes have each."""

    __slots__ = ("_counts", "_shapes")

    def __init__(
        self,
        nodes: Collection[int],
        total: FreeSpace,
        features: Sequence[tuple[str, ...]],
    ) -> None:
        self._shapes: dict[int, _Shape] = {
            at: (total.cores[at], total.mem_mib[at], features[at], total.gres_of(at))
            for at in nodes
        }
        self._counts = Counter(self._shapes.values())

    def hold(self, component: Component, number: Mapping[str, int]) -> bool:
        """Return whether all units of the component fit on these nodes if they run nothing.
        `number`: those of nodes, by name."""
        units = {shape: _units(shape, component) for shape in self._counts}
        total = sum([count * units[shape] for shape, count in self._counts.items()])
        if total < component.units:
            return False
        without = {number.get(name, -1) for name in (*component.exclude, *component.avoid)}
        if component.spread:
            for at in [number.get(name, -1) for name in component.require]:
                shape = self._shapes.get(at)
                if at in without or shape is None or not units[shape]:
                    return False
        for at in without:
            shape = self._shapes.get(at)
            total -= units[shape] if shape is not None else 0
        return total >= component.units


def _units(shape: _Shape, component: Component) -> int:
    """Return how many units of the component fit on a node of this shape."""
    cores, mem_mib, features, gres = shape
    if cores < component.cores or mem_mib < component.mem_mib:
        return 0
    if component.feature is not None and not matches(component.feature, features):
        return 0
    units = cores // component.cores
    if (needs := component.needs) is not None:
        if any(_most(gres, kind) < count for kind, count in needs.node_gres):
            return 0
        units = min([units, *[_most(gres, kind) // count for kind, count in needs.unit_gres]])
    return min(units, 1) if component.spread else units


def _most(gres: Amounts, asked: str) -> int:
    return max([count for kind, count in gres if serves(kind, asked)], default=0)
