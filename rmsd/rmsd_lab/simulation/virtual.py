"""A cluster on a virtual clock: jobs arrive and exit, and a stopped job confirms at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import (
    Correct,
    Decision,
    End,
    Promise,
    Repredict,
    Start,
    Stop,
    Switch,
)
from rmsd_core.lifecycle.inputs import AddReservation, Exited, Input, NodeUp, Submit
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.vocabulary import Cause
from rmsd_lab.schedule import Schedule, Scheduled

Progress = Callable[[int], None]
"""Called now and then with the number of jobs that have ended."""

_DONE = Outcome(Cause.EXIT, 0)
_BEYOND_US = 1 << 63
_YEAR_US = 365 * 86400 * SECOND_US


class TooLong(ValueError):
    """A schedule would last longer than instants go."""

    def __init__(self) -> None:
        super().__init__(
            f"the schedule would last longer than {NEVER_US // _YEAR_US} years: the run times, or "
            "the submit times, are out of range"
        )


class NothingStarts(ValueError):
    """Jobs wait, nothing runs, and a third party's planner starts none of them."""

    def __init__(self, recipe: str, waiting: int) -> None:
        super().__init__(
            f"nothing runs, and '{recipe}' starts none of the waiting jobs ({waiting:,}): its "
            "planner leaves them in the queue for ever"
        )


class NotReserved(ValueError):
    """An advance reservation cannot be made on this machine; the message says why."""


class VirtualCluster(ABC):
    """The driver of a core. Which jobs come when, how long they run, and what is kept of them, is
    a subclass's; a job's id is its place among the arrivals.

    `_next_arrival_us` is when the next job comes, NEVER_US after the last one. Nothing happens at
    `until_us` or later; None: it goes on until all jobs are over.
    """

    def __init__(
        self, core: Core, nodes: Sequence[NodeUp], job_count: int, until_us: int | None = None
    ) -> None:
        self._core = core
        self._nodes = nodes
        self._count = job_count
        self._until_us = _BEYOND_US if until_us is None else until_us
        self._reservations: Sequence[AdvanceReservation] = ()
        self._tells_run_times = core.recipe.predict == "perfect"
        self._ends: list[tuple[int, int, int, Allocation]] = []  # (end, id, attempt, place)
        self._predictions: list[tuple[tuple[int, int], ...]] = [()] * job_count
        self._schedule: list[Scheduled | None] = [None] * job_count
        self._orders: list[tuple[int, str]] = []
        self._killed: list[tuple[int, int, int]] = []
        self._ended = 0
        self._next_arrival_us = 0

    @abstractmethod
    def _arrival(self) -> Job:
        """Return the job that comes at `_next_arrival_us`, and set `_next_arrival_us` to the next
        arrival."""

    @abstractmethod
    def _run_us(self, job: Job) -> int:
        """Return how long this attempt of the job runs if it is not stopped [us]."""

    @abstractmethod
    def _record(self, job: Job) -> Scheduled:
        """Return the record of a job that is over."""

    def run(self, progress: Progress | None) -> Schedule:
        """Run until all jobs are over, and return the schedule of those that are, in arrival order.

        Raises:
            TooLong: it would go on until NEVER_US.
            NothingStarts: the recipe starts none of the jobs that are left.
            NotReserved: an advance reservation cannot be made.
        """
        core = self._core
        core.handle(0, self._nodes)
        for one in self._reservations:
            self._reserve(AddReservation(one))
        if core.recipe.order == "dynp":
            self._orders.append((0, core.order))
        ends, count = self._ends, self._count
        wake_us: int | None = None
        reported = 0
        while self._ended < count:
            now_us = self._next_instant(wake_us)
            if now_us >= self._until_us:
                break
            if now_us >= NEVER_US:
                if not ends and self._next_arrival_us >= NEVER_US and core.recipe.has_planner:
                    raise NothingStarts(core.recipe.name, count - self._ended)
                raise TooLong
            inputs: list[Input] = []
            while ends and ends[0][0] == now_us:
                _, job_id, attempt, place = heappop(ends)
                inputs += self._end_of(job_id, attempt, place, now_us)
            arrivals: list[Job] = []
            while self._next_arrival_us == now_us:
                arrivals.append(self._arrival())
            if self._tells_run_times:
                inputs += [Submit(job, self._run_us(job)) for job in arrivals]
            else:
                inputs += map(Submit, arrivals)
            wake_us = self._handle(now_us, inputs)
            for job in arrivals:
                # Nothing has corrected it yet: a prediction is for at least a second.
                self._predictions[job.id] = ((now_us, job.prediction_us),)
            if progress is not None and self._ended - reported >= 1000:
                reported = self._ended
                progress(reported)
        schedule = [job for job in self._schedule if job is not None]
        return Schedule(
            schedule,
            sum(node.cores for node in self._nodes),
            self._orders,
            core.passes,
            self._killed,
        )

    def reserve(self, reservations: Sequence[AdvanceReservation]) -> None:
        """Have these advance reservations made before any job comes."""
        self._reservations = reservations

    def _reserve(self, item: AddReservation) -> None:
        """Make a reservation. Raises NotReserved."""
        if (why := self._core.why_not_reserved(item)) is not None:
            raise NotReserved(f"reservation {item.reservation.name} cannot be made: {why}")
        self._core.handle(0, [item])

    def _next_instant(self, wake_us: int | None) -> int:
        next_us = self._next_arrival_us
        if self._ends and self._ends[0][0] < next_us:
            next_us = self._ends[0][0]
        return next_us if wake_us is None or next_us < wake_us else wake_us

    def _end_of(self, job_id: int, attempt: int, place: Allocation, now_us: int) -> Sequence[Input]:
        """Return what the core is told when an attempt has run its time. If it is over since long,
        that is no news to the core."""
        return [Exited(job_id, attempt, piece.node, now_us, _DONE) for piece in place]

    def _handle(self, now_us: int, inputs: list[Input]) -> int | None:
        """Handle one instant, and return when the core wants to be called again [us]."""
        effects = self._core.handle(now_us, inputs)
        stopped: list[Input] = []
        job = self._core.job
        for decision in effects.decisions:
            if type(decision) is Start:
                job_id, attempt, start_us, place, _ = decision
                run_us = self._run_us(job(job_id))
                heappush(self._ends, (start_us + run_us, job_id, attempt, place))
            elif type(decision) is End:
                job_id = decision.job_id
                self._schedule[job_id] = self._record(job(job_id))
                self._ended += 1
            elif type(decision) is Stop:
                job_id, attempt, nodes, cause = decision
                begun = job(job_id).phase.attempt
                assert begun is not None
                self._killed.append((job_id, begun.start_us, now_us))
                killed = Outcome(cause)
                stopped += [Exited(job_id, attempt, node, now_us, killed) for node in nodes]
            elif type(decision) is not Promise:
                self._note(decision, now_us)
        if stopped:
            return self._handle(now_us, stopped)
        return effects.wake_us

    def _note(self, decision: Decision, now_us: int) -> None:
        if type(decision) is Correct or type(decision) is Repredict:
            self._predictions[decision.job_id] += ((now_us, decision.prediction_us),)
        elif type(decision) is Switch:
            self._orders.append((now_us, decision.order))
