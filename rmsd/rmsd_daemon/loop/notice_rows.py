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


def notice_rows(
    effects: Effects, core: Core, details_of: Callable[[Job], Details | None]
) -> list[Row]:
    """Return the rows of the notices that the effects give rise to. `details_of` returns the
    details of a live job, or of one that has just ended."""
    rows: list[Row] = []
    for decision in effects.decisions:
        if isinstance(decision, Start | Requeue | End):
            job = core.job(decision.job_id)
            if (details := details_of(job)) is None:
                continue
            if details.notify and isinstance(decision, End):
                rows.append(_row(job.id, OVER, details.notify))
            if details.mail is not None or job.task is not None:
                rows += _mails(decision, job, details, core, details_of)
    for job_id in effects.changed:
        job = core.job(job_id)
        if isinstance(job.phase, Ineligible) and job.phase.conditions.never:
            rows += _mails_of_never(job, details_of(job))
    return rows


def ends_told(
    effects: Effects, core: Core, details_of: Callable[[Job], Details | None]
) -> list[Row]:
    """Return the keys of the jobs that are over, and some of whose events may be noted as told."""
    ended = [core.job(one.job_id) for one in effects.decisions if isinstance(one, End)]
    return [
        {"b_job_id": job.id}
        for job in ended
        if (details := details_of(job)) is not None and details.mail is not None
    ]


def _mails(
    decision: Start | Requeue | End,
    job: Job,
    details: Details,
    core: Core,
    details_of: Callable[[Job], Details | None],
) -> Iterator[Row]:
    """Yield the mails about a job; for the start of a task, also about its array."""
    asked = details.mail if job.array is None else details.mail and details.mail.of_array()
    if isinstance(decision, Start):
        if asked is not None:
            yield from _mail_of_begin(asked, job, details, decision)
        if job.task is not None and (array := core.jobs.get(job.task.array_id)) is not None:
            whole = details_of(array)
            if whole is not None and whole.mail is not None and whole.mail.of_array():
                yield from _mail_of_begin(whole.mail, array, whole, decision)
    elif asked is None:
        return
    elif isinstance(decision, End):
        if subject := mail.end_subject(asked, job, details.name, decision):
            yield _mail(job.id, END, asked, subject)
    elif subject := mail.requeue_subject(asked, job, details.name, decision.outcome.cause):
        yield _mail(job.id, f"{REQUEUE} {decision.attempt}", asked, subject)


def _mail_of_begin(asked: Mail, job: Job, details: Details, start: Start) -> Iterator[Row]:
    if mail.tells_of_begin(asked):
        subject = mail.begin_subject(job, details.name, start.start_us)
        yield _mail(job.id, BEGIN, asked, subject)


def _mails_of_never(job: Job, details: Details | None) -> Iterator[Row]:
    asked = None if details is None else details.mail
    if asked is None or details is None or (job.array is not None and not asked.of_array()):
        return
    if subject := mail.never_subject(asked, job, details.name):
        yield _mail(job.id, NEVER, asked, subject)


def _mail(job_id: int, event: str, asked: Mail, subject: str) -> Row:
    return _row(job_id, event, MAILTO + asked.to, subject)


def _row(job_id: int, event: str, target: str, subject: str = "") -> Row:
    return {"job_id": job_id, "event": event, "target": target, "subject": subject}
