"""The units that fit on the nodes that have some memory free."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from heapq import heappop, heappush


class UnitsByMemory:
    """The number of units of one kind that fit on all nodes that have so much memory free, or on
    `most_nodes` of them. units: what is free on each node [MiB], and how many units fit there."""

    __slots__ = ("_sizes", "_sums")

    def __init__(self, units: Iterable[tuple[int, int]], most_nodes: int | None) -> None:
        ordered = sorted(units, reverse=True)
        self._sizes = [-size_mib for size_mib, _ in ordered]
        total, taken, self._sums = 0, list[int](), [0]
        for _, count in ordered:
            total += count
            if most_nodes is not None:
                heappush(taken, count)
                total -= heappop(taken) if len(taken) > most_nodes else 0
            self._sums.append(total)

    def most(self, mem_mib: int) -> int:
        """Return how many units fit that each take `mem_mib` of a node."""
        return self._sums[bisect_right(self._sizes, -mem_mib)]
