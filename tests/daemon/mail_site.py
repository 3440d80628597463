"""A daemon for tests whose mails a program of the site takes."""

from __future__ import annotations

import email
import email.policy
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

EMULATED = ("--no-local-node", "--emulate", "2x4")
SENDMAIL = """#!/bin/sh
echo "$@" > $0.$$
cat >> $0.$$
test -e $0.broken && {{ echo 'no such host' >&2; exit 75; }}
mv $0.$$ $0.$$.mail
"""


class Site:
    """A daemon whose mails a program of the site takes."""

    def __init__(
        self, start: Callable[..., Daemon], folder: Path, settings: str = "", *options: str
    ) -> None:
        self.program = folder / "sendmail"
        self.program.write_text(SENDMAIL.format())
        self.program.chmod(0o755)
        config = f'mail = "{self.program}"\nkill_grace = "1s"\n{settings}'
        self.daemon = start(*EMULATED, *options, config=config)

    def mails(self) -> list[tuple[str, EmailMessage]]:
        """Return the options that the program had, and the mail, for each that it took."""
        found = []
        for path in self.program.parent.glob("sendmail.*.mail"):
            options, _, raw = path.read_bytes().partition(b"\n")
            message = email.message_from_bytes(raw, policy=email.policy.default)
            found.append((options.decode(), message))
        return found

    def subjects(self) -> list[str]:
        """Return the subjects of all mails, with T for a time."""
        found = (re.sub(r"\d\d:\d\d:\d\d", "T", mail["Subject"]) for _, mail in self.mails())
        return sorted(found)

    def settled(self) -> bool:
        """Return whether no mail is left to be sent."""
        with closing(sqlite3.connect(self.daemon.state / "rmsd.db", DEADLINE_S)) as database:
            query = "SELECT count(*) FROM notice WHERE target != ''"
            return bool(database.execute(query).fetchone() == (0,))

    def subjects_in_the_end(self, *job_ids: int) -> list[str]:
        """Return the subjects of all mails, once these jobs are over."""
        for job_id in job_ids:
            self.daemon.wait(job_id)
        wait_until(self.settled)
        return self.subjects()
