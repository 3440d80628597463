"""Jobs in the phases that tests want them in, whatever way leads there."""

from __future__ import annotations

from rmsd_core.jobs.attempt import Attempt, Outcome, begun
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import WAITING, Done, Phase, Running, Stopping, Suspended
from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle.effects import Start
from rmsd_core.vocabulary import Cause, JobState

ONE_CORE = (Piece("n1", 1),)


def attempt_on(*pieces: Piece, start_us: int = 1, launched: bool = True) -> Attempt:
    """Return an attempt that holds `pieces`."""
    attempt = begun(pieces or ONE_CORE, start_us)
    attempt.launched = launched
    return attempt


def running(
    job: Job, *pieces: Piece, start_us: int = 1, number: int = 1, launched: bool = True
) -> Job:
    """Return the job, running on `pieces`."""
    job.attempt = number
    job.phase = Running(attempt_on(*pieces, start_us=start_us, launched=launched))
    return job


def over(job: Job, *, start_us: int | None = 5, end_us: int = 6, cause: Cause = Cause.EXIT) -> Job:
    """Return the job, over: it was COMPLETED, whatever the cause."""
    outcome = Outcome(cause, 0)
    attempt = None
    if start_us is not None:
        attempt = attempt_on(start_us=start_us)
        attempt.open_nodes, attempt.outcome, attempt.end_us = frozenset(), outcome, end_us
    job.phase = Done(JobState.COMPLETED, outcome, end_us, attempt)
    return job


def phase_in(state: JobState) -> Phase:
    """Return a phase of this state."""
    attempt = attempt_on(launched=state in (JobState.RUNNING, JobState.SUSPENDED))
    match state:
        case JobState.PENDING:
            return WAITING
        case JobState.CONFIGURING | JobState.RUNNING:
            return Running(attempt)
        case JobState.SUSPENDED:
            return Suspended(attempt, 5)
        case JobState.COMPLETING:
            return Stopping(attempt, Cause.USER)
    return Done(state, Outcome(Cause.EXIT, 0), 6, attempt)


def start_of(job: Job) -> Start:
    """Return the decision that has started the job."""
    assert job.start_us is not None
    return Start(job.id, job.attempt, job.start_us, job.allocation, job.trial_end_us)
