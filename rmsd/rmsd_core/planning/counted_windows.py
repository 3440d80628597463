"""The times at which a job may start beside advance reservations of processors that are only
counted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, pairwise

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Request
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.capacity import Capacity
from rmsd_core.machine.counted_profile import Steps
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.planning.bounds import LongestLimit
from rmsd_core.planning.start_window import LongestLimits, StartWindow, StartWindows

_MANY = 1 << 62
"""More processors than any machine has."""


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


_Piece = tuple[int, int, int]
"""The start and the end of a time, and how many processors there are then."""


def _steps(
    now_us: int, otherwise: int, pieces: Iterable[_Piece], held: list[tuple[int, int]]
) -> Steps:
    """Return the processors of each piece of time, in order, less those that are held then; and
    `otherwise` at all other times. `held`: until when, and how many."""
    held.sort()
    ends = [end_us for end_us, _ in held]
    sums = list(accumulate((size for _, size in reversed(held)), initial=0))  # the latest end first
    steps = [(now_us, otherwise)]
    for from_us, until_us, there in pieces:
        first, last = bisect_right(ends, from_us), bisect_left(ends, until_us)
        steps += [
            (at_us, there - sums[len(ends) - bisect_right(ends, at_us)])
            for at_us in (from_us, *dict.fromkeys(ends[first:last]))
        ]
        steps.append((until_us, otherwise))
    return Steps.of(steps)


class CountedWindows(StartWindows):
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
        left_over = {name: one for name, one in reservations.items() if one.end_us > now_us}
        every = list(left_over.values())
        bounds = sorted({max(us, now_us) for one in every for us in (one.start_us, one.end_us)})
        self._spans = []
        left: list[_Piece] = []
        for from_us, until_us in pairwise(bounds):
            meeting = [one for one in every if one.meets(from_us, until_us)]
            if meeting:
                left.append((from_us, until_us, available - sum([one.cores for one in meeting])))
                self._spans.append((from_us, until_us))
        ends: dict[str, list[tuple[int, int]]] = {name: [] for name in left_over}
        outside: list[tuple[int, int]] = []
        strays: list[_Piece] = []  # a reservation may have got another time since its jobs started
        for job in holders:
            end_us = limit_end_us(job, now_us)
            ends.get(job.reservation, outside).append((end_us, job.size))
            if job.reservation in ends:
                own = reservations[job.reservation]
                strays += (
                    (now_us, min(own.start_us, end_us), job.size),
                    (own.end_us, end_us, job.size),
                )
        # The processors for the jobs of no reservation: as good as endless while there is none.
        self._outside = _steps(now_us, _MANY, left, outside)
        self._inside: dict[str, Steps] = {}
        for name, one in left_over.items():
            pieces = [(max(now_us, one.start_us), one.end_us, one.cores)]
            self._inside[name] = _steps(now_us, 0, pieces, ends[name])
            # A reservation may have got fewer processors than its jobs hold.
            strays += [
                (max(from_us, one.start_us), min(until_us, one.end_us), missing)
                for from_us, until_us, missing in self._inside[name].overdrafts()
            ]
        for stray in strays:
            self._take_outside(*stray)
        # The least number of processors from now until each step; made when they are asked for.
        self._least: dict[str, list[int]] = {}
        self._longest: LongestLimits | None = None

    def request_at(self, job: Job, at_us: int) -> Request | None:
        steps, name, length_us = self._outside, "", job.estimate_us
        if job.reservation:
            own = self.reservations.get(job.reservation)
            if own is None or not self._admits(own, job):
                return None
            if not own.start_us <= at_us <= own.end_us - length_us:
                return None
            steps, name = self._inside[own.name], own.name
        if at_us != self._now_us:
            return job.request if steps.holds(job.size, at_us, length_us) else None
        least = self._least_of(steps, name)
        last = bisect_left(steps.times, at_us + length_us, 1) - 1
        return job.request if least[last] >= job.size else None

    def _least_of(self, steps: Steps, name: str) -> list[int]:
        least = self._least.get(name)
        if least is None:
            least = self._least[name] = steps.least()
        return least

    def longest_in(
        self,
        capacity: Capacity,  # noqa: ARG002 (as StartWindows)
        now_us: int,  # noqa: ARG002 (as StartWindows)
    ) -> Callable[[str | None], LongestLimit]:
        def longest(size: int) -> int:
            if self._longest is None:  # others have been counted
                until_us = [us - self._now_us for us in self._outside.times[1:]]
                self._longest = LongestLimits(self._least_of(self._outside, ""), until_us)
            return self._longest(size)

        return lambda _: longest

    def of(self, job: Job, not_before_us: int) -> Iterator[StartWindow]:
        length_us = job.estimate_us
        from_us, last_us = max(not_before_us, self._now_us), NEVER_US - 1
        steps = self._outside
        if job.reservation:
            own = self.reservations.get(job.reservation)
            if own is None or not self._admits(own, job):
                return
            from_us, last_us = max(from_us, own.start_us), own.end_us - length_us
            steps = self._inside[own.name]
        # A step with too few keeps the job from starting in it, and from reaching it.
        for step_us, until_us in steps.short_of(job.size, from_us):
            if from_us > last_us:
                return
            if from_us + length_us <= step_us:
                before_us = min(step_us - length_us, last_us) + 1
                yield StartWindow(from_us, before_us, job.request)
            from_us = until_us
        if from_us <= last_us:
            yield StartWindow(from_us, last_us + 1, job.request)

    def could_hold(
        self,
        capacity: Capacity,  # noqa: ARG002 (as StartWindows)
        request: Request,  # noqa: ARG002 (as StartWindows)
        reservation: AdvanceReservation,  # noqa: ARG002 (as StartWindows)
    ) -> bool:
        """Return true: a job may be on all processors."""
        return True

    def take(self, job: Job, start_us: int) -> None:
        self._change(job, start_us, start_us + job.estimate_us, 1)

    def give(self, job: Job, start_us: int) -> None:
        self._change(job, start_us, start_us + job.estimate_us, -1)

    def _change(self, job: Job, start_us: int, end_us: int, sign: int) -> None:
        size = sign * job.size
        if (inside := self._inside.get(job.reservation)) is not None:
            self._least.pop(job.reservation, None)
            if start_us < (until_us := min(end_us, self.reservations[job.reservation].end_us)):
                inside.take(size, start_us, until_us - start_us)
            return
        self._least.pop("", None)
        self._longest = None
        self._take_outside(start_us, end_us, size)

    def _take_outside(self, start_us: int, end_us: int, size: int) -> None:
        for from_us, until_us in self._spans:
            first_us, last_us = max(start_us, from_us), min(end_us, until_us)
            if first_us < last_us:
                self._outside.take(size, first_us, last_us - first_us)
