"""The usable nodes by their free cores, by which a small request finds the node with the least that
holds it: on thousands of nodes a look at all takes a millisecond for each start."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

MOST_LOOKS = 256
"""The nodes without enough memory that are looked at. A look at all takes no longer then."""


class NodesByCores:
    """The numbers of nodes, for each number of free cores in the order of their names."""

    __slots__ = ("_levels", "_names", "_nodes")

    def __init__(self, usable: Iterable[int], cores: Sequence[int], names: Sequence[str]) -> None:
        """Sort the nodes. usable: their numbers, in the order of their names. names: those of all
        nodes, by number."""
        self._names = names
        self._nodes: dict[int, list[tuple[str, int]]] = {}
        for at in usable:
            self._nodes.setdefault(cores[at], []).append((names[at], at))
        self._levels = sorted(self._nodes)

    def move(self, at: int, before: int, cores: int) -> None:
        """Note that other cores than before are free on a node, if it is one of these."""
        entry = self._names[at], at
        there = self._nodes.get(before, [])
        place = bisect_left(there, entry)
        if there[place : place + 1] != [entry]:
            return
        del there[place]
        if not there:
            del self._nodes[before]
            del self._levels[bisect_left(self._levels, before)]
        if cores not in self._nodes:
            self._nodes[cores] = []
            insort(self._levels, cores)
        insort(self._nodes[cores], entry)

    def least(self, cores: int, mem_mib: int, free_mib: Sequence[int]) -> int | None:
        """Return the first node of those with the least free cores that has so much free; None if
        there is none, or only after many without the memory."""
        looks = 0
        for level in self._levels[bisect_left(self._levels, cores) :]:
            for _, at in self._nodes[level]:
                if free_mib[at] >= mem_mib:
                    return at
                looks += 1
                if looks > MOST_LOOKS:
                    return None
        return None
