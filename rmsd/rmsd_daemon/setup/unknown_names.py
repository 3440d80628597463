"""Names in the configuration that this machine does not have: most are misspelled."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Iterator, Sequence
from threading import Thread

import structlog

from rmsd_daemon.setup.config import Config

log = structlog.get_logger()


def is_known(listed: str) -> bool:
    """Return whether this machine has the account, or the `@group`."""
    try:
        if listed.startswith("@"):
            grp.getgrnam(listed[1:])
        elif not listed.isdecimal():
            pwd.getpwnam(listed)
    except (KeyError, ValueError):
        return False
    return True


def log_unknown(config: Config) -> None:
    """Log the unknown names of partitions, accounts and QOS, and a mail program that is not there.
    A thread looks them up: a directory may need long for many users."""
    Thread(target=_log_all, args=(config,), name="names", daemon=True).start()


def _log_all(config: Config) -> None:
    for setting, names in unknown_names(config):
        log.warning("names-unknown", setting=setting, names=names)


def unknown_roles(config: Config) -> Iterator[tuple[str, list[str]]]:
    """Yield `operators` and `admins` if they have unknown names, with these. A daemon logs them
    with the roles that it gives (`callers/auth`)."""
    for setting, names in (("operators", config.operators), ("admins", config.admins)):
        if unknown := [name for name in dict.fromkeys(names) if not is_known(name)]:
            yield setting, unknown


def unknown_names(config: Config) -> Iterator[tuple[str, list[str]]]:
    """Yield the settings that have unknown names, with these."""
    for setting, names in _users(config):
        if unknown := [name for name in dict.fromkeys(names) if not is_known(name)]:
            yield setting, unknown
    accounts = {one.name for one in config.accounts}
    for qos in config.qos:
        if unknown := [name for name in qos.accounts if accounts and name not in accounts]:
            yield f"qos.{qos.name}.accounts", unknown
    mailer = config.mail
    if mailer is not None and mailer.startswith("/") and not os.access(mailer, os.X_OK):
        yield "mail", [mailer]


def _users(config: Config) -> Iterator[tuple[str, Sequence[str]]]:
    for partition in config.partitions:
        yield f"partitions.{partition.name}.users", partition.users
    for account in config.accounts:
        yield f"accounts.{account.name}.members", account.members
        yield f"accounts.{account.name}.default_of", account.default_of
    for qos in config.qos:
        yield f"qos.{qos.name}.users", qos.users
