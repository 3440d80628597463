"""The least requests of some jobs, by kind: if none of them may start, none of the jobs may."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from operator import lt

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


class RefusedKinds:
    """The kinds of requests that have been refused in a pass. While a pass starts jobs, nothing is
    given back: a kind of which so many units, for such a length, were refused is asked for no
    more units and no longer."""

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: dict[_Kind, tuple[_Units, int]] = {}

    def knows(self, kind: _Kind, units: _Units, length_us: int) -> bool:
        found = self._refused.get(kind)
        return found is not None and length_us >= found[1] and not _is_less(units, found[0])

    def note(self, kind: _Kind, units: _Units, length_us: int) -> None:
        found = self._refused.get(kind)
        if found is None or (length_us <= found[1] and not _is_less(found[0], units)):
            self._refused[kind] = units, length_us


def _is_less(one: _Units, other: _Units) -> bool:
    """Return whether less is asked for in a component than in another request of the kind."""
    return any(map(lt, one, other))


class LeastRequests:
    """The least requests of each kind, with their lengths. Named nodes do not count, and neither do
    partitions that are closed now, since they may open.

    A longer job may find no place where a shorter one does. So a kind has several least requests:
    one of all its jobs, and one of those that are no longer than a length, for some lengths. They
    are made again when a job of the kind has joined or left, and a pass asks.

    Jobs that name many partitions may each name other ones. They count as if they could run
    anywhere: there are few kinds then, and mostly it is known at once that none has a place.
    """

    __slots__ = ("_is_rough", "_lengths", "_steps", "is_stale")

    def __init__(self, jobs: Iterable[tuple[Request, int]]) -> None:
        # The lengths of the jobs of each kind that want so many units, the shortest first.
        self._lengths: dict[_Kind, dict[_Units, list[int]]] = {}
        self._steps: dict[_Kind, list[tuple[Request, int]]] = {}
        self._is_rough = False
        self.is_stale = False  # a job has left that is not known here
        last: Request | None = None
        by_units: dict[_Units, list[int]] = {}
        units: _Units = ()
        for request, length_us in jobs:
            if request is not last:  # tasks of an array share theirs
                last = request
                kind, units = self._kind(request)
                by_units = self._lengths.setdefault(kind, {})
            by_units.setdefault(units, []).append(length_us)
        for by_units in self._lengths.values():
            for lengths in by_units.values():
                lengths.sort()

    def _kind(self, request: Request) -> tuple[_Kind, _Units]:
        components = request.components
        if (anywhere := request.ever_anywhere) is not None:
            components, self._is_rough = (anywhere,), True
        return _kind(components), tuple([one.units for one in components])

    @property
    def differ(self) -> bool:
        """Return whether one of the jobs may find a place where others do not."""
        if self._is_rough or len(self._lengths) != 1:
            return True
        [kind] = self._lengths
        return len(self._steps_of(kind)) > 1

    def add(self, request: Request, length_us: int) -> None:
        """Note that a job has joined."""
        kind, units = self._kind(request)
        insort(self._lengths.setdefault(kind, {}).setdefault(units, []), length_us)
        self._steps.pop(kind, None)

    def leave(self, request: Request, length_us: int) -> None:
        """Note that a job has left."""
        kind, units = self._kind(request)
        by_units = self._lengths.get(kind, {})
        lengths = by_units.get(units, [])
        at = bisect_left(lengths, length_us)
        if lengths[at : at + 1] != [length_us]:
            self.is_stale = True
            return
        del lengths[at]
        self._steps.pop(kind, None)
        if not lengths:
            del by_units[units]
            if not by_units:
                del self._lengths[kind]

    def _steps_of(self, kind: _Kind) -> list[tuple[Request, int]]:
        steps = self._steps.get(kind)
        if steps is None:
            shortest = {units: lengths[0] for units, lengths in self._lengths[kind].items()}
            steps = self._steps[kind] = _steps(kind, shortest)
        return steps

    def may_start(self, may_place: MayPlace, refused: RefusedKinds) -> bool:
        """Return whether one of the jobs may start; a necessary condition. refused: what the pass
        has refused; it is added to."""
        for kind in self._lengths:
            steps = self._steps_of(kind)
            # The request of the last step is the least of all, and the first one's length.
            least, units = steps[-1][0], _units(steps[-1][0])
            if refused.knows(kind, units, steps[0][1]):
                continue
            if not may_place(least, steps[0][1]):
                refused.note(kind, units, steps[0][1])
            elif len(steps) == 1 or any(may_place(*step) for step in steps):
                return True
        return False


def may_start(request: Request, length_us: int, may_place: MayPlace, refused: RefusedKinds) -> bool:
    """Return whether a job may start; a necessary condition. refused: what the pass has refused; it
    is added to."""
    anywhere = request.ever_anywhere
    components = request.components if anywhere is None else (anywhere,)
    kind, units = _kind(components), tuple([one.units for one in components])
    if refused.knows(kind, units, length_us):
        return False
    if may_place(request, length_us):
        return True
    # A request that says more than its kind does, as of memory or nodes, says nothing of others.
    if anywhere is None and components == _request(kind, units).components:
        refused.note(kind, units, length_us)
    return False


def _units(request: Request) -> _Units:
    return tuple([one.units for one in request.components])


def _kind(components: tuple[Component, ...]) -> _Kind:
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
            for one in components
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
