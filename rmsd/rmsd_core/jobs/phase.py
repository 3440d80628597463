"""The phases of a job's life, and the table of the events that lead from one to another.

A job is submitted and waits. The base scheduler starts it, and it runs until all its nodes have
confirmed that it is over. If nothing goes wrong, that is its life:

    Waiting -> Running -> Done

An attempt that ends before its script ends is ended by an order to its nodes, and a moment passes
until they have confirmed it. The job is Stopping then. If the attempt was lost without the job's
fault, the job waits again:

    Running -> Stopping -> Done | Waiting

A job that may not start yet waits outside the queue, until its conditions have come true:

    Ineligible -> Waiting

With trial runs (Timed, section 2) a job may run before it is its turn. During its trial (OnTrial)
no other job takes its place. After that (Expired) it runs on in a place that counts as free. The
base scheduler may start it there: it is Running then. Or the base scheduler starts it somewhere
else, or another job in its place. In both cases the attempt is killed (Preempted), while the job
waits on.

    Waiting -> OnTrial -> Expired -> Running | Preempted -> Waiting

An operator may suspend a job that runs. Its processes stand still and its limit does not run, and
it keeps its place. Whatever ends a suspended job resumes it first. A job that is suspended on its
trial, or after it, is committed in place:

    Running | OnTrial | Expired -> Suspended -> Running

The job that takes the place of a killed trial has to wait until the trial has left. Until then the
place is claimed (Claiming, or Preempted with a claim, since a preempted job can itself claim
another place).

A speculation is a trial that expires at its start: the job is OnTrial for no time, and then
Expired. A job may have any number of them.

An array (jobs/array.py) waits for its conditions as any job does. Once they have come true its
tasks become jobs, some at a time, until all of them are over:

    Ineligible -> Unfolding -> Done

A phase is a value, but its `Attempt` is not. While the attempt runs and ends, its `open_nodes`,
`launched`, `outcome`, `end_us`, `used` and `suspended_us` change in place. The next phases have the
same attempt.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rmsd_core.jobs.attempt import Attempt, Outcome
from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.request import Allocation
from rmsd_core.vocabulary import Cause, JobState

StartKind = Literal["for good", "trial", "speculation"]
"""The ways in which a job starts: by the base scheduler's decision, on its trial, or on what would
idle."""


class ClaimedPlace(NamedTuple):
    """A place that is given to a job and that other jobs have still to leave.

    awaits: the ids of the jobs that are killed there. kind: how the job starts there.
    trial_end_us: the time before which its trial does not end; None if it does not start on one.
    """

    place: Allocation
    awaits: frozenset[int]
    kind: StartKind = "for good"
    trial_end_us: int | None = None


class Ineligible(NamedTuple):
    """The job is held, its begin time has not come, or it depends on other jobs. It is in no
    queue."""

    conditions: Conditions

    @property
    def attempt(self) -> None:
        return None


class Unfolding(NamedTuple):
    """The job is an array without conditions. It is in no queue: its tasks become jobs of their
    own, as they may start."""

    @property
    def attempt(self) -> None:
        return None


class Waiting(NamedTuple):
    """The job is in the queue. Or it is set aside, because no set of available nodes can hold it or
    because it is too late for its deadline, or it is held back by a limit of its account or QOS."""

    @property
    def attempt(self) -> None:
        return None


class Claiming(NamedTuple):
    """The job has a place and starts as soon as other jobs have left it."""

    claim: ClaimedPlace

    @property
    def attempt(self) -> None:
        return None


class OnTrial(NamedTuple):
    """The job runs on trial until `end_us` and is in the queue as well. The trial of a speculation
    ends when it begins."""

    attempt: Attempt
    end_us: int
    is_speculation: bool = False


class Expired(NamedTuple):
    """The job has outlived its trial. It runs on in a place that counts as free, is in the queue as
    well, and may be killed for other jobs. The trial of a speculation ended when it began."""

    attempt: Attempt
    end_us: int
    is_speculation: bool = False


class Running(NamedTuple):
    """The job runs by the base scheduler's decision."""

    attempt: Attempt


class Suspended(NamedTuple):
    """The processes of the job are stopped on all nodes since `since_us`. It keeps its place."""

    attempt: Attempt
    since_us: int


class Preempted(NamedTuple):
    """The trial or the speculation of the job is being killed for other jobs. The job waits again,
    or has claimed a place. What the attempt still holds counts as free, and is due to the jobs that
    claim it. message: which job the speculation is killed for; a trial has none."""

    attempt: Attempt
    claim: ClaimedPlace | None = None
    message: str = ""


class Stopping(NamedTuple):
    """The attempt is being ended on its nodes, and the job with it, unless it is to be requeued.

    cause: the cause for which the nodes were ordered to end it; None: they were not ordered yet,
    and it has just ended on one of them. draining: what the attempt still holds counts as free; it
    was an expired trial, or is ended for a job of a higher tier. message: the message of a node
    that had to end the job for what it used, or for which job it is ended.
    """

    attempt: Attempt
    cause: Cause | None
    draining: bool = False
    message: str = ""


