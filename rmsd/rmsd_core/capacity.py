"""What the planner needs to know of a machine; policies do not know which kind it is.

`CountedCapacity` (counted.py): processors that are all alike, as in the papers.
`NodeCapacity` (node_capacity.py): nodes with cores and memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rmsd_core.job import UNLIMITED_US, Allocation, Job, Piece, Request

NEVER_US = UNLIMITED_US * 2
"""A shadow time that does not come: what runs now will not make room for the head."""

Release = tuple[int, int, Job]
"""(expected end, arrival number, job): when a job gives back what it holds."""


class Shadow(Protocol):
    """The reservation of the head: the instant it can start, and what it leaves beside it."""

    time_us: int

    @property
    def extra(self) -> int:
        """No request larger than this fits beside the head; a necessary condition only."""

    def place(self, request: Request) -> Allocation | None:
        """Room for `request` that is free now and not needed by the head at the shadow time."""

    def take(self, allocation: Allocation) -> None:
        """`allocation`, found by `place`, will still be held at the shadow time."""


class Capacity(Protocol):
    """The processors of a machine, free and held."""

    free: int
    """No request larger than this fits now; a necessary condition only."""

    def set_node(self, name: str, cores: int, mem_mib: int, features: tuple[str, ...]) -> None:
        """A node is there, or has a new size."""

    def set_available(self, name: str, available: bool) -> None:
        """Whether new work may be placed on the node. What it holds stays held."""

    def place(self, request: Request) -> Allocation | None:
        """Room for `request` now, or None. Nothing is taken yet."""

    def take(self, allocation: Allocation) -> None: ...

    def give(self, piece: Piece) -> None: ...

    def possible(self, request: Request) -> bool:
        """Whether `request` would fit if everything on the available nodes were free."""

    def never_fits(self, request: Request) -> str | None:
        """Why no state of the nodes known can hold `request`, in words with numbers, or None."""

    def shadow(self, request: Request, releases: Iterable[Release], now_us: int) -> Shadow:
        """When `request` fits as `releases` (ascending) give back; a past one counts as now."""
