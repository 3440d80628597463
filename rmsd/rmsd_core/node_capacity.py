"""Nodes with cores and memory: where real clusters place their jobs."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_core.capacity import NEVER_US, Release
from rmsd_core.job import Allocation, Component, Piece, Request


class _Room:
    """Free cores and memory by node number: what is free now, or at some later time."""

    __slots__ = ("cores", "mem_mib")

    def __init__(self, cores: list[int], mem_mib: list[int]) -> None:
        self.cores = cores
        self.mem_mib = mem_mib

    def copy(self) -> _Room:
        return _Room(self.cores[:], self.mem_mib[:])

    def add(self, at: int, piece: Piece, sign: int) -> None:
        self.cores[at] += sign * piece.cores
        self.mem_mib[at] += sign * piece.mem_mib

    def units(self, at: int, component: Component) -> int:
        """How many of the component's units node `at` can hold."""
        if self.mem_mib[at] < component.mem_mib:
            return 0
        units = self.cores[at] // component.cores
        return min(units, 1) if component.spread else units


class NodeCapacity:
    """See `capacity.Capacity`. Small requests go to the tightest node that holds them, so that
    large holes stay; a request that needs several nodes takes the roomiest, so as to need few."""

    def __init__(self) -> None:
        self.free = 0
        self._number: dict[str, int] = {}
        self._names: list[str] = []
        self._features: list[tuple[str, ...]] = []
        self._total = _Room([], [])
        self._room = _Room([], [])
        self._available: list[int] = []

    def set_node(self, name: str, cores: int, mem_mib: int, features: tuple[str, ...]) -> None:
        at = self._number.setdefault(name, len(self._names))
        if at == len(self._names):
            self._names.append(name)
            self._features.append(features)
            for room in (self._total, self._room):
                room.cores.append(0)
                room.mem_mib.append(0)
        self._features[at] = features
        change = Piece(name, cores - self._total.cores[at], mem_mib - self._total.mem_mib[at])
        self._total.add(at, change, 1)
        self._room.add(at, change, 1)
        if at in self._available:
            self.free += change.cores

    def set_available(self, name: str, available: bool) -> None:
        at = self._number[name]
        if available and at not in self._available:
            self._available.append(at)
            self._available.sort(key=self._names.__getitem__)
            self.free += self._room.cores[at]
        elif not available and at in self._available:
            self._available.remove(at)
            self.free -= self._room.cores[at]

    def place(self, request: Request) -> Allocation | None:
        return self.place_in(self._room, request)

    def take(self, allocation: Allocation) -> None:
        for piece in allocation:
            self._change(piece, -1)

    def give(self, piece: Piece) -> None:
        self._change(piece, 1)

    def _change(self, piece: Piece, sign: int) -> None:
        at = self._number[piece.node]
        self._room.add(at, piece, sign)
        if at in self._available:
            self.free += sign * piece.cores

    def possible(self, request: Request) -> bool:
        return self.place_in(self._total, request) is not None

    def never_fits(self, request: Request) -> str | None:
        component = request.components[0]
        everywhere = range(len(self._names))
        if self._choose(self._total, component, everywhere) is not None:
            return None
        asked = [f"{component.units} x {component.cores} cores"]
        if component.spread:
            asked.append("each on a node of its own")
        if component.mem_mib:
            asked.append(f"{component.mem_mib} MiB of memory on each node")
        if component.feature:
            asked.append(f"nodes with feature '{component.feature}'")
        known = [at for at in everywhere if self._carries(at, component)]
        have = f"{len(known)} such nodes with {sum(self._total.cores[at] for at in known)} cores"
        if known:
            most = max(self._total.cores[at] for at in known)
            have += f", at most {most} cores and {max(self._total.mem_mib[at] for at in known)} MiB"
            have += " on one"
        return f"{', '.join(asked)} asked for; the cluster has {have}"

    def shadow(self, request: Request, releases: Iterable[Release], now_us: int) -> NodeShadow:
        """Copy and simulate: releases are applied in order until the head fits, then the head is
        placed and what is left is the extra room."""
        component = request.components[0]
        room = self._room.copy()
        usable = {at for at in self._available if self._carries(at, component)}
        have = sum(room.units(at, component) for at in usable)
        time_us = now_us if have >= component.units else NEVER_US
        for end_us, _, job in releases:
            if have >= component.units and end_us > time_us:
                break
            for piece in job.allocation:
                if piece.node not in job.open_nodes:
                    continue
                at = self._number[piece.node]
                before = room.units(at, component) if at in usable else 0
                room.add(at, piece, 1)
                if at in usable:
                    have += room.units(at, component) - before
            if time_us == NEVER_US and have >= component.units:
                time_us = max(end_us, now_us)
        for piece in self.place_in(room, request) or ():
            room.add(self._number[piece.node], piece, -1)
        return NodeShadow(self, time_us, room)

    def beside(self, room: _Room) -> _Room:
        """What is free both now and in `room`."""
        return _Room(
            list(map(min, self._room.cores, room.cores)),
            list(map(min, self._room.mem_mib, room.mem_mib)),
        )

    def cores_in(self, room: _Room) -> int:
        return sum(room.cores[at] for at in self._available)

    def number(self, name: str) -> int:
        return self._number[name]

    def place_in(self, room: _Room, request: Request) -> Allocation | None:
        return self._choose(room, request.components[0], self._available)

    def _carries(self, at: int, component: Component) -> bool:
        return component.feature is None or component.feature in self._features[at]

    def _choose(self, room: _Room, component: Component, nodes: Iterable[int]) -> Allocation | None:
        holds = [
            (units, at)
            for at in nodes
            if (units := room.units(at, component)) and self._carries(at, component)
        ]
        need = component.units
        if sum(units for units, _ in holds) < need:
            return None
        if component.spread:
            holds.sort(key=lambda hold: room.cores[hold[1]])
            return tuple(self._piece(at, 1, component) for _, at in holds[:need])
        enough = [(room.cores[at], at) for units, at in holds if units >= need]
        if enough:
            tightest = min(enough, key=lambda hold: hold[0])[1]
            return (self._piece(tightest, need, component),)
        holds.sort(key=lambda hold: -hold[0])
        pieces = []
        for units, at in holds:
            used = min(units, need)
            pieces.append(self._piece(at, used, component))
            need -= used
            if not need:
                break
        return tuple(pieces)

    def _piece(self, at: int, units: int, component: Component) -> Piece:
        return Piece(self._names[at], units * component.cores, component.mem_mib)


class NodeShadow:
    """See `capacity.Shadow`."""

    __slots__ = ("_capacity", "_room", "extra", "time_us")

    def __init__(self, capacity: NodeCapacity, time_us: int, room: _Room) -> None:
        self._capacity = capacity
        self._room = room
        self.time_us = time_us
        self.extra = capacity.cores_in(capacity.beside(room))

    def place(self, request: Request) -> Allocation | None:
        return self._capacity.place_in(self._capacity.beside(self._room), request)

    def take(self, allocation: Allocation) -> None:
        for piece in allocation:
            self._room.add(self._capacity.number(piece.node), piece, -1)
            self.extra -= piece.cores
