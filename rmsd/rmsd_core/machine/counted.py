"""Counted processors: a pool without structure, as in the papers and in trace replay."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping

from rmsd_core.jobs.gres import Shares
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Piece, Request
from rmsd_core.machine.capacity import Release
from rmsd_core.machine.counted_profile import CountedProfile
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US
from rmsd_core.recipes.recipe import Extra


class CountedShadow:
    """See `capacity.Shadow`; here `extra` is exact."""

    __slots__ = ("_capacity", "extra", "time_us")

    def __init__(self, capacity: CountedCapacity, time_us: int, extra: int) -> None:
        self._capacity = capacity
        self.time_us = time_us
        self.extra = extra

    def may_place(self, request: Request) -> bool:
        return request.size <= self.extra

    def place(self, request: Request) -> Allocation | None:
        return self._capacity.place(request) if request.size <= self.extra else None

    def holds(self, allocation: Allocation) -> bool:
        return allocation[0].cores <= self.extra

    def take(self, allocation: Allocation) -> None:
        self.extra -= allocation[0].cores

    def with_later(self, later: CountedShadow) -> CountedShadow:
        return min(self, later, key=lambda one: one.extra)


class CountedCapacity:
    """All nodes' processors in one pool. An allocation is one piece, on the node that hosts the
    job; hosts take turns, and a request may avoid some as its host. Memory, features and devices
    are not counted."""

    alike = True

    def __init__(self) -> None:
        self.machine = self.layout = self.looks = 0
        self.free = 0
        self.available = 0  # processors of the nodes that take work
        self._cores: dict[str, int] = {}
        self._hosts: list[str] = []
        self._turn = 0

    def set_node(
        self,
        name: str,
        cores: int,
        mem_mib: int,  # noqa: ARG002
        features: tuple[str, ...],  # noqa: ARG002
        gres: Shares = (),  # noqa: ARG002
    ) -> None:
        self.machine += 1
        if name in self._hosts:
            self._add(cores - self._cores[name])
        self._cores[name] = cores

    def forget_node(self, name: str) -> None:
        self.set_available(name, False)
        del self._cores[name]

    def set_available(self, name: str, available: bool) -> None:
        self.machine += 1
        if available and name not in self._hosts:
            self._hosts.append(name)
            self._add(self._cores[name])
        elif not available and name in self._hosts:
            self._hosts.remove(name)
            self._add(-self._cores[name])

    def set_partitions(self, partitions: Mapping[str, Partition]) -> None:
        """Refuse partitions: processors that are only counted are in none.

        Raises:
            ValueError: there are partitions.
        """
        if partitions:
            raise ValueError("counted processors have no partitions")

    def free_in(self, partition: str | None) -> int:  # noqa: ARG002 - there are none
        return self.free

    def free_on(self, names: Iterable[str], partition: str | None) -> int:  # noqa: ARG002
        return 0

    def without(self, request: Request) -> CountedShadow:  # noqa: ARG002 - all is one pool
        return CountedShadow(self, 0, 0)

    def _add(self, cores: int) -> None:
        self.free += cores
        self.available += cores

    def place(self, request: Request) -> Allocation | None:
        size = request.size
        if size > self.free:
            return None
        for _ in self._hosts:
            self._turn = (self._turn + 1) % len(self._hosts)
            host = self._hosts[self._turn]
            if host not in request.avoid:
                return (Piece(host, size),)
        return None

    def may_place(self, request: Request) -> bool:
        return request.size <= self.free

    def fits(self, request: Request) -> bool:
        return request.size <= self.free and bool(self._hosts)

    def take(self, allocation: Allocation) -> None:
        self.free -= allocation[0].cores

    def give(self, piece: Piece) -> None:
        self.free += piece.cores

    def possible(self, request: Request) -> bool:
        return request.size <= self.available and (
            not request.avoid or not request.avoid.issuperset(self._hosts)
        )

    def never_fits(self, request: Request) -> str | None:
        total = sum(self._cores.values())
        if request.avoid and request.avoid.issuperset(self._cores):
            return f"a host asked for other than {', '.join(sorted(request.avoid))}"
        if request.size <= total:
            return None
        return f"{request.size} processors asked for, the machine has {total}"

    def profile(self, releases: Iterable[Release], now_us: int) -> CountedProfile:
        return CountedProfile(self, releases, now_us)

    def shadow_in_steps(
        self, request: Request, gathered: Iterable[Release], earliest_us: int, extra: Extra | None
    ) -> Generator[None, None, CountedShadow]:
        yield  # the walk takes a few milliseconds at most
        return self.shadow(request, gathered, earliest_us, extra=extra or "needed")

    def node_or_pool(self, node: str) -> str:  # noqa: ARG002 - all nodes are one pool
        return ""

    def left(self, where: str) -> tuple[int, int]:  # noqa: ARG002
        return self.free, 0

    def devices_left(self, where: str, kind: str) -> int:  # noqa: ARG002
        return 0

    def as_now(self) -> CountedCapacity:
        twin = CountedCapacity()
        twin.machine, twin.free, twin.available = self.machine, self.free, self.available
        twin._cores, twin._hosts, twin._turn = dict(self._cores), self._hosts[:], self._turn
        return twin

    def gathered(
        self,
        releases: Iterable[Release],
        pieces: Mapping[Job, Allocation] | None = None,  # noqa: ARG002 - sizes are counted
    ) -> Iterable[Release]:
        return releases

    def kept_along(self, releases: Iterable[Release]) -> None:  # noqa: ARG002 - sizes are counted
        return None

    def may_fit_before(
        self, request: Request, releases: Iterable[Release]
    ) -> Callable[[Request, int], Generator[None, None, bool]]:
        fits_us = self.shadow(request, releases, 0).time_us

        def may_fit(_: Request, before_us: int) -> Generator[None, None, bool]:
            yield
            return fits_us < before_us

        return may_fit

    def shadow(
        self,
        request: Request,
        releases: Iterable[Release],
        now_us: int,
        not_before_us: int = 0,
        extra: Extra = "instant",
    ) -> CountedShadow:
        """Walk the release list (simulation rules, EASY step 2)."""
        size = request.size
        available = self.free
        earliest_us = max(now_us, not_before_us)
        time_us = earliest_us if available >= size else NEVER_US
        for end_us, _, job in releases:
            if available >= size:
                if end_us > time_us or extra == "needed":
                    break
            elif available + job.size >= size:
                time_us = max(end_us, earliest_us)
            available += job.size
        return CountedShadow(self, time_us, available - size)
