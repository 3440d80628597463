"""The words that core, wire, daemon, agents and clients share: job states and causes of an end."""

from __future__ import annotations

from enum import StrEnum


class JobState(StrEnum):
    """Where a job is in its life; Slurm's long names, with Slurm's short codes in `CODES`."""

    PENDING = "PENDING"
    CONFIGURING = "CONFIGURING"  # launching: the agent has not confirmed the start
    RUNNING = "RUNNING"
    COMPLETING = "COMPLETING"  # stopping: some node has not confirmed the exit
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TIMEOUT = "TIMEOUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    NODE_FAIL = "NODE_FAIL"

    @property
    def terminal(self) -> bool:
        return self in TERMINAL_STATES


CODES: dict[JobState, str] = {
    JobState.PENDING: "PD",
    JobState.CONFIGURING: "CF",
    JobState.RUNNING: "R",
    JobState.COMPLETING: "CG",
    JobState.COMPLETED: "CD",
    JobState.FAILED: "F",
    JobState.CANCELLED: "CA",
    JobState.TIMEOUT: "TO",
    JobState.OUT_OF_MEMORY: "OOM",
    JobState.NODE_FAIL: "NF",
}

TERMINAL_STATES = frozenset(
    {
        JobState.COMPLETED,
        JobState.FAILED,
        JobState.CANCELLED,
        JobState.TIMEOUT,
        JobState.OUT_OF_MEMORY,
        JobState.NODE_FAIL,
    }
)
LIVE_STATES = frozenset(JobState) - TERMINAL_STATES


class Cause(StrEnum):
    """Why an attempt ended. The state of a job comes from this, never from the signal."""

    EXIT = "exit"  # the job's own exit, whatever its code or signal
    LIMIT = "limit"  # killed at its limit
    MEMORY = "memory"  # killed for its memory
    QUOTA = "quota"  # killed for more output or processes than a job may have
    USER = "user"  # cancelled
    NODE = "node"  # its node is lost
    LAUNCH = "launch"  # could not be started
    TRIAL = "trial"  # killed after its trial run, to be restarted
    UNKNOWN = "unknown"  # ended while nobody watched; the exit status cannot be known


OVERDRAWN = frozenset({Cause.MEMORY, Cause.QUOTA})
"""Kills on one node, for what the job used there, that end the whole job."""


def state_after(cause: Cause, exit_code: int | None, signal: int | None) -> JobState:
    """The terminal state of a job whose last attempt ended with `cause`."""
    if cause is Cause.EXIT:
        return JobState.COMPLETED if exit_code == 0 and not signal else JobState.FAILED
    return {
        Cause.LIMIT: JobState.TIMEOUT,
        Cause.MEMORY: JobState.OUT_OF_MEMORY,
        Cause.QUOTA: JobState.FAILED,
        Cause.USER: JobState.CANCELLED,
        Cause.NODE: JobState.NODE_FAIL,
        Cause.LAUNCH: JobState.FAILED,
        Cause.TRIAL: JobState.FAILED,
        Cause.UNKNOWN: JobState.FAILED,
    }[cause]
