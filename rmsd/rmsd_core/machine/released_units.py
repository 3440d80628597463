"""The units of a component that fit on its nodes, as running jobs give back what they hold."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.machine.free_space import FreeSpace
from rmsd_core.machine.node_releases import NodeReleases

_LOOKS = 256
"""The releases that are given back in a step: a millisecond or less."""


class ReleasedUnits:
    """The units that fit on each of the nodes `usable`, and whether all may fit together.

    A head may wait for thousands of releases, and a look at all nodes after each of them would take
    seconds. So what a release changes is counted on its own nodes alone. free_space: what is free;
    it changes with each release. required: the numbers of nodes that the component must have;
    most_nodes: how many nodes it may have, None: any number.
    """

    __slots__ = (
        "_by_size",
        "_component",
        "_missing",
        "_most_nodes",
        "_units",
        "_usable",
        "free_space",
        "total",
    )

    def __init__(
        self,
        component: Component,
        free_space: FreeSpace,
        usable: Sequence[int],
        required: Iterable[int] = (),
        most_nodes: int | None = None,
    ) -> None:
        self._component = component
        self._most_nodes = most_nodes
        self.free_space = free_space
        holders = free_space.holders(component, component.mem_mib, usable)
        # Nodes on which none fits are left out.
        self._units = {at: free_space.units(at, component) for at in holders}
        self._usable = frozenset(usable)
        self.total = sum(self._units.values())
        self._missing = {at for at in required if not self._units.get(at)}
        self._by_size = [] if most_nodes is None else sorted(self._units.values())

    def give(self, at: int, piece: Piece) -> None:
        """Give back a piece on node `at`, if the component may be there."""
        if at not in self._usable:
            return
        before = self._units.get(at, 0)
        self.free_space.add(at, piece, 1)
        units = max(0, self.free_space.units(at, self._component))
        if units == before:
            return
        self._units[at] = units
        self.total += units - before
        self._missing.discard(at)
        if self._most_nodes is not None:
            if before:
                del self._by_size[bisect_left(self._by_size, before)]
            insort(self._by_size, units)

    def may_fit(self) -> bool:
        """Return whether all units may fit: a necessary condition."""
        units = self._component.units
        if self.total < units or self._missing:
            return False
        return self._most_nodes is None or sum(self._by_size[-self._most_nodes :]) >= units

    def first(
        self, releases: NodeReleases, given: int, last: int, fits: Callable[[], bool]
    ) -> Generator[None, None, int | None]:
        """Give back releases until all units may fit and `fits` holds, in steps. Return after how
        many of all that is so; None if it is not so after the first `last` ones. `given`: how many
        are given back already."""
        if self.may_fit() and fits():
            return given
        for number in range(given, last):
            for at, piece in releases.pieces(number):
                self.give(at, piece)
            if self.may_fit():
                if fits():
                    return number + 1
                yield  # a look at all nodes
            elif not number % _LOOKS:
                yield
        return None

    def beside(self, avoided: Iterable[int]) -> int:
        """Return how many units fit on the other nodes."""
        return self.total - sum([self._units.get(at, 0) for at in avoided])


class WindowUnits:
    """The times before which a request may fit that keeps off other nodes at each: a head beside
    hundreds of advance reservations. They are asked for in order, so that each release is given
    back once, and not once for each time.

    usable_by: returns the nodes on which a component may be; number: those of the nodes, by name.
    """

    __slots__ = ("_given", "_number", "_own", "_releases", "_units")

    def __init__(
        self,
        request: Request,
        free_space: FreeSpace,
        releases: NodeReleases,
        usable_by: Callable[[Component], Sequence[int]],
        number: Mapping[str, int],
    ) -> None:
        self._own = request.avoid
        self._releases = releases
        self._number = number
        self._given = 0
        self._units = [
            ReleasedUnits(one, free_space.copy(), usable_by(one)) for one in request.open
        ]

    def __call__(self, request: Request, before_us: int) -> Generator[None, None, bool]:
        """Return whether the request, which may avoid other nodes than the first one, may fit
        before this time: a necessary condition, found in steps."""
        count = self._releases.until(before_us - 1)
        for number in range(self._given, count):
            for at, piece in self._releases.pieces(number):
                for units in self._units:
                    units.give(at, piece)
            if not number % _LOOKS:
                yield
        self._given = max(self._given, count)
        avoided = [self._number.get(name, -1) for name in request.avoid - self._own]
        return any(
            units.total >= one.units and units.beside(avoided) >= one.units
            for units, one in zip(self._units, request.open, strict=True)
        )
