"""The words that core, wire, daemon, agents and clients share: job states, causes of an end,
conditions of a start, the used resources, a kind of nodes, and the form of features."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

FEATURE_PATTERN = r"[A-Za-z0-9_][A-Za-z0-9_.:=+/-]{0,63}"
"""The form of a feature of nodes, for ASCII alone."""
Preempt = Literal["off", "requeue", "cancel"]
"""The consequence for a running job that another one preempts; "off": none may."""


class JobState(StrEnum):
    """The state of a job, by Slurm's long names. `STATES` says what each one means."""

    PENDING = "PENDING"
    CONFIGURING = "CONFIGURING"  # launching: the agent has not confirmed the start
    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"  # stopped by an operator, and its limit with it
    COMPLETING = "COMPLETING"  # stopping: some node has not confirmed the exit
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TIMEOUT = "TIMEOUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    NODE_FAIL = "NODE_FAIL"
    DEADLINE = "DEADLINE"  # could no longer end before its deadline
    PREEMPTED = "PREEMPTED"  # ended for a job of a higher tier or QOS

    @property
    def terminal(self) -> bool:
        return self in TERMINAL_STATES


class Stage(StrEnum):
    """The stage of its life that a job is in. Most code asks for it, and not for single states."""

    WAITS = "waits"  # no attempt is under way
    GOES_ON = "goes on"  # an attempt goes on, or is being launched
    STANDS_STILL = "stands still"  # an attempt is under way, and keeps its place, but is stopped
    ENDS = "ends"  # the attempt is being ended
    OVER = "over"


class StateRow(NamedTuple):
    """A row of `STATES`.

    code: Slurm's short code. reason: why a job is over, as Slurm says it; None: the cause of the
    attempt's end tells. failed: such a job counts as failed in a history.
    """

    code: str
    stage: Stage
    reason: str | None = None
    failed: bool = False


STATES: dict[JobState, StateRow] = {
    JobState.PENDING: StateRow("PD", Stage.WAITS),
    JobState.CONFIGURING: StateRow("CF", Stage.GOES_ON),
    JobState.RUNNING: StateRow("R", Stage.GOES_ON),
    JobState.SUSPENDED: StateRow("S", Stage.STANDS_STILL),
    JobState.COMPLETING: StateRow("CG", Stage.ENDS),
    JobState.COMPLETED: StateRow("CD", Stage.OVER, "None"),
    JobState.FAILED: StateRow("F", Stage.OVER, failed=True),
    JobState.CANCELLED: StateRow("CA", Stage.OVER, "None"),
    JobState.TIMEOUT: StateRow("TO", Stage.OVER, "TimeLimit", failed=True),
    JobState.OUT_OF_MEMORY: StateRow("OOM", Stage.OVER, "OutOfMemory", failed=True),
    JobState.NODE_FAIL: StateRow("NF", Stage.OVER, "NodeDown", failed=True),
    JobState.DEADLINE: StateRow("DL", Stage.OVER, "DeadLine", failed=True),
    JobState.PREEMPTED: StateRow("PR", Stage.OVER, "None", failed=True),
}
CODES = {state: row.code for state, row in STATES.items()}
FAILED_STATES = frozenset(state for state, row in STATES.items() if row.failed)


def _in(*stages: Stage) -> frozenset[JobState]:
    return frozenset(state for state, row in STATES.items() if row.stage in stages)


TERMINAL_STATES = _in(Stage.OVER)
LIVE_STATES = frozenset(JobState) - TERMINAL_STATES
STARTED_STATES = _in(Stage.GOES_ON, Stage.STANDS_STILL, Stage.ENDS)
"""The states of jobs that have an attempt under way."""
UNSTOPPED_STATES = _in(Stage.GOES_ON, Stage.STANDS_STILL)
"""The states of jobs whose attempt is to go on: it is not being ended."""
RUNNING_STATES = _in(Stage.GOES_ON)
"""The states of jobs whose attempt goes on now, or is being launched."""


class Cause(StrEnum):
    """The cause of an attempt's end. The state of a job comes from it, never from the signal."""

    EXIT = "exit"  # the job's own exit, whatever its code or signal
    LIMIT = "limit"  # killed at its limit
    MEMORY = "memory"  # killed for its memory
    QUOTA = "quota"  # killed for more output or processes than a job may have
    USER = "user"  # cancelled
    NODE = "node"  # a node of the attempt is lost
    LAUNCH = "launch"  # could not be started
    TRIAL = "trial"  # killed after its trial run, to be restarted
    REQUEUE = "requeue"  # ended on request, to be restarted
    DISPLACE = "displace"  # ended for a job of a higher tier or QOS, to be restarted
    PREEMPT = "preempt"  # ended for a job of a higher tier or QOS, for good
    DEPENDENCY = "dependency"  # never started: its dependencies can never be fulfilled
    DEADLINE = "deadline"  # never started: its limit would reach beyond its deadline
    UNKNOWN = "unknown"  # ended unobserved; the exit status cannot be known


