"""Searches for the place of a request on nodes over time: at a start, and for the first start that
has one.

A search looks at all nodes, at several starts. It goes in steps, so that the daemon can do other
work between them: on 10,000 nodes it takes up to some hundred milliseconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import chain
from typing import Protocol

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.request import Allocation, Component, Piece
from rmsd_core.machine.counted_profile import SumSteps
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.lanes import Lanes
from rmsd_core.machine.rack import Rack, Window
from rmsd_core.machine.rack_request import RackRequest
from rmsd_core.model_time import NEVER_US


class Placing(Protocol):
    """The nodes of a capacity by number, and the rules for where a request goes on them."""

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""

    def numbers_of(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of those of the nodes that are known."""

    def carriers(self, component: Component) -> Sequence[int]:
        """Return the available nodes of the component's partition that have its feature, and that
        it need not avoid."""

    def most_nodes(self, component: Component) -> int | None:
        """Return how many nodes the partition gives to a job at most; None: any number."""

    def place_once(self, free_space: FreeSpace, component: Component) -> Allocation | None:
        """Return where in `free_space`, of which nobody asks again, the component goes; None if it
        does not fit."""


class NodeSearch:
    """The searches for one request. `wanted`: what racks are asked for, by component; `given_at`:
    if it is not None, only places count that can use one of these nodes."""

    def __init__(
        self,
        capacity: Placing,
        lanes: Lanes,
        racks: Sequence[Rack],
        free_space: FreeSpace,
        wanted: list[RackRequest],
        given_at: int | None = None,
    ) -> None:
        self._capacity, self._lanes, self._racks = capacity, lanes, racks
        self._usable, self._total = free_space.usable, free_space.total
        self._wanted, self._given_at = wanted, given_at
        # The racks of the nodes that are to be used, which are looked at first.
        self._given_racks = [] if given_at is None else self.racks_of(given_at)

    def racks_of(self, nodes: int) -> list[int]:
        bits = self._lanes.bits
        return [at for at in range(len(self._racks)) if (nodes >> (at * bits)) & ((1 << bits) - 1)]

    def at(self, start_us: int, end_us: int) -> Allocation | None:
        """Return where the request fits throughout."""
        return self._place([rack.least(start_us, end_us) for rack in self._racks])

    def first(
        self, every: SumSteps, size: int, length_us: int, within_us: tuple[int, int]
    ) -> Generator[None, None, tuple[int, Allocation] | None]:
        """Return the first start in `within_us`, and the place there. `every`: the free cores of
        all nodes together."""
        not_before_us, before_us = within_us
        windows = [Window(rack, self._lanes) for rack in self._racks]
        while True:
            start_us = next(every.candidates(size, length_us, not_before_us), NEVER_US)
            if start_us >= before_us:
                return None
            end_us = start_us + length_us
            on_given = {at: windows[at].least(start_us, end_us) for at in self._given_racks}
            if self.can_touch(on_given):
                least = []
                for at, window in enumerate(windows):
                    yield
                    least.append(on_given.get(at) or window.least(start_us, end_us))
                place = self._place(least)
                if place is not None:
                    return start_us, place
            yield
            not_before_us = yield from self._next_start_us(windows, every.times, start_us, end_us)

    def _next_start_us(
        self, windows: Sequence[Window], times: Sequence[int], start_us: int, end_us: int
    ) -> Generator[None, None, int]:
        """Return the first begin of a step after `start_us` from which the request fits until
        `end_us`: before, every window includes a time in which the request does not fit."""
        first, last = bisect_right(times, start_us), bisect_left(times, end_us)
        # The first step that fits is often near: look ever further, then between the last two.
        stride = 1
        while first + stride <= last:
            fits = yield from self._fits(windows, times[first + stride - 1], end_us)
            if fits:
                break
            first, stride = first + stride, 2 * stride
        last = min(first + stride - 1, last)
        while first < last:
            middle = (first + last) // 2
            fits = yield from self._fits(windows, times[middle], end_us)
            if fits:
                last = middle
            else:
                first = middle + 1
        return times[first] if first < len(times) else NEVER_US

    def _fits(
        self, windows: Sequence[Window], start_us: int, end_us: int
    ) -> Generator[None, None, bool]:
        """Return whether the nodes that can hold a part of the request can hold all of it."""
        on_given = {at: windows[at].least_from(start_us, end_us) for at in self._given_racks}
        if not self.can_touch(on_given):
            return False
        least = []
        for at, window in enumerate(windows):
            yield
            least.append(on_given.get(at) or window.least_from(start_us, end_us))
        for one in self._wanted:
            holders = self._holders(one, least)
            if holders is not None and self._touches(holders):
                return True
        return False

    def _place(self, least: list[int]) -> Allocation | None:
        """Return where the request fits if the racks have free `least` throughout."""
        for one in self._wanted:
            allocation = self._place_one(one, least)
            if allocation is not None:
                return allocation
        return None

    def _place_one(self, wanted: RackRequest, least: list[int]) -> Allocation | None:
        component = wanted.component
        holders = self._holders(wanted, least)
        if holders is None or not self._touches(holders):
            return None
        cores = self._cores_on(least, holders)
        mem_mib = [component.mem_mib] * len(cores)
        # A free space that is its own total stays in memory until garbage is collected.
        free_space = FreeSpace(cores, mem_mib, self._usable, total=self._total)
        if component.needs is not None:
            self._add_needed(free_space, component.needs, least, holders)
        return self._capacity.place_once(free_space, component)

    def _add_needed(
        self, free_space: FreeSpace, needs: Demands, least: list[int], holders: list[int]
    ) -> None:
        """Add to the free space of holders what such needs are compared with."""
        lanes = self._lanes
        if needs.all_mem:  # holders have it
            free_space.mem_mib = self._total.mem_mib
        elif needs.unit_mem:
            by_rack = map(lanes.mem_on, least, holders)
            free_space.mem_mib = list(chain.from_iterable(by_rack))
        for kind in lanes.kinds:
            free_space.gres[kind] = [
                devices
                for free, holding in zip(least, holders, strict=True)
                for devices in lanes.devices_on(free, holding, kind)
            ]

    def _holders(self, wanted: RackRequest, free: list[int]) -> list[int] | None:
        """Return by rack the nodes on which a unit fits into `free`; None if not all units fit, or
        not on the nodes that the request must have."""
        lanes, component = self._lanes, wanted.component
        holders, units = [], 0
        groups = wanted.groups
        for on_rack, mask, unit in zip(free, wanted.masks, wanted.units, strict=True):
            holders.append(holding := lanes.holders(on_rack, unit, groups) & mask)
            if holding and units < component.units:
                units += lanes.units(on_rack, holding, component, component.units - units)
        if units < component.units or not wanted.has_required(holders):
            return None
        few = wanted.most_nodes is not None and not component.spread
        return None if few and not wanted.fits_on_few(self._cores_on(free, holders)) else holders

    def _cores_on(self, free: list[int], holders: list[int]) -> list[int]:
        """Return the free cores of all nodes; 0 for those that are no holders."""
        by_rack = map(self._lanes.cores_on, free, holders)
        return list(chain.from_iterable(by_rack))

    def can_touch(self, least: Mapping[int, int]) -> bool:
        """Return whether a unit fits on one of the nodes that it has to use, if the racks of these
        nodes have free `least`."""
        nodes, lanes = self._given_at, self._lanes
        return nodes is None or any(
            lanes.holders(free, one.units[at], one.groups)
            & one.masks[at]
            & (nodes >> (at * lanes.bits))
            for one in self._wanted
            for at, free in least.items()
        )

    def _touches(self, holders: list[int]) -> bool:
        nodes, rack_bits = self._given_at, self._lanes.bits
        return nodes is None or any(
            holding & (nodes >> (at * rack_bits)) for at, holding in enumerate(holders)
        )
