"""A history, and the queue that it ends with, under another recipe.

Everything happens as it did until an instant: jobs come when they really started, into a cluster
without a queue, and start at once. From then on the recipe decides: each job that waits then is
handed to it, in submit order, and later jobs come at their submit. So the recipe finds running what
really ran, and has learnt from what was over. The limits of accounts and QOS, and the licenses,
hold from that instant on: before it, jobs started under the limits of their time. So it is with
advance reservations: those of that instant are made then, whatever runs there, and later ones when
they really were. A job that had started is inside none. Nodes that take no work now are drained at
that instant: jobs that run there run on, and no other job starts there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappush
from typing import NamedTuple

from rmsd_core.jobs.accounts import (
    NO_LIMITS,
    NO_POLICIES,
    AccountPolicy,
    JobLimits,
    Policies,
    QosPolicy,
    chain,
)
from rmsd_core.jobs.gres import Amounts
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request, avoiding
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Decision, Requeue
from rmsd_core.lifecycle.inputs import (
    AddReservation,
    Cancel,
    DeleteReservation,
    Drain,
    Input,
    NodeUp,
    SetPolicies,
)
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import BOUND_S, NEVER_US, SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import NORMAL_QOS
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.virtual import Progress, VirtualCluster

# These stand where an end has the number of the attempt.
_A_CANCEL = 0
_A_CHANGE_OF_RESERVATIONS = -1


class PastJob(NamedTuple):
    """A job of a history; times are in microseconds.

    run_us: the time that the job ran, or is assumed to run. For a job that was cancelled in the
        queue, this is the time it would have run otherwise.
    start_us: the start of the last attempt; None if the job has not started.
    end_us: the end of the job, or the instant of its cancellation in the queue; None if the job is
        not over.
    nice: the points by which the order "priority" lowers the job's priority.
    nodes: where the last attempt ran; empty if the job has not started, or if that is not needed.
    reservation: the advance reservation inside which the job is to run; "": none.
    """

    number: int
    user: str
    submit_us: int
    request: Request
    estimate_us: int
    run_us: int
    start_us: int | None = None
    end_us: int | None = None
    restartable: bool = True
    failed: bool = False
    account: str = ""
    qos: str = NORMAL_QOS
    licenses: Amounts = ()
    nice: int = 0
    nodes: tuple[str, ...] = ()
    reservation: str = ""

    def bounded_slowdown(self, wait_us: int) -> float:
        """Return max(1, (wait + run) / max(10 s, run))."""
        return max(1.0, (wait_us + self.run_us) / max(BOUND_S * SECOND_US, self.run_us))

    @property
    def cancelled_us(self) -> int | None:
        """Return when the job was cancelled in the queue; None if it was not."""
        return self.end_us if self.start_us is None else None


class PastReservation(NamedTuple):
    """An advance reservation that there is from `at_us` on; None: there is none of its name."""

    at_us: int
    name: str
    made: AdvanceReservation | None


class PastCluster(NamedTuple):
    """The machine. For `slip_us` see `Core`. The partitions say where jobs may run, and which come
    first; they refuse none. The policies are the accounts and QOS, with their limits, and the
    licenses. `nodes` take work the whole time, the `drained` ones until a recipe takes over. The
    changes of reservations are in the order of their times."""

    nodes: Sequence[NodeUp]
    capacity: CapacityKind
    slip_us: int = 0
    partitions: Sequence[Partition] = ()
    policies: Policies = NO_POLICIES
    drained: Sequence[NodeUp] = ()
    reservations: Sequence[PastReservation] = ()

    @property
    def cores(self) -> int:
        return sum(node.cores for node in self.nodes)

    @property
    def all_cores(self) -> int:
        """Return the cores on which jobs may have run: also those of drained nodes."""
        return self.cores + sum(node.cores for node in self.drained)

    def holds(self, jobs: Sequence[PastJob]) -> list[PastJob]:
        """Return the jobs that could run on an otherwise empty cluster."""
        core = Core(PRESETS["easy"], self.capacity, partitions=self.partitions)
        core.handle(0, self.nodes)
        never = {request: core.never_fits(request) for request in {job.request for job in jobs}}
        return [job for job in jobs if never[job.request] is None]

    def held(self, jobs: Sequence[PastJob]) -> list[PastJob]:
        """Return the jobs that have started, and that only the drained nodes have let run."""
        started = [job for job in jobs if job.start_us is not None] if self.drained else []
        fitting = {job.number for job in self.holds(started)}
        every = self._replace(nodes=[*self.nodes, *self.drained])
        return [job for job in every.holds(started) if job.number not in fitting]

    def startable(self, jobs: Sequence[PastJob]) -> list[PastJob]:
        """Return the jobs without those that have not started, and that a limit of an account or
        QOS, or the total of a license, does not let start even if no other job runs. Those that
        have started under other limits are free of these: they are of no account and QOS, and have
        no licenses."""
        accounts = {one.name: one for one in self.policies.accounts}
        qos = {one.name: one for one in self.policies.qos}
        totals = {one.name: one.total for one in self.policies.licenses}
        return [
            job if is_startable else job._replace(account="", qos="", licenses=())
            for job in jobs
            for is_startable in [
                _is_startable(job, accounts, qos)
                and all(each <= totals.get(name, each) for name, each in job.licenses)
            ]
            if is_startable or job.start_us is not None
        ]


def _is_startable(
    job: PastJob, accounts: Mapping[str, AccountPolicy], qos: Mapping[str, QosPolicy]
) -> bool:
    limits = [account.limits for account in chain(accounts, job.account)]
    if job.qos in qos:
        limits.append(qos[job.qos].limits)
    return all(_ever_lets_start(one, job) for one in limits)


def _ever_lets_start(limits: JobLimits, job: PastJob) -> bool:
    running = limits.max_running, limits.max_running_per_user
    cpus = limits.max_cpus, limits.max_cpus_per_user
    return (
        0 not in running
        and all(most is None or job.request.size <= most for most in cpus)
        and (limits.max_time_us is None or job.estimate_us <= limits.max_time_us)
    )


class HeldSpan(NamedTuple):
    """The number of processors an attempt held, and when; times are in microseconds."""

    start_us: int
    end_us: int
    size: int


class Course(NamedTuple):
    """The outcome of a run. `jobs` has the jobs by number, with their last attempts; a start of -1
    means that the job did not start. `lost` has the attempts that were killed before those."""

    jobs: dict[int, Scheduled]
    lost: list[HeldSpan]

    def waits_us(self, jobs: Iterable[PastJob], until_us: int) -> list[int]:
        """Return how long each of the jobs has waited for its last start, up to `until_us` [us]. A
        job that is not in this course has not started."""
        return [
            (until_us if start_us < 0 else min(start_us, until_us)) - job.submit_us
            for job in jobs
            for start_us in [self.jobs[job.number].start_us if job.number in self.jobs else -1]
        ]

    def utilization(self, processors: int, since_us: int, until_us: int) -> float | None:
        """Return the share of the processors held from `since_us` to `until_us`; None if the span
        is empty."""
        if until_us <= since_us:
            return None
        jobs = (
            HeldSpan(job.start_us, job.end_us, job.size)
            for job in self.jobs.values()
            if job.start_us >= 0
        )
        held = sum(
            one.size * max(0, min(until_us, one.end_us) - max(since_us, one.start_us))
            for one in itertools.chain(jobs, self.lost)
        )
        return held / (processors * (until_us - since_us))


def assumed_run_us(expected_us: int, start_us: int | None, now_us: int) -> int:
    """Return how long a job that is not over is assumed to run [us]: as long as expected. A running
    job is assumed to run at least as long as it has run so far."""
    return expected_us if start_us is None else max(expected_us, now_us - start_us)


def what_if(
    jobs: Sequence[PastJob],
    cluster: PastCluster,
    recipe: Recipe,
    since_us: int,
    until_us: int,
    progress: Progress | None = None,
) -> Course:
    """Return what happens to `jobs` up to `until_us` if the recipe takes over at `since_us`.
    Attempts that run at `since_us` keep their real ends. Waiting jobs do not start as they really
    did.

    All of them must be startable, and fit (`PastCluster.holds`), or have started before `since_us`
    and fit with the drained nodes (`PastCluster.held`). A job that was cancelled in the
    queue after `since_us` is cancelled then under the recipe as well, be it waiting or running. A
    job that was cancelled before has no part. On nodes, the jobs that really ran are placed anew. A
    job that finds no place starts later than it did, and the queue is then not what it was.
    """
    past = _Past(jobs, cluster, recipe, since_us, until_us)
    over = past.run(progress)
    return Course({job.job_id: job for job in (*over, *past.unfinished())}, past.lost)


class _Past(VirtualCluster):
    def __init__(
        self,
        jobs: Sequence[PastJob],
        cluster: PastCluster,
        recipe: Recipe,
        since_us: int,
        until_us: int,
    ) -> None:
        arrivals = sorted(
            (_arrival_us(job, since_us), job.number, job)
            for job in jobs
            if (cancelled_us := job.cancelled_us) is None or cancelled_us > since_us
        )
        self._jobs = [job for _, _, job in arrivals]
        self._arrivals_us = [*(arrival_us for arrival_us, _, _ in arrivals), NEVER_US]
        self._arrived = 0
        self.lost: list[HeldSpan] = []
        self._since_us = since_us
        on_nodes = cluster.capacity == "nodes"
        self._drained = frozenset([node.name for node in cluster.drained if on_nodes])
        self._names = self._drained.union([node.name for node in cluster.nodes])
        self._taking_over: list[Input] = [
            SetPolicies(cluster.policies),
            *(Drain(node.name, "takes no work now") for node in cluster.drained),
        ]
        # Accounts are told from the beginning, since usage counts for them; their limits are not.
        accounts = [one._replace(limits=NO_LIMITS) for one in cluster.policies.accounts]
        core = Core(
            recipe,
            cluster.capacity,
            slip_us=cluster.slip_us,
            partitions=cluster.partitions,
            policies=Policies(accounts=tuple(accounts)),
        )
        nodes = [*cluster.nodes, *cluster.drained]
        super().__init__(core, nodes, len(arrivals), until_us)
        self._changes = cluster.reservations
        self._reservations_then: dict[str, AdvanceReservation | None] = {}
        for at, change in enumerate(self._changes):
            if change.at_us <= since_us:
                self._reservations_then[change.name] = change.made
            else:
                heappush(self._ends, (change.at_us, at, _A_CHANGE_OF_RESERVATIONS, ()))
        self._next_arrival_us = self._arrivals_us[0]

    def unfinished(self) -> list[Scheduled]:
        """Return the records of the jobs that still wait or run at the end."""
        return [self._record(job) for job in self._core.jobs.values()]

    def _handle(self, now_us: int, inputs: list[Input]) -> int | None:
        if self._taking_over and now_us >= self._since_us:
            known = [one for one in self._reservations_then.values() if one is not None]
            there = [one for one in (one.first_at(now_us) for one in known) if one is not None]
            made = [AddReservation(one, ignores_jobs=True) for one in there]
            inputs = [*self._taking_over, *made, *inputs]
            self._taking_over = []
        return super()._handle(now_us, inputs)

    def _arrival(self) -> Job:
        at = self._arrived
        self._arrived = at + 1
        self._next_arrival_us = self._arrivals_us[at + 1]
        job = self._jobs[at]
        if (cancelled_us := job.cancelled_us) is not None:
            heappush(self._ends, (cancelled_us, at, _A_CANCEL, ()))
        request, restartable = self._asked(job)
        return Job(
            id=at,
            user=job.user,
            submit_us=job.submit_us,
            request=request,
            estimate_us=job.estimate_us,
            restartable=restartable,
            account=job.account,
            qos=job.qos,
            licenses=job.licenses,
            nice=job.nice,
            reservation="" if _has_started(job, self._since_us) else job.reservation,
        )

    def _asked(self, job: PastJob) -> tuple[Request, bool]:
        """Return what a job asks for, and whether it may be restarted. A job that has started
        before the recipe takes over runs on drained nodes if it really did, and on no others. It
        could not start there again."""
        if not self._drained or not job.nodes or not _has_started(job, self._since_us):
            return job.request, job.restartable
        if self._drained.isdisjoint(job.nodes):
            return avoiding(job.request, self._drained), job.restartable
        return avoiding(job.request, self._names.difference(job.nodes)), False

    def _run_us(self, job: Job) -> int:
        return self._jobs[job.id].run_us

    def _end_of(self, job_id: int, attempt: int, place: Allocation, now_us: int) -> Sequence[Input]:
        if attempt == _A_CANCEL:
            return [Cancel(job_id)]
        if attempt == _A_CHANGE_OF_RESERVATIONS:
            return self._change(self._changes[job_id])
        return super()._end_of(job_id, attempt, place, now_us)

    def _change(self, change: PastReservation) -> Sequence[Input]:
        """Return what the core is told when a reservation is made, replaced or deleted."""
        is_there = change.name in self._core.reservations
        if (made := change.made) is not None:
            return [AddReservation(made, ignores_jobs=True, replaces=is_there)]
        return [DeleteReservation(change.name)] if is_there else []

    def _note(self, decision: Decision, now_us: int) -> None:
        if type(decision) is Requeue:
            size = self._core.jobs[decision.job_id].size
            self.lost.append(HeldSpan(decision.start_us, decision.end_us, size))
        super()._note(decision, now_us)

    def _record(self, job: Job) -> Scheduled:
        past = self._jobs[job.id]
        end_us = self._until_us if job.end_us is None else job.end_us
        start_us = -1 if job.start_us is None else job.start_us
        return Scheduled(
            past.number,
            job.submit_us,
            start_us,
            end_us,
            end_us - start_us if start_us >= 0 else 0,
            job.size,
            job.record.backfilled,
            job.user,
            job.estimate_us,
            past.failed,
            self._predictions[job.id],
            job.remembered.corrections,
            attempts=job.attempt,
            lost_us=job.remembered.lost_us,
        )


def _arrival_us(job: PastJob, since_us: int) -> int:
    if job.start_us is not None and _has_started(job, since_us):
        return job.start_us
    return max(job.submit_us, since_us)


def _has_started(job: PastJob, since_us: int) -> bool:
    """Return whether the job had started when the recipe takes over."""
    return job.start_us is not None and job.start_us < since_us
