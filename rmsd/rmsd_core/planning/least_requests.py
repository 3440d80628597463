"""The least requests of some jobs, by kind: if none of them may start, none of the jobs may."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.request import Component, Request

MayPlace = Callable[[Request, int], bool]
"""A function that says whether a request may start now, for a length: a necessary condition. A
lesser request and a shorter length meet it as well."""

_Kind = tuple[tuple[int, bool, int, str | None, str | None, Demands | None], ...]
"""The components of requests that are compared by their units alone: their cores, whether each unit
takes a node, the highest bit of the memory, the feature, the partition, and what few ask for."""
_Units = tuple[int, ...]
"""The units of each component."""
_MOST_ADDED, _MOST_LEFT = 12, 64
"""The jobs that may join and leave before the least requests are worth making anew."""


class LeastRequests:
    """The least requests of each kind, with their lengths. Named nodes do not count, and neither do
    partitions that are closed now, since they may open.

    A longer job may find no place where a shorter one does. So a kind has several least requests:
    one of all its jobs, and one of those that are no longer than a length, for some lengths.

    A job that joins is looked at by itself. One that leaves makes the least requests lesser than
    they need be, and not wrong.
    differ: whether there may be several requests.
    """

    __slots__ = ("_added", "_kinds", "_left", "differ")

    def __init__(self, jobs: Iterable[tuple[Request, int]]) -> None:
        shortest: dict[_Kind, dict[_Units, int]] = {}
        last: Request | None = None
        by_units: dict[_Units, int] = {}
        units: _Units = ()
        for request, length_us in jobs:
            if request is not last:  # tasks of an array share theirs
                last = request
                units = tuple([one.units for one in request.components])
                by_units = shortest.setdefault(_kind(request), {})
            if length_us < by_units.get(units, length_us + 1):
                by_units[units] = length_us
        self._kinds = [_steps(kind, lengths) for kind, lengths in shortest.items()]
        self.differ = sum(map(len, self._kinds)) > 1
        self._added: list[tuple[Request, int]] = []
        self._left = 0

    def add(self, request: Request, length_us: int) -> None:
        """Note that a job has joined."""
        self._added.append((request, length_us))
        self.differ = True

    def leave(self) -> None:
        """Note that a job has left."""
        self._left += 1

    def is_worn(self) -> bool:
        """Return whether so many jobs have joined or left that it is time to look at all anew."""
        return len(self._added) > _MOST_ADDED or self._left > _MOST_LEFT

    def may_start(self, may_place: MayPlace) -> bool:
        """Return whether one of the jobs may start; a necessary condition."""
        for request, length_us in self._added:
            if may_place(request, length_us):
                return True
        for steps in self._kinds:
            # The request of the last step is the least of all, and the first one's length.
            if may_place(steps[-1][0], steps[0][1]) and (
                len(steps) == 1 or any(may_place(*step) for step in steps)
            ):
                return True
        return False


def _kind(request: Request) -> _Kind:
    return tuple(
        [
            (
                one.cores,
                one.spread,
                one.mem_mib.bit_length(),
                one.feature,
                one.partition,
                one.needs,
            )
            for one in request.components
        ]
    )


def _steps(kind: _Kind, lengths: dict[_Units, int]) -> list[tuple[Request, int]]:
    """Return requests with growing lengths. Each is the least of the jobs that are shorter than the
    following length, and its length is that of the shortest job that wants as little.

    lengths: those of the shortest job for each number of units.
    """
    found: list[tuple[Request, int]] = []
    least: _Units | None = None
    for units, length_us in sorted(lengths.items(), key=lambda one: one[1]):
        lesser = units if least is None else tuple(map(min, units, least))
        if lesser != least:
            found.append((_request(kind, lesser), length_us))
            least = lesser
    return found


def _request(kind: _Kind, units: _Units) -> Request:
    named: tuple[str, ...] = ()
    avoid, closed = frozenset[str](), False
    components = [
        (count, cores, (1 << mem_bit) >> 1, spread, *where, named, named, needs, avoid, closed)
        for count, (cores, spread, mem_bit, *where, needs) in zip(units, kind, strict=True)
    ]
    return Request(tuple(map(Component._make, components)))  # faster than keywords
