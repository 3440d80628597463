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
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.lanes import Lanes
from rmsd_core.machine.rack import Rack, Window
from rmsd_core.machine.rack_request import RackRequest
from rmsd_core.machine.sum_steps import SumSteps
from rmsd_core.model_time import NEVER_US

_FALLS = 4
"""The falls of a window that are looked at in the time of a look at a rack."""
_PLACE = 6
"""The looks at a rack in whose time a place is chosen by a look at each of its nodes."""


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

    def place_on_first(self, nodes: Sequence[int], component: Component) -> Allocation | None:
        """Return all units on the first of these nodes, which hold them and have equally few free
        cores; None if other rules may prefer another node."""


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
        self._looks = 1
        self._windows: list[Window] = []
        # The racks of the nodes that are to be used, which are looked at first, with their masks.
        self._given_on = {} if given_at is None else lanes.by_rack(given_at)
        self._given_racks = [] if given_at is None else self.racks_of(self._given_on)

    @property
    def looks(self) -> int:
        """Return how many looks at racks the searches have taken."""
        return self._looks + sum([window.falls for window in self._windows]) // _FALLS

    @staticmethod
    def racks_of(given_on: Mapping[int, int]) -> list[int]:
        """Return the racks that are looked at first."""
        return list(given_on)

    def at(self, start_us: int, end_us: int) -> Allocation | None:
        """Return where the request fits throughout."""
        self._looks += len(self._racks)
        return self._place([rack.least(start_us, end_us) for rack in self._racks])

    def first(
        self, every: SumSteps, size: int, length_us: int, within_us: tuple[int, int]
    ) -> Generator[None, None, tuple[int, Allocation] | None]:
        """Return the first start in `within_us`, and the place there. `every`: the free cores of
        all nodes together."""
        not_before_us, before_us = within_us
        windows = self._windows = [Window(rack, self._lanes) for rack in self._racks]
        while True:
            start_us = every.first(size, length_us, not_before_us)
            if start_us >= before_us:
                return None
            end_us = start_us + length_us
            on_given = {at: windows[at].least(start_us, end_us) for at in self._given_racks}
            self._looks += 1 + len(on_given)
            if self.can_touch(on_given):
                least = []
                for at, window in enumerate(windows):
                    yield
                    least.append(on_given.get(at) or window.least(start_us, end_us))
                self._looks += 2 * len(least)
                place = self._place(least)
                if place is not None:
                    return start_us, place
            yield
            within_us = start_us, min(end_us, before_us)
            not_before_us = yield from self._next_start_us(windows, every.times, within_us, end_us)

    def _next_start_us(
        self,
        windows: Sequence[Window],
        times: Sequence[int],
        within_us: tuple[int, int],
        end_us: int,
    ) -> Generator[None, None, int]:
        """Return the first begin of a step between two times from which the request fits until
        `end_us`: before, every window includes a time in which the request does not fit. If there
        is none, return the begin of the first step after that, or NEVER_US if it is known that no
        start between the times has a place."""
        start_us, until_us = within_us
        first, last = bisect_right(times, start_us), bisect_left(times, until_us)
        if until_us < end_us:
            # A request that does not fit at last does not fit before.
            fits = first < last and (yield from self._fits(windows, times[last - 1], end_us))
            if not fits:
                return NEVER_US
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
        self._looks += 1 + len(on_given)
        if not self.can_touch(on_given):
            return False
        least = []
        for at, window in enumerate(windows):
            yield
            least.append(on_given.get(at) or window.least_from(start_us, end_us))
        self._looks += len(least)
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
        if component.needs is None and not component.spread:
            nodes = self._closest(component, least, holders)
            place = self._capacity.place_on_first(nodes, component) if nodes else None
            if place is not None:
                return place
        # All nodes are looked at, one by one.
        self._looks += len(least) * (_PLACE if component.needs is None else 3 * _PLACE)
        cores = self._cores_on(least, holders)
        mem_mib = [component.mem_mib] * len(cores)
        # A free space that is its own total stays in memory until garbage is collected.
        free_space = FreeSpace(cores, mem_mib, self._usable, total=self._total)
        if component.needs is not None:
            self._add_needed(free_space, component.needs, least, holders)
        return self._capacity.place_once(free_space, component)

    def _closest(self, component: Component, free: list[int], holders: list[int]) -> list[int]:
        """Return the nodes that hold all units and have the fewest free cores then."""
        lanes, size = self._lanes, component.size
        if size > lanes.most:
            return []
        holding = [
            lanes.with_cores(on_rack, size, nodes) if nodes else 0
            for on_rack, nodes in zip(free, holders, strict=True)
        ]
        if not any(holding):
            return []
        # The fewest cores are often hardly more than the request asks for.
        least, most, stride = size, size, 1
        while not (found := self._with_most(free, holding, most)):
            least, most, stride = most + 1, most + stride, 2 * stride
        while least < most:
            middle = (least + most) // 2
            if fewer := self._with_most(free, holding, middle):
                found, most = fewer, middle
            else:
                least = middle + 1
        count = lanes.count
        return [count * at + one for at, nodes in found for one in lanes.nodes_of(nodes)]

    def _with_most(self, free: list[int], holding: list[int], cores: int) -> list[tuple[int, int]]:
        """Return by rack those of the nodes that have no more than so many free cores."""
        lanes = self._lanes
        found = []
        for at, nodes in enumerate(holding):
            if nodes and (fewer := nodes & ~lanes.with_cores(free[at], cores + 1, nodes)):
                found.append((at, fewer))
        return found

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
        if self._given_at is None:
            return True
        given_on, lanes = self._given_on, self._lanes
        for one in self._wanted:
            for at, free in least.items():
                among = one.masks[at] & given_on[at]
                if among and lanes.holders(free, one.units[at], one.groups) & among:
                    return True
        return False

    def _touches(self, holders: list[int]) -> bool:
        if self._given_at is None:
            return True
        return any(holders[at] & nodes for at, nodes in self._given_on.items())
