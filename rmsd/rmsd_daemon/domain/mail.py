"""The mails about a job: of which events, to whom, and their subjects."""

from __future__ import annotations

import msgspec

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.effects import End
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Cause, JobState
from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.durations import format_duration
from rmsd_wire.mail_types import (
    ARRAY_TASKS,
    BEGIN,
    END,
    FAIL,
    INVALID_DEPEND,
    MAIL_TYPES,
    REQUEUE,
    TIME_LIMIT,
    parse_addresses,
)

MAILTO = "mailto:"
"""The scheme of the targets of notices that are mails."""


class Mail(msgspec.Struct, frozen=True):
    """The mails that the submitter of a job asks for. types: some of `MAIL_TYPES`, in their order.
    to: addresses with commas between them, or accounts of the site."""

    types: tuple[str, ...]
    to: str

    def about(self, job: Job) -> Mail | None:
        """Return the mails about this job itself: none about an array each of whose tasks is told
        of."""
        return None if job.array is not None and ARRAY_TASKS in self.types else self

    def of_task(self) -> Mail | None:
        """Return the mails about each task of an array; None if the array alone is told of."""
        return self if ARRAY_TASKS in self.types else None


def checked_mail(types: list[str], to: str, user: str, *, are_sent: bool) -> Mail | None:
    """Return the mails that a submit asks for; None if it asks for none, or if the
    site sends none. Without `to` they go to the job's `user`.

    Raises:
        Malformed: there is no such event, or an address is not usable.
    """
    for name in types:
        if name not in MAIL_TYPES:
            raise Malformed(f"'mail_types' has '{name}'; expected some of {', '.join(MAIL_TYPES)}")
    if not are_sent or set(types) <= {ARRAY_TASKS}:
        return None
    try:
        found = parse_addresses(to) if to else user
    except ValueError as error:
        raise Malformed(f"'mail_user' {error}") from None
    return Mail(tuple(name for name in MAIL_TYPES if name in types), found)


def begin_subject(mail: Mail, job: Job, name: str, start_us: int) -> str | None:
    """Return the subject of the mail that a job, or the first task of an array, has begun; None if
    there is to be none."""
    if BEGIN not in mail.types:
        return None
    return f"{_named(job, name)} Began, Queued time {_time(start_us - job.eligible_us)}"


def end_subject(mail: Mail, job: Job, name: str, end: End) -> str | None:
    """Return the subject of the mail about the end of a job or an array; None if there is to be no
    mail about such an end."""
    failed = end.state not in (JobState.COMPLETED, JobState.CANCELLED)
    wanted = (
        END in mail.types
        or (FAIL in mail.types and failed)
        or (TIME_LIMIT in mail.types and end.state is JobState.TIMEOUT)
        or (INVALID_DEPEND in mail.types and end.outcome.cause is Cause.DEPENDENCY)
    )
    if not wanted:
        return None
    told = "Failed" if failed else "Ended"
    ran = "" if end.start_us is None else f" Run time {_time(end.end_us - end.start_us)},"
    code = end.outcome.exit_code
    exit_code = "" if code is None else f", ExitCode {code}"
    return f"{_named(job, name)} {told},{ran} {end.state}{exit_code}"


def requeue_subject(mail: Mail, job: Job, name: str, cause: Cause) -> str | None:
    """Return the subject of the mail that a job waits again; None if there is to be none. The end
    of a trial is none: the job's turn has not come."""
    if REQUEUE not in mail.types or cause is Cause.TRIAL:
        return None
    return f"{_named(job, name)} Requeued, {cause}"


def part_subject(job: Job, name: str, percent: int) -> str:
    """Return the subject of the mail that a job has used a part of its time limit."""
    return f"{_named(job, name)} Reached {percent}% of time limit"


def never_subject(mail: Mail, job: Job, name: str) -> str | None:
    """Return the subject of the mail that the job's dependencies can never be fulfilled; None if
    there is to be none."""
    if INVALID_DEPEND not in mail.types:
        return None
    return f"{_named(job, name)} Invalid dependency"


def _named(job: Job, name: str) -> str:
    if job.array is not None:
        return f"Array Job_id={job.id} Name={name}"
    if job.task is not None:
        number = f"{job.task.array_id}_{job.task.array_index} ({job.id})"
        return f"Job_id={number} Name={name}"
    return f"Job_id={job.id} Name={name}"


def _time(span_us: int) -> str:
    return format_duration(max(0, span_us) / SECOND_US)
