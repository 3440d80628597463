"""Free cores, memory and devices of nodes at one time: now, or as planned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rmsd_core.jobs.gres import Amounts, Demands, Share, Shares, serves
from rmsd_core.jobs.request import Component, Piece
from rmsd_core.machine.node_features import NodeFeatures
from rmsd_core.machine.nodes_by_cores import NodesByCores
from rmsd_core.machine.reach import Reach
from rmsd_core.machine.tallies import Alike, Free
from rmsd_core.machine.units_by_memory import UnitsByMemory

_Kind = tuple[int, bool, int, str | None, Demands | None]
"""Units that are counted as alike: cores, whether each takes a node, the least memory, the
partition, and what few ask for. The least memory is the highest bit of that of a node: memory of
units has no rounding."""
FEW_KINDS = 16
"""The kinds of units for which all nodes are looked at. For further ones the nodes are counted by
what is free on them, which takes as long as a look for ten."""
FEW_NODES = 256
"""The nodes up to which a look at them takes no longer than the sums."""
_LOOKS_FOR_SUM = 64
"""The nodes that are looked at as one node is counted anew in the sums."""
_NODES = 128
"""The nodes that are compared with a request in the time of a look at a rack."""
_MOST_HOPELESS = 4096
"""The components that are known to find no place."""
_MOST_ASKED = 64
"""The requests of a kind that are compared with sums before nodes are put in order for it."""
_MOST_BY_MEMORY = 64
"""The kinds of units whose sums by memory are kept; each takes 16 bytes for each node."""


class FreeSpace:
    """Free cores and memory by node number: what is free now, or at some later time.

    gres: free devices by kind and by node number. total: what there is when all is free, its own
    total. looks: of a total, how many were taken at it and at what is free of it.

    While free space only shrinks (within a pass), a request that found no place finds none later.
    Upper bounds of how many units fit are therefore remembered by kind of unit, and a queue of a
    hundred thousand shapes is not tried node by node. When free space grows, they are forgotten.
    One that was too high for a request is forgotten, too, if free space has shrunk since then.
    """

    __slots__ = (
        *(
            "_asked",
            "_bounds",
            "_by_memory",
            "_changed",
            "_changes",
            "_exact",
            "_model",
            "_open",
            "_other",
        ),
        "_reaches",
        *("by_cores", "cores", "gres", "hopeless_ones", "looks", "mem_mib", "total", "usable"),
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
        self.looks = 0
        self._open: list[int] | None = None
        self._changes = 0
        self.by_cores: NodesByCores | None = None  # made when they are asked for
        self.hopeless_ones: set[Component] = set()  # these find no place, as is known
        # Each bound has the number of changes before it was found.
        self._bounds: dict[_Kind, tuple[int, int]] = {}
        self._by_memory: dict[_Kind, UnitsByMemory] = {}  # kinds that want more than is free
        self._exact: set[_Kind] = set()  # further ones, which are compared by their memory
        self._asked: dict[_Kind, int] = {}  # the number of other kinds compared with sums
        # The sums of partitions, and the nodes that have changed since they were asked for.
        self._reaches: dict[str | None, Reach] = {}
        self._changed: set[int] = set()
        # The free space that this one is like, and the nodes that may differ.
        self._model: FreeSpace | None = None
        self._other: set[int] = set()

    def copy(self) -> FreeSpace:
        gres = {kind: free[:] for kind, free in self.gres.items()}
        return FreeSpace(self.cores[:], self.mem_mib[:], self.usable, gres, self.total)

    def follower(self) -> FreeSpace:
        """Return a copy that is like this one but on nodes that it `follow`s, with quick sums."""
        twin = self.copy()
        twin._model = self
        return twin

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

    def give_all(self, pieces: Iterable[tuple[int, Piece]]) -> None:
        """Give back pieces on the nodes of these numbers."""
        cores, mem_mib, gres = self.cores, self.mem_mib, self.gres
        for at, piece in pieces:
            cores[at] += piece.cores
            mem_mib[at] += piece.mem_mib
            for device, count, _ in piece.gres:
                gres[device][at] += count
        self.grown()

    def take_all(self, pieces: Iterable[tuple[int, Piece]]) -> None:
        """Take pieces on the nodes of these numbers, in a copy whose bounds nobody has asked
        for."""
        cores, mem_mib, gres = self.cores, self.mem_mib, self.gres
        for at, piece in pieces:
            cores[at] -= piece.cores
            mem_mib[at] -= piece.mem_mib
            for device, count, _ in piece.gres:
                gres[device][at] -= count

    def change(self, at: int, cores: int, mem_mib: int, gres: Shares = (), sign: int = 1) -> None:
        self._changes += 1
        before = self.cores[at]
        self.cores[at] = before + cores
        if self.by_cores is not None and cores:
            self.by_cores.move(at, before, before + cores)
        self.mem_mib[at] += mem_mib
        for device, count, _ in gres:
            self.gres[device][at] += sign * count
        if cores > 0 or mem_mib > 0 or any(sign * one.amount > 0 for one in gres):
            self.grown()
        if self._reaches:
            self._changed.add(at)

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
        """Note that more is free."""
        self._open = None
        self.hopeless_ones.clear()
        self._bounds.clear()
        self._by_memory.clear()
        self._exact.clear()
        self._asked.clear()

    def nodes_changed(self) -> None:
        """Note that other nodes may be used, or have other features or partitions."""
        self.grown()
        self.by_cores = None
        self._reaches.clear()
        self._changed.clear()

    def holders(
        self, component: Component, mem_mib: int, among: Sequence[int] | None = None
    ) -> list[int]:
        """Return the nodes on which a unit fits, if it takes `mem_mib`: of the nodes `among`, or
        of all usable ones."""
        if among is None:
            if self._open is None:
                self._open = [at for at in self.usable if self.cores[at] > 0]
            among = self._open
        self.total.looks += len(among) // _NODES
        cores, free_mib, unit = self.cores, self.mem_mib, component.cores
        found = [at for at in among if cores[at] >= unit and free_mib[at] >= mem_mib]
        if (needs := component.needs) is None:
            return found
        total = self.total
        if needs.exclusive:
            found = [at for at in found if cores[at] >= total.cores[at]]
        if needs.all_mem:
            found = [at for at in found if free_mib[at] >= total.mem_mib[at]]
        for kind, count in needs.all_gres:
            devices = self._devices_on(kind, found)
            found = [at for at, free in zip(found, devices, strict=True) if free >= count]
        return found

    def units_on(self, component: Component, holders: Sequence[int]) -> list[int]:
        """Return how many of the component's units each of these nodes holds, which are
        `holders`."""
        if component.spread:
            return [1] * len(holders)
        cores, unit = self.cores, component.cores
        units = [cores[at] // unit for at in holders]
        if component.needs is not None:
            for kind, count in component.needs.unit_gres:
                devices = self._devices_on(kind, holders)
                units = [min(one, free // count) for one, free in zip(units, devices, strict=True)]
            if unit_mib := component.unit_mem_mib:
                free_mib = self.mem_mib
                most = zip(units, holders, strict=True)
                units = [min(one, free_mib[at] // unit_mib) for one, at in most]
        return units

    def _devices_on(self, asked: str, nodes: Sequence[int]) -> list[int]:
        """Return the most free devices of one kind that serve what is asked for, on each of these
        nodes."""
        serving = [free for kind, free in self.gres.items() if serves(kind, asked)]
        if len(serving) == 1:
            [devices] = serving
            return [devices[at] for at in nodes]
        return [max([devices[at] for devices in serving], default=0) for at in nodes]

    def units(self, at: int, component: Component) -> int:
        """Return how many of the component's units node `at` can hold."""
        if self.mem_mib[at] < component.mem_mib:
            return 0
        units = self.cores[at] // component.cores
        if component.needs is not None and units > 0:
            units = min(units, self._most_units(at, component.needs))
            if unit_mib := component.unit_mem_mib:
                units = min(units, self.mem_mib[at] // unit_mib)
        return min(units, 1) if component.spread else units

    def alike(self, at: int) -> Alike:
        """Return what is free on node `at`, but for its memory."""
        cores, total = self.cores[at], self.total
        has_all_mem = self.mem_mib[at] >= total.mem_mib[at]
        return Alike(cores, cores >= total.cores[at], has_all_mem, self.gres_of(at))

    def _most_units(self, at: int, needs: Demands) -> int:
        """Return how many units node `at` can hold at most by these needs alone."""
        return self.alike(at).most_units(needs)

    def gres_of(self, at: int) -> Amounts:
        """Return the free devices of node `at`, by kind."""
        return tuple([(kind, free[at]) for kind, free in self.gres.items() if free[at] > 0])

    def devices(self, at: int, asked: str) -> int:
        """Return the most free devices of one kind that serve what is asked for."""
        return self.alike(at).devices(asked)

    def hopeless(
        self,
        component: Component,
        features: NodeFeatures,
        carriers: Sequence[int] | None = None,
        most_nodes: int | None = None,
    ) -> bool:
        """Return whether it is known without looking at nodes that the units do not all fit.
        `carriers`: the nodes of the component's partition, None: all usable ones; `most_nodes`: how
        many of them it gives to a job at most; `features`: those of each node, by number.

        Memory counts by its highest bit first: there are few kinds then. Features do not count.
        """
        kind = _kind(component)
        found = self._bounds.get(kind)
        if found is None:
            least = component._replace(mem_mib=_least_mib(kind))
            most = self._most(least, features, carriers, most_nodes)
            found = self._bounds[kind] = most, self._changes
        if component.units > found[0]:
            return True
        by_memory = self._by_memory.get(kind)
        if by_memory is not None:
            return component.units > by_memory.most(component.mem_mib)
        if kind in self._exact or self._asks_sums(component, kind, carriers):
            return component.units > self._most(component, features, carriers, most_nodes)
        return False

    def _asks_sums(self, component: Component, kind: _Kind, among: Sequence[int] | None) -> bool:
        """Return whether sums are to tell if there is as much memory: sooner than a look at all
        nodes, but not for any number of requests."""
        nodes = len(self.usable if among is None else among)
        if component.mem_mib <= _least_mib(kind) or nodes <= FEW_NODES:
            return False
        self._asked[kind] = asked = 1 + self._asked.get(kind, 0)
        return asked <= _MOST_ASKED and self._sums_are_worth_it(component.partition, nodes)

    def note_hopeless(self, component: Component) -> None:
        """Note that the component finds no place until more is free."""
        if len(self.hopeless_ones) >= _MOST_HOPELESS:
            self.hopeless_ones.clear()
        self.hopeless_ones.add(component)

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
            self._asked.pop(kind, None)
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
        return list(zip(holders, self.units_on(component, holders), strict=True))

    def reach(
        self,
        partition: str | None,
        features: NodeFeatures,
        carriers: Sequence[int] | None = None,
    ) -> Reach:
        """Return how many units fit on the nodes of a partition, `carriers`, and by feature."""
        if self._changed:
            for reach in self._reaches.values():
                self._renew(reach, self._changed)
            self._changed.clear()
        found = self._reaches.get(partition)
        if found is None:
            if self._model is None:
                among = self.usable if carriers is None else carriers
                found = Reach({at: self._free(at) for at in among}, features)
            else:
                found = self._model.reach(partition, features, carriers).copy()
                self._renew(found, self._other)
            self._reaches[partition] = found
        return found

    def _renew(self, reach: Reach, nodes: set[int]) -> None:
        for at in reach.among(nodes):
            reach.changed(at, self._free(at))

    def _most(
        self,
        component: Component,
        features: NodeFeatures,
        carriers: Sequence[int] | None,
        most_nodes: int | None,
    ) -> int:
        """Return how many of such units fit on all of these nodes, or on `most_nodes` of them,
        whatever features and nodes the component names."""
        partition, mem_mib = component.partition, component.mem_mib
        among = self.usable if carriers is None else carriers
        if len(among) > FEW_NODES and self._sums_are_worth_it(partition, len(among)):
            reach = self.reach(partition, features, carriers)
            return reach.units(component, mem_mib, most_nodes)
        holders = self.holders(component, mem_mib, carriers)
        units = self.units_on(component, holders)
        return sum(units if most_nodes is None else sorted(units, reverse=True)[:most_nodes])

    def _sums_are_worth_it(self, partition: str | None, nodes: int) -> bool:
        """Return whether sums are quickly made or renewed, or are likely to be asked for often."""
        known = self if self._model is None else self._model
        if len(self._bounds) >= FEW_KINDS or partition not in known._reaches:
            return len(self._bounds) >= FEW_KINDS
        to_renew = self._changed if partition in self._reaches else self._other
        return len(to_renew) * _LOOKS_FOR_SUM < nodes

    def _free(self, at: int) -> Free:
        return self.alike(at), (self.mem_mib[at], at)

    def follow(self, nodes: Collection[int], one: FreeSpace, other: FreeSpace) -> None:
        """Have what is free on these nodes be what is free in both spaces."""
        self._changes += 1
        self._other.update(nodes)
        if self._reaches:
            self._changed.update(nodes)
        grew = _set_to_least(nodes, self.cores, one.cores, other.cores)
        grew |= _set_to_least(nodes, self.mem_mib, one.mem_mib, other.mem_mib)
        for kind, free in self.gres.items():
            grew |= _set_to_least(nodes, free, one.gres[kind], other.gres[kind])
        if grew:
            self.grown()


def _set_to_least(nodes: Iterable[int], to: list[int], one: list[int], other: list[int]) -> bool:
    """Set the values at `nodes` to the lesser ones of two lists. Return whether one has grown."""
    grew = False
    for at in nodes:
        least = one[at]
        if other[at] < least:
            least = other[at]
        if least > to[at]:
            grew = True
        to[at] = least
    return grew


def _kind(component: Component) -> _Kind:
    least_mib = component.unit_mem_mib or (1 << component.mem_mib.bit_length()) >> 1
    return component.cores, component.spread, least_mib, component.partition, component.needs


def _least_mib(kind: _Kind) -> int:
    """Return the least memory that a unit of this kind takes."""
    return kind[2]


def enough(free_space: FreeSpace, component: Component, holders: list[int]) -> bool:
    """Return whether the component's units all fit on `holders`."""
    if component.spread:
        return len(holders) >= component.units
    return sum(free_space.units_on(component, holders)) >= component.units


def least_of(spaces: Sequence[FreeSpace], usable: Sequence[int], total: FreeSpace) -> FreeSpace:
    """Return what is free in all of the spaces, which are two or more."""
    return FreeSpace(
        list(map(min, *[one.cores for one in spaces])),
        list(map(min, *[one.mem_mib for one in spaces])),
        usable,
        {kind: list(map(min, *[one.gres[kind] for one in spaces])) for kind in spaces[0].gres},
        total,
    )
