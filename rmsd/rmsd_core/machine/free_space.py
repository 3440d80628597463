"""Free cores, memory and devices of nodes at one time: now, or as planned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rmsd_core.jobs.gres import Amounts, Demands, Share, Shares
from rmsd_core.jobs.request import Component, Piece
from rmsd_core.machine.reach import Reach
from rmsd_core.machine.tallies import Alike
from rmsd_core.machine.units_by_memory import UnitsByMemory

_Kind = tuple[int, bool, int, str | None, Demands | None]
"""Units that are counted as alike: cores, whether each takes a node, the highest bit of the memory,
the partition, and what few ask for."""
FEW_KINDS = 16
"""The kinds of units for which all nodes are looked at. For further ones the nodes are counted by
what is free on them, which takes as long as a look for ten."""
_MOST_BY_MEMORY = 64
"""The kinds of units whose sums by memory are kept; each takes 16 bytes for each node."""


class FreeSpace:
    """Free cores and memory by node number: what is free now, or at some later time.

    gres: free devices by kind and by node number. total: what there is when all is free; it is its
    own total.

    While free space only shrinks (within a pass), a request that found no place finds none later.
    Upper bounds of how many units fit are therefore remembered by kind of unit, and a queue of a
    hundred thousand shapes is not tried node by node. When free space grows, they are forgotten.
    One that was too high for a request is forgotten, too, if free space has shrunk since then.
    """

    __slots__ = (
        *("_bounds", "_by_memory", "_changes", "_exact", "_open", "_reaches"),
        *("cores", "gres", "mem_mib", "total", "usable"),
    )

    def __init__(
        self,
        cores: list[int],
        mem_mib: list[int],
        usable: Sequence[int],
        gres: dict[str, list[int]] | None = None,
        total: FreeSpace | None = None,
    ) -> None:
        self.cores = cores
        self.mem_mib = mem_mib
        self.usable = usable
        self.gres = {} if gres is None else gres
        self.total = self if total is None else total
        self._open: list[int] | None = None
        self._changes = 0
        # Each bound has the number of changes before it was found.
        self._bounds: dict[_Kind, tuple[int, int]] = {}
        self._by_memory: dict[_Kind, UnitsByMemory] = {}  # kinds that want more than is free
        self._exact: set[_Kind] = set()  # further ones, which are compared by their memory
        self._reaches: dict[str | None, Reach] = {}  # partitions with their sums

    def copy(self) -> FreeSpace:
        gres = {kind: free[:] for kind, free in self.gres.items()}
        return FreeSpace(self.cores[:], self.mem_mib[:], self.usable, gres, self.total)

    def copy_of(self, usable: Sequence[int], total: FreeSpace | None = None) -> FreeSpace:
        """Return a copy for a machine of its own. `total`: its total; None: it is its own."""
        gres = {kind: free[:] for kind, free in self.gres.items()}
        return FreeSpace(self.cores[:], self.mem_mib[:], usable, gres, total)

    def new_node(self) -> None:
        """Make room for another node, which has nothing yet."""
        for values in (self.cores, self.mem_mib, *self.gres.values()):
            values.append(0)

    def more_gres(self, at: int, gres: Shares) -> Shares:
        """Return how many devices these are more than node `at` has, of each known kind."""
        has = {share.kind: share.amount for share in gres}
        more = [Share(kind, has.get(kind, 0) - now[at]) for kind, now in self.gres.items()]
        return tuple([share for share in more if share.amount])

    def most(self) -> int:
        """Return the most cores, MiB of memory or devices that are free or short on a node."""
        lists = (self.cores, self.mem_mib, *self.gres.values())
        return max([max(max(values), -min(values)) for values in lists if values], default=0)

    def add(self, at: int, piece: Piece, sign: int) -> None:
        """Give back a piece on node `at`, or take it with a negative sign."""
        self.change(at, sign * piece.cores, sign * piece.mem_mib, piece.gres, sign)

    def change(self, at: int, cores: int, mem_mib: int, gres: Shares = (), sign: int = 1) -> None:
        self._changes += 1
        self.cores[at] += cores
        self.mem_mib[at] += mem_mib
        for device, count, _ in gres:
            self.gres[device][at] += sign * count
        if cores > 0 or mem_mib > 0 or (gres and sign > 0):
            self.grown()
        if self._reaches:
            free = self.alike(at), (self.mem_mib[at], at)
            for reach in self._reaches.values():
                reach.changed(at, free)

    def has(self, pieces: Iterable[tuple[int, Piece]]) -> bool:
        """Return whether each piece is free on the node of that number."""
        return all(
            self.cores[at] >= piece.cores
            and self.mem_mib[at] >= piece.mem_mib
            and all(self.gres[kind][at] >= count for kind, count, _ in piece.gres)
            for at, piece in pieces
        )

    def free(self) -> int:
        """Return the free cores of usable nodes; a node that holds more than it has counts as
        full."""
        return sum([max(0, self.cores[at]) for at in self.usable])

    def grown(self) -> None:
        self._open = None
        self._bounds.clear()
        self._by_memory.clear()
        self._exact.clear()
        self._reaches.clear()

    def holders(
        self, component: Component, mem_mib: int, among: Sequence[int] | None = None
    ) -> list[int]:
        """Return the nodes on which a unit fits, if it takes `mem_mib`: of the nodes `among`, or
        of all usable ones."""
        if among is None:
            if self._open is None:
                self._open = [at for at in self.usable if self.cores[at] > 0]
            among = self._open
        cores, free_mib, unit = self.cores, self.mem_mib, component.cores
        found = [at for at in among if cores[at] >= unit and free_mib[at] >= mem_mib]
        if (needs := component.needs) is not None:
            found = [at for at in found if self._most_units(at, needs)]
        return found

    def units(self, at: int, component: Component) -> int:
        """Return how many of the component's units node `at` can hold."""
        if self.mem_mib[at] < component.mem_mib:
            return 0
        units = self.cores[at] // component.cores
        if component.needs is not None and units > 0:
            units = min(units, self._most_units(at, component.needs))
        return min(units, 1) if component.spread else units

    def alike(self, at: int) -> Alike:
        """Return what is free on node `at`, but for its memory."""
        cores, total = self.cores[at], self.total
        has_all_mem = self.mem_mib[at] >= total.mem_mib[at]
        return Alike(cores, cores >= total.cores[at], has_all_mem, self.gres_of(at))

    def _most_units(self, at: int, needs: Demands) -> int:
        """Return how many units node `at` can hold at most by these needs, whatever their cores and
        memory are."""
        return self.alike(at).most_units(needs)

    def gres_of(self, at: int) -> Amounts:
        """Return the free devices of node `at`, by kind."""
        return tuple([(kind, free[at]) for kind, free in self.gres.items() if free[at] > 0])

    def devices(self, at: int, asked: str) -> int:
        """Return the most free devices of one kind that serve what is asked for. A node that holds
        more than it has is short of them, and has none."""
        return self.alike(at).devices(asked)

    def hopeless(
        self,
        component: Component,
        features: Sequence[tuple[str, ...]],
        carriers: Sequence[int] | None = None,
        most_nodes: int | None = None,
    ) -> bool:
        """Return whether it is known without looking at nodes that the units do not all fit.
        `carriers`: the nodes of the component's partition, None: all usable ones; `most_nodes`: how
        many of them it gives to a job at most; `features`: those of each node, by number.

        Memory counts by its highest bit, so that there are few kinds, until a component has
        `failed`; features do not count.
        """
        kind = _kind(component)
        found = self._bounds.get(kind)
        if found is None:
            if len(self._bounds) >= FEW_KINDS:
                reach = self.reach(component.partition, features, carriers)
                most = reach.units(component, _least_mib(kind), most_nodes)
            else:
                fit = [units for _, units in self._units(component, kind, carriers)]
                most = sum(fit if most_nodes is None else sorted(fit, reverse=True)[:most_nodes])
            found = self._bounds[kind] = most, self._changes
        if component.units > found[0]:
            return True
        if kind in self._exact:
            reach = self.reach(component.partition, features, carriers)
            return component.units > reach.units(component, component.mem_mib, most_nodes)
        by_memory = self._by_memory.get(kind)
        return by_memory is not None and component.units > by_memory.most(component.mem_mib)

    def failed(
        self,
        component: Component,
        carriers: Sequence[int] | None = None,
        most_nodes: int | None = None,
    ) -> None:
        """Note that a component that was not `hopeless` has found no place."""
        kind = _kind(component)
        found = self._bounds.get(kind)
        if found is not None and found[1] != self._changes:
            del self._bounds[kind]
            self._by_memory.pop(kind, None)
        elif component.mem_mib > _least_mib(kind) and kind not in self._by_memory:
            if len(self._by_memory) >= _MOST_BY_MEMORY:
                self._exact.add(kind)
                return
            units = self._units(component, kind, carriers)
            free = [(self.mem_mib[at], count) for at, count in units]
            self._by_memory[kind] = UnitsByMemory(free, most_nodes)

    def _units(
        self, component: Component, kind: _Kind, carriers: Sequence[int] | None
    ) -> list[tuple[int, int]]:
        """Return the nodes on which a unit of this kind may fit, and how many units do there."""
        holders = self.holders(component, _least_mib(kind), carriers)
        if component.spread:
            return [(at, 1) for at in holders]
        if component.needs is None:
            cores, unit = self.cores, component.cores
            return [(at, cores[at] // unit) for at in holders]
        return [(at, self._units_of(kind, at)) for at in holders]

    def reach(
        self,
        partition: str | None,
        features: Sequence[tuple[str, ...]],
        carriers: Sequence[int] | None = None,
    ) -> Reach:
        """Return how many units fit on the nodes of a partition, `carriers`, and on those with a
        feature. `features`: those of each node, by number."""
        found = self._reaches.get(partition)
        if found is None:
            among = self.usable if carriers is None else carriers
            nodes = {
                at: (self.alike(at), (self.mem_mib[at], at)) for at in among if self.cores[at] > 0
            }
            found = self._reaches[partition] = Reach(nodes, features)
        return found

    def _units_of(self, kind: _Kind, at: int) -> int:
        """Return how many units of this kind node `at` may hold."""
        cores, spread, _, _, needs = kind
        if self.mem_mib[at] < _least_mib(kind):
            return 0
        units = max(0, self.cores[at] // cores)
        if needs is not None and units:
            units = min(units, self._most_units(at, needs))
        return min(units, 1) if spread else units


def _kind(component: Component) -> _Kind:
    mem_bit = component.mem_mib.bit_length()
    return component.cores, component.spread, mem_bit, component.partition, component.needs


def _least_mib(kind: _Kind) -> int:
    """Return the least memory that a unit of this kind takes."""
    return (1 << kind[2]) >> 1


def enough(free_space: FreeSpace, component: Component, holders: list[int]) -> bool:
    """Return whether the component's units all fit on `holders`."""
    if component.spread:
        return len(holders) >= component.units
    unit, cores = component.cores, free_space.cores
    if component.needs is not None:
        return sum([free_space.units(at, component) for at in holders]) >= component.units
    return sum([cores[at] // unit for at in holders]) >= component.units


def least_of(spaces: Sequence[FreeSpace], usable: Sequence[int], total: FreeSpace) -> FreeSpace:
    """Return what is free in all of the spaces, which are two or more."""
    return FreeSpace(
        list(map(min, *[one.cores for one in spaces])),
        list(map(min, *[one.mem_mib for one in spaces])),
        usable,
        {kind: list(map(min, *[one.gres[kind] for one in spaces])) for kind in spaces[0].gres},
        total,
    )
