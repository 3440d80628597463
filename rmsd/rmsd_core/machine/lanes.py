"""Free cores and memory of many nodes in one integer, so that one operation serves all nodes.

A *vector* is an integer of `2 * count` lanes of equal width: the cores of node 0, its memory, the
cores of node 1, and so on. Vectors are added and subtracted as the integers they are. A vector of
free space has a bias in every lane, since a node may be short of something, and 0 in the top bit of
a lane, its guard. A vector of what jobs take has no bias.

A *mask* is a set of nodes: the guards of their lanes of cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rmsd_core.jobs.request import Component, Piece

_SPARE_BITS = 4
"""The guard, and room for four times the most that a node has, free or short."""


class Lanes:
    """The vectors of `count` nodes, of which none has more than `most` cores, or MiB of memory.

    bits: the width of a mask.
    """

    def __init__(self, count: int, most: int) -> None:
        self.most = most
        self._count = count
        self._lane_bytes = -(-(most.bit_length() + _SPARE_BITS) // 8)
        self._bits = bits = 8 * self._lane_bytes
        self.bits = 2 * bits * count
        lowest = (1).to_bytes(self._lane_bytes, "little")
        low = int.from_bytes(lowest * (2 * count), "little")
        self._guards = low << (bits - 1)
        self._zero = low << (bits - 2)
        self._cores = int.from_bytes((lowest + bytes(self._lane_bytes)) * count, "little")
        self._core_guards = self._cores << (bits - 1)
        self._at_least: dict[int, int] = {}  # the bounds that `units` compares with, by cores

    # ------------------------------------------------------------ vectors and masks

    def free(self, cores: Sequence[int], mem_mib: Sequence[int]) -> int:
        """Return the vector of free space, given that of each node. If there are fewer nodes than
        lanes, as in the last of several racks, the rest has nothing free and misses nothing."""
        width, bias = self._lane_bytes, 1 << (self._bits - 2)
        lanes = [
            (bias + value).to_bytes(width, "little")
            for both in zip(cores, mem_mib, strict=True)
            for value in both
        ]
        lanes += [bias.to_bytes(width, "little")] * (2 * (self._count - len(cores)))
        return int.from_bytes(b"".join(lanes), "little")

    def taken(self, pieces: Iterable[tuple[int, Piece]]) -> int:
        """Return the vector of what the pieces take, each on the node of that number."""
        bits = self._bits
        return sum(
            [(piece.cores + (piece.mem_mib << bits)) << (2 * bits * at) for at, piece in pieces]
        )

    def mask(self, nodes: Iterable[int]) -> int:
        """Return the mask of the nodes with these numbers, of which each is named once."""
        step = 2 * self._bits
        return sum([1 << (step * at) for at in nodes]) << (self._bits - 1)

    def cores_on(self, free: int, mask: int) -> list[int]:
        """Return the free cores by node; 0 for the nodes that are not in `mask`."""
        values = mask - (mask >> (self._bits - 1))
        stride = 2 * self._lane_bytes
        packed = ((free - self._zero) & values).to_bytes(stride * self._count, "little")
        cores = list(packed[::stride])
        for place in range(1, self._lane_bytes):
            higher = packed[place::stride]
            if any(higher):
                both = zip(cores, higher, strict=True)
                cores = [low + (high << (8 * place)) for low, high in both]
        return cores

    # ------------------------------------------------------------ comparing

    def least(self, one: int, other: int) -> int:
        """Return what is free in both."""
        not_less = ((one | self._guards) - other) & self._guards
        return one ^ ((one ^ other) & (not_less - (not_less >> (self._bits - 1))))

    def is_less(self, one: int, other: int) -> bool:
        """Return whether less of something is free in `one` than in `other`."""
        return ((one | self._guards) - other) & self._guards != self._guards

    def is_short(self, free: int) -> bool:
        """Return whether a node is short of something."""
        return self.is_less(free, self._zero)

    def has(self, free: int, taken: int, mask: int) -> bool:
        """Return whether the nodes of `mask` have free what `taken` takes there."""
        guards = mask | (mask << self._bits)
        return ((free | self._guards) - self._zero - taken) & guards == guards

    def can_hold(self, component: Component) -> bool:
        """Return whether a node of the most cores and memory can hold a unit."""
        return component.cores <= self.most and component.mem_mib <= self.most

    def unit(self, component: Component) -> int:
        """Return what `holders` compares free space with. A unit has no more than `most`."""
        return self._zero + self._cores * (component.cores + (component.mem_mib << self._bits))

    def holders(self, free: int, unit: int) -> int:
        """Return the mask of the nodes on which a unit fits."""
        enough = ((free | self._guards) - unit) & self._guards
        return enough & (enough >> self._bits) & self._core_guards

    def units(self, free: int, holders: int, component: Component, wanted: int) -> int:
        """Return how many units fit on `holders`; any number >= `wanted` if that many do."""
        fit = units = holders.bit_count()
        if component.spread:
            return units
        guarded, cores = free | self._guards, component.cores
        while fit and units < wanted:
            cores += component.cores
            fit = ((guarded - self._with_cores(cores)) & holders).bit_count()
            units += fit
        return units

    def _with_cores(self, cores: int) -> int:
        vector = self._at_least.get(cores)
        if vector is None:
            vector = self._at_least[cores] = self._zero + self._cores * cores
        return vector
