"""Nodes with cores and memory: the capacity of real clusters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from rmsd_core.jobs.request import Allocation, Component, Piece, Request
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.free_space import FreeSpace, enough
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.model_time import NEVER_US
from rmsd_core.recipes.recipe import Extra
from rmsd_core.vocabulary import EMULATED


class NodeCapacity:
    """The capacity of nodes, see `capacity.Capacity`. Small requests go to the node with the least
    free cores that holds them, so that large holes stay. A request that needs several nodes takes
    those with the most, so as to need few. Emulated nodes take the jobs that ask for them, and
    other jobs only if the other nodes cannot."""

    def __init__(self) -> None:
        self.machine = 0
        self.free = 0
        self.changes = 0
        self._number: dict[str, int] = {}
        self._vacant: list[int] = []  # numbers of forgotten nodes, for the next ones
        self._names: list[str] = []
        self._features: list[tuple[str, ...]] = []
        self._kinds: set[bool] = set()  # the kinds of nodes so far: True for emulated ones
        self._available: list[int] = []  # sorted by name
        self._is_available: set[int] = set()
        self._total = FreeSpace([], [], self._available)
        self._free_space = FreeSpace([], [], self._available)

    @property
    def numbers(self) -> int:
        """Return how many numbers there are for nodes: those of forgotten ones are given again."""
        return len(self._names)

    def set_node(self, name: str, cores: int, mem_mib: int, features: tuple[str, ...]) -> None:
        self.machine += 1
        at = self._number.get(name)
        if at is None:
            at = self._number[name] = self._vacant.pop() if self._vacant else self._new_number()
            self._names[at] = name
        self._features[at] = features
        self._kinds.add(EMULATED in features)
        more_cores = cores - self._total.cores[at]
        more_mib = mem_mib - self._total.mem_mib[at]
        self._total.change(at, more_cores, more_mib)
        self._change_room(at, more_cores, more_mib)

    def _new_number(self) -> int:
        self._names.append("")
        self._features.append(())
        for free_space in (self._total, self._free_space):
            free_space.cores.append(0)
            free_space.mem_mib.append(0)
        return len(self._names) - 1

    def forget_node(self, name: str) -> None:
        at = self._number[name]
        self.set_available(name, False)
        self.set_node(name, 0, 0, ())
        del self._number[name]
        self._vacant.append(at)

    def set_available(self, name: str, available: bool) -> None:
        at = self._number[name]
        if available == (at in self._is_available):
            return
        self.machine += 1
        place = bisect_left(self._available, name, key=self._names.__getitem__)
        if available:
            self._available.insert(place, at)
            self._is_available.add(at)
            self.free += max(0, self._free_space.cores[at])
        else:
            del self._available[place]
            self._is_available.remove(at)
            self.free -= max(0, self._free_space.cores[at])
        self.changes += 1
        self._total.grown()
        self._free_space.grown()

    def place(self, request: Request) -> Allocation | None:
        return self.place_in(self._free_space, request.components[0])

    def may_place(self, request: Request) -> bool:
        return not self._free_space.hopeless(request.components[0])

    def fits(self, request: Request) -> bool:
        return self.place(request) is not None

    def take(self, allocation: Allocation) -> None:
        for piece in allocation:
            self._change_room(self._number[piece.node], -piece.cores, -piece.mem_mib)

    def give(self, piece: Piece) -> None:
        self._change_room(self._number[piece.node], piece.cores, piece.mem_mib)

    def _change_room(self, at: int, cores: int, mem_mib: int) -> None:
        self.changes += 1
        before = self._free_space.cores[at]
        self._free_space.change(at, cores, mem_mib)
        if before + cores < 0 or self._free_space.mem_mib[at] < 0:
            self.machine += 1
        if at in self._is_available:
            # A node that came back smaller than what it holds must not reduce the sum of the
            # others.
            self.free += max(0, before + cores) - max(0, before)

    def possible(self, request: Request) -> bool:
        component = request.components[0]
        return enough(self._total, component, self._holders(self._total, component))

    def never_fits(self, request: Request) -> str | None:
        component = request.components[0]
        present = [at for at, cores in enumerate(self._total.cores) if cores]
        everywhere = FreeSpace(self._total.cores, self._total.mem_mib, present)
        if enough(everywhere, component, self._holders(everywhere, component)):
            return None
        asked = [f"{component.units} x {_cores(component.cores)}"]
        if component.spread:
            asked.append("each on a node of its own")
        if component.mem_mib:
            asked.append(f"{_memory(component.mem_mib)} of memory on each node")
        known = present
        if component.feature is not None:
            asked.append(f"on nodes with feature '{component.feature}'")
            known = [at for at in known if component.feature in self._features[at]]
        if component.avoid:
            asked.append(f"and not on {', '.join(sorted(component.avoid))}")
            known = [at for at in known if self._names[at] not in component.avoid]
        if not known:
            return f"{', '.join(asked)} asked for; the cluster has no such node"
        cores = [self._total.cores[at] for at in known]
        most_mib = max(self._total.mem_mib[at] for at in known)
        if len(known) == 1:
            has = f"one such node, with {_cores(cores[0])} and {most_mib} MiB"
        else:
            has = (
                f"{len(known)} such nodes with {_cores(sum(cores))}, "
                f"at most {_cores(max(cores))} and {most_mib} MiB on one"
            )
        return f"{', '.join(asked)} asked for; the cluster has {has}"

    def profile(self, releases: Iterable[Release], now_us: int) -> NodeProfile:
        return NodeProfile(self, self._free_space, releases, now_us, self._most())

    def _most(self) -> int:
        """Return the most cores or MiB of memory that a node has, or that are free or short on
        one."""
        spaces = (self._total, self._free_space)
        lists = [values for one in spaces for values in (one.cores, one.mem_mib) if values]
        return max(
            [abs(least_or_most(values)) for values in lists for least_or_most in (min, max)],
            default=0,
        )

    def node_or_pool(self, node: str) -> str:
        return node

    def left(self, where: str) -> tuple[int, int]:
        at = self._number[where]
        return self._free_space.cores[at], self._free_space.mem_mib[at]

    def shadow(
        self,
        request: Request,
        releases: Iterable[Release],
        now_us: int,
        not_before_us: int = 0,
        extra: Extra = "instant",
    ) -> NodeShadow:
        """Copy the free space and simulate. Releases are applied in order until the head fits, then
        the head is placed, and the rest is the extra."""
        component = request.components[0]
        free_space = self._free_space.copy()
        usable = set(self.carriers(component))
        have = sum(free_space.units(at, component) for at in usable)
        earliest_us = max(now_us, not_before_us)
        time_us = earliest_us if have >= component.units else NEVER_US
        for end_us, _, job in releases:
            if have >= component.units and (end_us > time_us or extra == "needed"):
                break
            for piece in job.releasing():
                at = self._number[piece.node]
                before = free_space.units(at, component) if at in usable else 0
                free_space.change(at, piece.cores, piece.mem_mib)
                if at in usable:
                    have += free_space.units(at, component) - before
            if time_us == NEVER_US and have >= component.units:
                time_us = max(end_us, earliest_us)
        for piece in self.place_in(free_space, component) or ():
            free_space.change(self._number[piece.node], -piece.cores, -piece.mem_mib)
        return NodeShadow(self, time_us, free_space)

    def beside(self, free_space: FreeSpace) -> FreeSpace:
        """Return what is free both now and in `free_space`."""
        return FreeSpace(
            list(map(min, self._free_space.cores, free_space.cores)),
            list(map(min, self._free_space.mem_mib, free_space.mem_mib)),
            self._available,
        )

    def number(self, name: str) -> int:
        return self._number[name]

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""
        return [(self._number[piece.node], piece) for piece in pieces]

    def carriers(self, component: Component) -> list[int]:
        """Return the available nodes that have the component's feature, and that it need not
        avoid."""
        feature, avoid = component.feature, component.avoid
        if feature is None and not avoid:
            return self._available
        return [
            at
            for at in self._available
            if (feature is None or feature in self._features[at]) and self._names[at] not in avoid
        ]

    def place_in(self, free_space: FreeSpace, component: Component) -> Allocation | None:
        """Return where in `free_space` the component goes; None if it does not fit."""
        if free_space.hopeless(component):
            return None
        holders = self._holders(free_space, component)
        if not enough(free_space, component, holders):
            return None
        if len(self._kinds) > 1 and component.feature is None:
            real = [at for at in holders if EMULATED not in self._features[at]]
            if enough(free_space, component, real):
                holders = real
        if component.spread:
            holders.sort(key=free_space.cores.__getitem__)
            return tuple(self._piece(at, 1, component) for at in holders[: component.units])
        return self._packed(free_space, component, holders)

    def _holders(self, free_space: FreeSpace, component: Component) -> list[int]:
        """Return the nodes on which a unit of the component fits."""
        holders = free_space.holders(component, component.mem_mib)
        if component.feature is not None:
            holders = [at for at in holders if component.feature in self._features[at]]
        if component.avoid:
            holders = [at for at in holders if self._names[at] not in component.avoid]
        return holders

    def _packed(
        self, free_space: FreeSpace, component: Component, holders: list[int]
    ) -> Allocation:
        need, cores, unit = component.units, free_space.cores, component.cores
        whole = [at for at in holders if cores[at] >= need * unit]
        if whole:
            return (self._piece(min(whole, key=cores.__getitem__), need, component),)
        holders.sort(key=lambda at: -cores[at])
        pieces = []
        for at in holders:
            units = min(cores[at] // unit, need)
            pieces.append(self._piece(at, units, component))
            need -= units
            if not need:
                break
        return tuple(pieces)

    def _piece(self, at: int, units: int, component: Component) -> Piece:
        return Piece(self._names[at], units * component.cores, component.mem_mib)


def _memory(mib: int) -> str:
    return f"{mib} MiB" if mib % 1024 else f"{mib // 1024} GiB"


def _cores(count: int) -> str:
    return f"{count} core" if count == 1 else f"{count} cores"


class NodeShadow:
    """See `capacity.Shadow`."""

    __slots__ = ("_beside", "_capacity", "_free_space", "_seen", "time_us")

    def __init__(self, capacity: NodeCapacity, time_us: int, free_space: FreeSpace) -> None:
        self._capacity = capacity
        self._free_space = free_space
        self.time_us = time_us
        self._look()

    def _look(self) -> None:
        self._beside = self._capacity.beside(self._free_space)
        self._seen = self._capacity.changes

    @property
    def extra(self) -> int:
        if self._seen != self._capacity.changes:
            self._look()
        cores = self._beside.cores
        return sum(cores[at] for at in self._beside.usable)

    def may_place(self, request: Request) -> bool:
        if self._seen != self._capacity.changes:
            self._look()
        return not self._beside.hopeless(request.components[0])

    def place(self, request: Request) -> Allocation | None:
        if self._seen != self._capacity.changes:
            self._look()
        return self._capacity.place_in(self._beside, request.components[0])

    def holds(self, allocation: Allocation) -> bool:
        if self._seen != self._capacity.changes:
            self._look()
        return self._beside.has(self._capacity.numbered(allocation))

    def take(self, allocation: Allocation) -> None:
        for piece in allocation:
            self._free_space.change(self._capacity.number(piece.node), -piece.cores, -piece.mem_mib)
        self._look()
