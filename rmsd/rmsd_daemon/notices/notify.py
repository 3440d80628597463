"""The delivery of notices: a URL or a command is told that a job is over, and mails are sent.

A notice is a row that is committed with the event of the job, and deleted when it was delivered or
given up. So a restarted daemon delivers the notices that are left: each at least once. Nothing
waits for a delivery.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter

import msgspec
import structlog
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.mail import MAILTO
from rmsd_daemon.domain.notify import is_command
from rmsd_daemon.domain.together import Together
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.notices.commands import run_command
from rmsd_daemon.notices.limit_mails import LimitMails
from rmsd_daemon.notices.lookups import Lookups
from rmsd_daemon.notices.mailer import Mailer
from rmsd_daemon.queries import views
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Notice
from rmsd_process.tls_content import client_context
from rmsd_wire.link_values import PACED

log = structlog.get_logger()

_AT_ONCE = 32
_OF_ONE_USER = 8
"""The most deliveries of one user at a time: URLs that do not answer must not delay other users'
notices."""
_URL_S = 10.0
PAUSES_S = (1.0, 5.0, 30.0)
"""The pauses between the attempts to deliver a notice; after the last attempt it is given up."""
_LOOKUPS = _AT_ONCE * (1 + len(PAUSES_S))
"""The most look-ups of host names at a time. A look-up without an answer keeps its thread longer
than its attempt lasts; so each attempt of all deliveries under way may have a thread."""


_Key = tuple[int, str]
"""The job and the event of a notice."""


class Notifier:
    """Delivers every notice in the store, a limited number of them at a time.

    `users_commands`: a daemon of root's runs commands, each as the user of its job. Any other
    daemon runs those of its own account. mailer: what sends mails; None: none are sent.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        history: JobHistory,
        *,
        users_commands: bool = False,
        mailer: Mailer | None = None,
    ) -> None:
        self._users_commands = users_commands
        self._mailer = mailer
        self._scheduler = scheduler
        self._history = history
        self._told = Together(scheduler.settle_notices)
        self._deliveries: dict[_Key, asyncio.Task[None]] = {}
        self._busy: Counter[str] = Counter()  # the number of deliveries by user
        self._settled: set[_Key] = set()  # delivered or given up, with or without rows
        self._deleted: set[_Key] = set()  # notices that are settled, and whose rows are deleted

    async def run(self) -> None:
        """Deliver notices, and make those of parts of time limits, until cancelled. Deliveries that
        are under way then are left for the next start."""
        if self._mailer is None or self._scheduler.clock.rate == PACED:
            await self._deliver_all()
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(LimitMails(self._scheduler).run())
            group.create_task(self._deliver_all())

    async def _deliver_all(self) -> None:
        # Keep no cookies: all users' notices share the session, and a server must not set cookies
        # for the requests of another user.
        cookies, timeout = DummyCookieJar(), ClientTimeout(_URL_S)
        # A server that sends messages without content must not occupy the event loop.
        connector = TCPConnector(resolver=Lookups(_LOOKUPS), ssl=client_context())
        async with ClientSession(
            connector=connector, timeout=timeout, cookie_jar=cookies
        ) as session:
            try:
                while True:
                    await self._scheduler.notices.wait()
                    self._scheduler.notices.clear()
                    try:
                        await self._begin(session)
                        self._scheduler.troubles.over("notices")
                    except StoreError as error:
                        log.error("notices-not-read", error=str(error))
                        self._scheduler.troubles.failed("notices", error, PAUSES_S[-1])
                        await asyncio.sleep(PAUSES_S[-1])
                        self._scheduler.notices.set()
            finally:
                for task in self._deliveries.values():
                    task.cancel()
                await asyncio.gather(*self._deliveries.values(), return_exceptions=True)

    async def _begin(self, session: ClientSession) -> None:
        """Begin as many deliveries as may be under way at once."""
        left_out = True
        while left_out:
            deleted, self._deleted = self._deleted, set()
            full = [user for user, count in self._busy.items() if count >= _OF_ONE_USER]
            stored = await self._history.notices(len(self._settled) + _AT_ONCE, full)
            left_out = False
            news = [notice for notice in stored if notice.key not in self._settled]
            self._settled -= deleted
            for notice in news:
                if notice.key in self._deliveries:
                    continue
                if len(self._deliveries) >= _AT_ONCE:
                    return
                if self._busy[notice.user] >= _OF_ONE_USER:
                    left_out = True  # there may be notices behind those of this user
                    continue
                self._busy[notice.user] += 1
                delivery = asyncio.create_task(self._deliver(session, notice))
                self._deliveries[notice.key] = delivery

    async def _deliver(self, session: ClientSession, notice: Notice) -> None:
        job_id = notice.job_id
        try:
            problem = await self.try_to_deliver(session, notice)
        except Exception as error:  # otherwise the notice would keep its place for ever
            log.exception("notice-raised", job_id=job_id)
            problem = f"{type(error).__name__}: {error}"
        if problem:
            log.warning("notice-given-up", job_id=job_id, why=problem)
            self._history.undelivered.note(job_id, problem)
        self._settled.add(notice.key)
        try:
            await self._told.put(notice.key)
            self._deleted.add(notice.key)
        except StoreError as error:
            log.error("notice-not-deleted", job_id=job_id, error=str(error))
        del self._deliveries[notice.key]
        self._busy[notice.user] -= 1
        self._scheduler.notices.set()  # another delivery may begin

    async def try_to_deliver(self, session: ClientSession, notice: Notice) -> str:
        """Try until the notice is delivered. Returns "", or the reason why it is given up."""
        job_id, problem = notice.job_id, ""
        is_mail = notice.target.startswith(MAILTO)
        if is_mail and (self._mailer is None or (problem := self._mailer.why_not(notice.user))):
            return problem or "this daemon sends no mail (mail)"
        for pause_s in (0.0, *PAUSES_S):
            await asyncio.sleep(pause_s)
            try:
                body = await self.body(job_id)
            except DaemonError as error:
                problem = str(error)
            else:
                problem = await self._attempt(session, notice, body)
            if not problem:
                return ""
            log.info("notice-failed", job_id=job_id, why=problem)
        return problem

    async def _attempt(self, session: ClientSession, notice: Notice, body: bytes) -> str:
        if notice.target.startswith(MAILTO):
            assert self._mailer is not None, "it was looked at before the first attempt"
            to = notice.target.removeprefix(MAILTO)
            return await self._mailer.send(to, notice.subject, body)
        if not is_command(notice.target):
            return await post(session, notice.target, body)
        if os.geteuid() != 0:
            return await run_command(notice.target, body)
        if not self._users_commands:
            return "this daemon runs no commands (notify_commands)"
        return await run_command(notice.target, body, notice.user)

    async def body(self, job_id: int) -> bytes:
        """Return the job as GET /v1/jobs/{id} answers it."""
        job, details = await self._history.find(job_id)
        view = views.job_view(job, details, "", self._scheduler.clock.now_us())
        return msgspec.json.encode({"schema": "rmsd.job/1", "job": view})


async def post(session: ClientSession, url: str, body: bytes) -> str:
    """Send JSON to a URL, and return "", or the error. A redirect is not followed: it could lead
    where the submitter's own URL was not meant to. The answer's body, which may have no end, is not
    read: the connection is closed."""
    headers = {"Content-Type": "application/json"}
    try:
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            return "" if 200 <= response.status < 300 else f"HTTP {response.status}"
    except TimeoutError:
        return f"no answer within {_URL_S:g} s"
    except (ClientError, OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
