"""Free cores, memory and devices of many nodes in one integer, so that one operation serves all.

A *vector* is an integer of lanes of equal width: the cores of node 0, its memory, its devices of
each kind, the cores of node 1, and so on. Vectors are added and subtracted as the integers they
are. A vector of free space has a bias in every lane, since a node may be short of something, and 0
in the top bit of a lane, its guard. A vector of what jobs take has no bias.

A *mask* is a set of nodes: the guards of their lanes of cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rmsd_core.jobs.gres import Amounts, serves
from rmsd_core.jobs.request import Component, Piece

_SPARE_BITS = 4
"""The guard, and bits for four times the most that a node has, free or short."""


class Lanes:
    """The vectors of `count` nodes, of which none has more than `most` cores, MiB of memory, or
    devices of one of the `kinds`.

    bits: the width of a mask. count: the number of nodes.
    """

    def __init__(self, count: int, most: int, kinds: Sequence[str] = ()) -> None:
        self.most = most
        self.kinds = tuple(kinds)
        self.count = count
        self._each = each = 2 + len(self.kinds)  # the lanes of a node
        self._lane_of = {kind: lane for lane, kind in enumerate(self.kinds, 2)}
        self._lane_bytes = -(-(most.bit_length() + _SPARE_BITS) // 8)
        self._bits = bits = 8 * self._lane_bytes
        self.bits = each * bits * count
        lowest = (1).to_bytes(self._lane_bytes, "little")
        low = int.from_bytes(lowest * (each * count), "little")
        self._guards = low << (bits - 1)
        self._zero = low << (bits - 2)
        rest = bytes(self._lane_bytes * (each - 1))
        self._cores = int.from_bytes((lowest + rest) * count, "little")
        self._core_guards = self._cores << (bits - 1)
        self._at_least: dict[int, int] = {}  # the bounds that `units` compares with, by cores
        self._divided: tuple[int, dict[int, int]] = 0, {}  # the latest answer of `by_rack`

    # ------------------------------------------------------------ vectors and masks

    def free(self, *by_lane: Sequence[int]) -> int:
        """Return the vector of free space, given the cores of each node, their memory, and their
        devices of each kind. If there are fewer nodes than lanes, as in the last of several racks,
        the rest has nothing free and misses nothing."""
        width, bias = self._lane_bytes, 1 << (self._bits - 2)
        # Most nodes are like others.
        values = set[int]().union(*by_lane)
        lane_with = {value: (bias + value).to_bytes(width, "little") for value in values}
        lanes = [lane_with[value] for on_node in zip(*by_lane, strict=True) for value in on_node]
        lanes += [bias.to_bytes(width, "little")] * (self._each * self.count - len(lanes))
        return int.from_bytes(b"".join(lanes), "little")

    def taken(self, pieces: Iterable[tuple[int, Piece]]) -> int:
        """Return the vector of what the pieces take, each on the node of that number."""
        bits, step = self._bits, self._bits * self._each
        numbered = list(pieces)
        taken = sum(
            [(piece.cores + (piece.mem_mib << bits)) << (step * at) for at, piece in numbered]
        )
        for at, piece in numbered if self.kinds else ():
            for kind, count, _ in piece.gres:
                taken += count << (step * at + bits * self._lane_of[kind])
        return taken

    def mask(self, nodes: Iterable[int]) -> int:
        """Return the mask of the nodes with these numbers, of which each is named once."""
        step = self._each * self._bits
        return sum([1 << (step * at) for at in nodes]) << (self._bits - 1)

    def mask_of_many(self, nodes: Iterable[int]) -> int:
        """Return what `mask` does, sooner if the nodes are many."""
        step, last = self._each * self._lane_bytes, self._lane_bytes - 1
        found = bytearray(step * self.count)
        for at in nodes:
            found[step * at + last] = 0x80
        return int.from_bytes(found, "little")

    def nodes_of(self, mask: int) -> list[int]:
        """Return the numbers of the nodes of a mask."""
        step, last = self._each * self._lane_bytes, self._lane_bytes - 1
        marks = mask.to_bytes(step * self.count, "little")[last::step]
        return [at for at, mark in enumerate(marks) if mark]

    def by_rack(self, mask: int) -> dict[int, int]:
        """Return the masks of the racks of which some nodes are in one mask of all racks."""
        if self._divided[0] != mask:
            size = self.bits // 8
            packed = mask.to_bytes(-(-mask.bit_length() // self.bits) * size, "little")
            parts = [
                int.from_bytes(packed[at : at + size], "little")
                for at in range(0, len(packed), size)
            ]
            self._divided = mask, {at: part for at, part in enumerate(parts) if part}
        return self._divided[1]

    def cores_on(self, free: int, mask: int) -> list[int]:
        """Return the free cores by node; 0 for the nodes that are not in `mask`, of which none is
        short of cores."""
        values = mask - (mask >> (self._bits - 1))
        stride = self._each * self._lane_bytes
        packed = ((free & values) - (self._zero & values)).to_bytes(stride * self.count, "little")
        cores = list(packed[::stride])
        for place in range(1, self._lane_bytes):
            higher = packed[place::stride]
            if any(higher):
                both = zip(cores, higher, strict=True)
                cores = [low + (high << (8 * place)) for low, high in both]
        return cores

    def devices_on(self, free: int, mask: int, kind: str) -> list[int]:
        """Return the free devices of this kind by node, as `cores_on` returns the cores; 0 for a
        node that is short of them."""
        return self._lane_on(free, mask, self._lane_of[kind])

    def mem_on(self, free: int, mask: int) -> list[int]:
        """Return the free memory by node, as `cores_on` returns the cores; 0 for a node that is
        short of it."""
        return self._lane_on(free, mask, 1)

    def _lane_on(self, free: int, mask: int, lane: int) -> list[int]:
        shift = self._bits * lane
        not_short = ((free | self._guards) - self._zero) & self._guards
        return self.cores_on(free >> shift, mask & (not_short >> shift))

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
        for lane in range(2, self._each):
            guards |= mask << (self._bits * lane)
        return ((free | self._guards) - self._zero - taken) & guards == guards

    def can_hold(self, component: Component) -> bool:
        """Return whether a node of the most cores, memory and devices can hold a unit."""
        if component.needs is not None and any(
            count > self.most or not self._lanes_for(kind)
            for kind, count in component.needs.all_gres
        ):
            return False
        return component.cores <= self.most and component.mem_mib <= self.most

    def unit(self, component: Component) -> int:
        """Return what `holders` compares free space with. A unit has no more than `most`."""
        return self._zero + self._cores * self._of_units(component, 1)

    def _of_units(self, component: Component, count: int) -> int:
        """Return the lanes of a node with what so many units take, a kind of devices in each lane
        that serves."""
        mem_mib = component.unit_mem_mib * count or component.mem_mib
        lanes = count * component.cores + (mem_mib << self._bits)
        if component.needs is not None:
            units = tuple([(kind, count * one) for kind, one in component.needs.unit_gres])
            for kind, devices in component.needs.node_gres + units:
                for lane in self._lanes_for(kind):
                    lanes += devices << (self._bits * lane)
        return lanes

    def groups(self, asked: Amounts) -> list[list[int]]:
        """Return for each kind that is asked for the lanes of which one must have enough."""
        return [self._lanes_for(kind) for kind, _ in asked]

    def _lanes_for(self, asked: str) -> list[int]:
        return [lane for kind, lane in self._lane_of.items() if serves(kind, asked)]

    def holders(self, free: int, unit: int, groups: Iterable[Iterable[int]] = ()) -> int:
        """Return the mask of the nodes on which a unit fits. `groups`: see there."""
        enough = ((free | self._guards) - unit) & self._guards
        fit = enough & (enough >> self._bits)
        for lanes in groups:
            serving = 0
            for lane in lanes:
                serving |= enough >> (self._bits * lane)
            fit &= serving
        return fit & self._core_guards

    def units(self, free: int, holders: int, component: Component, wanted: int) -> int:
        """Return how many units fit on `holders`; any number >= `wanted` if that many do."""
        fit = units = holders.bit_count()
        if component.spread:
            return units
        if component.needs is not None and (component.needs.unit_gres or component.needs.unit_mem):
            return self._units_with_needs(free, holders, component, wanted)
        guarded, cores = free | self._guards, component.cores
        while fit and units < wanted:
            cores += component.cores
            fit = ((guarded - self._bound_of(cores)) & holders).bit_count()
            units += fit
        return units

    def _units_with_needs(self, free: int, holders: int, component: Component, wanted: int) -> int:
        assert component.needs is not None
        groups = self.groups(component.needs.all_gres)
        units, each = holders.bit_count(), 1
        while holders and units < wanted:
            each += 1
            unit = self._zero + self._cores * self._of_units(component, each)
            holders &= self.holders(free, unit, groups)
            units += holders.bit_count()
        return units

    def with_cores(self, free: int, cores: int, among: int) -> int:
        """Return the mask of the nodes of a mask that have so many free cores."""
        return ((free | self._guards) - self._bound_of(cores)) & among

    def _bound_of(self, cores: int) -> int:
        vector = self._at_least.get(cores)
        if vector is None:
            vector = self._at_least[cores] = self._zero + self._cores * cores
        return vector