class Done(NamedTuple):
    """The job is over. attempt: the last one; None: the job was cancelled while it waited.
    stop_cause: the cause for which its nodes were ordered to end it, if they were."""

    state: JobState
    outcome: Outcome
    end_us: int
    attempt: Attempt | None = None
    stop_cause: Cause | None = None


Phase = (
    Ineligible
    | Unfolding
    | Waiting
    | Claiming
    | OnTrial
    | Expired
    | Running
    | Suspended
    | Preempted
    | Stopping
    | Done
)

# Facts that several files ask of phases. A new phase is named here, in the table below, and in the
# file of its rule.

Trial = OnTrial | Expired
"""The phases of a job that runs, and that the base scheduler has still to start."""

Executing = OnTrial | Expired | Running
"""The phases of a job whose processes run, and whose attempt is not being ended."""

Active = OnTrial | Expired | Running | Suspended
"""The phases of a job whose attempt is under way and is not being ended."""

WAITING = Waiting()
UNFOLDING = Unfolding()


def with_claim(phase: Phase, claim: ClaimedPlace | None) -> Phase:
    """Return the phase of a waiting or preempted job with this claim, or with none."""
    if type(phase) is Preempted:
        return phase._replace(claim=claim)
    return WAITING if claim is None else Claiming(claim)


Event = Literal[
    "defer",  # the job may not start before its conditions come true
    "admit",  # the conditions have come true, and the job takes its place in the queue, or unfolds
    "start",  # the base scheduler starts the job, or commits its expired trial in place
    "try",  # the job starts on its trial
    "expire",  # the trial is over, and the job runs on
    "claim",  # the job is given a place that other jobs have to leave
    "leave",  # one of the jobs that the job awaited has left
    "unclaim",  # the claimed place is not available any more
    "suspend",  # an operator has the processes of the job stopped
    "resume",  # the suspended job runs on, or is about to end
    "preempt",  # the expired trial is killed for other jobs
    "stop",  # the attempt ends on one of its nodes, or is ordered to end
    "requeue",  # the attempt is over, and the job waits again
    "adopt",  # the job was started after the backup that was restored
    "restore",  # a new core takes up the job, whose trial or claim does not go on as it was
    "end",  # the job is over
    "restart",  # the job, which is over, is to run again
]
"""The events that move a job to another phase. (The events are strings and no enumeration: every
job has two events at least, and in Python 3.11 the look-up of a member takes as long as a function
call.)"""

TRANSITIONS: dict[type[Phase], dict[Event, tuple[type[Phase], ...]]] = {
    Ineligible: {
        "defer": (Ineligible,),
        "admit": (Waiting, Unfolding),
        "adopt": (Running,),
        "end": (Done,),
    },
    Unfolding: {
        "defer": (Ineligible,),
        "end": (Done,),
    },
    Waiting: {
        "defer": (Ineligible,),
        "start": (Running,),
        "try": (OnTrial,),
        "claim": (Claiming,),
        "adopt": (Running,),
        "end": (Done,),
    },
    Claiming: {
        "defer": (Ineligible,),
        "leave": (Claiming,),
        "start": (Running,),
        "try": (OnTrial,),
        "unclaim": (Waiting,),
        "restore": (Claiming, Waiting),
        "end": (Done,),
    },
    OnTrial: {
        "expire": (Expired,),
        "suspend": (Suspended,),
        "stop": (Stopping,),
        "restore": (Running,),
    },
    Expired: {
        "start": (Running,),
        "suspend": (Suspended,),
        "preempt": (Preempted,),
        "stop": (Stopping,),
        "restore": (OnTrial, Running),
    },
    Running: {
        "suspend": (Suspended,),
        "stop": (Stopping,),
        "requeue": (Waiting,),
        "end": (Done,),
    },
    Suspended: {
        "resume": (Running,),
    },
    Preempted: {
        "claim": (Preempted,),
        "leave": (Preempted,),
        "unclaim": (Preempted,),
        "stop": (Stopping,),
        "requeue": (Waiting, Claiming),
        "restore": (Preempted, Stopping),
        "end": (Done,),
    },
    Stopping: {
        "stop": (Stopping,),
        "requeue": (Waiting,),
        "restore": (Stopping,),
        "end": (Done,),
    },
    Done: {
        "restart": (Ineligible,),
    },
}
"""The phases that may follow a phase at an event. Any other transition is an error."""

TO_START: frozenset[type[Phase]] = frozenset({Waiting, Claiming, OnTrial, Expired, Preempted})
"""The phases of the jobs that the base scheduler has still to start: they are in the queue, set
aside or held back, or have claimed a place."""

MAY_BE_LATE: frozenset[type[Phase]] = frozenset(
    {Ineligible, Unfolding, Waiting, Claiming, Preempted}
)
"""The phases of the jobs that can be too late for their deadlines: they have still to start. A
trial may go on to the end of the job."""

HOLDING = frozenset(TRANSITIONS) - {Ineligible, Unfolding, Waiting, Done}
"""The phases in which a job holds processors, or is certain to get those that it has claimed."""


class IllegalTransition(AssertionError):
    """No event leads from the job's phase to the new one."""
