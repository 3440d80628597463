"""The mails that a running job has used a part of its time limit: when each is due.

The feed tells which jobs have begun or changed. A mail that is due becomes a notice in the
database. The notice stays there until the job is over, so that a restarted daemon does not send it
again.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable

import structlog

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.feed import News
from rmsd_daemon.domain.mail import MAILTO, Mail, part_subject
from rmsd_daemon.domain.notify import LIMIT
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.clock import real_delay_s
from rmsd_daemon.store.records import Row
from rmsd_wire.link_values import PACED
from rmsd_wire.mail_types import PARTS_OF_LIMIT

log = structlog.get_logger()

_LONGEST_PAUSE_S = 3600.0
_RETRY_S = 5.0
_IN_A_SLICE = 200
"""The jobs that are looked at in a row, when all have to be."""
_SPARE = 1000
_MOST_ROWS = 500
"""The notices that are made and stored at once. After hours without a daemon those of all running
jobs can be due."""


class LimitMails:
    """Makes notices of the mails about parts of time limits."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        # Each job has its attempt, and the instant at which the mail about each part is due, which
        # is None once the mail is under way.
        self._parts: dict[int, tuple[int, dict[int, int | None]]] = {}
        self._due: list[tuple[int, int, int]] = []  # a heap of instants, jobs and parts

    async def run(self) -> None:
        """Make notices as they are due, until cancelled."""
        with self._scheduler.feed.subscribed(None, None) as subscription:
            while True:
                if (news := subscription.take()) is not None:
                    await self._note(news)
                if rows := self._take_due():
                    try:
                        await self._scheduler.add_notices(rows)
                    except DaemonError as error:
                        log.warning("limit-mails-not-stored", error=str(error))
                        self._forget(rows)
                        await asyncio.sleep(_RETRY_S)
                await subscription.wait(self._pause_s())

    def _pause_s(self) -> float:
        if not self._due:
            return _LONGEST_PAUSE_S
        return min(_LONGEST_PAUSE_S, real_delay_s(self._scheduler.clock, self._due[0][0]))

    async def _note(self, news: News) -> None:
        """Note when mails are due about the jobs that have changed."""
        if not news.anew:
            self._note_jobs(news.states)
            return
        self._parts, self._due = {}, []
        jobs = list(self._scheduler.details)
        for first in range(0, len(jobs), _IN_A_SLICE):
            self._note_jobs(jobs[first : first + _IN_A_SLICE])
            await asyncio.sleep(0)

    def _note_jobs(self, job_ids: Iterable[int]) -> None:
        for job_id in job_ids:
            found = self._running(job_id)
            if found is None:
                self._parts.pop(job_id, None)
                continue
            job, details, mail = found
            attempt, parts = self._parts.get(job_id, (job.attempt, {}))
            if attempt != job.attempt:
                parts = {}
            for part, due_us in self._instants(job, details, mail):
                if parts.get(part, due_us) is None or parts.get(part) == due_us:
                    continue
                parts[part] = due_us
                heapq.heappush(self._due, (due_us, job_id, part))
            self._parts[job_id] = (job.attempt, parts)
        if len(self._due) > len(PARTS_OF_LIMIT) * len(self._parts) + _SPARE:
            self._due = [one for one in self._due if self._is_current(*one)]
            heapq.heapify(self._due)

    def _running(self, job_id: int) -> tuple[Job, Details, Mail] | None:
        """Return a job whose limit runs, if its user asks for mails about parts of the limit."""
        details = self._scheduler.details.get(job_id)
        if details is None or details.mail is None or not details.limited:
            return None
        job = self._scheduler.core.jobs.get(job_id)
        if job is None or job.state is not JobState.RUNNING or job.is_trial:
            return None
        mail = details.mail.about(job)
        if mail is None or not PARTS_OF_LIMIT.keys() & set(mail.types):
            return None
        return job, details, mail

    def _instants(self, job: Job, details: Details, mail: Mail) -> list[tuple[int, int]]:
        """Return the parts of which mails tell, in percent, and when the job comes to each. The
        limit of a script is in real time."""
        rate = self._scheduler.clock.rate
        limit_us = job.estimate_us * (rate if details.emulate is None and rate != PACED else 1)
        begin_us = (job.start_us or 0) + job.suspended_us
        return [
            (part, begin_us + round(limit_us * part / 100))
            for name, part in PARTS_OF_LIMIT.items()
            if name in mail.types
        ]

    def _is_current(self, due_us: int, job_id: int, part: int) -> bool:
        return job_id in self._parts and self._parts[job_id][1].get(part) == due_us

    def _take_due(self) -> list[Row]:
        """Return the rows of notices that are due now, the first ones if there are many."""
        rows: list[Row] = []
        now_us = self._scheduler.clock.now_us()
        while self._due and self._due[0][0] <= now_us and len(rows) < _MOST_ROWS:
            due_us, job_id, part = heapq.heappop(self._due)
            if not self._is_current(due_us, job_id, part):
                continue
            found = self._running(job_id)
            if found is None or found[0].attempt != self._parts[job_id][0]:
                continue  # the feed tells of the job in a moment
            job, details, mail = found
            self._parts[job_id][1][part] = None
            rows.append(
                {
                    "job_id": job_id,
                    "event": f"{LIMIT} {part} {job.attempt}",
                    "target": MAILTO + mail.to,
                    "subject": part_subject(job, details.name, part),
                }
            )
        return rows

    def _forget(self, rows: Iterable[Row]) -> None:
        """Have the notices made again that could not be stored."""
        jobs = {int(row["job_id"]) for row in rows}
        for job_id in jobs:
            self._parts.pop(job_id, None)
        self._note_jobs(jobs)
