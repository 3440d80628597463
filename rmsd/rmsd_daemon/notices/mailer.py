"""Mails about jobs: what is in them, and how the site's program or server gets them."""

from __future__ import annotations

import asyncio
import time
from asyncio.subprocess import DEVNULL, PIPE
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.mail import SMTP_PORT
from rmsd_process.open_files import with_given_open_files
from rmsd_process.processes import end

_HOUR_S = 3600.0
_SEND_S = 30.0
_GRACE_S = 5.0
_MOST_TOLD = 200
"""The characters of what a mail program says that are told to the user."""
_FIELDS = (
    ("Job", "job_id"),
    ("Name", "name"),
    ("User", "user"),
    ("State", "state"),
    ("Reason", "reason"),
    ("Message", "message"),
    ("Submitted", "submit_time"),
    ("Started", "start_time"),
    ("Ended", "end_time"),
    ("Exit code", "exit_code"),
    ("Signal", "signal"),
    ("Nodes", "nodelist"),
    ("Directory", "workdir"),
    ("Output", "stdout"),
)


class Mailer:
    """Sends mails by a program with the options of sendmail, or to a server that speaks SMTP.

    how: the path of the program, or smtp://HOST:PORT. domain: of addresses that have none; "":
    the site's mail system knows them as they are. per_hour: the most mails for one user.
    """

    def __init__(self, how: str, sender: str, domain: str, per_hour: int) -> None:
        self._how = how
        self._sender = _complete(sender, domain)
        self._domain = domain
        self._per_hour = per_hour
        self._rates = Rates(per_hour / _HOUR_S, per_hour)

    def why_not(self, user: str) -> str:
        """Count a mail about a job of `user`. Returns "", or why the user gets no further one."""
        if self._rates.wait_s(user, 1, time.monotonic(), 0.0) == 0.0:
            return ""
        return f"more than {self._per_hour} mails in an hour (max_mails_per_hour)"

    async def send(self, to: str, subject: str, body: bytes) -> str:
        """Send a mail to `to`, addresses with commas between them. `body` is the job as GET
        /v1/jobs/{id} answers it. Returns "", or the error."""
        addresses = [_complete(address, self._domain) for address in to.split(",")]
        message = _message(self._sender, addresses, subject, msgspec.json.decode(body)["job"])
        try:
            async with asyncio.timeout(_SEND_S):
                if self._how.startswith("/"):
                    return await _by_program(self._how, self._sender, addresses, bytes(message))
                return await _by_server(self._how, self._sender, addresses, message)
        except TimeoutError:
            return f"{self._how} did not take the mail within {_SEND_S:g} s"


def mailer_of(config: Config) -> Mailer | None:
    """Return what sends mails; None if the site sends none."""
    if config.mail is None:
        return None
    domain = config.mail_domain or ""
    return Mailer(config.mail, config.mail_from, domain, config.max_mails_per_hour)


def _complete(address: str, domain: str) -> str:
    return address if "@" in address or not domain else f"{address}@{domain}"


def _message(sender: str, addresses: list[str], subject: str, job: dict[str, Any]) -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = ", ".join(addresses)
    # A name of a job may have an encoded word, as =?utf-8?q?=0a?= is one, and its line end would
    # begin another header.
    message["Subject"] = subject.replace("=?", "= ?")
    message["Date"] = formatdate(localtime=True)
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: nothing answers by itself
    lines = [f"{label}: {job[name]}" for label, name in _FIELDS if job.get(name) not in (None, "")]
    message.set_content("\n".join(lines) + "\n")
    return message


async def _by_program(path: str, sender: str, addresses: list[str], message: bytes) -> str:
    command = [path, "-i", "-f", sender, "--", *addresses]
    try:
        process = await asyncio.create_subprocess_exec(
            *with_given_open_files(command),
            stdin=PIPE, stdout=DEVNULL, stderr=PIPE, cwd="/", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return f"{path}: {error.strerror}"
    try:
        _, told = await process.communicate(message)
    finally:
        await end(process, _GRACE_S)
    if process.returncode == 0:
        return ""
    why = " ".join(told.decode(errors="replace").split())[:_MOST_TOLD]
    return f"{path} ended with {process.returncode}{f': {why}' if why else ''}"


async def _by_server(url: str, sender: str, addresses: list[str], message: EmailMessage) -> str:
    import aiosmtplib  # few sites have a server and no program

    parts = urlsplit(url)
    try:
        await aiosmtplib.send(
            message,
            sender=sender,
            recipients=addresses,
            hostname=parts.hostname,
            port=parts.port or SMTP_PORT,
            timeout=_SEND_S,
        )
    except (aiosmtplib.SMTPException, OSError) as error:
        return f"{url}: {' '.join(str(error).split())[:_MOST_TOLD]}"
    return ""
