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
"""The components of requests that are compared by their units and memory alone: their cores,
whether each unit takes a node, the highest bit of the memory, the feature, the partition, and what
few ask for."""
_Wants = tuple[int, ...]
"""The units of each component, and then the memory of each."""


_MOST_REFUSALS = 4
"""The refusals of a kind that a pass knows."""


class RefusedKinds:
    """The kinds of requests that have been refused in a pass. While a pass starts jobs, nothing is
    given back: a kind of which so many units with so much memory, for such a length, were refused
    is asked for no more of these and no longer. Of some refusals of a kind none implies another: a
    shorter job may have wanted more."""

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: dict[_Kind, list[tuple[_Wants, int]]] = {}

    def knows(self, kind: _Kind, wants: _Wants, length_us: int) -> bool:
        for refused, least_us in self._refused.get(kind, ()):
            if length_us >= least_us and not _is_less(wants, refused):
                return True
        return False

    def note(self, kind: _Kind, wants: _Wants, length_us: int) -> None:
        """Note a refusal that is not known."""
        others = [
            (refused, least_us)
            for refused, least_us in self._refused.get(kind, ())
            if length_us > least_us or _is_less(refused, wants)
        ]
        self._refused[kind] = [*others[: _MOST_REFUSALS - 1], (wants, length_us)]


def _is_less(one: _Wants, other: _Wants) -> bool:
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
        # The lengths of the jobs of each kind that want as much, the shortest first.
        self._lengths: dict[_Kind, dict[_Wants, list[int]]] = {}
        self._steps: dict[_Kind, list[tuple[Request, int]]] = {}
        self._is_rough = False
        self.is_stale = False  # a job has left that is not known here
        last: Request | None = None
        by_wants: dict[_Wants, list[int]] = {}
        wants: _Wants = ()
        for request, length_us in jobs:
            if request is not last:  # tasks of an array share theirs
                last = request
                kind, wants = self._kind(request)
                by_wants = self._lengths.setdefault(kind, {})
            by_wants.setdefault(wants, []).append(length_us)
        for by_wants in self._lengths.values():
            for lengths in by_wants.values():
                lengths.sort()

    def _kind(self, request: Request) -> tuple[_Kind, _Wants]:
        components = request.components
        if (anywhere := request.ever_anywhere) is not None:
            components, self._is_rough = (anywhere,), True
        return _kind(components), _wants(components)

    @property
    def differ(self) -> bool:
        """Return whether the jobs are of several kinds, or have several least requests. If not, a
        look at each of them says hardly more than `may_start`."""
        if self._is_rough or len(self._lengths) != 1:
            return True
        [kind] = self._lengths
        return len(self._steps_of(kind)) > 1

    def add(self, request: Request, length_us: int) -> None:
        """Note that a job has joined."""
        kind, wants = self._kind(request)
        insort(self._lengths.setdefault(kind, {}).setdefault(wants, []), length_us)
        self._steps.pop(kind, None)

    def leave(self, request: Request, length_us: int) -> None:
        """Note that a job has left."""
        kind, wants = self._kind(request)
        by_wants = self._lengths.get(kind, {})
        lengths = by_wants.get(wants, [])
        at = bisect_left(lengths, length_us)
        if lengths[at : at + 1] != [length_us]:
            self.is_stale = True
            return
        del lengths[at]
        self._steps.pop(kind, None)
        if not lengths:
            del by_wants[wants]
            if not by_wants:
                del self._lengths[kind]

    def _steps_of(self, kind: _Kind) -> list[tuple[Request, int]]:
        steps = self._steps.get(kind)
        if steps is None:
            shortest = {wants: lengths[0] for wants, lengths in self._lengths[kind].items()}
            steps = self._steps[kind] = _steps(kind, shortest)
        return steps

    def may_start(self, may_place: MayPlace, refused: RefusedKinds) -> bool:
        """Return whether one of the jobs may start; a necessary condition. refused: what the pass
        has refused; it is added to."""
        for kind in self._lengths:
            steps = self._steps_of(kind)
            # The request of the last step is the least of all, and the first one's length.
            least, wants = steps[-1][0], _wants(steps[-1][0].components)
            if refused.knows(kind, wants, steps[0][1]):
                continue
            if not may_place(least, steps[0][1]):
                refused.note(kind, wants, steps[0][1])
            elif len(steps) == 1 or any(may_place(*step) for step in steps):
                return True
        return False


def may_start(request: Request, length_us: int, may_place: MayPlace, refused: RefusedKinds) -> bool:
    """Return whether a job may start; a necessary condition. refused: what the pass has refused; it
    is added to."""
    anywhere = request.ever_anywhere
    components = request.components if anywhere is None else (anywhere,)
    kind, wants = _kind(components), _wants(components)
    if refused.knows(kind, wants, length_us):
        return False
    if may_place(request, length_us):
        return True
    # A request that says more than its kind does, as of nodes, says nothing of others.
    if anywhere is None and components == _request(kind, wants).components:
        # Mostly no shorter job has a place either.
        refused.note(kind, wants, length_us if may_place(request, 0) else 0)
    return False


def _wants(components: tuple[Component, ...]) -> _Wants:
    return tuple([one.units for one in components] + [one.mem_mib for one in components])


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


def _steps(kind: _Kind, lengths: dict[_Wants, int]) -> list[tuple[Request, int]]:
    """Return requests with growing lengths. Each is the least of the jobs that are shorter than the
    following length, and its length is that of the shortest job that wants as little.

    lengths: those of the shortest job that wants as much.
    """
    found: list[tuple[Request, int]] = []
    least: _Wants | None = None
    for wants, length_us in sorted(lengths.items(), key=lambda one: one[1]):
        lesser = wants if least is None else tuple(map(min, wants, least))
        if lesser != least:
            found.append((_request(kind, lesser), length_us))
            least = lesser
    return found


def _request(kind: _Kind, wants: _Wants) -> Request:
    named: tuple[str, ...] = ()
    avoid, closed = frozenset[str](), False
    components = [
        (units, cores, mem_mib, spread, *where, named, named, needs, avoid, closed)
        for units, mem_mib, (cores, spread, _, *where, needs) in zip(
            wants[: len(kind)], wants[len(kind) :], kind, strict=True
        )
    ]
    return Request(tuple(map(Component._make, components)))  # faster than keywords
