"""The core on a virtual clock: a trace in, a schedule out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from heapq import heappop, heappush

from rmsd_core.jobs.accounts import NO_POLICIES, AccountPolicy, Policies
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done
from rmsd_core.jobs.request import Request, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab.simulation.virtual import Progress, VirtualCluster
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import predecessors

_MACHINE = "machine"
_FAILED_STATUS = 0


def simulate(
    trace: Sequence[TraceJob],
    processor_count: int,
    recipe: Recipe,
    progress: Progress | None = None,
    *,
    restart_cost_s: float = 0,
    not_restartable: Collection[int] = (),
    closed_loop: bool = False,
    nodes: Sequence[NodeUp] = (),
    reservations: Sequence[AdvanceReservation] = (),
) -> Schedule:
    """Run `trace` (in arrival order, every job takes part) through the core.

    The schedule is in arrival order. With `nodes`, whose cores are `processor_count` together, jobs
    are placed on them; without, processors are counted. With `closed_loop` a job that follows
    another one arrives its think time after the end of that (`predecessors`), whatever its submit
    time says. Run times are known to this driver alone. A job that the core starts exits that much
    later, and the core learns nothing else (perfect predictions excepted). A restarted job runs
    `restart_cost_s` longer, which counts as waiting. The jobs with the numbers in
    `not_restartable` get no trial runs. `reservations` are made in advance, before any job comes.

    Raises:
        NotReserved: a reservation cannot be made on this machine.
        ValueError: with `closed_loop`, a number occurs twice.
        TooLong: it does not end within 2^54 us, 571 years.
    """
    kind = _ClosedLoop if closed_loop else _Simulation
    machine = _machine(processor_count, recipe, nodes, trace)
    cluster = kind(trace, machine, restart_cost_s, not_restartable)
    cluster.reserve(reservations)
    return cluster.run(progress)


_Machine = tuple[Core, Sequence[NodeUp]]


def _machine(
    processor_count: int, recipe: Recipe, nodes: Sequence[NodeUp], trace: Sequence[TraceJob]
) -> _Machine:
    """Return a core, with the accounts of a trace if they count, and the nodes that it is told
    of."""
    policies = NO_POLICIES
    if recipe.weights.by == "account":
        names = sorted({job.account for job in trace} - {""})
        policies = Policies(accounts=tuple(map(AccountPolicy, names)))
    if not nodes:
        core = Core(recipe, "counted", policies=policies)
        return core, [NodeUp(_MACHINE, processor_count, 0)]
    return Core(recipe, "nodes", policies=policies), nodes


class _Simulation(VirtualCluster):
    """The jobs of a trace on one machine."""

    def __init__(
        self,
        trace: Sequence[TraceJob],
        machine: _Machine,
        restart_cost_s: float,
        not_restartable: Collection[int],
    ) -> None:
        super().__init__(*machine, len(trace))
        self._trace = trace
        self._restart_cost_us = round(restart_cost_s * SECOND_US)
        self._request_of: Callable[[int], Request] = cache(processors)
        self._not_restartable = not_restartable
        self._arrived = 0
        self._look_ahead()

    def _arrival(self) -> Job:
        """Return the next job of the trace, and look ahead to the one after it."""
        at, now_us = self._arrived, self._next_arrival_us
        self._arrived = at + 1
        self._look_ahead()
        job = self._trace[at]
        return Job(
            id=at,
            user=job.user,
            submit_us=now_us,
            request=self._request_of(job.size),
            estimate_us=job.estimate_s * SECOND_US,
            restartable=job.number not in self._not_restartable,
            account=job.account,
        )

    def _look_ahead(self) -> None:
        more = self._arrived < len(self._trace)
        self._next_arrival_us = (
            self._trace[self._arrived].submit_s * SECOND_US if more else NEVER_US
        )

    def _run_us(self, job: Job) -> int:
        run_us = self._trace[job.id].run_s * SECOND_US
        return run_us if job.attempt <= 1 else run_us + self._restart_cost_us

    def _record(self, job: Job) -> Scheduled:
        trace, done = self._trace[job.id], job.phase
        record, remembered = job.record, job.remembered
        assert type(done) is Done
        assert done.attempt is not None
        return Scheduled(  # arguments by position save a tenth of a second on a year of CTC
            trace.number,
            job.submit_us,
            done.attempt.start_us,
            done.end_us,
            trace.run_s * SECOND_US,
            job.size,
            record.backfilled,
            job.user,
            job.estimate_us,
            trace.status == _FAILED_STATUS,
            self._predictions[job.id],
            remembered.corrections,
            -1 if record.behind is None else self._trace[record.behind].number,
            -1 if remembered.rank is None else remembered.rank,
            -1 if remembered.reserved_at_us is None else remembered.reserved_at_us,
            -1 if record.reserved_rank is None else record.reserved_rank,
            -1 if record.reserved_us is None else record.reserved_us,
            job.attempt,
            remembered.lost_us,
        )


class _ClosedLoop(_Simulation):
    """Jobs arrive in an order that is not known before. The trace is put into that order on the
    way, so that a job's id is its place among the arrivals, as it is live."""

    def __init__(
        self,
        trace: Sequence[TraceJob],
        machine: _Machine,
        restart_cost_s: float,
        not_restartable: Collection[int],
    ) -> None:
        self._all = trace
        self._followers: list[list[int]] = [[] for _ in trace]
        self._due: list[tuple[int, int]] = []  # (arrival, position in the trace)
        self._positions: list[int] = []  # key: job id
        for at, before in enumerate(predecessors(trace)):
            if before >= 0:
                self._followers[before].append(at)
            else:
                heappush(self._due, (trace[at].submit_s * SECOND_US, at))
        self._in_order = list(trace)
        super().__init__(self._in_order, machine, restart_cost_s, not_restartable)

    def _arrival(self) -> Job:
        _, at = heappop(self._due)
        self._in_order[self._arrived] = self._all[at]
        self._positions.append(at)
        return super()._arrival()

    def _look_ahead(self) -> None:
        self._next_arrival_us = self._due[0][0] if self._due else NEVER_US

    def _record(self, job: Job) -> Scheduled:
        """Record a job that is over, and schedule the arrivals of the jobs that follow it."""
        for at in self._followers[self._positions[job.id]]:
            think_us = max(0, self._all[at].think_s) * SECOND_US
            assert job.end_us is not None
            heappush(self._due, (job.end_us + think_us, at))
        self._look_ahead()
        return super()._record(job)
