"""The planner's view of a machine; policies do not know which kind it is.

`CountedCapacity` (counted.py): processors that are all alike, as in the papers.
`NodeCapacity` (node_capacity.py): nodes with cores and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, Protocol

from rmsd_core.jobs.gres import Shares
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.recipes.recipe import Extra

Release = tuple[int, int, Job]
"""(expected end, arrival number, job): the time at which a job gives back what it holds."""


Space = Any
"""The place of a job in a profile: a number of processors, or an allocation on named nodes."""


class Shadow(Protocol):
    """The reservation of the head: the instant at which it can start, and what is left beside it
    then."""

    time_us: int

    @property
    def extra(self) -> int:
        """Return an upper bound of the size that fits beside the head. A smaller request may still
        not fit."""

    def may_place(self, request: Request) -> bool:
        """Return whether `place` may find a place; a necessary condition, which is quick to
        know."""

    def place(self, request: Request) -> Allocation | None:
        """Return a place for `request` that is free now and that the head does not need at the
        shadow time."""

    def holds(self, allocation: Allocation) -> bool:
        """Return whether `allocation`, which is free now, is not needed by the head."""

    def take(self, allocation: Allocation) -> None:
        """Note that `allocation` will still be held at the shadow time."""

    def with_later(self, later: Any) -> Shadow:
        """Return the shadow of this head, or these heads, and of one with a later shadow time: what
        fits beside all of them. The time is that of the first."""


class Releases(Protocol):
    """Gathered releases (`Capacity.gathered`) that stay right as jobs begin and end."""

    def __iter__(self) -> Iterator[Release]: ...

    def expect(self, changes: int) -> None:
        """Prepare for so many calls of `begin` and `end`."""

    def begin(self, release: Release) -> None:
        """Note that a job has taken what it gives back with this release."""

    def end(self, release: Release) -> None:
        """Note that a job has given back what it held."""


class Profile(Protocol):
    """Free capacity from now on. Times are absolute, in microseconds; intervals are half open."""

    looks: int
    """The number of looks that searches and changes have taken so far. A look takes some 10
    microseconds."""

    gives: int
    """The number of times that something was given back so far."""

    def copy(self) -> Profile:
        """Return a profile with the same steps, which changes apart from this one."""

    def advance(self, now_us: int) -> None:
        """Forget what was before `now_us`."""

    def overdrawn(self) -> tuple[int, int] | None:
        """Return from when to when more is taken than there is; None if that is never so."""

    def space_at(self, request: Request, start_us: int, length_us: int) -> Space | None:
        """Return free space for `request` throughout [start, start + length), or None."""

    def may_hold(self, request: Request, length_us: int) -> bool:
        """Return whether `request` may fit from the present on: a necessary condition, which most
        jobs of a long queue fail."""

    def earliest(
        self, request: Request, length_us: int, not_before_us: int, before_us: int = NEVER_US
    ) -> tuple[int, Space] | None:
        """Return the first start in [not_before, before) at which `request` fits for `length_us`,
        and its space; None: there is none."""

    def earliest_in_steps(
        self, request: Request, length_us: int, not_before_us: int, before_us: int = NEVER_US
    ) -> Generator[None, None, tuple[int, Space] | None]:
        """Do what `earliest` does, in steps of a millisecond or two. The profile stays as it is
        meanwhile."""

    def sooner(
        self,
        request: Request,
        space: Space,
        start_us: int,
        length_us: int,
        not_before_us: int,
        before_us: int,
        given_at: int | None,
    ) -> tuple[int, Space] | None:
        """Return the earliest start in [not_before, before) that is before `start_us`, for a
        request that has taken `space` there and would give it up. Since the last look, capacity was
        given back at the nodes `given_at` alone; None: anywhere."""

    def nodes_of(self, space: Space) -> int:
        """Return where `space` lies: some bits for each node; 0 if all is one pool."""

    def numbers_of(self, space: Space) -> int:
        """Return where `space` lies, by the numbers of nodes: one bit for each; 0 if all is one
        pool. For 10,000 nodes it takes 1 kB, and what `nodes_of` returns 30 kB or more."""

    def most_free(self, first_us: int, last_us: int) -> int:
        """Return an upper bound of the size that fits between these times. A smaller request may
        still not fit."""

    def space_of(self, allocation: Allocation) -> Space:
        """Return the space that `allocation` occupies."""

    def holds(self, space: Space, start_us: int, length_us: int) -> bool:
        """Return whether `space` is free throughout [start, start + length)."""

    def take(self, space: Space, start_us: int, length_us: int) -> None: ...

    def give(self, space: Space, start_us: int, length_us: int) -> None: ...

    def allocation(self, request: Request, space: Space) -> Allocation | None:
        """Return the allocation of `request` if it starts now in `space`."""

    def end(self, job: Job, pieces: Allocation, end_us: int) -> Space:
        """Let what a running job holds be free from its expected end on, or in a second if that is
        later. Jobs are named in the order of their ends, before anything else is taken. Return the
        space that the pieces occupy."""

    def may_renew(self) -> bool:
        """Return whether `renew` can follow what has changed of the machine. Otherwise the profile
        is to be made anew."""

    def renew(self, ends: dict[Job, tuple[int, Space]]) -> None:
        """Go on with the machine as it is now: nodes have come or gone, or have other sizes.
        `ends`: when each running job gives back which space, while nothing else is taken. The
        spaces are replaced by those of the new machine."""

    def step(self) -> tuple[int, int]:
        """Return when, from now on, less is free than now for the first time, and how much is free
        then. Both bound what may start now; necessary conditions only."""


class Capacity(Protocol):
    """The processors of a machine, free and held."""

    machine: int
    """A number that changes when the machine itself, not its free capacity, has changed, or when
    more is held than there is. Then a profile that was made before must be renewed."""

    layout: int
    """A number that changes when nodes come or go, or have another size."""

    alike: bool
    """All processors are alike: then the size of a request says whether it may fit."""

    free: int
    """An upper bound of the size that fits now. A smaller request may still not fit."""

    @property
    def looks(self) -> int:
        """Return how many looks at nodes were taken so far, as `Profile.looks` does."""

    def set_node(
        self,
        name: str,
        cores: int,
        mem_mib: int,
        features: tuple[str, ...],
        gres: Shares = (),
    ) -> None:
        """Add a node, or give it a new size."""

    def forget_node(self, name: str) -> None:
        """Remove a node that holds nothing. No later call names it, not even of a profile that was
        made before."""

    def set_partitions(self, partitions: Mapping[str, Partition]) -> None:
        """Replace the partitions that requests may name."""

    def free_in(self, partition: str | None) -> int:
        """Return an upper bound of the size that fits now on nodes of the partition; None: on any
        nodes."""

    def free_on(self, names: Iterable[str], partition: str | None) -> int:
        """Return how much of what `free_in` returns is on these nodes. Processors that are only
        counted are on no nodes."""

    def without(self, request: Request) -> Shadow:
        """Return what is left if nothing may start, now or later, on the nodes that `request` may
        have."""

    def set_available(self, name: str, available: bool) -> None:
        """Set whether new work may be placed on the node. What it holds stays held."""

    def place(self, request: Request) -> Allocation | None:
        """Return a place for `request` now, or None. Nothing is taken yet."""

    def may_place(self, request: Request) -> bool:
        """Return whether `request` may fit now; a necessary condition, which is quick to know."""

    def fits(self, request: Request) -> bool:
        """Return whether `place` has a place for `request` now. The answer changes nothing."""

    def take(self, allocation: Allocation) -> None:
        """Note that one job holds `allocation` from now on."""

    def give(self, piece: Piece) -> None: ...

    def possible(self, request: Request) -> bool:
        """Return whether `request` would fit if everything on the available nodes were free."""

    def never_fits(self, request: Request) -> str | None:
        """Return why no state of the known nodes can hold `request`, in words with numbers, or
        None."""

    def shadow(
        self,
        request: Request,
        releases: Iterable[Release],
        now_us: int,
        not_before_us: int = 0,
        extra: Extra = "instant",
    ) -> Shadow:
        """Return when `request` fits as `releases` (ascending) give back, but not before
        `not_before_us`; a past release counts as now. `extra`: see `recipe.Recipe`."""

    def gathered(
        self, releases: Iterable[Release], pieces: Mapping[Job, Allocation] | None = None
    ) -> Iterable[Release]:
        """Return the releases for the shadows of several heads, as long as nothing is taken, given
        or expected meanwhile. `pieces`: what each job gives back; None: what it does now."""

    def kept_along(self, releases: Iterable[Release]) -> Releases | None:
        """Return the releases, gathered to be kept while jobs begin and end, as long as the
        `layout` is the same. None: a walk over the releases themselves takes no longer."""

    def as_now(self) -> Capacity:
        """Return a capacity that stays as this one is now, for long answers."""

    def shadow_in_steps(
        self, request: Request, gathered: Iterable[Release], earliest_us: int, extra: Extra | None
    ) -> Generator[None, None, Shadow]:
        """Do what `shadow` does for releases that are `gathered`, in steps, each of which looks at
        a bounded number of releases, or once at all nodes. `extra`: None if only the time is asked
        for."""

    def may_fit_before(
        self, request: Request, releases: Iterable[Release]
    ) -> Callable[[Request, int], Generator[None, None, bool]]:
        """Return a function that tells in such steps whether `request`, or the same with other
        nodes to avoid, may fit before a time as `releases` give back: a necessary condition. The
        times ascend."""

    def profile(self, releases: Iterable[Release], now_us: int) -> Profile:
        """Return the free capacity from now on as `releases` give back, each of them in a second or
        later."""

    def node_or_pool(self, node: str) -> str:
        """Return where the pieces of `node` lie: the node, or the pool that it is part of."""

    def left(self, where: str) -> tuple[int, int]:
        """Return the free cores and memory [MiB] there, whether available or not."""

    def devices_left(self, where: str, kind: str) -> int:
        """Return how many devices of this kind are free there, whether available or not."""
