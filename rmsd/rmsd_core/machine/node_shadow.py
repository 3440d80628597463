"""The shadow of a head on nodes, or of several heads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.machine.free_space import FreeSpace


class Beside(Protocol):
    """The capacity that a shadow is of. `changes`: a number that changes with what is free."""

    changes: int

    def beside(self, free_spaces: Sequence[FreeSpace]) -> FreeSpace:
        """Return what is free both now and in all of `free_spaces`."""

    def numbered(self, pieces: Iterable[Piece]) -> list[tuple[int, Piece]]:
        """Return the pieces with the numbers of their nodes."""

    def place_request(self, free_space: FreeSpace, request: Request) -> Allocation | None:
        """Return where in `free_space` the request goes; None if it does not fit."""

    def may_place_in(self, free_space: FreeSpace, request: Request) -> bool:
        """Return whether the request may fit into `free_space`: a necessary condition."""


class NodeShadow:
    """See `capacity.Shadow`. spaces: what is free at the shadow time of each of the heads, after
    it has started."""

    __slots__ = ("_beside", "_capacity", "_seen", "spaces", "time_us")

    def __init__(self, capacity: Beside, time_us: int, spaces: list[FreeSpace]) -> None:
        self._capacity = capacity
        self.spaces = spaces
        self.time_us = time_us
        self._look()

    def _look(self) -> None:
        self._beside = self._capacity.beside(self.spaces)
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
        return self._capacity.may_place_in(self._beside, request)

    def place(self, request: Request) -> Allocation | None:
        if self._seen != self._capacity.changes:
            self._look()
        return self._capacity.place_request(self._beside, request)

    def holds(self, allocation: Allocation) -> bool:
        if self._seen != self._capacity.changes:
            self._look()
        return self._beside.has(self._capacity.numbered(allocation))

    def take(self, allocation: Allocation) -> None:
        for at, piece in self._capacity.numbered(allocation):
            for free_space in self.spaces:
                free_space.add(at, piece, -1)
        self._look()
