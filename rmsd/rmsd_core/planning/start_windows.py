"""The times at which a job may start beside the advance reservations, and where.

This is the one place that plans around them: each recipe asks it for *windows*. A window is a time
in which a job may start, with the request to be placed then. On nodes, the request avoids those
nodes that are closed to a start in the window: a job that is not of a reservation stays off its
nodes if the job could still run, by its limit, when the reservation begins. A job of a reservation
starts inside it alone, and only so early that it ends inside by its limit.

Processors that are only counted have no places to avoid. There the jobs that could still run inside
a reservation are counted, by their limits: those that run, and those that are planned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, compress

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request, avoiding
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity, Profile, Release, Shadow, Space
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.bounds import LongestLimit
from rmsd_core.planning.counted_windows import CountedWindows
from rmsd_core.planning.least_requests import MayPlace
from rmsd_core.planning.portions import Portions, whole
from rmsd_core.planning.start_window import LongestLimits, StartWindow, StartWindows
from rmsd_core.recipes.recipe import Extra

_MOST_KEPT = 4096
"""The requests with nodes to avoid that are kept."""
_MOST_SETS = 256
"""The sets of nodes to avoid that are kept; each takes some 50 bytes for each of its nodes."""


class _Closed:
    """The nodes that are closed to jobs, as sets of bits: those that are always (`outside`), and
    those of the reservations that a job would meet. `others`: these, with their nodes.

    There may be a hundred reservations of thousands of nodes, and jobs of any number of lengths. So
    nothing is kept for a length: the reservations that begin before the job would end are the first
    ones in the order of their starts, and those that are over then the first ones in that of their
    ends.
    """

    def __init__(self, outside: int, others: Iterable[tuple[AdvanceReservation, int]]) -> None:
        self._outside = outside
        self._others = sorted(others, key=lambda one: one[0].start_us)
        self._starts = [one.start_us for one, _ in self._others]
        self._ends = sorted([one.end_us for one, _ in self._others])
        self._found: dict[tuple[int, int], int] = {}

    def to(self, from_us: int, until_us: int) -> tuple[int, int]:
        """Return the nodes that are closed to a job from one time to another, and until when they
        are the same for a job that is as long and starts later."""
        begun, over = bisect_left(self._starts, until_us), bisect_right(self._ends, from_us)
        nodes = self._found.get((begun, over))
        if nodes is None:
            nodes = self._outside
            for one, its in self._others[:begun]:
                nodes |= its if one.end_us > from_us else 0
            self._found[begun, over] = nodes
        changes_us = self._ends[over] if over < len(self._ends) else NEVER_US
        if begun < len(self._starts):
            changes_us = min(changes_us, self._starts[begun] + 1 - (until_us - from_us))
        return nodes, changes_us


class NodeWindows(StartWindows):
    """The windows of jobs on nodes. `names`: the known nodes."""

    counts = False

    def __init__(
        self,
        reservations: Mapping[str, AdvanceReservation],
        admits: Callable[[AdvanceReservation, Job], bool],
        names: Iterable[str],
    ) -> None:
        self.reservations = reservations
        self._admits = admits
        self._known = dict.fromkeys(names)
        reserved = chain.from_iterable([one.nodes for one in reservations.values()])
        self._names = tuple(dict.fromkeys(chain(self._known, reserved)))
        self._number = {name: at for at, name in enumerate(self._names)}
        bits = {nodes: self._bits(nodes) for nodes in {one.nodes for one in reservations.values()}}
        self._nodes = {name: bits[one.nodes] for name, one in reservations.items()}
        self._every = self._bits(self._known)
        self._closed: dict[str, _Closed] = {}  # to jobs of a reservation, or of none ("")
        # The nodes of reservations, and the time until which these are the ones.
        self._closing_at: tuple[int, list[tuple[int, list[str]]]] | None = None
        self._sets: dict[int, frozenset[str]] = {}
        self._avoiding: dict[tuple[Request, int], Request] = {}
        # The keys are requests and the reservations that could hold a part of them, on a machine.
        self._held_by: dict[tuple[Request, str], bool] = {}
        self._held_by_of = -1

    def knows(self, names: Collection[str]) -> bool:
        """Return whether these are the known nodes."""
        return self._known.keys() == names

    def of(self, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        own = self.reservations.get(job.reservation)
        if job.reservation and (own is None or not self._admits(own, job)):
            return
        length_us, from_us, last_us = job.estimate_us, not_before_us, NEVER_US - 1
        if own is not None:
            from_us, last_us = max(from_us, own.start_us), own.end_us - length_us
        closed = self._closed_to(own)
        while from_us <= last_us:
            nodes, changes_us = closed.to(from_us, from_us + length_us)
            before_us = min(changes_us, last_us + 1)
            if nodes & self._every != self._every:
                yield StartWindow(from_us, before_us, self._off(job.request, nodes))
            from_us = before_us

    def request_at(self, job: Job, at_us: int) -> Request | None:
        own, length_us = self.reservations.get(job.reservation), job.estimate_us
        if job.reservation and (own is None or not self._admits(own, job)):
            return None
        if own is not None and not own.start_us <= at_us <= own.end_us - length_us:
            return None
        nodes, _ = self._closed_to(own).to(at_us, at_us + length_us)
        return None if nodes & self._every == self._every else self._off(job.request, nodes)

    def longest_in(self, capacity: Capacity, now_us: int) -> Callable[[str | None], LongestLimit]:
        @cache
        def within(partition: str | None) -> LongestLimit:
            free, until_us = [capacity.free_in(partition)], []
            for start_us, names in self._closing(now_us):
                left = free[-1] - capacity.free_on(names, partition)
                if start_us <= now_us:
                    free[-1] = left
                else:
                    free.append(left)
                    until_us.append(start_us - now_us)
            return LongestLimits(free, until_us)

        return within

    def _closing(self, now_us: int) -> list[tuple[int, list[str]]]:
        """Return the known nodes of reservations that are not over, each with the start of the
        first that it is in, in order."""
        if self._closing_at is None or self._closing_at[0] <= now_us:
            every = [one for one in self.reservations.values() if one.end_us > now_us]
            nodes: dict[str, int] = {}
            for one in sorted(every, key=lambda one: one.start_us):
                for name in one.nodes:
                    nodes.setdefault(name, one.start_us)
            found: dict[int, list[str]] = {}
            for name, start_us in nodes.items():
                if name in self._known:
                    found.setdefault(start_us, []).append(name)
            changes_us = min([one.end_us for one in every], default=NEVER_US)
            self._closing_at = changes_us, list(found.items())
        return self._closing_at[1]

    def _closed_to(self, own: AdvanceReservation | None) -> _Closed:
        name = "" if own is None else own.name
        found = self._closed.get(name)
        if found is None:
            outside = 0 if own is None else self._every & ~self._nodes[name]
            others = [one for one in self.reservations.values() if one is not own]
            found = _Closed(outside, [(one, self._nodes[one.name]) for one in others])
            self._closed[name] = found
        return found

    def inside(self, request: Request, reservation: str) -> Request:
        """Return the request, kept to the nodes of a reservation."""
        return self._off(request, self._every & ~self._nodes[reservation])

    def could_hold(
        self, capacity: Capacity, request: Request, reservation: AdvanceReservation
    ) -> bool:
        """Return whether a part of the request could be on the nodes of the reservation."""
        key = request, reservation.name
        if self._held_by_of != capacity.machine or len(self._held_by) >= _MOST_KEPT:
            self._held_by.clear()
            self._held_by_of = capacity.machine
        found = self._held_by.get(key)
        if found is None:
            nodes = frozenset(reservation.nodes)
            parts = [one for one in request.open if len(one.require) < one.units]
            units = (
                Request(tuple([one._replace(units=1, require=()) for one in parts]))
                if parts
                else None
            )
            found = self._held_by[key] = any(
                not nodes.isdisjoint(one.require) for one in request.open
            ) or (units is not None and capacity.possible(self.inside(units, reservation.name)))
        return found

    def _bits(self, names: Iterable[str]) -> int:
        """Return nodes as a set of bits."""
        found = bytearray(len(self._names) // 8 + 1)
        for at in map(self._number.__getitem__, names):
            found[at >> 3] |= 1 << (at & 7)
        return int.from_bytes(found, "little")

    def _off(self, request: Request, nodes: int) -> Request:
        """Return the request, kept off these nodes."""
        if not nodes:
            return request
        key = request, nodes
        found = self._avoiding.get(key)
        if found is None:
            names = self._set_of(nodes)
            if len(self._avoiding) >= _MOST_KEPT:
                self._avoiding.clear()
            is_off = names <= request.avoid
            found = request if is_off else avoiding(request, request.avoid | names)
            self._avoiding[key] = found
        return found

    def _set_of(self, nodes: int) -> frozenset[str]:
        found = self._sets.get(nodes)
        if found is None:
            if len(self._sets) >= _MOST_SETS:  # the requests that are kept have them, too
                self._sets.clear()
                self._avoiding.clear()
            digits = map(int, reversed(f"{nodes:b}"))
            found = self._sets[nodes] = frozenset(compress(self._names, digits))
        return found

    def take(self, job: Job, start_us: int) -> None:
        """Do nothing: the windows of a job do not depend on others."""

    def give(self, job: Job, start_us: int) -> None:
        """Do nothing: the windows of a job do not depend on others."""


Windows = NodeWindows | CountedWindows

# ---------------------------------------------------------------- what planners ask

# There are no windows (None) if there are no advance reservations: the machine is asked itself.


def request_now(windows: Windows | None, job: Job, now_us: int) -> Request | None:
    """Return the request to be placed if the job starts now; None: it may not start now."""
    return job.request if windows is None else windows.request_at(job, now_us)


def longest_in(
    windows: Windows | None, capacity: Capacity, now_us: int
) -> Callable[[str | None], LongestLimit] | None:
    """Return what `Bounds.longest_in` is."""
    return None if windows is None else windows.longest_in(capacity, now_us)


def may_place_in(
    capacity: Capacity, beside: Callable[[int], Shadow | None] = lambda _: None
) -> MayPlace | None:
    """Return what `Bounds.may_place` is. `beside`: the shadow beside which jobs of a length start;
    None: they start anywhere."""
    if capacity.alike:
        return None

    def may_place(request: Request, length_us: int) -> bool:
        return (beside(length_us) or capacity).may_place(request)

    return may_place


def earliest(
    windows: Windows | None,
    profile: Profile,
    job: Job,
    length_us: int,
    not_before_us: int,
    before_us: int = NEVER_US,
) -> tuple[int, Space] | None:
    """Return what `Profile.earliest` does, within the windows of the job."""
    if windows is None:
        return profile.earliest(job.request, length_us, not_before_us, before_us)
    within_us = not_before_us, before_us
    return whole(earliest_in_steps(windows, profile, job, length_us, within_us))


def earliest_in_steps(
    windows: Windows | None,
    profile: Profile,
    job: Job,
    length_us: int,
    within_us: tuple[int, int],
) -> Portions[tuple[int, Space] | None]:
    """Do what `earliest` does, in portions. See `Profile.earliest_in_steps`."""
    if windows is None:
        return (yield from profile.earliest_in_steps(job.request, length_us, *within_us))
    not_before_us, before_us = within_us
    for window in windows.of(job, not_before_us):
        if window.from_us >= before_us:
            break
        found = yield from profile.earliest_in_steps(
            window.request,
            length_us,
            max(not_before_us, window.from_us),
            min(before_us, window.before_us),
        )
        if found is not None:
            return found
    return None


def sooner(
    windows: Windows | None,
    profile: Profile,
    job: Job,
    taken: tuple[int, Space],
    within_us: tuple[int, int],
    given_at: int | None,
) -> tuple[int, Space] | None:
    """Return what `Profile.sooner` does, within the windows of a job that has `taken` a space from
    its start on."""
    start_us, space = taken
    not_before_us, before_us = within_us
    length_us = job.prediction_us
    if windows is None:
        return profile.sooner(
            job.request, space, start_us, length_us, not_before_us, before_us, given_at
        )
    windows.give(job, start_us)
    found = None
    for window in windows.of(job, not_before_us):
        if found is not None or window.from_us >= min(before_us, start_us):
            break
        found = profile.sooner(
            window.request,
            space,
            start_us,
            length_us,
            max(not_before_us, window.from_us),
            min(before_us, window.before_us),
            given_at,
        )
    windows.take(job, start_us)
    return found


def shadow(
    windows: Windows | None,
    capacity: Capacity,
    head: Job,
    releases: Iterable[Release],
    now_us: int,
    not_before_us: int,
    extra: Extra,
) -> Shadow:
    """Return what `Capacity.shadow` does, within the windows of the head."""
    if windows is None:
        return capacity.shadow(head.request, releases, now_us, not_before_us, extra)
    gathered, from_us = capacity.gathered(releases), max(now_us, not_before_us)
    return whole(shadow_in_steps(windows, capacity, head, gathered, from_us, extra))


def shadow_in_steps(
    windows: Windows | None,
    capacity: Capacity,
    head: Job,
    gathered: Iterable[Release],
    from_us: int,
    extra: Extra | None,
) -> Portions[Shadow]:
    """Do what `shadow` does from some time on, in portions. See `Capacity.shadow_in_steps`."""
    if windows is None:
        return (yield from capacity.shadow_in_steps(head.request, gathered, from_us, extra))
    may_fit = capacity.may_fit_before(head.request, gathered)
    for window in windows.of(head, from_us):
        if not (yield from may_fit(window.request, window.before_us)):
            continue
        begin_us = max(from_us, window.from_us)
        found = yield from capacity.shadow_in_steps(window.request, gathered, begin_us, extra)
        if found.time_us < window.before_us:
            return found
    return (yield from capacity.shadow_in_steps(head.request, gathered, NEVER_US, extra))


def closing(
    windows: Windows | None, capacity: Capacity, job: Job, now_us: int
) -> Iterator[AdvanceReservation]:
    """Yield the reservations that keep the job from starting now: that inside which it runs, or
    those that it would reach into on a node that could hold a part of it. Maintenances come first,
    and then what begins first."""
    if windows is None:
        return
    until_us = now_us + job.estimate_us
    own = windows.reservations.get(job.reservation)
    if own is not None and not own.start_us <= now_us <= until_us <= own.end_us:
        yield own
        return
    others = [one for one in windows.reservations.values() if one.name != job.reservation]
    meeting = [one for one in others if one.meets(now_us, until_us)]
    for one in sorted(meeting, key=lambda one: (not one.is_maintenance, one.start_us)):
        if windows.could_hold(capacity, job.request, one):
            yield one


def may_start_on(windows: Windows | None, job: Job, place: Allocation, now_us: int) -> bool:
    """Return whether the job may start now on a place that is its own already."""
    request = request_now(windows, job, now_us)
    return request is not None and not any(piece.node in request.avoid for piece in place)
