"""The inputs of the core.

Inputs of one instant are applied by `phase`: 0 exits, 1 all others, 2 arrivals. Inputs of one phase
are applied in the order in which they came. Trials and predictions expire before the arrivals.
Losses of nodes are noted first. One pass follows.

Inputs are values. All are frozen but `Submit` and `Exited`, of which a simulation makes one for
each job.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rmsd_core.jobs.accounts import Policies
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Awaits, Conditions
from rmsd_core.jobs.gres import Shares
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import NextState
from rmsd_core.machine.partitions import Partition
from rmsd_core.vocabulary import HeldBy


@dataclass(slots=True)
class Exited:
    """`node` has no process of (job, attempt) left. The batch host's outcome is the job's,
    with what was used on all nodes."""

    phase: ClassVar[int] = 0
    job_id: int
    attempt: int
    node: str
    end_us: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Launched:
    """The batch host has started the script."""

    phase: ClassVar[int] = 1
    job_id: int
    attempt: int


@dataclass(frozen=True, slots=True)
class NodeUp:
    """A node registered (again): it takes work now, unless it is drained or unable. Its size may
    have changed. `unable`: why its agent can start no job there now; "" if it can. `boot_id`: which
    boot of the machine this is; "" if its agent does not tell."""

    phase: ClassVar[int] = 1
    name: str
    cores: int
    mem_mib: int
    features: tuple[str, ...] = ()
    gres: Shares = ()
    unable: str = ""
    boot_id: str = ""


@dataclass(frozen=True, slots=True)
class NodeSuspect:
    """The link to a node is lost: nothing new starts there; jobs there run on."""

    phase: ClassVar[int] = 1
    name: str


@dataclass(frozen=True, slots=True)
class NodeDead:
    """A node is given up: its attempts end with `Cause.NODE` and their jobs are requeued."""

    phase: ClassVar[int] = 1
    name: str


@dataclass(frozen=True, slots=True)
class NodeLeaving:
    """The node's agent no longer hosts the node, but still holds attempts there. No job starts on
    the node, and once nothing is left there, the node is to be forgotten (`Core.left`)."""

    phase: ClassVar[int] = 1
    name: str


@dataclass(frozen=True, slots=True)
class NodeGone:
    """A node is to be forgotten. Without effect unless it is down or leaving, and holds nothing."""

    phase: ClassVar[int] = 1
    name: str


@dataclass(frozen=True, slots=True)
class Drain:
    """Nothing new starts on a node; jobs there run on. `by`: the operator who says so; "" if none
    does."""

    phase: ClassVar[int] = 1
    name: str
    reason: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Resume:
    """A drain ends. `by`: the operator who says so."""

    phase: ClassVar[int] = 1
    name: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class AskReboot:
    """A node is to be rebooted as soon as it is idle. Replaces an earlier request; refused if the
    node cannot be rebooted, or has begun to. The other fields: see `nodes.Reboot`."""

    phase: ClassVar[int] = 1
    name: str
    reason: str
    by: str
    asap: bool = False
    next_state: NextState = ""


@dataclass(frozen=True, slots=True)
class CancelReboot:
    """A node is not to be rebooted after all. Refused if the node has begun to, or if no reboot was
    asked for."""

    phase: ClassVar[int] = 1
    name: str
    by: str


@dataclass(frozen=True, slots=True)
class RebootFailed:
    """A node that was told to reboot does not, or has not come back in time. `boot_id`: the boot
    that was to end; without effect if no such reboot is under way."""

    phase: ClassVar[int] = 1
    name: str
    boot_id: str
    why: str


@dataclass(frozen=True, slots=True)
class SetPartitions:
    """The partitions are these from now on. Jobs that run where they do run on."""

    phase: ClassVar[int] = 1
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, slots=True)
class SetPolicies:
    """The accounts and QOS are these from now on. Jobs that run run on, whatever the limits."""

    phase: ClassVar[int] = 1
    policies: Policies


@dataclass(frozen=True, slots=True)
class AddReservation:
    """An operator sets nodes or processors aside for some time. Refused if that cannot be.
    `ignores_jobs`: what runs there may still run when the reservation begins. `replaces`: it takes
    the place of the one of its name."""

    phase: ClassVar[int] = 1
    reservation: AdvanceReservation
    ignores_jobs: bool = False
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class SetMember:
    """The daemon has looked whether a user is of one of the groups of an advance reservation. The
    jobs of members run inside."""

    phase: ClassVar[int] = 1
    name: str
    user: str
    is_member: bool


@dataclass(frozen=True, slots=True)
class DeleteReservation:
    """An operator deletes an advance reservation. Jobs that run inside run on."""

    phase: ClassVar[int] = 1
    name: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """A user or administrator wants a job gone. ranks: of an array, the tasks at these ranks
    alone. by: the account that asked for it; "" if that is not known."""

    phase: ClassVar[int] = 1
    job_id: int
    ranks: tuple[Interval, ...] | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """A user or an operator wants a waiting job not to start, and one that runs not to start
    again."""

    phase: ClassVar[int] = 1
    job_id: int
    by: HeldBy


@dataclass(frozen=True, slots=True)
class Release:
    """The hold of a job ends. (The caller knows whether the account may end this hold.)"""

    phase: ClassVar[int] = 1
    job_id: int


@dataclass(frozen=True, slots=True)
class PutBack:
    """A user or an operator wants a running job to be ended, and to wait and run again. held_by:
    the job is held then, by this account."""

    phase: ClassVar[int] = 1
    job_id: int
    held_by: HeldBy | None = None


@dataclass(frozen=True, slots=True)
class Restart:
    """A user or an operator wants a job that is over to run again. `job` is as it ended, and stays
    so: the core makes its own. `conditions`: those that must come true before. Refused if the job
    is live."""

    phase: ClassVar[int] = 1
    job: Job
    conditions: Conditions


@dataclass(frozen=True, slots=True)
class AwaitAgain:
    """A job that others depend on runs again. This one waits, its dependencies could never be
    fulfilled, and these are its dependencies from now on."""

    phase: ClassVar[int] = 1
    job_id: int
    awaits: Awaits


@dataclass(frozen=True, slots=True)
class Suspend:
    """An operator wants the processes of a running job to be stopped."""

    phase: ClassVar[int] = 1
    job_id: int


@dataclass(frozen=True, slots=True)
class Unsuspend:
    """An operator wants a suspended job to go on."""

    phase: ClassVar[int] = 1
    job_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A user or an operator changes what a job asks for. None leaves a value as it is.

    A job that runs takes a new `estimate_us` alone, which is its limit. `begin_us`, `deadline_us`:
    0 is no begin time, and no deadline. `reservation`: "" is none. `awaits`: the dependencies,
    which replace all those of before.
    """

    phase: ClassVar[int] = 1
    job_id: int
    estimate_us: int | None = None
    request: Request | None = None
    name: str | None = None
    requeue: bool | None = None
    begin_us: int | None = None
    awaits: Awaits | None = None
    deadline_us: int | None = None
    nice: int | None = None
    reservation: str | None = None

    @property
    def is_of_the_limit(self) -> bool:
        """Return whether a running job can take the change."""
        times_us = (self.begin_us, self.deadline_us)
        others = (
            *(self.request, self.name, self.requeue, self.awaits, self.nice),
            self.reservation,
        )
        return all(one is None for one in (*times_us, *others))