class HeldBy(StrEnum):
    """The role of the account that holds a job. A user cannot release what an operator holds."""

    USER = "user"
    OPERATOR = "operator"


class Relation(StrEnum):
    """The event in another job's life that a job waits for; Slurm's words of `--dependency`."""

    AFTER = "after"  # the other job has started, or was cancelled
    AFTER_ANY = "afterany"  # the other job is over
    AFTER_OK = "afterok"  # the other job has ended with exit code 0
    AFTER_NOT_OK = "afternotok"  # the other job has failed, or was cancelled
    SINGLETON = "singleton"  # earlier jobs of the same user and name are over


class Fault(StrEnum):
    """The side that a failed launch is due to, as the node judged it where the launch failed."""

    NODE = "node"  # surely the node's: no user can bring it about
    JOB = "job"  # the job's: it fails on every node
    UNKNOWN = "unknown"  # either: a directory that is missing here may be missing everywhere


EMULATED = "emulated"
"""The kind, and the feature, of nodes that exist in name only."""
MAIN_PARTITION = "main"
"""The one partition of a cluster that has none configured. It has all nodes."""
NORMAL_QOS = "normal"
"""The QOS that every cluster has, and that jobs have unless the configuration says otherwise."""


class Used(NamedTuple):
    """The resources that an attempt has used, as far as known: the processor time of all its
    processes, and the most memory that they held at a time on one node. A look a second finds that;
    the memory of the largest process is the least that is told."""

    cpu_s: float | None = None
    max_rss_mib: int | None = None

    def plus(self, cpu_s: float | None, max_rss_mib: int | None) -> Used:
        """Return the sum with what other processes of the attempt have used."""
        if cpu_s is None and max_rss_mib is None:
            return self
        times_s = [one for one in (self.cpu_s, cpu_s) if one is not None]
        sizes_mib = [one for one in (self.max_rss_mib, max_rss_mib) if one is not None]
        return Used(round(sum(times_s), 6) if times_s else None, max(sizes_mib, default=None))


NOTHING_USED = Used()

RESTARTED = frozenset({Cause.TRIAL, Cause.REQUEUE, Cause.DISPLACE})
"""Kills after which the job runs again."""

FOR_HIGHER_TIERS = frozenset({Cause.DISPLACE, Cause.PREEMPT})
"""Kills for jobs of higher tiers or QOS."""

OVERDRAWN = frozenset({Cause.MEMORY, Cause.QUOTA})
"""Kills on one node, for what the job used there, that end the whole job."""


def failed_by_node(cause: Cause, fault: Fault | None) -> bool:
    """Return whether an attempt ended because its node could not launch it, surely or perhaps. The
    job's own faults, and launches of older agents, which tell no fault, are none of these."""
    return cause is Cause.LAUNCH and fault is not None and fault is not Fault.JOB


_EXIT, _SUCCESS = Cause.EXIT, JobState.COMPLETED
_STATES_AFTER: dict[Cause, JobState] = {
    Cause.EXIT: JobState.FAILED,
    Cause.LIMIT: JobState.TIMEOUT,
    Cause.MEMORY: JobState.OUT_OF_MEMORY,
    Cause.QUOTA: JobState.FAILED,
    Cause.USER: JobState.CANCELLED,
    Cause.NODE: JobState.NODE_FAIL,
    Cause.LAUNCH: JobState.FAILED,
    Cause.TRIAL: JobState.FAILED,
    Cause.REQUEUE: JobState.FAILED,
    Cause.DISPLACE: JobState.PREEMPTED,
    Cause.PREEMPT: JobState.PREEMPTED,
    Cause.DEPENDENCY: JobState.CANCELLED,
    Cause.DEADLINE: JobState.DEADLINE,
    Cause.UNKNOWN: JobState.FAILED,
}
"""The states after a failure."""


def state_after(cause: Cause, exit_code: int | None, signal: int | None) -> JobState:
    """Return the terminal state of a job whose last attempt ended with `cause`."""
    if exit_code == 0 and not signal and cause is _EXIT:
        return _SUCCESS
    return _STATES_AFTER[cause]
