"""The notices that are committed with a batch: which events of which jobs are told, and to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, End, Requeue, Start
from rmsd_daemon.domain import mail
from rmsd_daemon.domain.mail import MAILTO, Mail
from rmsd_daemon.domain.notify import BEGIN, END, NEVER, OVER, REQUEUE
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.records import Row

_DetailsOf = Callable[[Job], Details | None]
"""The function that returns the details of a live job, or of one that has just ended."""


def notice_rows(effects: Effects, core: Core, details_of: _DetailsOf) -> list[Row]:
    """Return the rows of the notices that the effects give rise to."""
    rows: list[Row] = []
    for decision in effects.decisions:
        if isinstance(decision, Start | Requeue | End):
            rows += _rows_of(decision, core.job(decision.job_id), core, details_of)
    for job_id in effects.changed:
        job = core.job(job_id)
        if isinstance(job.phase, Ineligible) and job.phase.conditions.never:
            rows += _mails_of_never(job, details_of(job))
    return rows


def ends_told(effects: Effects, core: Core, details_of: _DetailsOf) -> list[Row]:
    """Return the keys of the jobs that are over, and some of whose events may be noted as told."""
    ended = [core.job(one.job_id) for one in effects.decisions if isinstance(one, End)]
    return [
        {"b_job_id": job.id}
        for job in ended
        if (details := details_of(job)) is not None and details.mail is not None
    ]


def _rows_of(
    decision: Start | Requeue | End, job: Job, core: Core, details_of: _DetailsOf
) -> Iterator[Row]:
    """Yield the notices about a job; for the start of a task, also about its array."""
    if isinstance(decision, Start) and job.task is not None and job.task.array_id in core.jobs:
        yield from _rows_of(decision, core.jobs[job.task.array_id], core, details_of)
    if (details := details_of(job)) is None:
        return
    if details.notify and isinstance(decision, End):
        yield _row(job.id, OVER, details.notify)
    if (asked := details.mail and details.mail.about(job)) is None:
        return
    subject: str | None
    match decision:
        case Start():
            # Events of a job that is over are not remembered: its requeue would tell again.
            if decision.attempt > 1:
                return
            event = BEGIN
            subject = mail.begin_subject(asked, job, details.name, decision.start_us)
        case End():
            event = END
            subject = mail.end_subject(asked, job, details.name, decision)
        case Requeue():
            event = f"{REQUEUE} {decision.attempt}"
            subject = mail.requeue_subject(asked, job, details.name, decision.outcome.cause)
    if subject is not None:
        yield _mail(job.id, event, asked, subject)


def _mails_of_never(job: Job, details: Details | None) -> Iterator[Row]:
    """Yield the mail that the job's dependencies can never be fulfilled."""
    if details is None or (asked := details.mail and details.mail.about(job)) is None:
        return
    if (subject := mail.never_subject(asked, job, details.name)) is not None:
        yield _mail(job.id, NEVER, asked, subject)


def _mail(job_id: int, event: str, asked: Mail, subject: str) -> Row:
    return _row(job_id, event, MAILTO + asked.to, subject)


def _row(job_id: int, event: str, target: str, subject: str = "") -> Row:
    return {"job_id": job_id, "event": event, "target": target, "subject": subject}