@dataclass(frozen=True, slots=True)
class Overtaken:
    """The news after a restore that an attempt is over and its job went on, by lost decisions."""

    phase: ClassVar[int] = 1
    job_id: int
    attempt: int
    end_us: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Found:
    """The news after a restore that the nodes know an attempt of the job. The decision that began
    the attempt is lost. It is not known whether it was a trial; the job is assumed to run for
    good."""

    phase: ClassVar[int] = 1
    job_id: int
    attempt: int
    start_us: int
    allocation: Allocation


@dataclass(slots=True)
class Submit:
    """A job arrives. The core sets `job.seq`. `run_us` is for perfect predictions, and set by
    simulations alone."""

    phase: ClassVar[int] = 2
    job: Job
    run_us: int | None = None


Input = (
    Exited
    | Launched
    | NodeUp
    | NodeSuspect
    | NodeDead
    | NodeLeaving
    | NodeGone
    | Drain
    | Resume
    | AskReboot
    | CancelReboot
    | RebootFailed
    | SetPartitions
    | SetPolicies
    | AddReservation
    | SetMember
    | DeleteReservation
    | Cancel
    | Hold
    | Release
    | PutBack
    | Restart
    | AwaitAgain
    | Suspend
    | Unsuspend
    | Update
    | Overtaken
    | Found
    | Submit
)

Refused = (
    NodeGone
    | AskReboot
    | CancelReboot
    | Restart
    | Update
    | AddReservation
    | SetMember
    | DeleteReservation
)
"""The inputs that a core may refuse: they have no effect then."""
