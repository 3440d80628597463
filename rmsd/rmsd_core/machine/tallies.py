"""Nodes that are counted by what is free on them, so that the units which fit are known without a
look at each node.

Users can ask for units of any number of kinds: other cores, other memory, other devices. Nodes are
alike in few ways.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rmsd_core.jobs.gres import Amounts, Demands, serves
from rmsd_core.jobs.request import Component


class Alike(NamedTuple):
    """The free resources of a node without its memory. is_whole, has_all_mem: whether all of its
    cores are free, and all of its memory. gres: the free devices."""

    cores: int
    is_whole: bool
    has_all_mem: bool
    gres: Amounts

    def units(self, component: Component) -> int:
        """Return how many of the component's units fit, if the memory is enough for all."""
        units = self.cores // component.cores
        if component.needs is not None and units > 0:
            units = min(units, self.most_units(component.needs))
        return max(0, min(units, 1) if component.spread else units)

    def most_units(self, needs: Demands) -> int:
        """Return how many units fit at most by these needs, whatever their cores and memory are."""
        if (needs.exclusive and not self.is_whole) or (needs.all_mem and not self.has_all_mem):
            return 0
        if any(self.devices(kind) < count for kind, count in needs.node_gres):
            return 0
        units = [self.devices(kind) // count for kind, count in needs.unit_gres]
        return min(units, default=self.cores)

    def devices(self, asked: str) -> int:
        """Return the most devices of one kind that serve what is asked for."""
        return max([0, *[count for kind, count in self.gres if serves(kind, asked)]])


def units_beside(alike: Alike, free_mib: int, component: Component, mem_mib: int) -> int:
    """Return how many of the component's units fit on such a node with so much free memory, if they
    take `mem_mib` of the node, or of each node as many times as there are units."""
    if free_mib < mem_mib:
        return 0
    units = alike.units(component)
    return min(units, free_mib // mem_mib) if component.unit_mem_mib and mem_mib else units


Free = tuple[Alike, tuple[int, int]]
"""The free resources of a node; then its free memory, and its number."""


_MOST_SUMS = 1024
"""The sums that a tally keeps."""


class Tally:
    """Nodes, by what is free on them."""

    __slots__ = ("_nodes", "_sums")

    def __init__(self, nodes: Iterable[Free] = ()) -> None:
        self._nodes: dict[Alike, list[tuple[int, int]]] = {}
        self._sums: dict[object, int] = {}  # until a node changes
        for alike, memory in nodes:
            self._nodes.setdefault(alike, []).append(memory)
        for memories in self._nodes.values():
            memories.sort()

    def copy(self) -> Tally:
        """Return a tally of the same nodes, which changes apart from this one."""
        twin = Tally()
        twin._nodes = {alike: memories[:] for alike, memories in self._nodes.items()}
        twin._sums = self._sums.copy()
        return twin

    def add(self, free: Free) -> None:
        self._sums.clear()
        insort(self._nodes.setdefault(free[0], []), free[1])

    def remove(self, free: Free) -> None:
        self._sums.clear()
        memories = self._nodes[free[0]]
        del memories[bisect_left(memories, free[1])]
        if not memories:
            del self._nodes[free[0]]

    def units(self, component: Component, mem_mib: int, most_nodes: int | None = None) -> int:
        """Return how many of the component's units fit, on `most_nodes` of the nodes unless that is
        None, if they take `mem_mib` of each node."""
        kind = component.cores, component.spread, mem_mib, component.needs, most_nodes
        found = self._sums.get(kind)
        if found is None:
            if len(self._sums) >= _MOST_SUMS:
                self._sums.clear()
            found = self._sums[kind] = self._units(component, mem_mib, most_nodes)
        return found

    def _units(self, component: Component, mem_mib: int, most_nodes: int | None) -> int:
        total = 0
        if most_nodes is None:
            for alike, memories in self._nodes.items():
                if component.unit_mem_mib:
                    total += sum(
                        [units_beside(alike, one, component, mem_mib) for one, _ in memories]
                    )
                elif count := alike.units(component):
                    total += count * (len(memories) - bisect_left(memories, (mem_mib, -1)))
            return total
        for count, memories, first in self._largest(component, mem_mib):
            taken = min(most_nodes, len(memories) - first)
            total += count * taken
            most_nodes -= taken
        return total

    def nodes(self, component: Component, mem_mib: int) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the nodes on which units fit, with how many do; those on which most
        fit come first."""
        for count, memories, first in self._largest(component, mem_mib):
            for _, at in memories[first:]:
                yield at, count

    def _largest(
        self, component: Component, mem_mib: int
    ) -> list[tuple[int, list[tuple[int, int]], int]]:
        """Return nodes that are alike, those on which most units fit first: how many do on each,
        the nodes, and the place of the first one with the memory."""
        found = [
            (count, memories, bisect_left(memories, (mem_mib, -1)))
            for alike, memories in self._nodes.items()
            if (count := alike.units(component))
        ]
        return sorted(found, key=lambda one: one[0], reverse=True)
