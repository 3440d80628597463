"""Mails about jobs: what is in them, and how the site's program or server gets them."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.notices.lookups import Lookups
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.mail import SMTP_PORT
from rmsd_process.open_files import with_given_open_files
from rmsd_process.processes import end
from rmsd_process.tls_content import client_context

_HOUR_S = 3600.0
_SEND_S = 30.0
_GRACE_S = 5.0
_MOST_TOLD = 200
"""The characters of what a mail program says that are told to the user."""
_LOOKUPS = 128
"""The most look-ups of the server's name at a time: one without an answer keeps its thread longer
than the attempt to send lasts."""
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
        self._server = None if how.startswith("/") else _Server(how)

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
                if self._server is not None:
                    return await self._server.take(self._sender, addresses, message)
                return await _by_program(self._how, self._sender, addresses, bytes(message))
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
    """Have a program take the mail. Its own end counts, whatever it leaves behind with its standard
    error; of that no more is read than is told, and a program that fills the pipe waits."""
    command = [path, "-i", "-f", sender, "--", *addresses]
    try:
        reading, writing = os.pipe()
    except OSError as error:
        return f"{path}: {error.strerror}"
    os.set_blocking(reading, False)
    try:
        return await _run(command, message, reading, writing)
    finally:
        os.close(reading)


async def _run(command: list[str], message: bytes, reading: int, writing: int) -> str:
    """Run a mail program whose standard error is `writing`, a pipe that is closed here."""
    try:
        process = await asyncio.create_subprocess_exec(
            *with_given_open_files(command),
            stdin=PIPE, stdout=DEVNULL, stderr=writing, cwd="/", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    finally:
        os.close(writing)
    try:
        await process.communicate(message)
    finally:
        await end(process, _GRACE_S)
    if process.returncode == 0:
        return ""
    try:
        told = os.read(reading, 4 * _MOST_TOLD)
    except BlockingIOError:  # nothing was said, and a process that it left has the pipe
        told = b""
    why = " ".join(told.decode(errors="replace").split())[:_MOST_TOLD]
    return f"{command[0]} ended with {process.returncode}{f': {why}' if why else ''}"


class _Server:
    """A mail server of the site, at smtp://HOST:PORT."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._url = url
        self._host, self._port = parts.hostname or "", parts.port or SMTP_PORT
        # A name server that does not answer must not keep the daemon from its end.
        self._lookups = Lookups(_LOOKUPS)
        # A server that sends messages without content must not occupy the event loop.
        self._tls = client_context()

    async def take(self, sender: str, addresses: list[str], message: EmailMessage) -> str:
        """Have the server take a mail. Returns "", or the error."""
        import aiosmtplib  # few sites have a server and no program

        try:
            connection = await self._connect()
            try:
                await aiosmtplib.send(
                    message,
                    sender=sender,
                    recipients=addresses,
                    sock=connection,
                    hostname=self._host,
                    local_hostname=_own_name(connection),
                    tls_context=self._tls,
                    timeout=_SEND_S,
                )
            finally:
                _shut(connection)
        except (aiosmtplib.SMTPException, OSError) as error:
            return f"{self._url}: {' '.join(str(error).split())[:_MOST_TOLD]}"
        return ""

    async def _connect(self) -> socket.socket:
        """Return a connection with the first address of the server that takes one. Raises
        OSError."""
        problem = OSError(f"{self._host} has no address")
        for found in await self._lookups.resolve(self._host, self._port, socket.AF_UNSPEC):
            connection = socket.socket(found["family"], socket.SOCK_STREAM)
            connection.setblocking(False)
            try:
                address = found["host"], found["port"]
                await asyncio.get_running_loop().sock_connect(connection, address)
            except OSError as error:
                problem = error
                connection.close()
            except BaseException:
                connection.close()
                raise
            else:
                return connection
        raise problem


def _shut(connection: socket.socket) -> None:
    """End a connection for both ends: its transport, which closes it, could wait for ever for a
    server that reads no more."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _own_name(connection: socket.socket) -> str:
    """Return how this machine calls itself to a mail server: by its name if that has a domain, or
    else by its address (RFC 5321, section 4.1.4). No name server is asked."""
    name = socket.gethostname()
    if "." in name:
        return name
    address = str(connection.getsockname()[0]).partition("%")[0]
    return f"[IPv6:{address}]" if ":" in address else f"[{address}]"
