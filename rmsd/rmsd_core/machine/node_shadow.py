"""The shadow of a head on nodes, or of several heads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.machine.changed_nodes import ChangedNodes
from rmsd_core.machine.free_space import FreeSpace, least_of


class Beside(Protocol):
    """The capacity that a shadow is of. now: what is free now. changed: the nodes on which that
    changes."""

    changed: ChangedNodes

    @property
    def now(self) -> FreeSpace: ...

    def takes_work(self, at: int) -> bool:
        """Return whether new work may be placed on node `at`."""

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""

    def place_request(self, free_space: FreeSpace, request: Request) -> Allocation | None:
        """Return where in `free_space` the request goes; None if it does not fit."""

    def may_place_in(self, free_space: FreeSpace, request: Request) -> bool:
        """Return whether the request may fit into `free_space`: a necessary condition."""


class NodeShadow:
    """See `capacity.Shadow`. space: what is free at the shadow time of the head, after it has
    started; of several heads, of the last of them. lower: the nodes on which that may be less than
    what is free as this is made. before: the shadow of the others together.

    What is free beside the heads is found when it is asked for, from what is free beside the
    others: a pass may have hundreds of heads. After a start it is found again on the nodes of that
    start alone.
    """

    __slots__ = (
        *("_before", "_beside", "_capacity", "_extra", "_lower", "_made", "_seen", "_space"),
        "time_us",
    )

    def __init__(
        self,
        capacity: Beside,
        time_us: int,
        space: FreeSpace,
        lower: Iterable[int],
        before: NodeShadow | None = None,
    ) -> None:
        self._capacity = capacity
        self._space = space
        self._before = before
        self.time_us = time_us
        self._lower = lower
        self._made = self._seen = capacity.changed.count
        self._beside: FreeSpace | None = None
        self._extra: int | None = None

    def with_later(self, later: NodeShadow) -> NodeShadow:
        """Return the shadow of these heads and of one with a later shadow time."""
        both = NodeShadow(self._capacity, self.time_us, later._space, later._lower, self)
        both._made = later._made
        return both

    def _look(self) -> FreeSpace:
        """Return what is free both now and beside the heads."""
        count = self._capacity.changed.count
        stale: list[NodeShadow] = []
        one: NodeShadow | None = self
        while one is not None and (one._beside is None or one._seen != count):
            stale.append(one)
            one = one._before
        beside = None if one is None else one._beside
        for one in reversed(stale):
            beside = one._bring_up_to_date(beside)
        assert beside is not None
        return beside

    def _bring_up_to_date(self, others: FreeSpace | None) -> FreeSpace:
        """Find what is free now beside the heads, from what is free beside the others."""
        changed, now, beside = self._capacity.changed, self._capacity.now, self._beside
        before = now if others is None else others
        nodes = changed.since(self._made if beside is None else self._seen)
        if nodes is None:
            beside = least_of((before, self._space), now.usable, now.total)
            self._extra = None
        else:
            if beside is None:
                beside = before.follower()
                nodes = list(dict.fromkeys([*self._lower, *nodes]))
            counted = []
            if self._extra is not None:
                counted = [at for at in nodes if self._capacity.takes_work(at)]
                self._extra -= sum([beside.cores[at] for at in counted])
            beside.follow(nodes, before, self._space)
            if self._extra is not None:
                self._extra += sum([beside.cores[at] for at in counted])
        self._beside, self._seen = beside, changed.count
        return beside

    @property
    def extra(self) -> int:
        beside = self._look()
        if self._extra is None:
            self._extra = sum([beside.cores[at] for at in beside.usable])
        return self._extra

    def may_place(self, request: Request) -> bool:
        # There is no more beside the heads than now, of which more is known.
        capacity = self._capacity
        return capacity.may_place_in(capacity.now, request) and capacity.may_place_in(
            self._look(), request
        )

    def place(self, request: Request) -> Allocation | None:
        return self._capacity.place_request(self._look(), request)

    def holds(self, allocation: Allocation) -> bool:
        return self._look().has(self._capacity.numbered(allocation))

    def take(self, allocation: Allocation) -> None:
        pieces = self._capacity.numbered(allocation)
        one: NodeShadow | None = self
        while one is not None:
            for at, piece in pieces:
                one._space.add(at, piece, -1)
            one = one._before
        for at, _ in pieces:
            self._capacity.changed.note(at)
