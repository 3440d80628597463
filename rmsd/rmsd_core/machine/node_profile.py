"""Free cores, memory and devices of every node over time: on real clusters, plans take from
this profile.

See `capacity.Profile`. A space is an allocation: plans name their nodes. Nodes lie in racks of 256,
each with steps of its own, of which one is a vector (`lanes`): to look at a step takes about as
long for a rack as for a node.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple

from rmsd_core.jobs.gres import Demands, serves
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Component, Piece, Request
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.lanes import Lanes
from rmsd_core.machine.node_releases import at_once
from rmsd_core.machine.node_search import NodeSearch, Placing
from rmsd_core.machine.rack import Rack
from rmsd_core.machine.rack_request import RackRequest
from rmsd_core.machine.sum_steps import SumSteps
from rmsd_core.model_time import NEVER_US, SECOND_US

RACK = 256
"""A vector of so many nodes is about a kilobyte. Longer ones would make each step of a short job
more expensive, shorter ones would make more steps."""

_MOST_KEPT = 256
"""The kinds of constraints whose masks are kept: users can ask for any number of them."""

_STEPS = 16
"""The steps of a rack that are changed in the time of a look."""

_MANY = 1 << 62
"""More units than any request has."""


_Kind = tuple[int, bool, int, int, str | None, Demands | None]
"""Units that are counted as alike, see `NodeProfile._may_hold`."""


class NodeSpace(NamedTuple):
    """An allocation in a profile: what it takes of each rack that it is on, as the rack's number,
    the vector and the mask; and its cores on available nodes."""

    allocation: Allocation
    on_racks: tuple[tuple[int, int, int], ...]
    available: int


class NodeProfile:
    """The steps of every rack, and of the cores of all available nodes together. The sum is asked
    first: a request that does not fit into it fits on no nodes."""

    def __init__(self, capacity: Placing, lanes: Lanes, free_space: FreeSpace) -> None:
        """Make a profile without steps, which `of` and `copy` give it."""
        self._capacity, self._lanes, self._free_space = capacity, lanes, free_space
        self._total = free_space.total
        self._available = set(free_space.usable)
        self._changes: dict[int, int] = {}
        self.racks: list[Rack] = []
        self._soonest_us = 0
        self._units: dict[tuple[int, int, Demands], list[int]] = {}
        self._masks: dict[tuple[object, ...], list[int]] = {}
        self._bounds: dict[_Kind, int] = {}
        self._sum = SumSteps(0, 0, self._changes)
        self.looks = self.gives = 0

    @staticmethod
    def of(
        capacity: Placing, present: FreeSpace, releases: Iterable[Release], now_us: int, most: int
    ) -> NodeProfile:
        """Return a profile that begins with this free space. `most`: see `Lanes`."""
        cores, gres = present.cores, present.gres
        lanes = Lanes(min(len(cores), RACK), most, tuple(gres))
        made = NodeProfile(capacity, lanes, present)
        made.racks = [
            Rack(lanes, now_us, free, made._changes)
            for free in made._vectors(cores, present.mem_mib, *gres.values())
        ]
        made._sum = SumSteps(now_us, present.free(), made._changes)
        made._soonest_us = now_us + SECOND_US
        for end_us, _, job in releases:
            made.end(job, job.releasing(), end_us)
        return made

    def end(self, job: Job, pieces: Allocation, end_us: int) -> NodeSpace:  # noqa: ARG002
        space = self.space_of(pieces)
        time_us = end_us if end_us > self._soonest_us else self._soonest_us
        for at, taken, _ in space.on_racks:
            self.racks[at].release(taken, time_us)
        if space.available:
            self._sum.release(space.available, time_us)
        return space

    def may_renew(self) -> bool:
        present, lanes = self._free_space, self._lanes
        if not 0 < len(present.cores) <= lanes.count * len(self.racks):
            return False
        most = max(self._total.most(), present.most())
        return tuple(present.gres) == lanes.kinds and most <= lanes.most

    def renew(self, ends: dict[Job, tuple[int, NodeSpace]]) -> None:
        present, racks = self._free_space, self.racks
        vectors = self._vectors(present.cores, present.mem_mib, *present.gres.values())
        for rack, free in zip(racks, vectors, strict=True):
            rack.begin_with(free)
        usable = set(present.usable)
        others, self._available = usable ^ self._available, usable
        self._units, self._masks = {}, {}
        self._bounds.clear()
        self._count_available(ends, others)
        given: dict[int, int] = {}
        for end_us, space in ends.values():
            if space.available:
                given[end_us] = given.get(end_us, 0) + space.available
        now_us = racks[0].times[0]
        self._sum = SumSteps.of(now_us, present.free(), sorted(given.items()), self._changes)

    def _count_available(self, ends: dict[Job, tuple[int, NodeSpace]], others: set[int]) -> None:
        """Count the cores on available nodes anew in the spaces that are on one of these nodes."""
        by_rack: dict[int, list[int]] = {}
        for at in others:
            by_rack.setdefault(at // RACK, []).append(at % RACK)
        masks = {rack: self._lanes.mask(nodes) for rack, nodes in by_rack.items()}
        for job, (end_us, space) in ends.items():
            for rack, _, mask in space.on_racks:
                if rack in masks and masks[rack] & mask:
                    available = self._available_cores(self._capacity.numbered(space.allocation))
                    ends[job] = end_us, space._replace(available=available)
                    break

    def _available_cores(self, numbered: Iterable[tuple[int, Piece]]) -> int:
        return sum([piece.cores for at, piece in numbered if at in self._available])

    def _vectors(self, *by_lane: Sequence[int]) -> list[int]:
        """Return the vector of each rack, given the values of all nodes by lane."""
        return [
            self._lanes.free(*[values[at : at + RACK] for values in by_lane])
            for at in range(0, len(by_lane[0]), RACK)
        ]

    def copy(self) -> NodeProfile:
        twin = NodeProfile(self._capacity, self._lanes, self._free_space)
        twin._available = self._available
        twin._units, twin._masks = self._units, self._masks
        twin._changes = dict(self._changes)
        twin.racks = [rack.copy(twin._changes) for rack in self.racks]
        twin._sum = self._sum.copy(twin._changes)
        return twin

    # ------------------------------------------------------------ where there is free space

    def space_at(self, request: Request, start_us: int, length_us: int) -> NodeSpace | None:
        wanted = self._wanted(request)
        if not wanted or not self._sum.holds(request.size, start_us, length_us):
            return None
        search = self._search(wanted)
        place = search.at(start_us, start_us + length_us)
        self.looks += search.looks
        return None if place is None else self.space_of(place)

    def earliest(
        self, request: Request, length_us: int, not_before_us: int, before_us: int = NEVER_US
    ) -> tuple[int, NodeSpace] | None:
        return at_once(self._first(request, length_us, (not_before_us, before_us)))

    def earliest_in_steps(
        self, request: Request, length_us: int, not_before_us: int, before_us: int = NEVER_US
    ) -> Generator[None, None, tuple[int, NodeSpace] | None]:
        return self._first(request, length_us, (not_before_us, before_us))

    def sooner(
        self,
        request: Request,
        space: NodeSpace,
        start_us: int,
        length_us: int,
        not_before_us: int,
        before_us: int,
        given_at: int | None,
    ) -> tuple[int, NodeSpace] | None:
        earlier_us = self._sum.earlier(request.size, start_us, length_us, not_before_us, before_us)
        if earlier_us is None:
            return None
        self.give(space, start_us, length_us)
        within_us = earlier_us, min(start_us, before_us)
        found = at_once(self._first(request, length_us, within_us, given_at))
        self.take(space, start_us, length_us)
        return found

    def _first(
        self,
        request: Request,
        length_us: int,
        within_us: tuple[int, int],
        given_at: int | None = None,
    ) -> Generator[None, None, tuple[int, NodeSpace] | None]:
        """Return the first start in `within_us`, and its space. If `given_at` is not None, only
        starts count at which the request can use one of these nodes."""
        wanted = self._wanted(request)
        if not wanted:
            return None
        search = self._search(wanted, given_at)
        found = yield from search.first(self._sum, request.size, length_us, within_us)
        self.looks += search.looks
        return None if found is None else (found[0], self.space_of(found[1]))

    def _search(self, wanted: list[RackRequest], given_at: int | None = None) -> NodeSearch:
        of = self._capacity, self._lanes, self.racks, self._free_space
        return NodeSearch(*of, wanted, given_at)

    def may_hold(self, request: Request, length_us: int) -> bool:
        for component in request.open:  # noqa: SIM110 - any() takes twice as long
            if self._may_hold(component, length_us):
                return True
        return False

    def _may_hold(self, component: Component, length_us: int) -> bool:
        # An upper bound of how many units fit is kept by kind of unit and by length. Memory and
        # length count by their highest bits, so that there are few kinds; features do not count.
        kind = (
            component.cores,
            component.spread,
            component.mem_mib.bit_length(),
            length_us.bit_length(),
            component.partition,
            component.needs,
        )
        bound = self._bounds.get(kind)
        if bound is None:
            bound = self._bounds[kind] = self._most_units(*kind)
        return component.units <= bound

    def _most_units(
        self,
        cores: int,
        spread: bool,
        mem_bit: int,
        length_bit: int,
        partition: str | None,
        needs: Demands | None,
    ) -> int:
        """Return how many units of the least memory and length with these bits fit now."""
        component = Component(
            _MANY, cores, (1 << mem_bit) >> 1, spread, partition=partition, needs=needs
        )
        wanted = self._wanted(Request((component,)))
        if not wanted:
            return 0
        asked = wanted[0]
        lanes, now_us = self._lanes, self.racks[0].times[0]
        units = 0
        self.looks += len(self.racks)
        for rack, mask, unit in zip(self.racks, asked.masks, asked.units, strict=True):
            free = rack.least(now_us, now_us + ((1 << length_bit) >> 1))
            holders = lanes.holders(free, unit, asked.groups) & mask
            units += lanes.units(free, holders, component, _MANY)
        return units

    def _wanted(self, request: Request) -> list[RackRequest]:
        """Return what racks are asked for: by component, those left out that no node could hold a
        unit of."""
        return [self._asked(one) for one in request.open if self._lanes.can_hold(one)]

    def _asked(self, component: Component) -> RackRequest:
        where = component.feature, component.partition, component.exclude, component.avoid
        masks = self._masks.get(where)
        if masks is None:
            on_racks: list[list[int]] = [[] for _ in self.racks]
            for at in self._capacity.carriers(component):
                on_racks[at // RACK].append(at % RACK)
            masks = [self._lanes.mask_of_many(nodes) for nodes in on_racks]
            if len(self._masks) >= _MOST_KEPT:
                self._masks.clear()
            self._masks[where] = masks
        few = self._capacity.most_nodes(component)
        required = [0] * len(self.racks) if component.require else []
        for at in self._capacity.numbers_of(component.require):
            required[at // RACK] |= self._lanes.mask([at % RACK])
        if component.needs is None:
            units = [self._lanes.unit(component)] * len(masks)
            return RackRequest(component, units, masks, required, [], few)
        groups = self._lanes.groups(component.needs.all_gres)
        units = self._needed(component, component.needs)
        return RackRequest(component, units, masks, required, groups, few)

    def _needed(self, component: Component, needs: Demands) -> list[int]:
        """Return by rack what a unit with these needs takes at least: of a node that it has whole,
        all that the node has."""
        if not (needs.exclusive or needs.all_mem):  # the same of each node
            return [self._lanes.unit(component)] * len(self.racks)
        kind = component.cores, component.mem_mib, needs
        units = self._units.get(kind)
        if units is None:
            total, count = self._total, len(self._total.cores)
            unit = component.cores
            cores = [max(unit, has) for has in total.cores] if needs.exclusive else [unit] * count
            mem_mib = total.mem_mib if needs.all_mem else [component.mem_mib] * count
            devices = [
                [sum([least for asked, least in needs.all_gres if serves(lane, asked)])] * count
                for lane in self._lanes.kinds
            ]
            if len(self._units) >= _MOST_KEPT:
                self._units.clear()
            units = self._units[kind] = self._vectors(cores, mem_mib, *devices)
        return units

    def nodes_of(self, space: NodeSpace) -> int:
        rack_bits = self._lanes.bits
        return sum([mask << (at * rack_bits) for at, _, mask in space.on_racks])

    def numbers_of(self, space: NodeSpace) -> int:
        return sum([1 << at for at, _ in self._capacity.numbered(space.allocation)])

    def most_free(self, first_us: int, last_us: int) -> int:
        return self._sum.most_free(first_us, last_us)

    def step(self) -> tuple[int, int]:
        return self._sum.step()

    # ------------------------------------------------------------ what is taken

    def space_of(self, allocation: Allocation) -> NodeSpace:
        lanes = self._lanes
        numbered = self._capacity.numbered(allocation)
        available = self._available_cores(numbered)
        by_rack: dict[int, list[tuple[int, Piece]]] = {}
        for at, piece in numbered:
            by_rack.setdefault(at // RACK, []).append((at % RACK, piece))
        on_racks = tuple(
            [
                (rack, lanes.taken(pieces), lanes.mask([at for at, _ in pieces]))
                for rack, pieces in by_rack.items()
            ]
        )
        return NodeSpace(allocation, on_racks, available)

    def allocation(self, request: Request, space: NodeSpace) -> Allocation:  # noqa: ARG002
        return space.allocation

    def holds(self, space: NodeSpace, start_us: int, length_us: int) -> bool:
        end_us = start_us + length_us
        return all(
            self.racks[at].holds(taken, mask, start_us, end_us)
            for at, taken, mask in space.on_racks
        )

    def take(self, space: NodeSpace, start_us: int, length_us: int) -> None:
        self._change(space, start_us, length_us, -1)

    def give(self, space: NodeSpace, start_us: int, length_us: int) -> None:
        self._change(space, start_us, length_us, 1)

    def _change(self, space: NodeSpace, start_us: int, length_us: int, sign: int) -> None:
        end_us = start_us + length_us
        if sign > 0:
            self.gives += 1
            self._bounds.clear()
        for at, taken, _ in space.on_racks:
            steps = self.racks[at].change(start_us, end_us, sign * taken)
            self.looks += 1 + steps // _STEPS
        if space.available:
            self._sum.take(-sign * space.available, start_us, length_us)

    # ------------------------------------------------------------ from pass to pass

    def advance(self, now_us: int) -> None:
        if self.racks and self.racks[0].times[0] == now_us:
            return
        self._bounds.clear()
        self._sum.advance(now_us)
        for rack in self.racks:
            rack.advance(now_us)

    def overdrawn(self) -> tuple[int, int] | None:
        spans = [span for rack in self.racks if (span := rack.overdrawn()) is not None]
        if not spans:
            return None
        return min(first_us for first_us, _ in spans), max(last_us for _, last_us in spans)
