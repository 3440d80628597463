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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request, avoiding
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity, Profile, Release, Shadow, Space
from rmsd_core.machine.counted_profile import Steps
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.recipe import Extra

_MANY = 1 << 62
"""More processors than any machine has."""
_MOST_KEPT = 4096
"""The requests with nodes to avoid that are kept, and the lengths of jobs with their times."""


_Time = tuple[int, int, frozenset[str]]
"""The start and the end of a time, and the nodes that are closed to jobs that start then."""


class StartWindow(NamedTuple):
    """A job may start at `from_us` or later, and before `before_us`, where `request` fits."""

    from_us: int
    before_us: int
    request: Request


class StartWindows(Protocol):
    """The windows of jobs, as of one pass.

    counts: whether windows depend on other jobs, which `take` and `give` count. reservations: by
        name.
    """

    counts: bool
    reservations: Mapping[str, AdvanceReservation]

    def of(self, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        """Yield the windows that are not over at `not_before_us`, in order."""

    def take(self, job: Job, start_us: int) -> None:
        """Count a job that starts then."""

    def give(self, job: Job, start_us: int) -> None:
        """Undo `take`."""


def limit_end_us(job: Job, now_us: int) -> int:
    """Return the time at which the job ends at the latest, by its limit: if it runs, counted from
    its start, else from now on."""
    attempt = job.phase.attempt
    if job.claim is not None or attempt is None:
        return now_us + job.estimate_us
    stood_us = attempt.suspended_us
    if (since_us := job.suspended_since_us) is not None:
        stood_us += now_us - since_us
    return max(attempt.start_us + stood_us + job.estimate_us, now_us + SECOND_US)


class NodeWindows:
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
        self._names = frozenset(names)
        self._nodes = {name: frozenset(one.nodes) for name, one in reservations.items()}
        self._avoiding: dict[tuple[Request, frozenset[str]], Request] = {}
        self._kept_times: dict[tuple[int, str], list[_Time]] = {}

    def of(self, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        own = self.reservations.get(job.reservation)
        if job.reservation and (own is None or not self._admits(own, job)):
            return
        for from_us, before_us, nodes in self._times(job.estimate_us, own):
            if before_us > not_before_us:
                request = self._off(job.request, nodes)
                yield StartWindow(max(from_us, not_before_us), before_us, request)

    def _times(self, length_us: int, own: AdvanceReservation | None) -> list[_Time]:
        """Return when jobs of this length may start, and the nodes that are closed to them then.
        `own`: the reservation inside which they run."""
        key = length_us, "" if own is None else own.name
        found = self._kept_times.get(key)
        if found is None:
            if len(self._kept_times) >= _MOST_KEPT:
                self._kept_times.clear()
            found = self._kept_times[key] = self._made_times(length_us, own)
        return found

    def _made_times(self, length_us: int, own: AdvanceReservation | None) -> list[_Time]:
        first_us, last_us, closed = 0, NEVER_US - 1, frozenset[str]()
        others = [one for one in self.reservations.values() if one is not own]
        if own is not None:
            first_us, last_us = own.start_us, own.end_us - length_us
            closed = self._names - self._nodes[own.name]
        bounds = {us for one in others for us in (one.start_us - length_us + 1, one.end_us)}
        begins = [first_us, *sorted([us for us in bounds if first_us < us <= last_us])]
        found: list[_Time] = []
        for from_us, before_us in pairwise([*begins, last_us + 1]):
            if from_us < before_us:
                meeting = [one for one in others if one.meets(from_us, from_us + length_us)]
                nodes = closed.union(*[self._nodes[one.name] for one in meeting])
                found.append((from_us, before_us, nodes))
        return found

    def inside(self, request: Request, reservation: str) -> Request:
        """Return the request, kept to the nodes of a reservation."""
        return self._off(request, self._names - self._nodes[reservation])

    def _off(self, request: Request, nodes: frozenset[str]) -> Request:
        if nodes <= request.avoid:
            return request
        key = request, nodes
        found = self._avoiding.get(key)
        if found is None:
            if len(self._avoiding) >= _MOST_KEPT:
                self._avoiding.clear()
            found = self._avoiding[key] = avoiding(request, request.avoid | nodes)
        return found

    def take(self, job: Job, start_us: int) -> None:
        """Do nothing: the windows of a job do not depend on others."""

    def give(self, job: Job, start_us: int) -> None:
        """Do nothing: the windows of a job do not depend on others."""


class CountedWindows:
    """The windows of jobs on processors that are only counted. `available`: the processors that
    take work. `holders`: the jobs that hold or have claimed some."""

    counts = True

    def __init__(
        self,
        reservations: Mapping[str, AdvanceReservation],
        admits: Callable[[AdvanceReservation, Job], bool],
        available: int,
        holders: Iterable[Job],
        now_us: int,
    ) -> None:
        self.reservations = reservations
        self._admits = admits
        self._now_us = now_us
        # The processors for the jobs of no reservation: as good as endless while there is none.
        self._outside = Steps(now_us, _MANY)
        self._inside: dict[str, Steps] = {}
        every = [one for one in reservations.values() if one.end_us > now_us]
        bounds = sorted({max(us, now_us) for one in every for us in (one.start_us, one.end_us)})
        self._spans = []
        for from_us, until_us in pairwise(bounds):
            meeting = [one for one in every if one.meets(from_us, until_us)]
            if meeting:
                left = available - sum([one.cores for one in meeting])
                self._outside.take(_MANY - left, from_us, until_us - from_us)
                self._spans.append((from_us, until_us))
        for one in every:
            inside = self._inside[one.name] = Steps(now_us, 0)
            start_us = max(now_us, one.start_us)
            inside.give(one.cores, start_us, one.end_us - start_us)
        for job in holders:
            self._change(job, now_us, limit_end_us(job, now_us), 1)

    def of(self, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        length_us = job.estimate_us
        first_us, last_us = max(not_before_us, self._now_us), NEVER_US - 1
        steps = self._outside
        if job.reservation:
            own = self.reservations.get(job.reservation)
            if own is None or not self._admits(own, job):
                return
            first_us, last_us = max(first_us, own.start_us), own.end_us - length_us
            steps = self._inside[own.name]
        # The job may begin to fit where a step begins, and cease to where it begins to reach one.
        bounds = {us for at_us in steps.times for us in (at_us, at_us - length_us + 1)}
        begins = [first_us, *sorted([us for us in bounds if first_us < us <= last_us])]
        from_us: int | None = None
        for begin_us in begins:
            if begin_us > last_us:
                return
            if steps.holds(job.size, begin_us, length_us):
                from_us = begin_us if from_us is None else from_us
            elif from_us is not None:
                yield StartWindow(from_us, begin_us, job.request)
                from_us = None
        if from_us is not None:
            yield StartWindow(from_us, last_us + 1, job.request)

    def take(self, job: Job, start_us: int) -> None:
        self._change(job, start_us, start_us + job.estimate_us, 1)

    def give(self, job: Job, start_us: int) -> None:
        self._change(job, start_us, start_us + job.estimate_us, -1)

    def _change(self, job: Job, start_us: int, end_us: int, sign: int) -> None:
        size = sign * job.size
        if (inside := self._inside.get(job.reservation)) is not None:
            if start_us < (until_us := min(end_us, self.reservations[job.reservation].end_us)):
                inside.take(size, start_us, until_us - start_us)
            return
        for from_us, until_us in self._spans:
            first_us, last_us = max(start_us, from_us), min(end_us, until_us)
            if first_us < last_us:
                self._outside.take(size, first_us, last_us - first_us)


Windows = NodeWindows | CountedWindows

# ---------------------------------------------------------------- what planners ask

# There are no windows (None) if there are no advance reservations: the machine is asked itself.


def request_now(windows: Windows | None, job: Job, now_us: int) -> Request | None:
    """Return the request to be placed if the job starts now; None: it may not start now."""
    if windows is None:
        return job.request
    window = next(windows.of(job, now_us), None)
    return window.request if window is not None and window.from_us <= now_us else None


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
    for window in windows.of(job, not_before_us):
        if window.from_us >= before_us:
            break
        found = profile.earliest(
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
    releases: Sequence[Release],
    now_us: int,
    not_before_us: int,
    extra: Extra,
) -> Shadow:
    """Return what `Capacity.shadow` does, within the windows of the head."""
    if windows is None:
        return capacity.shadow(head.request, releases, now_us, not_before_us, extra)
    for window in windows.of(head, max(now_us, not_before_us)):
        from_us = max(not_before_us, window.from_us)
        found = capacity.shadow(window.request, releases, now_us, from_us, extra)
        if found.time_us < window.before_us:
            return found
    return capacity.shadow(head.request, releases, now_us, NEVER_US, extra)


def closing(windows: Windows | None, job: Job, now_us: int) -> list[AdvanceReservation]:
    """Return the reservations that keep the job from starting now: that inside which it runs, or
    those that it would reach into, the first to begin first."""
    if windows is None:
        return []
    until_us = now_us + job.estimate_us
    own = windows.reservations.get(job.reservation)
    if own is not None and not own.start_us <= now_us <= until_us <= own.end_us:
        return [own]
    others = [one for one in windows.reservations.values() if one.name != job.reservation]
    return sorted(
        [one for one in others if one.meets(now_us, until_us)], key=lambda one: one.start_us
    )


def may_start_on(windows: Windows | None, job: Job, place: Allocation, now_us: int) -> bool:
    """Return whether the job may start now on a place that is its own already."""
    request = request_now(windows, job, now_us)
    return request is not None and not any(piece.node in request.avoid for piece in place)
