"""Nodes that are counted by what is free on them, so that the units which fit are known without a
look at each node.

Users can ask for units of any number of kinds: other cores, other memory, other devices. Nodes are
alike in few ways.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
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


_Meeting = tuple[int, int, list[tuple[int, int]]]
"""Nodes that are alike: their cores, the most units by some needs, and their memory and numbers."""

_MOST_SUMS = 1024
"""The sums that a tally keeps."""
_MOST_NEEDS = 64
"""The needs for which a tally keeps the nodes that meet them."""
_MEMORY_ALONE = Demands(unit_mem=True)
MOST_UNITS = 1024
"""The units on a node up to which their memory is compared with sums. A node may have more."""
MOST_MOVES = 32
"""The nodes that change between two questions, after which memory by cores is put in order anew."""


class Tally:
    """Nodes, by what is free on them."""

    __slots__ = ("_by_cores", "_by_needs", "_moves", "_nodes", "_sums")

    def __init__(self, nodes: Iterable[Free] = ()) -> None:
        self._nodes: dict[Alike, list[tuple[int, int]]] = {}
        # Until a node changes: sums, and the nodes that meet needs, with the most units by these.
        self._sums: dict[object, int] = {}
        self._by_needs: dict[Demands, list[_Meeting]] = {}
        # The free memory of the nodes with so many free cores, in order; made when it is asked for.
        self._by_cores: dict[int, list[int]] = {}
        self._moves = 0  # the nodes that have come or gone since then
        for alike, memory in nodes:
            self._nodes.setdefault(alike, []).append(memory)
        for memories in self._nodes.values():
            memories.sort()

    def copy(self) -> Tally:
        """Return a tally of the same nodes, which changes apart from this one."""
        twin = Tally()
        twin._nodes = {alike: memories[:] for alike, memories in self._nodes.items()}
        twin._sums = self._sums.copy()
        twin._by_cores = {least: sizes[:] for least, sizes in self._by_cores.items()}
        twin._moves = self._moves
        return twin

    def add(self, free: Free) -> None:
        self._sums.clear()
        self._by_needs.clear()
        alike, memory = free
        insort(self._nodes.setdefault(alike, []), memory)
        for sizes in self._sizes_with(alike):
            insort(sizes, memory[0])

    def remove(self, free: Free) -> None:
        self._sums.clear()
        self._by_needs.clear()
        alike, memory = free
        memories = self._nodes[alike]
        del memories[bisect_left(memories, memory)]
        if not memories:
            del self._nodes[alike]
        for sizes in self._sizes_with(alike):
            del sizes[bisect_left(sizes, memory[0])]

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
        if component.unit_mem_mib and mem_mib:
            return self._units_with_memory(component, mem_mib, most_nodes)
        if most_nodes is None:
            for alike, memories in self._nodes.items():
                if count := alike.units(component):
                    total += count * (len(memories) - bisect_left(memories, (mem_mib, -1)))
            return total
        for count, memories, first in self._largest(component, mem_mib):
            taken = min(most_nodes, len(memories) - first)
            total += count * taken
            most_nodes -= taken
        return total

    # ------------------------------------------------------------ memory for each unit

    def _units_with_memory(self, component: Component, mem_mib: int, most_nodes: int | None) -> int:
        """Return how many units fit that take so much memory each. A node counts once for each
        number of units that it holds: there are fewer of these than nodes."""
        total, most = 0, len(self) if most_nodes is None else most_nodes
        holding = self._holding(component)
        for units in range(1, MOST_UNITS + 1):
            count = holding(units, units * mem_mib)
            if not count:
                return total
            total += min(count, most)
        return total + self._beyond(component, mem_mib)

    def _beyond(self, component: Component, mem_mib: int) -> int:
        """Return how many units more than `MOST_UNITS` fit on the nodes that hold as many."""
        least = (MOST_UNITS + 1) * mem_mib, -1
        return sum(
            [
                units_beside(alike, free_mib, component, mem_mib) - MOST_UNITS
                for alike, memories in self._nodes.items()
                if alike.units(component) > MOST_UNITS
                for free_mib, _ in memories[bisect_left(memories, least) :]
            ]
        )

    def _holding(self, component: Component) -> Callable[[int, int], int]:
        """Return the function from a number of units, and the memory that they take together, to
        the number of nodes that hold them."""
        if component.needs == _MEMORY_ALONE and not component.spread:
            cores, most_cores = component.cores, self._most_cores()

            def with_cores(units: int, mem_mib: int) -> int:
                if units * cores > most_cores:
                    return 0
                sizes = self._with_cores(units * cores)
                return len(sizes) - bisect_left(sizes, mem_mib)

            return with_cores
        assert component.needs is not None
        unit, most_units = component.cores, 1 if component.spread else MOST_UNITS
        kinds = [
            (min(cores // unit, most, most_units), memories)
            for cores, most, memories in self._meeting(component.needs)
            if cores >= unit
        ]

        def with_needs(units: int, mem_mib: int) -> int:
            memory = mem_mib, -1
            return sum(
                [len(some) - bisect_left(some, memory) for most, some in kinds if most >= units]
            )

        return with_needs

    def _meeting(self, needs: Demands) -> list[_Meeting]:
        """Return the nodes that meet these needs. Users ask for few devices, but for many numbers
        of cores and sizes of memory beside them."""
        found = self._by_needs.get(needs)
        if found is None:
            if len(self._by_needs) >= _MOST_NEEDS:
                self._by_needs.clear()
            found = self._by_needs[needs] = [
                (alike.cores, most, memories)
                for alike, memories in self._nodes.items()
                if (most := alike.most_units(needs))
            ]
        return found

    def __len__(self) -> int:
        return sum(map(len, self._nodes.values()))

    def _most_cores(self) -> int:
        """Return the most cores that are free on a node."""
        return max([alike.cores for alike in self._nodes], default=0)

    def _with_cores(self, least: int) -> list[int]:
        """Return the free memory of the nodes with so many free cores, in order."""
        self._moves = 0
        sizes = self._by_cores.get(least)
        if sizes is None:
            sizes = self._by_cores[least] = sorted(
                [
                    free_mib
                    for alike, memories in self._nodes.items()
                    if alike.cores >= least
                    for free_mib, _ in memories
                ]
            )
        return sizes

    def _sizes_with(self, alike: Alike) -> list[list[int]]:
        """Return the lists of `_with_cores` in which a node is that comes or goes now."""
        if not self._by_cores:
            return []
        self._moves += 1
        if self._moves > 2 * MOST_MOVES:  # one that changes goes and comes
            self._by_cores.clear()
        return [sizes for least, sizes in self._by_cores.items() if alike.cores >= least]

    # ------------------------------------------------------------ on few nodes

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
