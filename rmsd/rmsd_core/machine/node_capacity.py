"""Nodes with cores, memory and devices: the capacity of real clusters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import chain

from rmsd_core.jobs.gres import Shares
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Component, Piece, Request
from rmsd_core.machine import never_fits_words as words
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.changed_nodes import ChangedNodes
from rmsd_core.machine.component_nodes import ComponentNodes
from rmsd_core.machine.first_fits import first_fit
from rmsd_core.machine.free_by_partition import FreeByPartition
from rmsd_core.machine.free_space import FEW_NODES, FreeSpace, enough
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.machine.node_releases import NodeReleases, at_once
from rmsd_core.machine.node_shadow import NodeShadow
from rmsd_core.machine.nodes_by_cores import NodesByCores
from rmsd_core.machine.partitions import Partition
from rmsd_core.machine.pieces import packed, piece, spread
from rmsd_core.machine.released_units import WindowUnits
from rmsd_core.machine.shapes import Shapes
from rmsd_core.recipes.recipe import Extra
from rmsd_core.vocabulary import EMULATED

_ANYWHERE = Component(1).where


class NodeCapacity:
    """The capacity of nodes, see `capacity.Capacity`. Small requests go to the node with the least
    free cores that holds them, so that large holes stay. A request that needs several nodes takes
    those with the most, so as to need few. Emulated nodes take the jobs that ask for them, and
    other jobs only if the other nodes cannot."""

    alike = False

    def __init__(self) -> None:
        self.machine = self.layout = 0
        self.free = 0
        self.changed = ChangedNodes()
        self._number: dict[str, int] = {}
        self._vacant: list[int] = []  # numbers of forgotten nodes, for the next ones
        self._names: list[str] = []
        self._features: list[tuple[str, ...]] = []
        self._kinds: set[bool] = set()  # the kinds of nodes so far: True for emulated ones
        self._available: list[int] = []  # sorted by name
        self._is_available: set[int] = set()
        self._carriers = ComponentNodes(self._names, self._features, self._available)
        # The free cores of the partitions that name their nodes; None: they are to be summed.
        self._free_in: FreeByPartition | None = None
        self._shapes: dict[str | None, Shapes] = {}  # available nodes by partition
        self._total = FreeSpace([], [], self._available)
        self._free_space = FreeSpace([], [], self._available, total=self._total)

    def as_now(self) -> NodeCapacity:
        twin = NodeCapacity()
        twin.machine, twin.free = self.machine, self.free
        twin._number, twin._names = dict(self._number), self._names[:]
        twin._features, twin._kinds = self._features[:], set(self._kinds)
        twin._available, twin._is_available = self._available[:], set(self._is_available)
        twin._carriers = self._carriers.copy(twin._names, twin._features, twin._available)
        twin._shapes = dict(self._shapes)
        twin._total = self._total.copy_of(twin._available)
        twin._free_space = self._free_space.copy_of(twin._available, twin._total)
        return twin

    @property
    def looks(self) -> int:
        return self._total.looks

    @property
    def numbers(self) -> int:
        """Return how many numbers there are for nodes: those of forgotten ones are given again."""
        return len(self._names)

    def set_node(
        self,
        name: str,
        cores: int,
        mem_mib: int,
        features: tuple[str, ...],
        gres: Shares = (),
    ) -> None:
        self.machine += 1
        at = self._number.get(name)
        if at is None:
            self.layout += 1
            at = self._number[name] = self._vacant.pop() if self._vacant else self._new_number()
            self._names[at] = name
        if self._features[at] != features:
            self._features[at] = features
            self._carriers.features_changed()
            self._free_space.nodes_changed()
        self._nodes_changed()
        self._kinds.add(EMULATED in features)
        more_cores = cores - self._total.cores[at]
        more_mib = mem_mib - self._total.mem_mib[at]
        self._know_kinds(gres)
        more_gres = self._total.more_gres(at, gres)
        if more_cores or more_mib or more_gres:
            self.layout += 1
        self._total.change(at, more_cores, more_mib, more_gres)
        self._change_room(at, more_cores, more_mib, more_gres)

    def _know_kinds(self, gres: Shares) -> None:
        for share in gres:
            if share.kind not in self._total.gres:
                self.machine += 1
                self.layout += 1
                self.changed.note_all()
                for free_space in (self._total, self._free_space):
                    free_space.gres[share.kind] = [0] * len(self._names)

    def _new_number(self) -> int:
        self._names.append("")
        self._features.append(())
        self._carriers.features_changed()
        for free_space in (self._total, self._free_space):
            free_space.new_node()
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
        self._nodes_changed()
        self._total.nodes_changed()
        self._free_space.nodes_changed()

    def set_partitions(self, partitions: Mapping[str, Partition]) -> None:
        self.machine += 1
        self._carriers.set_partitions(partitions)
        self._nodes_changed()
        self._total.nodes_changed()
        self._free_space.nodes_changed()

    def _nodes_changed(self) -> None:
        self.changed.note_all()
        self._carriers.changed()
        self._shapes.clear()
        self._free_in = None

    def free_in(self, partition: str | None) -> int:
        if partition is None or partition not in self._carriers.naming:
            return self.free
        if self._free_in is None:
            names = self._carriers.naming
            members = [(name, self.carriers(Component(1, partition=name))) for name in names]
            self._free_in = FreeByPartition(members, self._free_space.cores)
        return self._free_in.of(partition)

    def free_on(self, names: Iterable[str], partition: str | None) -> int:
        among = self._is_available.intersection(self.numbers_of(names))
        if partition is not None:
            among &= set(self.carriers(Component(1, partition=partition)))
        return sum([max(0, self._free_space.cores[at]) for at in among])

    def place(self, request: Request) -> Allocation | None:
        return self.place_request(self._free_space, request)

    def place_request(self, free_space: FreeSpace, request: Request) -> Allocation | None:
        if self._hopeless_anywhere(free_space, request):
            return None
        for component in request.open:
            if (allocation := self.place_in(free_space, component)) is not None:
                return allocation
        return None

    def may_place(self, request: Request) -> bool:
        return self.may_place_in(self._free_space, request)

    def may_place_in(self, free_space: FreeSpace, request: Request) -> bool:
        if self._hopeless_anywhere(free_space, request):
            return False
        return any(not self._hopeless(free_space, component) for component in request.open)

    def _hopeless_anywhere(self, free_space: FreeSpace, request: Request) -> bool:
        """Return whether it is known that none of many partitions has a place, since all nodes
        together have none."""
        anywhere, features = request.anywhere, self._carriers.features
        if anywhere is None or free_space.usable is not self._available:
            return False
        if free_space is not self._free_space:
            return free_space.hopeless(anywhere, features)
        return free_space.reach(None, features).excludes(anywhere, self._number)

    def _hopeless(self, free_space: FreeSpace, component: Component) -> bool:
        """Return whether it is known without a look at the nodes that the units do not all fit."""
        if component in free_space.hopeless_ones:
            return True
        if self._looks_hopeless(free_space, component):
            free_space.note_hopeless(component)
            return True
        return False

    def _looks_hopeless(self, free_space: FreeSpace, component: Component) -> bool:
        within, most_nodes = self._carriers.within(component), self.most_nodes(component)
        if free_space.hopeless(component, self._carriers.features, within, most_nodes):
            return True
        named = component.exclude or component.avoid or component.require
        if component.feature is None and not named:
            return False
        reach = free_space.reach(component.partition, self._carriers.features, within)
        return reach.excludes(component, self._number, most_nodes)

    def fits(self, request: Request) -> bool:
        return self.place(request) is not None

    def take(self, allocation: Allocation) -> None:
        for one in allocation:
            self._know_kinds(one.gres)
            at = self._number[one.node]
            self._change_room(at, -one.cores, -one.mem_mib, one.gres, -1)

    def give(self, piece: Piece) -> None:
        self._change_room(self._number[piece.node], piece.cores, piece.mem_mib, piece.gres)

    def _change_room(
        self, at: int, cores: int, mem_mib: int, gres: Shares = (), sign: int = 1
    ) -> None:
        self.changed.note(at)
        free_space = self._free_space
        before = free_space.cores[at]
        free_space.change(at, cores, mem_mib, gres, sign)
        devices_short = gres and any(free_space.gres[share.kind][at] < 0 for share in gres)
        if before + cores < 0 or free_space.mem_mib[at] < 0 or devices_short:
            self.machine += 1
        if at in self._is_available:
            # A node that came back smaller than what it holds must not reduce the sum of the
            # others.
            more = max(0, before + cores) - max(0, before)
            self.free += more
            if self._free_in is not None:
                self._free_in.change(at, more)

    def possible(self, request: Request) -> bool:
        return any(map(self._possible, request.open))

    def _possible(self, component: Component) -> bool:
        if self.most_nodes(component) is not None:  # the choice of nodes matters
            return self.place_in(self._total, component) is not None
        where, total = component.partition, self._total
        if where not in self._shapes:
            among = self.carriers(Component(1, partition=where))
            self._shapes[where] = Shapes(among, total, self._carriers.features)
        return self._shapes[where].hold(component, self._number)

    def never_fits(self, request: Request) -> str | None:
        if self.possible(request):  # to look at all nodes takes longer
            return None
        present = [at for at, cores in enumerate(self._total.cores) if cores]
        total = self._total
        everywhere = FreeSpace(total.cores, total.mem_mib, present, total.gres, total)
        whys: list[str] = []
        for component in request.components:
            if self.place_in(everywhere, component) is not None:
                return None
            whys.append(self._why_never(component, present))
        return "; ".join(dict.fromkeys(whys))

    def _why_never(self, component: Component, present: list[int]) -> str:
        """Return in words what the component asks for, and what there is of that."""
        known = self._carriers.among(present, component)
        asked = words.asked(component, self.most_nodes(component))
        has = words.present(self._total, known, component, {self._names[at]: at for at in present})
        return f"{asked} asked for; the cluster has {has}"

    def profile(self, releases: Iterable[Release], now_us: int) -> NodeProfile:
        most = max(self._total.most(), self._free_space.most())
        return NodeProfile.of(self, self._free_space, releases, now_us, most)

    def node_or_pool(self, node: str) -> str:
        return node

    def left(self, where: str) -> tuple[int, int]:
        at = self._number[where]
        return self._free_space.cores[at], self._free_space.mem_mib[at]

    def devices_left(self, where: str, kind: str) -> int:
        devices = self._free_space.gres.get(kind)
        return 0 if devices is None else devices[self._number[where]]

    def shadow(
        self,
        request: Request,
        releases: Iterable[Release],
        now_us: int,
        not_before_us: int = 0,
        extra: Extra = "instant",
    ) -> NodeShadow:
        """Apply the releases in order until the head fits, and place the head; the rest is the
        extra."""
        earliest_us = max(now_us, not_before_us)
        return at_once(self.shadow_in_steps(request, releases, earliest_us, extra))

    def gathered(
        self, releases: Iterable[Release], pieces: Mapping[Job, Allocation] | None = None
    ) -> NodeReleases:
        if isinstance(releases, NodeReleases):
            return releases
        return NodeReleases(self._free_space, releases, self._number, pieces)

    def kept_along(self, releases: Iterable[Release]) -> NodeReleases:
        gathered = self.gathered(releases)
        gathered.read_all()
        return gathered

    def may_fit_before(self, request: Request, releases: Iterable[Release]) -> WindowUnits:
        gathered = self.gathered(releases)
        return WindowUnits(request, self._free_space, gathered, self.carriers, self._number)

    def shadow_in_steps(
        self, request: Request, gathered: Iterable[Release], earliest_us: int, extra: Extra | None
    ) -> Generator[None, None, NodeShadow]:
        releases, after, lower = self.gathered(gathered), self._free_space, list[int]()
        found = yield from first_fit(request, self, releases, earliest_us)
        if (count := found.given) is None or extra == "instant":
            count = releases.until(found.time_us)
        if extra is not None:
            after = yield from releases.after_in_steps(count)
            pieces = self.numbered(self.place_once(after, found.component) or ())
            for at, one in pieces:
                after.add(at, one, -1)
            lower = [at for at, _ in pieces]
        return NodeShadow(self, found.time_us, after, lower)

    def required(self, component: Component) -> list[int]:
        return [self._number.get(name, -1) for name in component.require]

    def has_place(self, free_space: FreeSpace, component: Component) -> bool:
        return self.place_once(free_space, component) is not None

    def without(self, request: Request) -> NodeShadow:
        free_space = self._free_space.copy()
        lower = list(chain.from_iterable([self.carriers(one) for one in request.open]))
        for at in lower:
            free_space.cores[at] = min(0, free_space.cores[at])
        return NodeShadow(self, 0, free_space, lower)

    @property
    def now(self) -> FreeSpace:
        """Return what is free now."""
        return self._free_space

    def takes_work(self, at: int) -> bool:
        return at in self._is_available

    def number(self, name: str) -> int:
        return self._number[name]

    def numbers_of(self, names: Iterable[str]) -> list[int]:
        return [self._number[name] for name in names if name in self._number]

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""
        return [(self._number[piece.node], piece) for piece in pieces]

    def carriers(self, component: Component) -> list[int]:
        """Return the available nodes on which the component may be."""
        return self._carriers.of(component)

    def most_nodes(self, component: Component) -> int | None:
        return self._carriers.most_nodes(component)

    def place_in(self, free_space: FreeSpace, component: Component) -> Allocation | None:
        """Return where in `free_space` the component goes; None if it does not fit."""
        at_hand = free_space.usable is self._available
        if at_hand and self._hopeless(free_space, component):
            return None
        allocation = self.place_once(free_space, component)
        if at_hand and allocation is None:
            free_space.failed(
                component, self._carriers.within(component), self.most_nodes(component)
            )
        return allocation

    def place_once(self, free_space: FreeSpace, component: Component) -> Allocation | None:
        if (at := self._least_node(free_space, component)) is not None:
            return (piece(free_space, self._names, at, component.units, component),)
        holders = self._holders(free_space, component)
        if not enough(free_space, component, holders):
            return None
        if len(self._kinds) > 1 and component.feature is None and not component.require:
            real = [at for at in holders if EMULATED not in self._features[at]]
            if enough(free_space, component, real):
                holders = real
        place = spread if component.spread else packed
        allocation = place(free_space, self._names, component, holders)
        most_nodes = self.most_nodes(component)
        if allocation is None or most_nodes is None:
            return allocation
        return allocation if len(allocation) <= most_nodes else None

    def place_on_first(self, nodes: Sequence[int], component: Component) -> Allocation | None:
        if len(self._kinds) > 1:
            return None
        name = min([self._names[at] for at in nodes])
        return (Piece(name, component.size, component.mem_mib),)

    def _least_node(self, free_space: FreeSpace, component: Component) -> int | None:
        """Return the node with the least free cores that holds all units, without a look at all
        nodes; None if that is not to be known."""
        if free_space is not self._free_space or len(self._available) <= FEW_NODES:
            return None
        if component.spread or component.needs is not None or len(self._kinds) > 1:
            return None
        if component.where != _ANYWHERE and len(self.carriers(component)) < len(self._available):
            return None
        if free_space.by_cores is None:
            found = NodesByCores(self._available, free_space.cores, self._names)
            free_space.by_cores = found
        return free_space.by_cores.least(component.size, component.mem_mib, free_space.mem_mib)

    def _holders(self, free_space: FreeSpace, component: Component) -> list[int]:
        """Return the nodes on which a unit of the component fits."""
        among: Sequence[int] | None = None
        if component.where != _ANYWHERE:
            if free_space.usable is self._available:
                among = self.carriers(component)
            else:
                among = self._carriers.among(free_space.usable, component)
        return free_space.holders(component, component.mem_mib, among)
