"""The shadow of a head on nodes, or of several heads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.machine.free_space import FreeSpace


class Beside(Protocol):
    """The capacity that a shadow is of. `changes`: a number that changes with what is free."""

    changes: int

    def beside(self, later: FreeSpace, others: FreeSpace | None) -> FreeSpace:
        """Return what is free now, in `later`, and in `others` if there are any."""

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""

    def place_request(self, free_space: FreeSpace, request: Request) -> Allocation | None:
        """Return where in `free_space` the request goes; None if it does not fit."""

    def may_place_in(self, free_space: FreeSpace, request: Request) -> bool:
        """Return whether the request may fit into `free_space`: a necessary condition."""


class NodeShadow:
    """See `capacity.Shadow`. spaces: what is free at the shadow time of the head, after it has
    started; of several heads, of the last of them. before: the shadow of the others together.

    What is free beside the heads is found when it is asked for, from what is free beside the
    others: a pass may have hundreds of heads.
    """

    __slots__ = ("_before", "_beside", "_capacity", "_seen", "_space", "time_us")

    def __init__(
        self,
        capacity: Beside,
        time_us: int,
        space: FreeSpace,
        before: NodeShadow | None = None,
    ) -> None:
        self._capacity = capacity
        self._space = space
        self._before = before
        self.time_us = time_us
        self._beside: FreeSpace | None = None
        self._seen: int | None = None

    def with_later(self, later: NodeShadow) -> NodeShadow:
        """Return the shadow of these heads and of one with a later shadow time."""
        return NodeShadow(self._capacity, self.time_us, later._space, self)

    def _look(self) -> FreeSpace:
        """Return what is free both now and beside the heads."""
        now = self._capacity.changes
        stale: list[NodeShadow] = []
        one: NodeShadow | None = self
        while one is not None and (one._beside is None or one._seen != now):
            stale.append(one)
            one = one._before
        beside = None if one is None else one._beside
        for one in reversed(stale):
            beside = self._capacity.beside(one._space, beside)
            one._beside, one._seen = beside, now
        assert beside is not None
        return beside

    @property
    def extra(self) -> int:
        beside = self._look()
        return sum(beside.cores[at] for at in beside.usable)

    def may_place(self, request: Request) -> bool:
        return self._capacity.may_place_in(self._look(), request)

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
            one._beside = None
            one = one._before
