"""The rows of the table of settings that say how mails about jobs are sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from rmsd_daemon.setup import values
from rmsd_daemon.setup.groups import MAIL
from rmsd_daemon.setup.programs import ProgramSettings
from rmsd_wire.mail_types import is_address
from rmsd_wire.settings import Kind, setting, unset

_DOMAIN = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
SMTP = "smtp"
SMTP_PORT = 25


def _mailer(value: object) -> str:
    """Read the path of a program, or the URL of a server."""
    if not isinstance(value, str):
        raise TypeError("it must be a text")
    if value.startswith("/"):
        return value
    parts = urlsplit(value)
    usable = parts.scheme == SMTP and parts.hostname and not parts.username and not parts.path
    if not usable or parts.port == 0:
        raise ValueError(f"'{value}' is neither the path of a program nor smtp://HOST:PORT")
    return value


def _domain(value: object) -> str:
    if not isinstance(value, str) or not _DOMAIN.fullmatch(value):
        raise ValueError(f"{value!r} is not the name of a domain")
    return value


def _sender(value: object) -> str:
    if not isinstance(value, str) or not is_address(value):
        raise ValueError(f"{value!r} is not an address")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSettings(ProgramSettings):
    """The settings of the mails that users ask for with `rsub --mail-type`."""

    mail: str | None = unset(
        Kind(_mailer, 'a path, or `"smtp://HOST:PORT"`'),
        group=MAIL,
        by_default="no mail is sent",
        example="/usr/sbin/sendmail",
        meaning="how mails about jobs are sent: by a program that takes the options of sendmail, "
        "or to a mail server of the site",
        see="See [Mail](admin-operation.md#mail).",
    )
    mail_from: str = setting(
        Kind(_sender, "an address"),
        "rmsd",
        group=MAIL,
        meaning="the sender of mails",
    )
    mail_domain: str | None = unset(
        Kind(_domain, "a domain"),
        group=MAIL,
        by_default="none",
        example="example.org",
        meaning="the domain of addresses that have none, such as the names of accounts",
    )
    max_mails_per_hour: int = setting(
        values.COUNT,
        100,
        group=MAIL,
        meaning="the most mails about one user's jobs in an hour; those beyond are given up",
    )
