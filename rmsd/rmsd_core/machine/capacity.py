"""What the planner needs to know of a machine; policies do not know which kind it is.

`CountedCapacity` (counted.py): processors that are all alike, as in the papers.
`NodeCapacity` (node_capacity.py): nodes with cores and memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.recipes.recipe import Extra

Release = tuple[int, int, Job]
"""(expected end, arrival number, job): when a job gives back what it holds."""


Space = Any
"""What a job occupies in a profile: a number of processors, or an allocation on named nodes."""


class Shadow(Protocol):
    """The reservation of the head: the instant it can start, and what it leaves beside it."""

    time_us: int

    @property
    def extra(self) -> int:
        """No request larger than this fits beside the head; a necessary condition only."""

    def place(self, request: Request) -> Allocation | None:
        """Room for `request` that is free now and not needed by the head at the shadow time."""

    def holds(self, allocation: Allocation) -> bool:
        """Whether `allocation`, which is free now, is not needed by the head."""

    def take(self, allocation: Allocation) -> None:
        """`allocation` will still be held at the shadow time."""


class Profile(Protocol):
    """Free capacity from now on. Times are absolute, in microseconds; intervals are half open."""

    def advance(self, now_us: int) -> None:
        """Forget what was before `now_us`."""

    def overdrawn(self) -> tuple[int, int] | None:
        """From when to when more is taken than there is, if so at all; outside, all is well."""

    def space_at(self, request: Request, start_us: int, length_us: int) -> Space | None:
        """Room for `request` throughout [start, start + length), or None."""

    def earliest(
        self, request: Request, length_us: int, not_before_us: int
    ) -> tuple[int, Space] | None:
        """The first instant at which `request` has room for `length_us`, and where; None: never."""

    def sooner(
        self,
        request: Request,
        space: Space,
        start_us: int,
        length_us: int,
        not_before_us: int,
        before_us: int,
        given_at: set[int] | None,
    ) -> tuple[int, Space] | None:
        """The earliest start in [not_before, before) that is before `start_us`, for a request that
        has taken `space` there and would give it up. Since it last looked, something was given back
        at the spots `given_at` alone; None: anywhere."""

    def spots(self, space: Space) -> set[int]:
        """Where `space` lies; nowhere in particular if all is one pool."""

    def most_free(self, first_us: int, last_us: int) -> int:
        """No request larger than this fits at any time between; a necessary condition only."""

    def space_of(self, allocation: Allocation) -> Space:
        """What `allocation` occupies."""

    def holds(self, space: Space, start_us: int, length_us: int) -> bool:
        """Whether `space` is free throughout [start, start + length)."""

    def take(self, space: Space, start_us: int, length_us: int) -> None: ...

    def give(self, space: Space, start_us: int, length_us: int) -> None: ...

    def allocation(self, request: Request, space: Space) -> Allocation | None:
        """Where `request` goes if it starts now in `space`."""

    def step(self) -> tuple[int, int]:
        """When, from now on, less is free than now for the first time, and how much then; bounds
        for what may start now, necessary conditions only."""


class Capacity(Protocol):
    """The processors of a machine, free and held."""

    machine: int
    """Another number when the machine itself, not what is free of it, has changed."""

    free: int
    """No request larger than this fits now; a necessary condition only."""

    def set_node(self, name: str, cores: int, mem_mib: int, features: tuple[str, ...]) -> None:
        """A node is there, or has a new size."""

    def forget_node(self, name: str) -> None:
        """A node that holds nothing is there no more. No later call names it, not even a profile's
        that was made before."""

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

    def shadow(
        self,
        request: Request,
        releases: Iterable[Release],
        now_us: int,
        not_before_us: int = 0,
        extra: Extra = "instant",
    ) -> Shadow:
        """When `request` fits as `releases` (ascending) give back, but not before `not_before_us`;
        a past release counts as now. `extra`: see `recipe.Recipe`."""

    def profile(self, releases: Iterable[Release], now_us: int) -> Profile:
        """What is free from now on as `releases` give back, each of them in a second or later."""

    def spot(self, node: str) -> str:
        """Where the pieces of `node` lie: the node, or the pool it is part of."""

    def left(self, spot: str) -> tuple[int, int]:
        """Free cores and memory [MiB] there, whether available or not."""
