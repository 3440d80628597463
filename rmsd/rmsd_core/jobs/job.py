"""A job as the scheduler sees it. It does not have its run time: no policy may see it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from rmsd_core.jobs.array import Array, ArrayTask
from rmsd_core.jobs.attempt import Outcome, Refusal
from rmsd_core.jobs.conditions import NO_CONDITIONS, Conditions
from rmsd_core.jobs.gres import Amounts
from rmsd_core.jobs.phase import (
    WAITING,
    ClaimedPlace,
    Claiming,
    Done,
    Expired,
    Ineligible,
    OnTrial,
    Phase,
    Preempted,
    Running,
    Stopping,
    Suspended,
    Unfolding,
    Waiting,
)
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.model_time import NEVER_US
from rmsd_core.vocabulary import (
    MAIN_PARTITION,
    NORMAL_QOS,
    NOTHING_USED,
    Cause,
    HeldBy,
    JobState,
    Used,
)

_NO_NODES: frozenset[str] = frozenset()
_SINCE_SUBMIT_US = -1
"""Stands for the submit, until `Job.__post_init__` replaces it."""


class _Facts:
    """Facts about a job. One that is not known yet is None. (Defaults of the class cost a
    simulation nothing.)"""

    def __repr__(self) -> str:
        names = RECORDED if isinstance(self, Record) else REMEMBERED
        facts = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({facts})"


class Record(_Facts):
    """A job's facts for metrics and for explanations; see `rmsd_lab.schedule.Scheduled`. No
    decision depends on them.

    behind: the job that the latest start has passed, if it was `backfilled`.
    cancelled_by: the account that has cancelled the job, or the latest tasks of an array.
    reserved_rank: how many starts were decided before the job was promised a start.
    reserved_us: the promised start.
    """

    behind: int | None = None
    cancelled_by: str | None = None
    backfilled: bool = False
    reserved_rank: int | None = None
    reserved_us: int | None = None


class Remembered(_Facts):
    """The facts that are remembered of earlier passes and attempts of a job, because later
    decisions depend on them.

    rank: how many starts were decided before that of the job. It is the order of claims after a
        restart.
    reserved_at_us: when the job was promised a start. A job is promised one once.
    promoted_us: the time since which the job is past its starvation threshold, or urgent, for good.
    corrections, overruns: how often the prediction of this attempt expired, and how often that was
        beyond the estimate. The next correction depends on them.
    lost_us: how long the killed trials of the job ran in all. The output of the last one may be
        kept.
    survived_us: how long the job is known to run at least: its trial, or the longest of its runs
        that were killed for other jobs. The prediction depends on it.
    """

    rank: int | None = None
    reserved_at_us: int | None = None
    promoted_us: int | None = None
    corrections: int = 0
    overruns: int = 0
    lost_us: int = 0
    survived_us: int = 0


RECORDED = ("behind", "cancelled_by", "backfilled", "reserved_rank", "reserved_us")
REMEMBERED = (
    *("rank", "reserved_at_us", "promoted_us", "corrections", "overruns", "lost_us"),
    "survived_us",
)
"""The names of the facts: a compiled class does not tell them."""


@dataclass(slots=True, eq=False)
class Job:
    """A job in the core. All times are model time in microseconds.

    `seq` is the order in which jobs took their places in the queue, the tie-break everywhere, and
    `eligible_us` the time of that: the submit, unless conditions kept the job out of the queue. If
    they did until its end, it is that end.
    `name` matters to `Relation.SINGLETON` alone, `account`, `qos` and `licenses` to limits, and
    `nice`, by which the job's priority is lowered [points], to the order "priority". `reservation`:
    the advance reservation inside which the job runs; "" if none. `estimate_us` is what the user
    said, `prediction_us` what the planner believes, and `expected_end_us` when the planner expects
    the job to give back what it holds or has claimed. `attempt` counts the starts.
    `tried`: the job has had its trial run. `deadline_us`: a job that waits is ended once its limit
    would reach beyond this time. `refusals` are the failed launches; `request.avoid` has the nodes
    to which it is not sent again. `partition`: the one of the latest start; None if there are none.
    `requeue_hold`: who wants the job held, if it is to wait again after its present attempt.
    `array`: the job is an array, which holds nothing itself, and these are its tasks. `task`: the
    job is a task of an array. `CoreState.move` alone changes the phase.
    """

    id: int
    user: str
    submit_us: int
    request: Request
    estimate_us: int
    requeue: bool = True
    restartable: bool = True
    name: str = ""
    deadline_us: int | None = None
    account: str = ""
    qos: str = NORMAL_QOS
    nice: int = 0
    licenses: Amounts = ()
    reservation: str = ""
    seq: int = 0
    eligible_us: int = _SINCE_SUBMIT_US
    size: int = 0
    prediction_us: int = 0
    expected_end_us: int | None = None
    attempt: int = 0
    tried: bool = False
    refusals: tuple[Refusal, ...] = ()
    partition: str | None = None
    requeue_hold: HeldBy | None = None
    task: ArrayTask | None = None
    array: Array[Job] | None = None
    phase: Phase = WAITING
    remembered: Remembered = field(default_factory=Remembered)
    record: Record = field(default_factory=Record)

    def __post_init__(self) -> None:
        self.size = self.request.size
        if self.eligible_us == _SINCE_SUBMIT_US:
            self.eligible_us = self.submit_us

    @property
    def latest_start_us(self) -> int:
        """Return the last time at which the job may start, if it is to end before its deadline by
        its limit."""
        return NEVER_US if self.deadline_us is None else self.deadline_us - self.estimate_us

    @property
    def label(self) -> str:
        """Return the number as people know it: a task has that of its array and its index."""
        return (
            str(self.id) if self.task is None else f"{self.task.array_id}_{self.task.array_index}"
        )

    # ------------------------------------------------------------ what the phase says

    @property
    def state(self) -> JobState:
        """Return the state as users know it."""
        phase = self.phase
        match phase:
            case Ineligible() | Waiting() | Claiming() | Unfolding():
                return JobState.PENDING
            case OnTrial() | Expired() | Running():
                return JobState.RUNNING if phase.attempt.launched else JobState.CONFIGURING
            case Suspended():
                return JobState.SUSPENDED
            case Preempted() | Stopping():
                return JobState.COMPLETING
            case Done():
                return phase.state

    @property
    def partition_name(self) -> str:
        """Return the partition in which the job runs or ran; before that the ones that it names,
        with commas."""
        if self.partition is not None and self.phase.attempt is not None:
            return self.partition
        return ",".join(self.request.partitions) or MAIN_PARTITION

    @property
    def conditions(self) -> Conditions:
        """Return the conditions that must come true before the job may start."""
        phase = self.phase
        return phase.conditions if type(phase) is Ineligible else NO_CONDITIONS

    @property
    def allocation(self) -> Allocation:
        """Return the pieces that the present or last attempt was given."""
        attempt = self.phase.attempt
        return () if attempt is None else attempt.allocation

    def processors_of(self, place: Allocation) -> int:
        """Return for how many processors the job counts in such a place. A job that has whole nodes
        counts with all of theirs, however few it asked for."""
        needs = self.request.components[0].needs
        if needs is None or not needs.exclusive:
            return self.size
        return sum(piece.cores for piece in place)

    @property
    def by_user(self) -> bool:
        """Return whether the job shares its nodes with jobs of its user alone."""
        needs = self.request.components[0].needs
        return needs is not None and needs.by_user

    @property
    def open_nodes(self) -> AbstractSet[str]:
        """Return the nodes that have not confirmed the end of the attempt."""
        attempt = self.phase.attempt
        return _NO_NODES if attempt is None else attempt.open_nodes

    @property
    def start_us(self) -> int | None:
        attempt = self.phase.attempt
        return None if attempt is None else attempt.start_us

    @property
    def end_us(self) -> int | None:
        phase = self.phase
        if type(phase) is Done:
            return phase.end_us
        return None if phase.attempt is None else phase.attempt.end_us

    @property
    def outcome(self) -> Outcome | None:
        phase = self.phase
        if type(phase) is Done:
            return phase.outcome
        return None if phase.attempt is None else phase.attempt.outcome

    @property
    def used(self) -> Used:
        attempt = self.phase.attempt
        return NOTHING_USED if attempt is None else attempt.used

    @property
    def trial_end_us(self) -> int | None:
        """Return the end of the trial that runs, has expired, or is to start on a claimed place.
        The trial of a speculation ends when it begins; one that has not begun has no end."""
        phase = self.phase
        if type(phase) is OnTrial or type(phase) is Expired:
            return phase.end_us
        claim = self.claim
        return None if claim is None else claim.trial_end_us

    @property
    def is_speculation(self) -> bool:
        """Return whether the job runs as a speculation, or is to start as one on a claimed
        place."""
        phase = self.phase
        if type(phase) is OnTrial or type(phase) is Expired:
            return phase.is_speculation
        claim = self.claim
        return claim is not None and claim.kind == "speculation"

    @property
    def is_trial(self) -> bool:
        """Return whether the job runs on trial or as a speculation, or is to start so on a claimed
        place."""
        phase = self.phase
        if type(phase) is OnTrial or type(phase) is Expired:
            return True
        claim = self.claim
        return claim is not None and claim.kind != "for good"

    @property
    def suspended_us(self) -> int:
        """Return how long the attempt was suspended, before the present suspension."""
        attempt = self.phase.attempt
        return 0 if attempt is None else attempt.suspended_us

    @property
    def suspended_since_us(self) -> int | None:
        """Return since when the job is suspended; None if it is not."""
        return self.phase.since_us if type(self.phase) is Suspended else None

    @property
    def claim(self) -> ClaimedPlace | None:
        phase = self.phase
        return phase.claim if type(phase) is Claiming or type(phase) is Preempted else None

    @property
    def awaits(self) -> frozenset[int]:
        """Return the ids of the jobs that have to leave before the job can start on its claim."""
        claim = self.claim
        return frozenset() if claim is None else claim.awaits

    @property
    def draining(self) -> bool:
        """Return whether the attempt is being ended, and what it still holds counts as free: it was
        an expired trial, or makes way for a job of a higher tier."""
        phase = self.phase
        return type(phase) is Preempted or (type(phase) is Stopping and phase.draining)

    @property
    def stop_cause(self) -> Cause | None:
        """Return the cause for which the nodes were ordered to end the attempt; None if they were
        not."""
        phase = self.phase
        if type(phase) is Stopping:
            return phase.cause
        if type(phase) is Preempted:
            return Cause.TRIAL
        return phase.stop_cause if type(phase) is Done else None

    @property
    def stop_message(self) -> str:
        """Return the message of a node that had to end the job for what it used there, or for which
        job it is killed."""
        phase = self.phase
        return phase.message if type(phase) is Stopping or type(phase) is Preempted else ""

    def copied(self) -> Job:
        """Return a copy that stays as it is while the core changes the job."""
        phase = self.phase
        if (
            not isinstance(phase, Ineligible | Waiting | Claiming | Unfolding)
            and phase.attempt is not None
        ):
            phase = phase._replace(attempt=phase.attempt.copied())
        return replace(self, phase=phase)

    def holding(self) -> Allocation:
        """Return what the attempt still holds."""
        attempt = self.phase.attempt
        return () if attempt is None else attempt.holding()

    def keeping(self) -> Allocation:
        """Return what the machine counts as taken by the attempt. It differs from what the attempt
        holds if the job shares its nodes with jobs of its user alone."""
        attempt = self.phase.attempt
        return () if attempt is None else attempt.keeping()

    def releasing(self) -> Allocation:
        """Return what the job gives back when it ends as expected."""
        claim = self.claim
        return self.keeping() if claim is None else claim.place
